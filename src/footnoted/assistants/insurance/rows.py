"""The rows of a policy's tables: a cell knows its row and its column, and a figure is nobody else's.

The hard thing is to tell which columns are a customer's choice (a plan, a type of home) and which rows a number of
theirs falls into ("Driver aged 21 to 24", "Over 8 months").
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from footnoted.retrieval.load.document import under_one_head
from footnoted.text import runs
from footnoted.text.markdown import cells as cells_of

_CODE = re.compile(r"[A-Z]{0,3}\d{1,3}(?:\.\d+)*|\d{1,3}")
_BETWEEN = re.compile(r"(?<![\d.,£$€])(\d{1,9})\s*(?:to|and|or|–|-)\s*(\d{1,9})(?![\d.,%])")
_FROM = re.compile(
    r"(?<![\d.,£$€])(\d{1,9})\s*(?:or|and)\s+(?:over|more|older|above)|(?:over|more than|above)\s+(\d{1,9})\b",
    re.IGNORECASE,
)
_UNTIL = re.compile(r"(?:under|less than|below|up to)\s+(\d{1,9})\b", re.IGNORECASE)
_FIGURE = re.compile(  # an amount has a currency before it, or thousands
    r"(?<![\w.,])(?:[A-Z]{0,3}[£$€]\s?|[A-Z]{2,3}(?=\d))?(\d{1,3}(?:,\d{3})+|\d{1,9})(?![\w%]|[.,]\d)"
)
_SUM = re.compile(r"[A-Z]{0,3}[£$€]\s?\d|\d[\d.,]*\s?%")  # what a column is not called
_SHORT = 2  # words of a cell that are no condition
_ALONE = re.compile(r"\A\D{0,3}(\d{1,3})(?:\s+(?:day|week|month|year)s?)?\Z", re.IGNORECASE)


class Sum(float):
    """An amount of money, which is no age and no number of days."""


@dataclass(frozen=True, slots=True)
class Row:
    """One row. ``columns`` and ``cells`` go together, without the key's; ``span`` is the number it is for, if any.

    ``sums``: that number is an amount of money.
    """

    table: str
    title: str
    key: str
    name: str
    columns: tuple[str, ...]
    cells: tuple[str, ...]
    span: tuple[float, float] | None = None
    sums: bool = False

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
        same = isinstance(number, Sum) == self.sums
        return same and self.span is not None and self.span[0] <= number <= self.span[1]


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
            sums=any(isinstance(one, Sum) for one in figures(cells[first - 1])),
        )
        for cells in rows
    ]


def in_columns(block: str) -> tuple[list[str], list[list[str]]]:
    r"""What a table's columns are called, and its rows.

    A table that goes on over the page has no head there: its first line holds sums, and its columns no name.

    >>> in_columns("| | Staff | Staff |\n|---|---|---|\n| Item | S1 | S2 |\n| Ward | £5 | £9 |")
    (['Item', 'Staff – S1', 'Staff – S2'], [['Ward', '£5', '£9']])
    """
    lines = [_cells(line) for line in block.split("\n") if line.strip(" \t|:-")]
    lines = [cells for cells in lines if any(cells)]
    while len(lines) > 1 and len(lines[0]) > 1 and len(set(lines[0])) == 1:
        del lines[0]  # a title over all columns
    lines = under_one_head(lines)
    if not lines or any(_SUM.match(cell) for cell in lines[0][1:]):
        return [""] * max(map(len, lines), default=0), lines
    head, *rows = lines
    return head, rows


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


def figures(text: str) -> list[float]:
    """The whole numbers of a text, amounts of money told from the rest.

    >>> figures("I am 23, it cost £1,200, no 4.5%"), [isinstance(one, Sum) for one in figures("23, £5, 2700")]
    ([23.0, 1200.0], [False, True, True])
    """
    found = [(one[0] != one[1] or len(one[1]) > 3, float(one[1].replace(",", ""))) for one in _FIGURE.finditer(text)]
    return [Sum(number) if money else number for money, number in found]


def _span(key: str, column: str) -> tuple[float, float] | None:
    """The numbers a row is for, of what its key says; amounts of money only where it says nothing else.

    >>> _span("Driver aged 21 to 24", ""), _span("Over 8 months", ""), _span("6 months", "In force for up to")
    ((21, 24), (8.001, inf), (-inf, 6))
    >>> _span("£2,501 to £6,000", ""), _span("Over £6,000", ""), _span("Cash up to £300", "")
    ((2501, 6000), (6000.001, inf), None)
    """
    said = key
    if money := any(isinstance(one, Sum) for one in figures(key)):
        said = _FIGURE.sub(lambda one: one[1].replace(",", ""), key)

    def search(pattern: re.Pattern[str]) -> re.Match[str] | None:
        return pattern.fullmatch(said) if money else pattern.search(said)

    if found := search(_BETWEEN):
        return int(found[1]), int(found[2])
    if found := search(_FROM):
        return (int(found[1]), math.inf) if found[1] else (int(found[2]) + 0.001, math.inf)
    if found := search(_UNTIL):
        return -math.inf, int(found[1]) - 0.001 if "to" not in found.group().split() else int(found[1])
    if found := _ALONE.match(key):
        return (-math.inf if re.search(r"\bup to\b", column, re.IGNORECASE) else int(found[1])), int(found[1])
    return None
