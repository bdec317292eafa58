"""Finds the tables that a PDF page draws with lines, so that a cell of several lines stays one cell.

A PDF knows no tables, only strokes. Strokes that touch make a grid; what stands between two rules down and two rules
across is a cell. (Camelot and Tabula call the method lattice.) The one hard thing is that a cell may reach over several
rows or columns, where the stroke between them is missing. Where rows are parted by rules or by shading alone, the white
that goes down through all of them parts the cells.
"""

from __future__ import annotations

import ctypes
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise, product
from typing import Any, NamedTuple

from footnoted.retrieval.load.document import grouped

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
_WHITE = 0.8  # white space between two columns, in font sizes, at least
_ROWS = 3  # of cells, at least, where lines part the rows alone
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


class Stack(NamedTuple):
    """Rules across from ``left`` to ``right``, one under another, from top to bottom, without rules down."""

    left: float
    right: float
    levels: tuple[float, ...]


Place = tuple[float, float, float, float, float, float]  # a word's left, bottom, right, top, base and size
Gap = tuple[float, float]
_EVERYWHERE: list[Gap] = [(-_FAR, _FAR)]


def grids(page: Any, quarters: int = 0) -> tuple[list[Grid], list[Stack]]:
    """The grids of a pypdfium2 page with two rows and two columns at least, the inner before those around them.

    And what may be tables whose rows alone are parted. `quarters`: how often the page is turned, see `turned`.
    """
    strokes, shades = ([Stroke(*turned(shape, quarters)) for shape in shapes] for shapes in _shapes(page))
    found, lone = [], _edges(shades)
    for group in _touching(strokes):
        downs = _rules([(stroke.left, stroke.low, stroke.high) for stroke in group if not stroke.across])
        acrosses = _rules([(stroke.low, stroke.left, stroke.right) for stroke in group if stroke.across])
        if not downs:
            lone += [Stroke(min(ends)[0], y, max(end for _, end in ends), y) for y, ends in acrosses]
        if len(downs) + len(acrosses) > 2:  # two lines that cross may be anything
            downs, acrosses = _closed(downs, acrosses), _closed(acrosses, downs)[::-1]
        if min(len(downs), len(acrosses)) > 2 and len(downs) * len(acrosses) <= _MOST_CELLS:
            (xs, ends_down), (ys, ends_across) = zip(*downs, strict=True), zip(*acrosses, strict=True)
            found.append(Grid(xs, ys, ends_down, ends_across))
    found.sort(key=lambda grid: (grid.downs[-1] - grid.downs[0]) * (grid.acrosses[0] - grid.acrosses[-1]))
    stacks = _stacks(lone)
    return (found, stacks) if len(found) + len(stacks) <= _MOST_TABLES else ([], [])


def banded(stack: Stack, words: Sequence[Place]) -> list[Grid]:
    """The tables of a stack: bands between its rules with at least one gap that goes down through all of them."""
    bands: list[list[Place]] = [[] for _ in range(len(stack.levels) + 1)]  # what is above and below it too
    for word in words:
        if stack.left <= (word[0] + word[2]) / 2 <= stack.right:
            bands[bisect_right(stack.levels, -(word[1] + word[3]) / 2, key=lambda level: -level)].append(word)
    found: list[Grid] = []
    start, stop, votes, gaps = 1, 1, 0, _EVERYWHERE  # of the table that is being read
    for number in range(1, len(bands)):
        band = bands[number]
        own = _gaps(band)
        shared = _common(gaps, own, _white(band))
        closed = number < len(stack.levels) and not _struck(band, stack.levels[number - 1], stack.levels[number])
        titled = len(own) <= 2 and len({round(word[4]) for word in band}) <= 2  # a line over all columns
        if closed and votes and titled and len(shared) < len(gaps):
            continue
        if closed and len(shared) > 2:
            gaps, stop, votes = shared, number + 1, votes + (len(own) > 2)
            continue
        found += _banded(stack, bands, range(start, stop), gaps, votes)
        again = closed and len(own) > 2
        gaps, start, stop, votes = (own, number, number + 1, 1) if again else (_EVERYWHERE, number + 1, number + 1, 0)
    return found


