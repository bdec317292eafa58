"""A question and the sentence that is to answer it in; what speaks against that, in log-odds, out."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from footnoted.text import stem

if TYPE_CHECKING:
    from footnoted.assistants.insurance.ranking import Scored
    from footnoted.assistants.insurance.telling import Telling
    from footnoted.types import Source

# What is done or to be done: "will you *install* an alarm", "who *owns* the garage", "what does an adjuster *earn*?"
_ACTS = (
    re.compile(
        r"\b(?:am|are|is|do|does|did|will|would|can|could|may|might|must|shall|should|have|has|when|if)\s+"
        r"(?:i|you|we|they|it|he|she|someone|somebody)\s+"
        r"(?:(?:have|need|be able|get) to |still |also |ever |really )?([a-z]+)",
        re.IGNORECASE,
    ),
    re.compile(r"\A(?:who|which \w+)\s+([a-z]+)", re.IGNORECASE),
    re.compile(r"\bwhat (?:do|does|did|will|would)\b.*?([a-z]+)\?\Z", re.IGNORECASE),
)
_NEAR = 0.35  # nearness in meaning of an answer as they usually are
_NEARER = 10.0  # log-odds for each unit of nearness below that, or above
_UNMET_ACT = 0.75
_OTHER_KIND = 0.5  # a person, a time, a place or an amount is asked for, and the sentence has none


def doubt(telling: Telling, one: Scored, said: str, source: Source, near: float | None) -> float:
    """How much speaks against a sentence, told with its leads as ``said``; ``near`` is its nearness where known."""
    against = _OTHER_KIND * one.features.get("offers_not", 0.0)
    acts = {stem(found) for pattern in _ACTS for found in pattern.findall(telling.question)}
    if any(telling.is_missing(act, said, source) for act in acts):
        against += _UNMET_ACT
    if near is not None:
        against += _NEARER * (_NEAR - near)
    return against
