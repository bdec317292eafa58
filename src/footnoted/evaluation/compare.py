"""Compares two reports on the same cases: each metric's difference, its interval, and whether it is real."""

from __future__ import annotations

from pydantic import BaseModel

from footnoted.errors import SourceError
from footnoted.evaluation.metrics import Interval, Numbers, balanced_spread, drawn, weights
from footnoted.evaluation.report import BALANCED, METRICS, CaseReport, Report
from footnoted.native import numpy as np

LEAST = 2  # cases both runs must share


class Difference(BaseModel):
    """``after - before`` (shares, 0–1) with a paired 95 % interval; ``real`` when the interval leaves out zero.

    ``better`` and ``worse`` count the cases that moved.
    """

    before: float
    after: float
    change: Interval
    real: bool
    better: int
    worse: int


class Comparison(BaseModel):
    """Two runs side by side, over the cases both have."""

    before: str
    after: str
    shared: int
    only_before: int
    only_after: int
    metrics: dict[str, Difference]
    broke: list[str]
    mended: list[str]


def compare(before: Report, after: Report) -> Comparison:
    """Pair two runs case by case; resamples draw the same cases from both (Efron & Tibshirani 1993, chapter 8).

    Raises `SourceError` when they share fewer than two cases, or ask different questions under one id.
    """
    old = {each.case.id: each for each in before.cases}
    new = {each.case.id: each for each in after.cases}
    shared = [name for name in new if name in old]
    if len(shared) < LEAST:
        raise SourceError(f"the two runs share {len(shared)} cases by id; compare runs of the same file of cases")
    for name in shared:
        if old[name].case.question != new[name].case.question:
            raise SourceError(f"case {name!r} asks another question in the other run; compare runs of the same cases")
    pairs = [(old[name], new[name]) for name in shared]
    draws = weights(len(pairs))
    metrics = {}
    for metric in (*METRICS, BALANCED):
        if (found := _difference(metric, pairs, draws)) is not None:
            metrics[metric] = found
    return Comparison(
        before=before.name or before.provider,
        after=after.name or after.provider,
        shared=len(shared),
        only_before=len(old) - len(shared),
        only_after=len(new) - len(shared),
        metrics=metrics,
        broke=[b.case.id for a, b in pairs if a.right is True and b.right is False],
        mended=[b.case.id for a, b in pairs if a.right is False and b.right is True],
    )


def _difference(metric: str, pairs: list[tuple[CaseReport, CaseReport]], draws: Numbers) -> Difference | None:
    if metric == BALANCED:
        return _balanced_difference(pairs, draws)
    old = _counts(metric, [a for a, _ in pairs])
    new = _counts(metric, [b for _, b in pairs])
    if not old[:, 1].sum() or not new[:, 1].sum():
        return None
    counted = ((draws @ old[:, 1]) > 0) & ((draws @ new[:, 1]) > 0)
    spread = drawn(new[:, 0], new[:, 1], draws[counted]) - drawn(old[:, 0], old[:, 1], draws[counted])
    moved = [_share(b) - _share(a) for a, b in zip(old, new, strict=True) if a[1] and b[1]]
    return _told(
        old[:, 0].sum() / old[:, 1].sum(),
        new[:, 0].sum() / new[:, 1].sum(),
        spread,
        better=sum(each > 0 for each in moved),
        worse=sum(each < 0 for each in moved),
    )


def _balanced_difference(pairs: list[tuple[CaseReport, CaseReport]], draws: Numbers) -> Difference | None:
    parts = "answered_answerable", "refused_unanswerable"
    old = [_counts(part, [a for a, _ in pairs]) for part in parts]
    new = [_counts(part, [b for _, b in pairs]) for part in parts]
    if any(not each[:, 1].sum() for each in (*old, *new)):
        return None
    spread = balanced_spread(new[0], new[1], draws) - balanced_spread(old[0], old[1], draws)
    moved = [
        _share(b) - _share(a) for x, y in zip(old, new, strict=True) for a, b in zip(x, y, strict=True) if a[1] and b[1]
    ]
    return _told(
        sum(each[:, 0].sum() / each[:, 1].sum() for each in old) / 2,
        sum(each[:, 0].sum() / each[:, 1].sum() for each in new) / 2,
        spread,
        better=sum(each > 0 for each in moved),
        worse=sum(each < 0 for each in moved),
    )


def _counts(metric: str, cases: list[CaseReport]) -> Numbers:
    return np.array([each.counts.get(metric, (0.0, 0.0)) for each in cases], dtype=float)


def _share(counts: Numbers) -> float:
    return float(counts[0] / counts[1])


def _told(before: float, after: float, spread: Numbers, *, better: int, worse: int) -> Difference:
    low, high = np.percentile(spread, [2.5, 97.5])
    return Difference(
        before=before,
        after=after,
        change=Interval(value=after - before, low=low, high=high, n=better + worse),
        real=bool(low > 0 or high < 0),
        better=better,
        worse=worse,
    )
