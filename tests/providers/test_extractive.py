"""Extractive answers: the sources' own sentences, pointed at, or a refusal."""

from __future__ import annotations

from footnoted.providers.extractive import Extractive
from footnoted.types import FinishReason, Prompt, Source

POLICY = Source(
    "car", "The windscreen excess is £75. The theft excess is £250. We cover you in 40 countries."
)


async def deltas(prompt: Prompt, **arguments):
    return [delta async for delta in Extractive(**arguments).stream(prompt)]


async def test_answers_with_the_sentence_and_its_exact_place():
    """The first delta is the sentence that answers, with a pointer at its exact words."""
    first, *_, last = await deltas(Prompt("What is the windscreen excess?", sources=(POLICY,)))
    assert first.text == "The windscreen excess is £75."
    (pointer,) = first.pointers
    assert POLICY.text[pointer.start : pointer.end] == "The windscreen excess is £75."
    assert last.finish_reason is FinishReason.COMPLETE
    assert last.usage.output > 0


async def test_refuses_in_silence_with_a_reason():
    """When nothing answers there is no text, only the typed ending and its reason."""
    (only,) = await deltas(Prompt("Who won the chess championship?", sources=(POLICY,)))
    assert only.finish_reason is FinishReason.REFUSED
    assert only.text == ""
    assert only.detail
