"""The rows of a policy's tables: a cell knows its row and its column, and a figure is nobody else's.

The hard thing is to tell which columns are a customer's choice (a plan, a type of home) and which rows a number of
theirs falls into ("Driver aged 21 to 24", "Over 8 months").
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from footnoted.text import runs
from footnoted.text.markdown import cells as cells_of

_CODE = re.compile(r"[A-Z]{0,3}\d{1,3}(?:\.\d+)*|\d{1,3}")
_BETWEEN = re.compile(r"(?<![\d.,£$€])(\d{1,3})\s*(?:to|and|or|–|-)\s*(\d{1,3})(?![\d.,%])")
_FROM = re.compile(
    r"(?<![\d.,£$€])(\d{1,3})\s*(?:or|and)\s+(?:over|more|older|above)|(?:over|more than|above)\s+(\d{1,3})\b",
    re.IGNORECASE,
)
_UNTIL = re.compile(r"(?:under|less than|below|up to)\s+(\d{1,3})\b", re.IGNORECASE)
_SUM = re.compile(r"[A-Z]{0,3}[£$€]\s?\d|\d[\d.,]*\s?%")  # what a column is not called
_SHORT = 2  # words of a cell that are no condition
_ALONE = re.compile(r"\A\D{0,3}(\d{1,3})(?:\s+(?:day|week|month|year)s?)?\Z", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Row:
    """One row. ``columns`` and ``cells`` go together, without the key's; ``span`` is the number it is for, if any."""

    table: str
    title: str
    key: str
    name: str
    columns: tuple[str, ...]
    cells: tuple[str, ...]
    span: tuple[float, float] | None = None

    def told(self) -> str:
        """The row in words: "Table B – Sub-limits. Laptop computer: Saver A$500; Classic A$2,000."."""
        head = " – ".join(part for part in (self.table, self.title) if part)
        cells = "; ".join(f"{column} {cell}".strip() for column, cell in zip(self.columns, self.cells, strict=True))
        return f"{f'{head}. ' if head else ''}{self.name}: {cells}."

    def of(self, columns: Sequence[str]) -> Row:
        """The row with these of its columns alone; whole where it has none of them."""
        kept = [place for place, name in enumerate(self.columns) if name in columns]
        if not kept:
            return self
        return replace(self, columns=tuple(self.columns[n] for n in kept), cells=tuple(self.cells[n] for n in kept))

    def holds(self, number: float) -> bool:
        """Whether the row is for this number: 22 falls into "aged 21 to 24"."""
        return self.span is not None and self.span[0] <= number <= self.span[1]


def is_table(block: str) -> bool:
    """Whether a block is a table in pipes."""
    lines = [line for line in block.split("\n") if line.strip()]
    return len(lines) > 1 and all(line.lstrip().startswith("|") for line in lines)


def rows_of(block: str, table: str, title: str) -> list[Row]:
    """The rows of a table under its head; none where cells are missing, so that columns cannot be trusted."""
    head, rows = in_columns(block)
    if len(head) < 2 or any(len(cells) != len(head) or not all(cells) for cells in rows):
        return []
    if any(head) and not all(head[1:]):
        return []
    # Where the first column only numbers the rows, the second names them.
    coded = all(len(cells) > 2 and _CODE.fullmatch(cells[0]) for cells in rows)
    first = 2 if coded else 1
    return [
        Row(
            table,
            title,
            cells[0],
            " ".join(cells[:first]),
            tuple(head[first:]),
            tuple(cells[first:]),
            _span(cells[first - 1], head[first - 1]),
        )
        for cells in rows
    ]


def in_columns(block: str) -> tuple[list[str], list[list[str]]]:
    r"""What a table's columns are called, and its rows.

    A table that goes on over the page has no head there: its first line holds sums, and its columns no name. A head of
    two lines, the upper of which has one cell over several columns, calls them by both; one cell over all is a title.

    >>> in_columns("| | Staff | Staff |\n|---|---|---|\n| Item | S1 | S2 |\n| Ward | £5 | £9 |")
    (['Item', 'Staff, S1', 'Staff, S2'], [['Ward', '£5', '£9']])
    """
    lines = [_cells(line) for line in block.split("\n") if line.strip(" \t|:-")]
    lines = [cells for cells in lines if any(cells)]
    while len(lines) > 1 and len(lines[0]) > 1 and len(set(lines[0])) == 1:
        del lines[0]
    if not lines or any(_SUM.match(cell) for cell in lines[0][1:]):
        return [""] * max(map(len, lines), default=0), lines
    head, *rows = lines
    if rows and _parts(head, rows[0]):
        pairs = list(zip(head, rows.pop(0), strict=True))
        head = [over if over == cell else ", ".join(filter(None, (over, cell))) for over, cell in pairs]
    return head, rows


def _parts(head: Sequence[str], below: Sequence[str]) -> bool:
    """Whether the line below a head parts columns that the head calls by one name, and is itself no row."""
    if len(head) != len(below) or (head[0] and head[0] != below[0]) or any(_SUM.match(cell) for cell in below[1:]):
        return False
    return len(set(head)) < len(head) == len(set(zip(head, below, strict=True)))


def _cells(line: str) -> list[str]:
    return [cell.replace(r"\|", "|").replace("**", "").strip() for cell in cells_of(line)]


def cut_to(header: str, row: str, question: str) -> tuple[str, str]:
    """A table's first line and a row of it, less the sums and short words of columns that a question does not name.

    Whole where it names none; what may be a condition stays.

    >>> cut_to("| Item | Low | High | Terms |", "| Hail | £9 | £5 | Twice a year at most |", "Hail on the low plan?")
    ('| Item | Low | Terms |', '| Hail | £9 | Twice a year at most |')
    """
    names, cells = _cells(header), _cells(row)
    words = set(runs(question.casefold()))
    named = {
        place for place, name in enumerate(names) if place and (own := name.casefold().split()) and own[0] in words
    }
    if not named or len(names) != len(cells):
        return header, row
    kept = [
        place
        for place, cell in enumerate(cells)
        if place in {0, *named} or not (_SUM.match(cell) or len(cell.split()) <= _SHORT)
    ]
    told = (" | ".join(one[place] for place in kept) for one in (names, cells))
    head, said = (f"| {line} |" for line in told)
    return head, said


def key_of(row: str) -> str:
    """What the first cell of a row says."""
    return next(iter(_cells(row)), "")


def _span(key: str, column: str) -> tuple[float, float] | None:
    """The numbers a row is for, of what its key says.

    >>> _span("Driver aged 21 to 24", ""), _span("Over 8 months", ""), _span("6 months", "In force for up to")
    ((21, 24), (8.001, inf), (-inf, 6))
    """
    if found := _BETWEEN.search(key):
        return int(found[1]), int(found[2])
    if found := _FROM.search(key):
        return (int(found[1]), math.inf) if found[1] else (int(found[2]) + 0.001, math.inf)
    if found := _UNTIL.search(key):
        return -math.inf, int(found[1]) - 0.001 if "to" not in found.group().split() else int(found[1])
    if found := _ALONE.match(key):
        return (-math.inf if re.search(r"\bup to\b", column, re.IGNORECASE) else int(found[1])), int(found[1])
    return None
