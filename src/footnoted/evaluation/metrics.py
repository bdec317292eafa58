"""Computes ratios with bootstrap intervals, calibration, and risk against coverage from counts per case."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

from pydantic import BaseModel

from footnoted.native import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

Numbers: TypeAlias = "NDArray[np.float64]"
Counts = Mapping[str, tuple[float, float]]  # metric → (numerator, denominator) of one case

RESAMPLES = 2_000
BINS = 10


class Interval(BaseModel):
    """A figure and its 95 % interval; ``value`` is ``None`` when nothing counted. ``n``: cases that counted."""

    value: float | None
    low: float | None
    high: float | None
    n: int


class Bin(BaseModel):
    """Answers whose confidence fell between ``low`` and ``high``: their mean confidence, and the share right."""

    low: float
    high: float
    confidence: float
    right: float
    n: int


class RiskPoint(BaseModel):
    """Answering only what is at least this confident: the share answered, and the share of those wrong."""

    confidence: float
    coverage: float
    risk: float


def weights(cases: int, *, resamples: int = RESAMPLES, seed: int = 7) -> Numbers:
    """How often each case is drawn in each resample: ``(resamples, cases)``. The same seed pairs two runs.

    The bootstrap of Efron 1979; one draw of the whole list a resample, with replacement.
    """
    draws: Numbers = np.random.default_rng(seed).multinomial(cases, [1 / cases] * cases, size=resamples).astype(float)
    return draws


def ratio(counts: Sequence[tuple[float, float]], draws: Numbers | None = None) -> Interval:
    """The sum of numerators over the sum of denominators, with its percentile interval over resamples."""
    above = np.array([each[0] for each in counts], dtype=float)
    below = np.array([each[1] for each in counts], dtype=float)
    if not below.sum():
        return Interval(value=None, low=None, high=None, n=0)
    spread = drawn(above, below, weights(len(counts)) if draws is None else draws)
    low, high = np.percentile(spread, [2.5, 97.5]) if spread.size else (None, None)
    return Interval(value=above.sum() / below.sum(), low=low, high=high, n=int((below > 0).sum()))


def drawn(above: Numbers, below: Numbers, draws: Numbers) -> Numbers:
    """The ratio in every resample in which anything counted."""
    tops, bottoms = draws @ above, draws @ below
    counted = bottoms > 0
    spread: Numbers = tops[counted] / bottoms[counted]
    return spread


def balanced(
    first: Sequence[tuple[float, float]], second: Sequence[tuple[float, float]], draws: Numbers | None = None
) -> Interval:
    """The mean of two ratios (of balanced accuracy: right on the answerable, right on the unanswerable)."""
    one, two = ratio(first, draws), ratio(second, draws)
    if one.value is None or two.value is None:
        return Interval(value=None, low=None, high=None, n=one.n + two.n)
    draws = weights(len(first)) if draws is None else draws
    spread = balanced_spread(np.array(first, dtype=float), np.array(second, dtype=float), draws)
    low, high = np.percentile(spread, [2.5, 97.5]) if spread.size else (None, None)
    return Interval(value=(one.value + two.value) / 2, low=low, high=high, n=one.n + two.n)


def balanced_spread(a: Numbers, b: Numbers, draws: Numbers) -> Numbers:
    """The mean of two ratios, counts ``(cases, 2)`` each, in every resample in which both counted."""
    bottoms = draws @ a[:, 1], draws @ b[:, 1]
    counted = (bottoms[0] > 0) & (bottoms[1] > 0)
    tops = draws @ a[:, 0], draws @ b[:, 0]
    spread: Numbers = (tops[0][counted] / bottoms[0][counted] + tops[1][counted] / bottoms[1][counted]) / 2
    return spread


def reliability(confidences: Sequence[float], right: Sequence[bool]) -> tuple[list[Bin], float | None]:
    """Ten bins of equal width, and the expected calibration error (Naeini et al. 2015); ``None`` for no answers."""
    if not confidences:
        return [], None
    sure, hits = np.array(confidences), np.array(right, dtype=float)
    place = np.minimum((sure * BINS).astype(int), BINS - 1)
    bins, error = [], 0.0
    for index in range(BINS):
        inside = place == index
        if not inside.any():
            continue
        mean, share = float(sure[inside].mean()), float(hits[inside].mean())
        error += abs(mean - share) * inside.mean()
        bins.append(Bin(low=index / BINS, high=(index + 1) / BINS, confidence=mean, right=share, n=int(inside.sum())))
    return bins, float(error)


def risk_coverage(confidences: Sequence[float], right: Sequence[bool]) -> tuple[list[RiskPoint], float | None]:
    """Risk at every coverage, most confident first, and the area under it (Geifman & El-Yaniv 2017).

    Answers of one confidence come in together: a threshold cannot tell them apart.
    """
    if not confidences:
        return [], None
    order = np.argsort(-np.array(confidences), kind="stable")
    sure = np.array(confidences)[order]
    wrong = np.cumsum(~np.array(right, dtype=bool)[order])
    last = [i for i in range(len(sure)) if i + 1 == len(sure) or sure[i + 1] != sure[i]]
    points = [
        RiskPoint(confidence=float(sure[i]), coverage=(i + 1) / len(sure), risk=float(wrong[i] / (i + 1))) for i in last
    ]
    area, before = 0.0, 0.0
    for point in points:
        area += point.risk * (point.coverage - before)
        before = point.coverage
    return points, area
