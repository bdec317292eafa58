"""Compares two reports on the same cases: each metric's difference, its interval, and whether it is real."""

from __future__ import annotations

from pydantic import BaseModel

from footnoted.errors import SourceError
from footnoted.evaluation.metrics import Interval, Numbers, in_resamples, mean_ratio, weights
from footnoted.evaluation.report import BALANCED, BALANCED_OF, MEANS, CaseReport, Report, counts_of
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
    old = {case.case.id: case for case in before.cases}
    new = {case.case.id: case for case in after.cases}
    shared = [name for name in new if name in old]
    if len(shared) < LEAST:
        raise SourceError(f"the two runs share {len(shared)} cases by id; compare runs of the same file of cases")
    for name in shared:
        if old[name].case.question != new[name].case.question:
            raise SourceError(f"case {name!r} asks another question in the other run; compare runs of the same cases")
    pairs = [(old[name], new[name]) for name in shared]
    draws = weights(len(pairs))
    differences = {metric: _difference(metric, pairs, draws) for metric in MEANS}
    return Comparison(
        before=before.name or before.provider,
        after=after.name or after.provider,
        shared=len(shared),
        only_before=len(old) - len(shared),
        only_after=len(new) - len(shared),
        metrics={metric: difference for metric, difference in differences.items() if difference is not None},
        broke=[b.case.id for a, b in pairs if a.right is True and b.right is False],
        mended=[b.case.id for a, b in pairs if a.right is False and b.right is True],
    )


def _difference(metric: str, pairs: list[tuple[CaseReport, CaseReport]], draws: Numbers) -> Difference | None:
    parts = BALANCED_OF if metric == BALANCED else (metric,)
    old, new = ([np.array(counts_of(part, cases)) for part in parts] for cases in zip(*pairs, strict=True))
    if not all(table[:, 1].any() for table in (*old, *new)):
        return None
    both = draws[np.all([draws @ table[:, 1] > 0 for table in (*old, *new)], axis=0)]
    spread = in_resamples(new, both) - in_resamples(old, both)
    moved = [
        b[0] / b[1] - a[0] / a[1]
        for was, now in zip(old, new, strict=True)
        for a, b in zip(was, now, strict=True)
        if a[1] and b[1]
    ]
    better, worse = sum(change > 0 for change in moved), sum(change < 0 for change in moved)
    before, after = mean_ratio(old), mean_ratio(new)
    low, high = np.percentile(spread, [2.5, 97.5])
    return Difference(
        before=before,
        after=after,
        change=Interval(value=after - before, low=low, high=high, n=better + worse),
        real=bool(low > 0 or high < 0),
        better=better,
        worse=worse,
    )
