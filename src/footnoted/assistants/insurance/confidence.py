"""Computes by fixed rules how sure one may be of an answer and whether it is enough, and says why in words.

Every constant of these rules is a caller's to set: `ConfidenceConfig`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict, Field

from footnoted.assistants.insurance.phrases import MODERATE_UNCERTAINTY, STRONG_UNCERTAINTY, language_of
from footnoted.text import UNSPACED, content_stems
from footnoted.text.phrases import whole

_MONEY = (
    r"[A-Z]{0,3}[$£€¥₹]\s?\d[\d,]*(?:\.\d+)?"
    r"|\b(?:RM|GBP|USD|EUR|SGD|MYR|Rs\.?)\s?\d[\d,]*(?:\.\d+)?"
    r"|\b\d[\d,]*(?:\.\d+)?\s?(?:pounds?|dollars?|euros?|ringgit)\b"
    r"|\d[\d,]*\s?(?:元|令吉)"
)
_PERCENT = r"\b\d+(?:\.\d+)?\s?(?:%|per\s?cent\b)"
_DAYS = r"\b\d+[\s-](?:(?:calendar|working|business|consecutive)\s)?days?\b|\b\d+\s(?:hari|நாட்கள்)|\d+\s?[天日]"
_AGES = (
    r"\b(?:aged?|ages)\s(?:(?:of|under|over|up\sto|between)\s)?\d{1,3}\b"
    r"|\b\d{1,3}[\s-]years?[\s-](?:old|of\sage)\b"
)
_SPECIFIC = re.compile(f"{_MONEY}|{_PERCENT}|{_DAYS}|{_AGES}", re.IGNORECASE)

# Words of a question that name no subject of it: an answer need not repeat them.
_ABOUT_ASKING = frozenset(
    content_stems(
        "does do much many long what which when where who how why can could would should will need get have "
        "tell know explain please mean happen covered cover policy insurance insured plan say"
    )
)


class ConfidenceConfig(BaseModel):
    """Every constant of confidence and sufficiency.

    Length: an answer under ``very_short_words`` words counts ``very_short_factor``, and so on. Relevance: a query of
    up to so many words needs that mean, by ``relevance_by_query_words``; a longer one ``relevance_otherwise``.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    strong_uncertainty_phrases: tuple[str, ...] = STRONG_UNCERTAINTY
    moderate_uncertainty_phrases: tuple[str, ...] = MODERATE_UNCERTAINTY
    strong_uncertainty_penalty: float = Field(default=0.6, ge=0, le=1)
    moderate_uncertainty_penalty: float = Field(default=0.8, ge=0, le=1)
    specificity_boost_per_item: float = Field(default=0.05, ge=0)
    max_specificity_boost: float = Field(default=1.2, ge=1, description="the boost's largest factor")
    very_short_words: int = 5
    very_short_factor: float = Field(default=0.7, ge=0, le=1)
    short_words: int = 10
    short_factor: float = Field(default=0.85, ge=0, le=1)
    medium_words: int = 15
    medium_factor: float = Field(default=0.95, ge=0, le=1)
    min_confidence_threshold: float = Field(default=0.1, ge=0, le=1)

    relevance_by_query_words: tuple[tuple[int, float], ...] = ((3, 0.25), (6, 0.30))
    relevance_otherwise: float = 0.35
    min_words: dict[str, int] = Field(
        default_factory=lambda: {
            "amount": 3,
            "eligibility": 3,
            "fact": 4,
            "claim_procedure": 6,
            "comparison": 8,
        }
    )
    min_term_share: float = Field(default=0.25, ge=0, le=1, description="of the question's own terms, in the answer")


@dataclass(frozen=True, slots=True)
class Confidence:
    """A score 0–1 and the steps that led to it, one sentence each."""

    score: float
    steps: tuple[str, ...]

    @property
    def reasoning(self) -> str:
        """The steps as one text."""
        return " ".join(self.steps)


def confidence(answer: str, scores: Iterable[float | None], config: ConfidenceConfig | None = None) -> Confidence:
    """Mean relevance × (uncertainty or else specificity) × length, between the least confidence and 1.

    Without a known score it is 0. An answer that sounds unsure gains nothing by its figures.
    """
    config = config or ConfidenceConfig()
    mean = mean_relevance(scores)
    if mean is None:
        return Confidence(0.0, ("No source came with a known relevance, so confidence is 0.",))
    steps = [f"Mean relevance of the sources: {mean:.2f}."]
    manner, why = _manner(answer, config)
    length, how_long = _length(answer, config)
    steps += [why, how_long]
    raw = mean * manner * length
    score = min(1.0, max(config.min_confidence_threshold, raw))
    if score != raw:
        steps.append(f"{raw:.2f} was brought to {score:.2f}, the {'least' if score > raw else 'most'} there is.")
    return Confidence(score, tuple(step for step in steps if step))


def mean_relevance(scores: Iterable[float | None]) -> float | None:
    """The mean of the scores that are known; ``None`` when none is."""
    known = [score for score in scores if score is not None and math.isfinite(score)]
    return sum(known) / len(known) if known else None


