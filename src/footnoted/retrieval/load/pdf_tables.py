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
from itertools import pairwise, product
from typing import Any, NamedTuple

_THIN = 5.0  # points: what is drawn no wider, and is much longer, is a line
_SHORT = 4.0  # points: what is no longer is none
_TOUCH = 2.0  # points within which two lines meet
_MOST = 5_000  # shapes of one page; more are a drawing
_MOST_CELLS = 10_000  # of one table
_MOST_TABLES = 100  # of one page; more are a drawing
_MOST_LOOKS = 500_000  # at two strokes of one page, whether they touch; more are a drawing
_OPEN = 9.0  # points by which lines stand out over a table's last rule, at least, where it has a further cell
_SQUARE = 36.0  # points: strokes are looked for in squares of this side
_FAR = 14_400.0  # points: no page is longer
_FILLED = 0.5  # share of a table's cells with words in them, at least; a chart's grid has fewer


Rule = tuple[float, tuple[tuple[float, float], ...]]  # where it stands; where its strokes begin and end


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

    def touches(self, other: Stroke) -> bool:
        """Whether two strokes meet, within what the eye takes for a meeting."""
        return (
            self.left <= other.right + _TOUCH
            and self.right >= other.left - _TOUCH
            and self.low <= other.high + _TOUCH
            and self.high >= other.low - _TOUCH
        )


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

    def undivided(self, row: int) -> bool:
        """Whether a row is one cell from the table's left side to its right, but for what is too narrow for words."""
        sides = [
            self.downs[0],
            *(x for n, x in enumerate(self.downs[1:-1]) if self.parted_right(row, n)),
            self.downs[-1],
        ]
        return sum(right - left > _OPEN for left, right in pairwise(sides)) < 2


def grids(page: Any, quarters: int = 0) -> list[Grid]:
    """The grids of a pypdfium2 page with two rows and two columns at least, the inner before those around them.

    `quarters`: how often the page is turned, see `turned`.
    """
    found = []
    for group in _touching([Stroke(*turned(one, quarters)) for one in _strokes(page)]):
        downs = _rules([(one.left, one.low, one.high) for one in group if not one.across])
        acrosses = _rules([(one.low, one.left, one.right) for one in group if one.across])
        if len(downs) + len(acrosses) > 2:  # two lines that cross may be anything
            downs, acrosses = _closed(downs, acrosses), _closed(acrosses, downs)[::-1]
        if min(len(downs), len(acrosses)) > 2 and len(downs) * len(acrosses) <= _MOST_CELLS:
            (xs, ends_down), (ys, ends_across) = zip(*downs, strict=True), zip(*acrosses, strict=True)
            found.append(Grid(xs, ys, ends_down, ends_across))
    found.sort(key=lambda grid: (grid.downs[-1] - grid.downs[0]) * (grid.acrosses[0] - grid.acrosses[-1]))
    return found if len(found) <= _MOST_TABLES else []


def turned(box: Sequence[float], quarters: int) -> tuple[float, float, float, float]:
    """A box (left, low, right, high) on the page turned clockwise, by so many quarters of a circle."""
    left, low, right, high = box
    for _ in range(quarters % 4):
        left, low, right, high = low, -right, high, -left
    return left, low, right, high


def cells_of(grid: Grid, words: Sequence[tuple[str, int, int]]) -> list[list[str]] | None:
    """The cells' texts, row by row, of words (text, row, column) in reading order; None where most are empty.

    A cell that reaches down is told in each of its rows, one that reaches across in its first column. What is too
    narrow for words (between the two lines of a double border) is no column.
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
    wide = [n for n in range(columns) if grid.downs[n + 1] - grid.downs[n] > _THIN or any(n == at for _, at in texts)]
    return [
        [said.get(first[row, column], "") if first[row, column][1] == column else "" for column in wide]
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
        if not (fill.value or stroke.value):  # it only cuts off what is drawn after it
            continue
        left, low, right, high = shape.get_bounds()
        thick, long = sorted((right - left, high - low))
        if stroke.value:  # the box of a stroke stands out by its width on every side
            thick, long = thick / 2, long - thick
        if thick <= _THIN and long > max(_SHORT, 3 * thick):
            found.append(_straight(left, low, right, high))
        elif stroke.value and pdfium.FPDFPath_CountSegments(shape.raw) in {4, 5}:  # a box
            found += [Stroke(left, y, right, y) for y in (low, high) if right - left > _SHORT]
            found += [Stroke(x, low, x, high) for x in (left, right) if high - low > _SHORT]
    return [one for one in found if all(-_FAR < at < _FAR for at in one)]


def _straight(left: float, low: float, right: float, high: float) -> Stroke:
    """A thin shape as the line in its middle."""
    if right - left >= high - low:
        return Stroke(left, (low + high) / 2, right, (low + high) / 2)
    return Stroke((left + right) / 2, low, (left + right) / 2, high)


def _touching(strokes: Sequence[Stroke]) -> list[list[Stroke]]:
    """Strokes in groups of which each touches another; none where they are too many to tell."""
    parents = list(range(len(strokes)))

    def root(number: int) -> int:
        while parents[number] != number:
            parents[number] = number = parents[parents[number]]
        return number

    squares: dict[tuple[int, int], list[int]] = {}  # which strokes pass there
    looks = 0
    for number, one in enumerate(strokes):
        left, low, right, high = (int(at // _SQUARE) for at in (*one[:2], one.right + _TOUCH, one.high + _TOUCH))
        for square in product(range(left, right + 1), range(low, high + 1)):
            near = squares.setdefault(square, [])
            looks += len(near) + 1
            if looks > _MOST_LOOKS:
                return []
            for other in near:
                if one.touches(strokes[other]):
                    parents[root(other)] = root(number)
            near.append(number)
    groups: dict[int, list[Stroke]] = {}
    for number, one in enumerate(strokes):
        groups.setdefault(root(number), []).append(one)
    return list(groups.values())


def _rules(strokes: Sequence[tuple[float, float, float]]) -> list[Rule]:
    """Where rules stand, of strokes (where, start, end), ascending, each with its strokes' starts and ends."""
    rules: list[tuple[float, list[tuple[float, float]]]] = []
    for where, start, end in sorted(strokes):
        if not rules or where - rules[-1][0] > _TOUCH:
            rules.append((where, []))
        rules[-1][1].append((start, end))
    return [(where, tuple(ends)) for where, ends in rules]


def _closed(rules: list[Rule], others: list[Rule]) -> list[Rule]:
    """The rules and, where a table is open at a side, one where most of the rules that cross them end."""
    if not rules:
        return []
    starts = [min(start for start, _ in ends) for _, ends in others]
    stops = [max(end for _, end in ends) for _, ends in others]
    first, last = min(starts, default=rules[0][0]), max(stops, default=rules[-1][0])
    enough = max(2, len(others) / 2)
    before = first < rules[0][0] - _OPEN and sum(start <= first + _TOUCH for start in starts) >= enough
    after = last > rules[-1][0] + _OPEN and sum(stop >= last - _TOUCH for stop in stops) >= enough
    return [(first, ())] * before + rules + [(last, ())] * after
