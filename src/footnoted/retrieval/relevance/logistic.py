"""Logistic regressions over named numbers: what the relevance, the policies and the threads are judged by."""

from __future__ import annotations

import math
from collections.abc import Mapping


def log_odds(features: Mapping[str, float], weights: Mapping[str, float]) -> float:
    """The weighted sum of features, with the constant under ``""``; what has no weight counts nothing."""
    return weights.get("", 0.0) + sum(weights.get(name, 0.0) * value for name, value in features.items())


def chance_of(odds: float) -> float:
    """The chance (0-1) of some log odds.

    >>> chance_of(0.0)
    0.5
    """
    return 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, odds))))


def odds_of(chance: float) -> float:
    """The log odds of a chance, bounded."""
    return math.log(max(chance, 1e-5) / max(1 - chance, 1e-5))
