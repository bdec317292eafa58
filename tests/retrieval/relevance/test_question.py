"""Which words of a question tell what it is about, and how much."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from footnoted.retrieval.relevance import tells
from footnoted.retrieval.relevance.question import understand
from footnoted.retrieval.relevance.rarity import rarity
from footnoted.text import stem, words
from tests.laws import tried
from tests.tables import every


def test_words_of_the_talk_before_count_for_less():
    """A follow-up's own word outweighs the same kind of word of the question before, which is there too."""
    asked = understand("And for theft?", about="What is the windscreen excess?")
    assert asked.weights[stem("theft")] > 2 * asked.weights[stem("windscreen")] > 0
    assert asked.whole == "What is the windscreen excess? And for theft?"


def test_names_and_numbers():
    """Capitals inside the question are names, not the one that opens it; figures are numbers."""
    asked = understand("Which river did Napoleon cross in 1812?")
    assert asked.names == {stem("Napoleon")}
    assert asked.numbers == {"1812"}


@tried(60)
@given(st.text(max_size=80))
def test_any_text_is_a_question(text):
    """Weights are positive, and every content word of the text has one."""
    asked = understand(text)
    assert all(weight > 0 for weight in asked.weights.values())
    assert set(asked.content) == set(asked.weights)
    assert asked.total > 0


def test_telling_words():
    """What says what a question is about, and not how it asks."""
    asked = "How much does life insurance cost a month"
    assert [word for word, _, _ in words(asked) if tells(word)] == ["life", "insurance", "cost", "month"]


@every(
    ("rare", "common"),
    [("windscreen", "car"), ("subsid", "hous"), ("xylograph", "windscreen")],
)
def test_rarity_orders_words(rare, common):
    """A word that English texts seldom hold tells more than one they often hold."""
    assert rarity(rare) >= rarity(common)
    assert rarity("the") < rarity(common)
