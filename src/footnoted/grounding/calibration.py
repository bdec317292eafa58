"""The scores of an answer's claims in; the probability that all of them stand out.

A claim's score is calibrated by itself; the lowest of many is not, because the lowest of many is low by chance.
The numbers in ``fitted/confidence.json`` come from ``training/fit_classifier.py``.
"""

from __future__ import annotations

import json
import math
from functools import cache
from typing import TYPE_CHECKING

from footnoted.grounding.reading import FITTED

if TYPE_CHECKING:
    from collections.abc import Sequence

_SURE = 0.995


def sureness(scores: Sequence[float | None]) -> float:
    """The probability (0–1) that every claim stands; a claim without a score counts as one that does not.

    >>> sureness([])
    1.0
    """
    if not scores:
        return 1.0
    given = [score or 0.0 for score in scores]
    if min(given) <= 0.0:
        return 0.0
    logits = [_logit(score) for score in given]
    told = _fitted()
    total = told["least"] * min(logits) + told["mean"] * sum(logits) / len(logits)
    return 1.0 / (1.0 + math.exp(-(total + told["count"] * math.log(len(logits)) + told["shift"])))


def _logit(score: float) -> float:
    inside = min(_SURE, max(1.0 - _SURE, score))
    return math.log(inside / (1.0 - inside))


@cache
def _fitted() -> dict[str, float]:
    told: dict[str, float] = json.loads((FITTED / "confidence.json").read_text(encoding="utf-8"))
    return told