def _banded(stack: Stack, bands: list[list[Place]], run: range, gaps: list[Gap], votes: int) -> list[Grid]:
    """The table of a run of bands, if it is one, with the row above its first rule and that below its last."""
    levels, rows = list(stack.levels[run.start - 1 : run.stop]), [bands[number] for number in run]
    mids = [(left + right) / 2 for left, right in gaps[1:-1]]
    if not (run and mids):
        return []
    if run.start == 1 and (head := _open(bands[0], levels[0], mids, up=True)):
        levels, rows, votes = [max(word[3] for word in head) + 1, *levels], [head, *rows], votes + 1
    if run.stop == len(bands) - 1 and (foot := _open(bands[-1], levels[-1], mids, up=False)):
        levels, rows, votes = [*levels, min(word[1] for word in foot) - 1], [*rows, foot], votes + 1
    if votes < _ROWS:
        return []
    ends = [
        tuple((low, high) for (high, low), row in zip(pairwise(levels), rows, strict=True) if not _crossed(row, x))
        for x in mids
    ]
    across = ((stack.left, stack.right),)
    return [Grid((stack.left, *mids, stack.right), tuple(levels), ((), *ends, ()), (across,) * len(levels))]


def _open(words: list[Place], level: float, mids: list[float], *, up: bool) -> list[Place]:
    """The lines next to a stack's end that go on with its columns."""
    lines: dict[int, list[Place]] = {}
    for word in words:
        lines.setdefault(round(word[4]), []).append(word)
    row: list[Place] = []
    for base in sorted(lines, reverse=not up):
        size = max(word[5] for word in lines[base])
        if abs(base - level) > 2 * size or any(_crossed(lines[base], x) for x in mids):
            break
        row += lines[base]
        level = base
    columns = {bisect_right(mids, word[0]) for word in row}
    return row if len(columns) >= max(2, len(mids)) else []


def _crossed(words: list[Place], x: float) -> bool:
    return any(word[0] < x < word[2] for word in words)


def _struck(words: list[Place], top: float, bottom: float) -> bool:
    """Whether a rule goes through a word, as it does through the numbers beside a chart."""
    return any(max(word[3] - top, bottom - word[1]) > (word[3] - word[1]) / 4 for word in words)


def _white(words: list[Place]) -> float:
    return _WHITE * max((word[5] for word in words), default=0.0)


def _gaps(words: list[Place]) -> list[Gap]:
    """Where no word stands, from left to right; before the first and after the last too."""
    found, at, least = [], -_FAR, _white(words)
    for left, _, right, *_ in sorted(words):
        if left - at >= least:
            found.append((at, left))
        at = max(at, right)
    return [*found, (at, _FAR)]


def _common(some: list[Gap], others: list[Gap], least: float) -> list[Gap]:
    """The gaps that two rows share, of so many points at least."""
    found, at, beside = [], 0, 0
    while at < len(some) and beside < len(others):
        gap, other = some[at], others[beside]
        left, right = max(gap[0], other[0]), min(gap[1], other[1])
        if right - left >= least:
            found.append((left, right))
        if gap[1] < other[1]:
            at += 1
        else:
            beside += 1
    return found


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
    cells = {place: " ".join(words) for place, words in texts.items()}
    wide = [n for n in range(columns) if grid.downs[n + 1] - grid.downs[n] > _THIN or any(n == at for _, at in texts)]
    return [
        [cells.get(first[row, column], "") if first[row, column][1] == column else "" for column in wide]
        for row in range(rows)
    ]


