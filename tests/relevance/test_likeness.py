"""The encoder's second look: words that differ and mean the same meet."""

from __future__ import annotations

import pytest

from footnoted.providers.extractive import Extractive
from footnoted.relevance import EncoderLikeness, rank
from footnoted.relevance.question import understand
from footnoted.types import Prompt, Source

POLICY = Source(
    "p",
    "The committee met on Tuesday. A broken windscreen is mended free of charge. Luggage is insured up to £1,500. "
    "Dogs may travel in the cabin.",
)


@pytest.fixture(scope="module")
def likeness():
    """The shipped encoder, opened once."""
    return EncoderLikeness()


def test_the_like_meaning_is_likelier(likeness):
    """Of two texts, the one that means the same scores higher by every measure; no text has no words to be like."""
    alike, other, empty = likeness(
        understand("Do you repair a cracked windshield?"), ["A broken windscreen is mended.", "Dogs may travel.", ""]
    )
    assert all(alike[name] > other[name] for name in ("whole", "by_word", "least"))
    assert (empty["by_word"], empty["least"]) == (0.0, 0.0)


def test_other_words_find_the_sentence(likeness):
    """A sentence that shares no word with the question is found by its meaning."""
    question = "Do you repair a cracked windshield?"
    assert "windscreen" in rank(question, [POLICY], likeness=likeness)[0].sentence.text


def test_the_provider_takes_the_second_look(likeness):
    """Handed to the provider, the encoder takes part in answer and refusal."""
    reply = Extractive(likeness=likeness).answer(Prompt("May dogs travel in the cabin?", sources=(POLICY,)))
    assert [one.text for one in reply.passages] == ["Dogs may travel in the cabin."]
    assert reply.chance > 0.5
    assert not Extractive(likeness=likeness).answer(Prompt("Who discovered penicillin?", sources=(POLICY,))).passages
