"""Finds the tables that a PDF page draws with lines, so that a cell of several lines stays one cell.

A PDF knows no tables, only strokes. Strokes that touch make a grid; what stands between two rules down and two rules
across is a cell. (Camelot and Tabula call the method lattice.) The one hard thing is that a cell may reach over several
rows or columns, where the stroke between them is missing.
"""

from __future__ import annotations

import ctypes
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

_THIN = 2.5  # points: what is drawn no wider is a line
_SHORT = 4.0  # points: what is no longer is none
_TOUCH = 2.0  # points within which two lines meet
_MOST = 5_000  # shapes of one page; more are a drawing
_MOST_CELLS = 10_000  # of one table
_FILLED = 0.5  # share of a table's cells with words in them, at least; a chart's grid has fewer


class Stroke(NamedTuple):
    """A straight line across (``low == high``) or down (``left == right``), in points from the lower left corner."""

    left: float
    low: float
    right: float
    high: float

    @property
    def across(self) -> bool:
        """Whether it runs from left to right."""
        return self.right - self.left >= self.high - self.low


@dataclass(frozen=True, slots=True)
class Grid:
    """A table's rules: ``downs`` from left to right, ``acrosses`` from top to bottom.

    ``ends_down`` and ``ends_across`` are, for each rule, where its strokes begin and end.
    """

    downs: tuple[float, ...]
    acrosses: tuple[float, ...]
    ends_down: tuple[tuple[tuple[float, float], ...], ...]
    ends_across: tuple[tuple[tuple[float, float], ...], ...]

    def place(self, x: float, y: float) -> tuple[int, int] | None:
        """Row and column of a point; None outside."""
        row = bisect_right(self.acrosses, -y, key=lambda level: -level) - 1
        column = bisect_right(self.downs, x) - 1
        inside = 0 <= row < len(self.acrosses) - 1 and 0 <= column < len(self.downs) - 1
        return (row, column) if inside else None

    def parted_below(self, row: int, column: int) -> bool:
        """Whether a stroke parts a cell from the one below it."""
        x = (self.downs[column] + self.downs[column + 1]) / 2
        return any(start <= x <= end for start, end in self.ends_across[row + 1])

    def parted_right(self, row: int, column: int) -> bool:
        """Whether a stroke parts a cell from the one to its right."""
        y = (self.acrosses[row] + self.acrosses[row + 1]) / 2
        return any(start <= y <= end for start, end in self.ends_down[column + 1])


def grids(page: Any) -> list[Grid]:
    """The grids of a pypdfium2 page with two rows and two columns at least."""
    found = []
    for group in _touching(_strokes(page)):
        downs = _rules([(one.left, one.low, one.high) for one in group if not one.across])
        acrosses = _rules([(one.low, one.left, one.right) for one in group if one.across])[::-1]
        if min(len(downs), len(acrosses)) > 2 and len(downs) * len(acrosses) <= _MOST_CELLS:
            (xs, ends_down), (ys, ends_across) = zip(*downs, strict=True), zip(*acrosses, strict=True)
            found.append(Grid(xs, ys, ends_down, ends_across))
    return found


def cells_of(grid: Grid, words: Sequence[tuple[str, int, int]]) -> list[list[str]] | None:
    """The cells' texts, row by row, of words (text, row, column) in reading order; None where most are empty.

    A cell that reaches down is told in each of its rows, one that reaches across in its first column.
    """
    rows, columns = len(grid.acrosses) - 1, len(grid.downs) - 1
    first: dict[tuple[int, int], tuple[int, int]] = {}
    for row in range(rows):
        for column in range(columns):
            above = row and not grid.parted_below(row - 1, column)
            before = column and not grid.parted_right(row, column - 1)
            first[row, column] = (
                first[row - 1, column] if above else first[row, column - 1] if before else (row, column)
            )
    texts: dict[tuple[int, int], list[str]] = {}
    for text, row, column in words:
        texts.setdefault(first[row, column], []).append(text)
    if len(texts) < _FILLED * len(set(first.values())) or len({column for _, column in texts}) < 2:
        return None
    said = {place: " ".join(words) for place, words in texts.items()}
    return [
        [said.get(first[row, column], "") if first[row, column][1] == column else "" for column in range(columns)]
        for row in range(rows)
    ]


def _strokes(page: Any) -> list[Stroke]:
    """The straight lines of a page: thin shapes, and the sides of what is drawn in outline."""
    import pypdfium2.raw as pdfium

    found: list[Stroke] = []
    for count, shape in enumerate(page.get_objects(filter=[pdfium.FPDF_PAGEOBJ_PATH], max_depth=3)):
        if count == _MOST:  # a drawing
            return []
        fill, stroke = ctypes.c_int(), ctypes.c_int()
        pdfium.FPDFPath_GetDrawMode(shape.raw, fill, stroke)
        left, low, right, high = shape.get_bounds()
        if min(right - left, high - low) <= _THIN:
            found.append(_straight(left, low, right, high))
        elif stroke.value and pdfium.FPDFPath_CountSegments(shape.raw) in {4, 5}:  # a box
            found += [Stroke(left, y, right, y) for y in (low, high)]
            found += [Stroke(x, low, x, high) for x in (left, right)]
    return [one for one in found if max(one.right - one.left, one.high - one.low) > _SHORT]


def _straight(left: float, low: float, right: float, high: float) -> Stroke:
    """A thin shape as the line in its middle."""
    if right - left >= high - low:
        return Stroke(left, (low + high) / 2, right, (low + high) / 2)
    return Stroke((left + right) / 2, low, (left + right) / 2, high)


def _touching(strokes: Sequence[Stroke]) -> list[list[Stroke]]:
    """Strokes in groups of which each touches another."""
    groups: list[tuple[list[float], list[Stroke]]] = []  # with the box around each
    done: list[list[Stroke]] = []
    for one in sorted(strokes, key=lambda one: (-one.high, one.left)):
        done += [own for box, own in groups if box[1] - _TOUCH > one.high]  # all that follows is further down
        groups = [group for group in groups if group[0][1] - _TOUCH <= one.high]
        met = [group for group in groups if _meets(group[0], one)]
        box = [one.left, one.low, one.right, one.high]
        members = [one]
        for other, own in met:
            box = [min(box[0], other[0]), min(box[1], other[1]), max(box[2], other[2]), max(box[3], other[3])]
            members = own + members
        groups = [group for group in groups if group not in met]
        groups.append((box, members))
    return [*done, *(members for _, members in groups)]


def _meets(box: Sequence[float], one: Stroke) -> bool:
    return (
        one.left <= box[2] + _TOUCH
        and one.right >= box[0] - _TOUCH
        and one.low <= box[3] + _TOUCH
        and one.high >= box[1] - _TOUCH
    )


def _rules(strokes: Sequence[tuple[float, float, float]]) -> list[tuple[float, tuple[tuple[float, float], ...]]]:
    """Where rules stand, of strokes (where, start, end), ascending, each with its strokes' starts and ends."""
    rules: list[tuple[float, list[tuple[float, float]]]] = []
    for where, start, end in sorted(strokes):
        if not rules or where - rules[-1][0] > _TOUCH:
            rules.append((where, []))
        rules[-1][1].append((start, end))
    return [(where, tuple(ends)) for where, ends in rules]
