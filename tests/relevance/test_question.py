"""What a question asks for, which of its words tell what it is about, and which words could answer it."""

from __future__ import annotations

import pytest

from footnoted.relevance import tells
from footnoted.relevance.offers import offered
from footnoted.relevance.opposites import has_opposite
from footnoted.relevance.question import understand
from footnoted.relevance.rarity import rarity
from footnoted.relevance.roots import root
from footnoted.text import fold, words
from tests.tables import every


@every(
    ("question", "wanted"),
    [
        ("Who wrote Hamlet?", "person"),
        ("When did the war end?", "time"),
        ("In what year was the bridge built?", "time"),
        ("Where is the Dead Sea?", "place"),
        ("Which country borders Spain?", "place"),
        ("How many points did they score?", "amount"),
        ("How old must a driver be?", "amount"),
        ("How much does the cover cost?", "money"),
        ("What is the windscreen excess?", "money"),
        ("How long does a claim take?", "duration"),
        ("How many days may I drive abroad?", "duration"),
        ("What percentage of claims is paid?", "share"),
        ("Why is the sky blue?", "reason"),
        ("How do I complain?", "manner"),
        ("What is subsidence?", "definition"),
        ("What does heave mean?", "definition"),
        ("Is racing covered?", "confirmation"),
        ("Which theory did Jerne formulate?", "thing"),
        ("盗窃的赔偿是多少？", "amount"),
    ],
)
def test_what_a_question_wants(question, wanted):
    """The form of a question says what kind of words would answer it."""
    assert understand(question).wanted == wanted


def test_words_of_the_talk_before_count_for_less():
    """A follow-up's own word outweighs the same kind of word of the question before, whose form it takes over."""
    asked = understand("And for theft?", about="What is the windscreen excess?")
    assert asked.weights[root("theft")] > 2 * asked.weights[root("windscreen")]
    assert asked.wanted == "money"


def test_names_numbers_and_focus():
    """Capitals inside the question are names; figures are numbers; the noun after "which" is the focus."""
    asked = understand("Which river did Napoleon cross in 1812?")
    assert asked.names == {root("Napoleon")}
    assert asked.numbers == {"1812"}
    assert asked.focus == root("river")


def test_a_question_without_words_has_no_weights():
    """Nothing to go by is told as such, and divides by nothing."""
    asked = understand("?!")
    assert not asked.weights
    assert asked.total > 0


def test_telling_words():
    """A word that says what the question is about tells; how it asks does not, nor a pair of characters."""
    assert [word for word in "How much does life insurance cost".split() if tells(word)] == [
        "life",
        "insurance",
        "cost",
    ]
    assert not tells("盗窃")


def test_rarity_orders_words():
    """The more common a word, the less it tells; a word never seen tells most; a number is a number."""
    assert rarity("the") < rarity("citi") < rarity(root("windscreen")) <= rarity("qwertyzx")
    assert rarity("1987") == rarity("3")


@pytest.mark.parametrize(
    ("one", "other"), [("lent", "lend"), ("wrote", "written"), ("men", "man"), ("died", "death"), ("sold", "sale")]
)
def test_irregular_forms_meet(one, other):
    """Forms that no ending explains have one root."""
    assert root(one) == root(other)


def test_words_that_share_no_meaning_keep_apart():
    """To find and to found are two things."""
    assert root("find") != root("founded")


@pytest.mark.parametrize(
    ("one", "other", "opposed"),
    [
        ("before", "after", True),
        ("moral", "immoral", True),
        ("active", "inactive", True),
        ("come", "import", False),
        ("legal", "illegal", True),
        ("north", "east", False),
    ],
)
def test_opposites(one, other, opposed):
    """A word and the one that turns it round; others are merely different."""
    assert has_opposite(root(one), {root(other)}) is opposed


@pytest.mark.parametrize(
    ("wanted", "sentence", "could"),
    [
        ("time", "It ended in May 1945.", {"May", "1945"}),
        ("amount", "Two of 40 members came.", {"Two", "40"}),
        ("money", "You pay £75 within 30 days.", {"75"}),
        ("money", "It cost 20 million dollars.", {"20", "million"}),
        ("share", "Some 60% of 90 people.", {"60"}),
        ("duration", "It took three weeks.", {"weeks"}),
        ("person", "In May Niels Jerne spoke.", {"Niels", "Jerne"}),
        ("place", "Jerne was born in London.", {"London"}),
        ("thing", "Anything goes in 1945.", set()),
    ],
)
def test_words_that_could_answer(wanted, sentence, could):
    """Dates, amounts, names and places are told by their shape and their company."""
    tokens = words(sentence)
    found = offered(wanted, sentence, tokens, [fold(word) for word, _, _ in tokens])
    assert {tokens[i][0] for i in found} == could