def _shapes(page: Any) -> tuple[list[Stroke], list[Stroke]]:
    """The straight lines of a page (thin shapes, and the sides of what is drawn in outline), and what it shades."""
    import pypdfium2.raw as pdfium

    found: list[Stroke] = []
    shades: list[Stroke] = []
    for count, shape in enumerate(page.get_objects(filter=[pdfium.FPDF_PAGEOBJ_PATH], max_depth=3)):
        if count == _MOST:  # a drawing
            return [], []
        fill, stroke = ctypes.c_int(), ctypes.c_int()
        pdfium.FPDFPath_GetDrawMode(shape.raw, fill, stroke)
        if not (fill.value or stroke.value):  # it only cuts off what is drawn after it
            continue
        left, low, right, high = shape.get_bounds()
        if not all(-_FAR < at < _FAR for at in (left, low, right, high)):
            continue
        thick, long = sorted((right - left, high - low))
        if stroke.value:  # the box of a stroke stands out by its width on every side
            thick, long = thick / 2, long - thick
        if thick <= _THIN:
            found += [_straight(left, low, right, high)] if long > max(_SHORT, 3 * thick) else []
        elif pdfium.FPDFPath_CountSegments(shape.raw) not in {4, 5}:  # no box
            continue
        elif stroke.value:
            found += [Stroke(left, y, right, y) for y in (low, high) if right - left > _SHORT]
            found += [Stroke(x, low, x, high) for x in (left, right) if high - low > _SHORT]
        else:
            shades.append(Stroke(left, low, right, high))
    return found, shades


def _straight(left: float, low: float, right: float, high: float) -> Stroke:
    """A thin shape as the line in its middle."""
    if right - left >= high - low:
        return Stroke(left, (low + high) / 2, right, (low + high) / 2)
    return Stroke((left + right) / 2, low, (left + right) / 2, high)


def _edges(shades: Sequence[Stroke]) -> list[Stroke]:
    """The upper and the lower edges of what is shaded, of cells side by side as one."""
    rows: dict[tuple[int, int], list[Stroke]] = {}
    for shade in sorted(shades):
        row = rows.setdefault((round(shade.low), round(shade.high)), [])
        if row and shade.left <= row[-1].right + _TOUCH:
            row[-1] = row[-1]._replace(right=max(row[-1].right, shade.right))
        else:
            row.append(shade)
    return [Stroke(box.left, y, box.right, y) for row in rows.values() for box in row for y in (box.low, box.high)]


def _stacks(rules: Sequence[Stroke]) -> list[Stack]:
    """Rules across in stacks of those that begin and end one under another."""
    found = []
    for beginning in _near(rules, 0):
        for same in _near(beginning, 2):
            levels = [level[0].low for level in _near(same, 1)][::-1]
            if len(levels) >= _ROWS:
                found.append(Stack(same[0].left, same[0].right, tuple(levels)))
    return found


def _near(rules: Iterable[Stroke], side: int) -> list[list[Stroke]]:
    """Rules in groups of those of which a side stands at one place."""
    return grouped(
        sorted(rules, key=lambda rule: rule[side]), lambda group, rule: rule[side] - group[0][side] <= _TOUCH
    )


def _touching(strokes: Sequence[Stroke]) -> list[list[Stroke]]:
    """Strokes in groups of which each touches another; none where they are too many to tell."""
    parents = list(range(len(strokes)))

    def root(number: int) -> int:
        while parents[number] != number:
            parents[number] = number = parents[parents[number]]
        return number

    squares: dict[tuple[int, int], list[int]] = {}  # which strokes pass there
    looks = 0
    for number, stroke in enumerate(strokes):
        reach = (*stroke[:2], stroke.right + _TOUCH, stroke.high + _TOUCH)
        left, low, right, high = (int(at // _SQUARE) for at in reach)
        for square in product(range(left, right + 1), range(low, high + 1)):
            near = squares.setdefault(square, [])
            looks += len(near) + 1
            if looks > _MOST_LOOKS:
                return []
            for other in near:
                if stroke.touches(strokes[other]):
                    parents[root(other)] = root(number)
            near.append(number)
    groups: dict[int, list[Stroke]] = {}
    for number, stroke in enumerate(strokes):
        groups.setdefault(root(number), []).append(stroke)
    return list(groups.values())


def _rules(strokes: Sequence[tuple[float, float, float]]) -> list[Rule]:
    """Where rules stand, of strokes (where, start, end), ascending, each with its strokes' starts and ends."""
    rules = grouped(sorted(strokes), lambda rule, stroke: stroke[0] - rule[0][0] <= _TOUCH)
    return [(rule[0][0], tuple((start, end) for _, start, end in rule)) for rule in rules]


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