def strong_uncertainty(answer: str, config: ConfidenceConfig | None = None) -> str:
    """The first phrase in an answer that says it does not know; empty when there is none."""
    return _phrase(answer, (config or ConfidenceConfig()).strong_uncertainty_phrases)


def specifics(answer: str) -> list[str]:
    """The sums of money, percentages, days and ages in a text.

    >>> specifics("£75 within 30 days, 20% less from age 65 [1].")
    ['£75', '30 days', '20%', 'age 65']
    """
    return [found.group().strip() for found in _SPECIFIC.finditer(answer)]


def word_count(text: str) -> int:
    """Words between white space; of Chinese, Japanese and Thai, two characters are one.

    >>> word_count("The excess is £75 [1]."), word_count("自付额是")
    (5, 2)
    """
    unspaced = len(UNSPACED.findall(text))
    return len(UNSPACED.sub(" ", text).split()) + -(-unspaced // 2) if unspaced else len(text.split())


@dataclass(frozen=True, slots=True)
class Sufficiency:
    """Whether an answer is enough; ``reasons`` say what it lacks."""

    sufficient: bool
    reasons: tuple[str, ...] = ()


def sufficiency(
    query: str,
    answer: str,
    scores: Iterable[float | None],
    *,
    kind: str = "fact",
    config: ConfidenceConfig | None = None,
) -> Sufficiency:
    """All four must hold: no strong uncertainty, relevant sources, enough words for the kind, the question's terms.

    An answer in another language than the question's shares no terms with it; there the fourth is not asked.
    """
    config = config or ConfidenceConfig()
    reasons = []
    if phrase := strong_uncertainty(answer, config):
        reasons.append(f"it says “{phrase}”")
    mean, needed = mean_relevance(scores), needed_relevance(query, config)
    if mean is None:
        reasons.append("no source came with a known relevance")
    elif mean < needed:
        reasons.append(f"the sources' mean relevance {mean:.2f} is under {needed:.2f}")
    least = config.min_words.get(kind, config.min_words.get("fact", 1))
    if word_count(answer) < least:
        reasons.append(f"it has fewer than {least} words")
    if language_of(query) == language_of(answer) and not addresses(query, answer, config):
        reasons.append("it does not take up the question's own terms")
    return Sufficiency(not reasons, tuple(reasons))


def needed_relevance(query: str, config: ConfidenceConfig | None = None) -> float:
    """The mean relevance a query needs, by its length in words.

    >>> [needed_relevance(q) for q in ("windscreen excess", "is my windscreen covered", "x " * 7)]
    [0.25, 0.3, 0.35]
    """
    config = config or ConfidenceConfig()
    count = word_count(query)
    return next((least for most, least in config.relevance_by_query_words if count <= most), config.relevance_otherwise)


def addresses(query: str, answer: str, config: ConfidenceConfig | None = None) -> bool:
    """Whether enough of the question's own terms stand in the answer; a question without any is addressed."""
    config = config or ConfidenceConfig()
    wanted = set(content_stems(query)) - _ABOUT_ASKING
    if not wanted:
        return True
    return len(wanted & set(content_stems(answer))) / len(wanted) >= config.min_term_share


def _manner(answer: str, config: ConfidenceConfig) -> tuple[float, str]:
    """The factor of how the answer speaks: unsure, or else specific."""
    if phrase := strong_uncertainty(answer, config):
        factor = config.strong_uncertainty_penalty
        return factor, f"It says “{phrase}”, which is strong uncertainty: × {factor:g}."
    if phrase := _phrase(answer, config.moderate_uncertainty_phrases):
        factor = config.moderate_uncertainty_penalty
        return factor, f"It says “{phrase}”, which is some uncertainty: × {factor:g}."
    found = specifics(answer)
    if not found:
        return 1.0, ""
    factor = min(1.0 + len(found) * config.specificity_boost_per_item, config.max_specificity_boost)
    return factor, f"It is specific ({len(found)} {'figure' if len(found) == 1 else 'figures'}): × {factor:g}."


def _length(answer: str, config: ConfidenceConfig) -> tuple[float, str]:
    count = word_count(answer)
    steps = (
        (config.very_short_words, config.very_short_factor),
        (config.short_words, config.short_factor),
        (config.medium_words, config.medium_factor),
    )
    for limit, factor in steps:
        if count < limit:
            return factor, f"It has fewer than {limit} words: × {factor:g}."
    return 1.0, ""


def _phrase(answer: str, phrases: Sequence[str]) -> str:
    """The first of the phrases that stands in the answer, in whole words where its script has them."""
    said = _plain(answer)
    for phrase in phrases:
        if (wanted := _plain(phrase)) and whole(wanted).search(said):
            return phrase
    return ""


def _plain(text: str) -> str:
    """One case, one kind of apostrophe, single spaces."""
    return " ".join(text.replace("\u2019", "'").casefold().split())
