"""Sixty answers at once over a small pool of threads: each sentence has its verdict, later; none is lost."""

from __future__ import annotations

import asyncio

from footnoted import Deadlines, GroundedGenerator
from footnoted.grounding import Checker
from footnoted.types import Verdict

from .conftest import chunk
from .test_generator import speaks

MANY = 60


def said(number):
    """Three sentences: a quote, a statement beside the source, and a wrong figure."""
    return (
        f"The excess of plan {number} is £{number + 100} [1]. Plan {number} covers theft on a journey [1]. "
        f"The fee of plan {number} is £{number + 700} a year [1]."
    )


def source(number):
    return chunk(
        number,
        f"The excess of plan {number} is £{number + 100}. Theft is covered by plan {number} while you travel. "
        f"The fee of plan {number} is £{number + 500} a year.",
    )


async def test_no_sentence_is_lost_at_sixty_answers_at_once(asked):
    """With two threads for all of them, every sentence is read: waiting in the queue is not the check's time."""
    checker = Checker(workers=2)
    patient = {"deadlines": Deadlines(total=600), "verdict_wait": 60.0, "checking": "hold", "judge": None}

    async def answer(number):
        generator = GroundedGenerator(speaks(said(number)), checker=checker, **patient)
        return await generator.generate(asked(f"What does plan {number} cost?", sources=[source(number)]))

    responses = await asyncio.gather(*(answer(number) for number in range(1, MANY + 1)))
    for response in responses:
        quoted, read, wrong = (claim.verdict for claim in response.claims)
        assert quoted == "supported"
        assert read in ("supported", "unsure")
        assert wrong == "contradicted"


class Swamped:
    """A check with a queue that serves the first sentence of each answer and never comes to the rest."""

    tells_when_begun = True

    async def acheck(self, claim, sources, *, cited=(), begun=None):
        if "excess" not in claim:
            await asyncio.Event().wait()
        begun()
        words = sources[0].text.split(".")[0] + "."
        assert words in sources[0].text
        return Verdict("unsure", score=0.5, tier="model", reason="read")


async def test_past_the_total_the_rest_is_busy_and_the_ending_says_so(asked):
    """Nothing is dropped without a word: what had no turn is not checked, leaves visibly so, and is counted."""
    swamped = {"deadlines": Deadlines(total=3), "checking": "hold", "doubt": "mark", "judge": None}

    async def answer(number):
        generator = GroundedGenerator(speaks(said(number)), checker=Swamped(), **swamped)
        return await generator.generate(asked(f"What does plan {number} cost?", sources=[source(number)]))

    for response in await asyncio.gather(*(answer(number) for number in range(1, MANY + 1))):
        assert len(response.claims) == 3
        for claim in response.claims[1:]:
            assert claim.verdict == "not_checked"
            assert claim.reason.startswith("busy")
        assert response.response.count("(unverified)") == 3
        assert any("busy" in note for note in response.notes)
