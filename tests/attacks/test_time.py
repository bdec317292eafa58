"""Hostile sizes: what grows does so in step, and one runaway answer keeps nobody else waiting."""

import time

import pytest

from footnoted import GroundedGenerator
from footnoted.answering.formats import shaper
from footnoted.answering.refusal import RefusalGate, reads_as_refusal
from footnoted.contract import GenerationMode, OutputFormat
from footnoted.prompting.prompt import fence
from footnoted.prompting.templates import choose
from footnoted.testing import scripted_provider
from footnoted.types import Source
from tests.tables import every

from .corpus import SIZES, Attack

pytestmark = pytest.mark.no_cover  # the same lines thousands of times: tracing them takes most of the time


def seconds(work):
    started = time.process_time()
    work()
    return time.process_time() - started


def cut(text, size=3):
    return [text[at : at + size] for at in range(0, len(text), size)]


@pytest.mark.parametrize("attack", SIZES, ids=lambda attack: attack.name)
def test_a_fence_is_built_in_step_with_its_text(attack):
    """Marks, tokens and controls are found in one pass."""
    text = (attack.source or attack.question) * 2
    assert seconds(lambda: fence([Source("a", text, attack.title)], [text])) < 10


@every("form", [OutputFormat.BULLETS, OutputFormat.PLAIN])
@every("text", [" " * 150_000 + "x", "\n" * 150_000, "1" * 150_000, "*" * 150_000, "`" * 150_000, "- " * 75_000])
def test_a_shape_is_given_in_step_with_the_text(form, text):
    """A hundred and fifty thousand characters that stay undecided, in pieces of three and in one."""
    machine, whole = shaper(form), shaper(form)
    assert seconds(lambda: [machine.decode(piece) for piece in cut(text)]) < 10
    assert seconds(lambda: whole.decode(text)) < 10


def test_the_gate_waits_for_no_more_than_a_line_of_wrapping():
    """White space without end is no refusal, however it is cut."""
    for pieces in ([" " * 100_000 + "NO_ANSWER"], cut(" " * 100_000 + "NO_ANSWER")):
        gate = RefusalGate()
        text = "".join(gate.decode(piece) for piece in pieces) + gate.flush()
        assert not gate.refused
        assert len(text) == 100_009
    assert seconds(lambda: [RefusalGate().decode(piece) for piece in cut(" " * 100_000)]) < 10


@pytest.mark.parametrize(
    "work",
    [
        lambda: choose("differ " * 4_500, GenerationMode.GROUNDED, has_sources=True),
        lambda: choose("compar" * 5_000, GenerationMode.GROUNDED, has_sources=True),
        lambda: reads_as_refusal("no information " * 40, cited=False),
    ],
    ids=["question-differ", "question-compare", "refusal"],
)
def test_no_pattern_runs_away(work):
    """The patterns that read what others wrote are linear in it."""
    assert seconds(work) < 1


async def test_a_claim_without_end_stalls_nobody():
    """A model's sentence of ten thousand words is not weighed, and the next answer comes as soon as ever."""
    runaway = Attack("x", "", reply=" ".join(f"word{number}" for number in range(10_000)) + ".")
    plain = Attack("y", "", reply="The windscreen excess is £75 for a repair [1].")
    started = time.perf_counter()
    response = await GroundedGenerator(scripted_provider(runaway.reply)).generate(runaway.request())
    assert [claim.verdict for claim in response.claims] == ["not_checked"]
    assert not response.claims[0].shown
    response = await GroundedGenerator(scripted_provider(plain.reply)).generate(plain.request())
    assert "£75" in response.response
    assert time.perf_counter() - started < 4
