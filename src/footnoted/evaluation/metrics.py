"""Computes ratios with bootstrap intervals, calibration, and risk against coverage from counts per case."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

from pydantic import BaseModel

from footnoted.native import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

Numbers: TypeAlias = "NDArray[np.float64]"
Counts = Sequence[tuple[float, float]]  # numerator and denominator of each case

RESAMPLES = 2_000
BINS = 10


class Interval(BaseModel):
    """A figure and its 95 % interval; ``value`` is ``None`` when nothing counted. ``n``: cases that counted."""

    value: float | None
    low: float | None
    high: float | None
    n: int

    @property
    def range(self) -> str:
        """The interval of a share, in per cent."""
        return "" if self.low is None or self.high is None else f"{self.low:.1%} to {self.high:.1%}"

    @property
    def points(self) -> str:
        """A difference of shares and its interval, in percentage points."""
        value, low, high = ((share or 0) * 100 for share in (self.value, self.low, self.high))
        return f"{value:+.1f} ({low:+.1f} to {high:+.1f})"


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


def ratio(*parts: Counts, draws: Numbers | None = None) -> Interval:
    """The sum of numerators over the sum of denominators, with its percentile interval over resamples.

    Of several parts, the mean of their ratios (of balanced accuracy: right on the answerable, on the unanswerable).
    """
    tables = [np.array(part, dtype=float).reshape(-1, 2) for part in parts]
    n = sum(int((table[:, 1] > 0).sum()) for table in tables)
    if not all(table[:, 1].any() for table in tables):
        return Interval(value=None, low=None, high=None, n=n)
    spread = in_resamples(tables, weights(len(tables[0])) if draws is None else draws)
    low, high = np.percentile(spread, [2.5, 97.5]) if spread.size else (None, None)
    return Interval(value=mean_ratio(tables), low=low, high=high, n=n)


def mean_ratio(tables: Sequence[Numbers]) -> float:
    """The mean of the tables' ratios, counts ``(cases, 2)`` each."""
    return float(np.mean([table[:, 0].sum() / table[:, 1].sum() for table in tables]))


def in_resamples(tables: Sequence[Numbers], draws: Numbers) -> Numbers:
    """The `mean_ratio` in every resample in which each of the tables counted."""
    sums = [draws @ table for table in tables]
    counted = np.all([total[:, 1] > 0 for total in sums], axis=0)
    spread: Numbers = np.mean([total[counted, 0] / total[counted, 1] for total in sums], axis=0)
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
