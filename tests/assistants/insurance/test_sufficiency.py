"""Sufficiency: the four conditions, each alone, with its number worked out by hand."""

import pytest

from footnoted.assistants.insurance import ConfidenceConfig
from footnoted.assistants.insurance.confidence import addresses, needed_relevance, sufficiency

QUERY = "What is the windscreen excess?"  # 5 words: 0.30
ANSWER = "The windscreen excess is £75 when our repairer replaces the glass."


def test_all_four_together_are_enough():
    """Mean 0.5 ≥ 0.30, no uncertainty, 11 words, both terms of the question."""
    assert sufficiency(QUERY, ANSWER, [0.5]).sufficient


@pytest.mark.parametrize(("words", "needed"), [(1, 0.25), (3, 0.25), (4, 0.30), (6, 0.30), (7, 0.35), (30, 0.35)])
def test_longer_questions_need_nearer_sources(words, needed):
    """Up to 3 words 0.25, up to 6 words 0.30, more 0.35."""
    assert needed_relevance(" ".join(["word"] * words)) == needed


@pytest.mark.parametrize(
    ("query", "mean", "enough"),
    [
        ("windscreen excess", 0.25, True),
        ("windscreen excess", 0.249, False),
        (QUERY, 0.30, True),
        (QUERY, 0.299, False),
        ("What is the windscreen excess on my policy?", 0.35, True),
        ("What is the windscreen excess on my policy?", 0.349, False),
    ],
)
def test_the_threshold_itself_is_enough(query, mean, enough):
    """2 words 0.25, 5 words 0.30, 8 words 0.35: at the threshold enough, a thousandth below not."""
    assert sufficiency(query, ANSWER, [mean]).sufficient is enough


def test_the_mean_is_of_the_known_scores():
    """(0.5 + 0.1) / 2 = 0.30 is enough for 5 words; None counts in neither; none known is not enough."""
    assert sufficiency(QUERY, ANSWER, [0.5, None, 0.1]).sufficient
    assert not sufficiency(QUERY, ANSWER, [None]).sufficient


def test_strong_uncertainty_is_never_enough():
    """Whatever else holds; moderate uncertainty is allowed."""
    assert not sufficiency(QUERY, f"I cannot find it. {ANSWER}", [0.9]).sufficient
    assert sufficiency(QUERY, f"Usually: {ANSWER}", [0.9]).sufficient


@pytest.mark.parametrize(
    ("kind", "answer", "enough"),
    [
        ("amount", "Windscreen excess: £75.", True),
        ("amount", "Windscreen £75.", False),
        ("comparison", "The windscreen excess is £75 here.", False),
        ("claim_procedure", "Windscreen excess: call us.", False),
        ("something else", "Windscreen excess: £75.", False),
    ],
)
def test_each_kind_of_question_needs_its_words(kind, answer, enough):
    """An amount 3 words, a fact (and any unknown kind) 4, a procedure 6, a comparison 8."""
    assert sufficiency(QUERY, answer, [0.9], kind=kind).sufficient is enough


def test_the_answer_takes_up_the_questions_own_terms():
    """Of windscreen and excess one in two is enough (0.25 is asked); none is not; a question without terms is met."""
    assert addresses(QUERY, "Our excess is £75.")
    assert not addresses(QUERY, "Your baggage is insured up to £1,500.")
    assert addresses("What about it?", "Anything.")


def test_another_language_shares_no_terms():
    """A Chinese question answered in the policy's English is enough without its terms; an English one is not."""
    assert sufficiency("挡风玻璃的自付额是多少？", ANSWER, [0.9]).sufficient
    assert not sufficiency("Is my dental bridge insured?", ANSWER, [0.9]).sufficient


def test_the_constants_are_configured():
    """With 0.6 asked of short questions, 0.5 is not enough."""
    config = ConfidenceConfig(relevance_by_query_words=((6, 0.6),), relevance_otherwise=0.7)
    assert not sufficiency(QUERY, ANSWER, [0.5], config=config).sufficient


def test_the_reasons_say_what_is_missing():
    """Every condition that fails is named."""
    reasons = sufficiency(QUERY, "It is unclear.", [0.1]).reasons
    assert len(reasons) == 4
