"""Decides by the scores behind an answer whether it is enough, and says why not."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from footnoted.assistants.insurance.confidence import ConfidenceConfig, mean_relevance, strong_uncertainty, word_count
from footnoted.assistants.insurance.phrases import language_of
from footnoted.text import content_stems

# Words of a question that name no subject of it: an answer need not repeat them.
_ABOUT_ASKING = frozenset(
    content_stems(
        "does do much many long what which when where who how why can could would should will need get have "
        "tell know explain please mean happen covered cover policy insurance insured plan say"
    )
)


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
