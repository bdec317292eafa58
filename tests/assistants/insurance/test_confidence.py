"""Confidence: each rule with its number worked out by hand."""

import math

import pytest

from footnoted.assistants.insurance import ConfidenceConfig
from footnoted.assistants.insurance.confidence import confidence, specifics, word_count

LONG = "this answer has fifteen words and so its length takes nothing away from it at all"  # 16 words


def score(answer, scores=(0.8,), **config):
    return confidence(answer, scores, ConfidenceConfig(**config)).score


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        ((0.8,), 0.8),
        ((0.9, 0.7), 0.8),
        ((0.9, None, 0.7), 0.8),
        ((0.6, math.nan, math.inf), 0.6),
    ],
)
def test_it_begins_with_the_mean_of_the_known_scores(scores, expected):
    """(0.9 + 0.7) / 2 = 0.8; None, NaN and infinity are not known and count in neither sum nor number."""
    assert score(LONG, scores) == pytest.approx(expected)


@pytest.mark.parametrize("scores", [(), (None,), (math.nan, None)])
def test_without_a_known_score_it_is_0(scores):
    """No known score gives 0, not the least confidence of 0.1."""
    assert score(LONG, scores) == 0


def test_strong_uncertainty_takes_two_fifths_away():
    """0.8 × 0.6 = 0.48; 16 words, so no length factor."""
    assert score(f"I don't have enough information, {LONG}") == pytest.approx(0.48)


def test_moderate_uncertainty_takes_a_fifth_away():
    """0.8 × 0.8 = 0.64."""
    assert score(f"possibly {LONG}") == pytest.approx(0.64)


def test_strong_comes_before_moderate():
    """An answer with both counts the strong one only: 0.8 × 0.6 = 0.48, not 0.8 × 0.6 × 0.8 = 0.384."""
    assert score(f"possibly, but it is not mentioned, {LONG}") == pytest.approx(0.48)


def test_uncertainty_overrides_specificity():
    """£75 and 30 days would give × 1.1; "possibly" gives × 0.8 and nothing else: 0.8 × 0.8 = 0.64."""
    assert score(f"possibly £75 within 30 days, {LONG}") == pytest.approx(0.64)


@pytest.mark.parametrize(
    ("said", "count"),
    [("£75", 1), ("£75 within 30 days", 2), ("£75, 20%, 30 days, age 65", 4), ("£1, £2, £3, £4, £5, £6", 6)],
)
def test_figures_raise_it_up_to_the_most(said, count):
    """0.8 × (1 + 0.05 × count), at most 0.8 × 1.2 = 0.96: 1 → 0.84, 2 → 0.88, 4 → 0.96, 6 → 0.96."""
    assert score(f"{said} {LONG}") == pytest.approx(0.8 * min(1 + 0.05 * count, 1.2))


def test_the_boost_is_configured():
    """0.5 × min(1 + 2 × 0.1, 1.15) = 0.5 × 1.15 = 0.575."""
    said = f"£75 within 30 days, {LONG}"
    assert score(said, (0.5,), specificity_boost_per_item=0.1, max_specificity_boost=1.15) == pytest.approx(0.575)


@pytest.mark.parametrize(
    ("words", "factor"),
    [(1, 0.7), (4, 0.7), (5, 0.85), (9, 0.85), (10, 0.95), (14, 0.95), (15, 1.0), (40, 1.0)],
)
def test_short_answers_count_for_less(words, factor):
    """Under 5 words × 0.7, under 10 × 0.85, under 15 × 0.95: 4 words 0.8 × 0.7 = 0.56, 5 words 0.68, 14 words 0.76."""
    assert score(" ".join(["word"] * words)) == pytest.approx(0.8 * factor)


def test_the_three_factors_multiply():
    """Three words with one figure: 0.8 × 1.05 × 0.7 = 0.588. "Not mentioned there." : 0.8 × 0.6 × 0.7 = 0.336."""
    assert score("It is £75") == pytest.approx(0.588)
    assert score("Not mentioned there.") == pytest.approx(0.336)


def test_it_stays_between_its_least_and_one():
    """0.1 × 0.6 × 0.7 = 0.042 is brought to 0.1; 1.0 × 1.2 = 1.2 to 1; a least of 0.3 lifts 0.042 to 0.3."""
    assert score("Not mentioned there.", (0.1,)) == 0.1
    assert score(f"£1, £2, £3, £4, {LONG}", (1.0,)) == 1
    assert score("Not mentioned there.", (0.1,), min_confidence_threshold=0.3) == 0.3


def test_a_phrase_counts_in_whole_words_only():
    """The word "mightily" is no "might"; a curly apostrophe is one: 0.8 × 0.6."""
    assert score(f"mightily {LONG}") == pytest.approx(0.8)
    assert score(f"We don’t know, {LONG}") == pytest.approx(0.48)


@pytest.mark.parametrize(
    "said",
    ["Saya tidak pasti tentang hal ini.", "保单文件中没有足够的信息来回答这个问题。", "இதற்குப் போதுமான தகவல் இல்லை."],
)
def test_uncertainty_is_heard_in_every_language(said):
    """0.9 × 0.6 × the length factor: 6 Malay words and 4 Tamil ones, 20 Chinese signs as 10 words."""
    length = {"S": 0.85, "保": 0.95, "இ": 0.7}[said[0]]
    assert score(said, (0.9,)) == pytest.approx(0.9 * 0.6 * length)


def test_every_kind_of_figure_is_found():
    """Money in three ways, shares, days and ages; a year and a section number are none of them."""
    said = "S$500, RM 1,200.50 and 14 pounds; 12.5% or 10 per cent; 30 days, 5 working days; aged 65, 40 years old."
    assert len(specifics(said)) == 9
    assert specifics("Section 3.2 of 2026, 3 policies") == []


def test_the_reasoning_says_each_step_in_words():
    """The steps name the mean, the phrase or figures, and the length."""
    said = confidence("It is £75", [0.8]).reasoning
    assert "0.80" in said
    assert "1 figure" in said
    assert "fewer than 5 words" in said


def test_words_are_counted_in_scripts_without_spaces_too():
    """Seven Chinese signs are four words; white space divides the rest."""
    assert word_count("自付额是七十五") == 4
    assert word_count("The excess is £75 [1].") == 5
