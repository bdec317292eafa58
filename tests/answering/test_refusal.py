"""Knowing a refusal when a model writes one, and saying it to the reader."""

from uuid import uuid4

import pytest

from footnoted.answering.refusal import RefusalGate, missing, nearest, reads_as_refusal
from footnoted.contract import SourceContext


def through(pieces):
    gate = RefusalGate()
    text = "".join([*(gate.decode(piece) for piece in pieces), gate.flush()])
    return gate.refused, missing(text) if gate.refused else text


@pytest.mark.parametrize(
    ("text", "refused", "left"),
    [
        ("NO_ANSWER: the pet excess", True, "the pet excess"),
        ("NO_ANSWER", True, ""),
        ("  **NO_ANSWER** — dental cover", True, "dental cover"),
        ("NO_ANSWERS are given here", True, "S are given here"),
        ("No, it is not covered [1].", False, "No, it is not covered [1]."),
        ("NO", False, "NO"),
        ("- NOT covered", False, "- NOT covered"),
        ("", False, ""),
        ("   ", False, "   "),
    ],
)
def test_the_sentinel_is_seen_however_it_is_cut(text, refused, left):
    """Any cut of the stream gives the same decision, and other text is not lost."""
    assert through([text]) == (refused, left)
    assert through(list(text)) == (refused, left)
    for at in range(len(text)):
        assert through([text[:at], text[at:]]) == (refused, left)


def test_ordinary_text_is_not_held_up():
    """The first character that cannot belong to the sentinel lets everything through."""
    gate = RefusalGate()
    assert gate.decode("The") == "The"
    assert gate.decode(" excess NO_ANSWER") == " excess NO_ANSWER"
    assert not gate.refused


@pytest.mark.parametrize(
    "text",
    [
        "The provided sources do not mention pet insurance.",
        "I could not find an answer to that.",
        "There is no information about dental care in the sources.",
        "Pet cover is not mentioned in the documents.",
        "Sorry, the context doesn't say how long it takes.",
    ],
)
def test_a_refusal_in_words_is_one(text):
    """Models that do not use the sentinel still refuse; only uncited answers count."""
    assert reads_as_refusal(text, cited=False)
    assert not reads_as_refusal(text, cited=True)


@pytest.mark.parametrize(
    "text", ["The excess is £75.", "You do not pay an excess for glass repairs.", "", "We cannot cover racing."]
)
def test_an_answer_with_a_no_in_it_is_not_a_refusal(text):
    """Denying cover is an answer."""
    assert not reads_as_refusal(text, cited=False)


def test_the_nearest_passages_are_exact_and_ordered():
    """A refusal shows where it looked: at most one sentence a source, the nearest first."""
    context = [
        SourceContext(chunk_id=uuid4(), document_id=uuid4(), content=text)
        for text in ("Nothing here.", "Pets are not mentioned. Excess applies.", "The pet excess is unknown to us.")
    ]
    found = nearest("What is the pet excess?", context)
    assert [each.source_index for each in found] == [2, 1]
    for each in found:
        content = context[each.source_index].content
        assert content[each.source_start : each.source_end] == each.source_quote
