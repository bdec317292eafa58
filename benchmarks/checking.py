"""What checking costs inside a stream: a sentence's wait, answers at once, memory; and nothing when it is off.

Run: python benchmarks/checking.py [--answers 60] [--most] [--ordinary] [--report]
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import subprocess
import sys
import time
from uuid import UUID

from _priority import ahead_of_others
from _table import goals, heading, versions
from _texts import ANSWER, QUESTION, SOURCES, of_another

from footnoted import GenerationConfig, GenerationRequest, GroundedGenerator, SourceContext
from footnoted.answering.generator import shipped_checker
from footnoted.events import AnswerFinished, ClaimChecked
from footnoted.types import Delta

PACE = 1 / 50
NUMBERS = itertools.count()  # of answers told apart: none is met twice, as what is known is not weighed again
SILENCE = 0.5  # seconds before a model's first word, in which sources are read


class Timed:
    """The shipped checker with a watch in its hand."""

    def __init__(self):
        self.inner = shipped_checker()
        self.waits = []

    async def acheck(self, claim, sources, *, cited=()):
        began = time.perf_counter()
        verdict = await self.inner.acheck(claim, sources, cited=cited)
        self.waits.append(time.perf_counter() - began)
        return verdict


def request(texts):
    sources = [
        SourceContext(chunk_id=UUID(int=i), document_id=UUID(int=i), content=text, metadata={"title": title})
        for i, (title, text) in enumerate(texts, start=1)
    ]
    return GenerationRequest(query=QUESTION, context=sources, config=GenerationConfig())


def paced(answer, silence, late):
    pieces = [answer[i : i + 5] for i in range(0, len(answer), 5)]

    async def model(_prompt):
        await asyncio.sleep(silence)
        begun = time.perf_counter()
        for number, piece in enumerate(pieces):
            due = begun + number * PACE
            await asyncio.sleep(max(0.0, due - time.perf_counter()))
            late.append(time.perf_counter() - due)
            yield Delta(piece)

    return model


async def one_answer(sources, answer, timed, lags, late, *, silence=0.0):
    """An answer whose text leaves at once: how long after a sentence's last chunk came its verdict.

    ``late`` takes how long after its time each chunk came: a loop that is kept busy holds the text back as well.
    """
    told = {}
    async with GroundedGenerator(paced(answer, silence, late), checker=timed, checking="mark") as generator:
        async for event in generator.stream(request(sources)):
            now = time.perf_counter()
            if isinstance(event, ClaimChecked):
                lags.append(now - told.get(event.claim.end, now))
            elif isinstance(event, AnswerFinished):
                break
            elif hasattr(event, "text"):
                for at in range(event.start, event.start + len(event.text) + 1):
                    told.setdefault(at, now)


ALIKE, WORDS, SOURCES_TOO = "all alike", "each in words of its own", "each of sources of its own as well"


def told(number, variety):
    """The sources and the answer of one of many."""
    sources, answer = of_another(number)
    return {ALIKE: (SOURCES, ANSWER), WORDS: (SOURCES, answer), SOURCES_TOO: (sources, answer)}[variety]


async def lagging(answers, variety=ALIKE):
    """Waits for a verdict, verdicts' and chunks' lags (s) of so many answers begun together."""
    timed, lags, late = Timed(), [], []
    await one_answer(SOURCES, ANSWER, timed, [], [])
    timed.waits.clear()
    texts = (told(next(NUMBERS), variety) for _ in range(answers))
    await asyncio.gather(*(one_answer(*text, timed, lags, late, silence=SILENCE) for text in texts))
    return timed.waits, lags, late


async def one_by_one(answers=5):
    """Waits for a verdict where one answer after the other is told, each in words of its own."""
    timed = Timed()
    await one_answer(SOURCES, ANSWER, timed, [], [])
    timed.waits.clear()
    for _ in range(answers):
        await one_answer(*told(next(NUMBERS), WORDS), timed, [], [])
    return timed.waits


def most_at_once(variety):
    """How many answers at once keep their verdicts within a second of when their text was due (p95), by 15."""
    answers = 0
    while answers < 300:
        _, lags, late = asyncio.run(lagging(answers + 15, variety))
        if at(0.95, lags) + at(0.95, late) > 1:
            break
        answers += 15
    return answers


def at(share, values):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def memory(code):
    """Peak resident MB of a fresh process after this code."""
    program = f"{code}\nimport resource; print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000)"
    return float(subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout)


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--most", action="store_true", help="find how many answers at once stay within a second")
    arguments.add_argument("--ordinary", action="store_true", help="do not run ahead of the machine's other work")
    arguments.add_argument("--answers", type=int, default=60)
    arguments.add_argument("--report", action="store_true", help="print without failing on a missed goal")
    options = arguments.parse_args()
    priority = "ordinary" if options.ordinary else ahead_of_others()
    heading("What checking costs inside a stream", versions("footnoted", "onnxruntime"))
    print(f"priority  {priority}\n")
    reached = []

    def goal(what, found, most, unit):
        reached.append((f"{what} <= {most:g} {unit}", f"{found:.1f} {unit}", found <= most))

    loaded = "from footnoted.grounding.check import Checker; from footnoted.types import Source\n"
    loaded += "Checker().check('It costs nine pounds to mend.', [Source('a', 'Mending the thing costs £9 at most.')])"
    goal("a process with the model loaded, resident", memory(loaded), 250, "MB")
    bare = "from footnoted import GroundedGenerator; import footnoted.answering.generator"
    goal(
        "checking off, more than without", memory(f"{bare}; GroundedGenerator(checking='off')") - memory(bare), 1, "MB"
    )
    waits = asyncio.run(one_by_one())
    goal("a sentence's verdict, 5 sources of 200 words, one answer at a time: p50", at(0.5, waits) * 1000, 15, "ms")
    goal("… p95", at(0.95, waits) * 1000, 60, "ms")
    for variety in (ALIKE, WORDS):
        _, lags, late = asyncio.run(lagging(options.answers, variety))
        name = f"{options.answers} answers at once at 50 chunks/s, {variety}: verdict behind its text, p95"
        goal(name, at(0.95, lags) * 1000, 1000, "ms")
        goal("… and the text behind its time, p95", at(0.95, late) * 1000, 100, "ms")
    if options.most:
        for variety in (ALIKE, WORDS, SOURCES_TOO):
            print(f"answers at once before that is more than a second, {variety}: {most_at_once(variety)}", flush=True)
        print()
    return goals(reached, report=options.report)


if __name__ == "__main__":
    sys.exit(main())
