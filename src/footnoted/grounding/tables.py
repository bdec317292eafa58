"""Reads a source's tables, each cell with its header, and tells where a claim's figure must stand.

A row says nothing without its header: "| Plus | $25 |" is read as "Plus, Monthly price: $25". A claim that names one
row and, by its unit or words, one column has its figure in that cell or says something else than the table.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from footnoted.grounding.quantities import Quantity, quantities, same
from footnoted.text import content_stems
from footnoted.text.markdown import cells, is_separator
from footnoted.types import Span


@dataclass(frozen=True, slots=True)
class Row:
    """One row: its cells, and the headers over them, as written."""

    headers: tuple[str, ...]
    cells: tuple[str, ...]

    @property
    def key(self) -> str:
        """The first cell."""
        return self.cells[0]

    def told(self) -> str:
        """The row as a sentence.

        >>> Row(("Plan", "Monthly price", "Storage"), ("Plus", "$25", "50 GB")).told()
        'Plus, Monthly price: $25; Storage: 50 GB.'
        """
        named = [f"{head}: {cell}" if head else cell for head, cell in self.columns if cell]
        return f"{self.key}, {'; '.join(named)}." if named else self.key

    @property
    def columns(self) -> list[tuple[str, str]]:
        """Header and cell of each column but the first."""
        heads = [*self.headers, *[""] * len(self.cells)]
        return list(zip(heads[1:], self.cells[1:], strict=False))


def rows(text: str, spans: Sequence[Span]) -> dict[int, Row]:
    """The rows under a header, by the index of their sentence; headers and lines of dashes are none."""
    found: dict[int, Row] = {}
    header: tuple[str, ...] | None = None
    last: str = ""
    before = -1
    for index, span in enumerate(spans):
        line = text[span.start : span.end]
        if not line.startswith("|"):
            continue
        if index != before + 1:
            header, last = None, ""
        before = index
        if is_separator(line):
            header = _cells(last) if last else None
            found.pop(index - 1, None)  # it heads this table, and is no row of the one above
        elif header is not None:
            found[index] = Row(header, _cells(line))
        last = line
    return found


def _cells(line: str) -> tuple[str, ...]:
    return tuple(cell.strip("*_`") for cell in cells(line))


@dataclass(frozen=True, slots=True)
class Misplaced:
    """A figure of a claim that stands in another cell than its words name: ``instead`` is what the named cell has.

    ``instead`` is empty where the row is named and the column is not.
    """

    figure: Quantity
    row: Row
    instead: str


def misplaced(claim: str, table: Iterable[Row]) -> Misplaced | None:
    """The first figure of a claim that a table has, but not in the row and column that the claim names.

    A column is named by its unit where only one has that unit, else by the words of its header. None where the claim
    names no row or several, or says something of the figure ("more than").
    """
    every = list(table)
    stems = set(content_stems(claim))
    row = _named(stems, every)
    if row is None:
        return None
    values = {id(one): [quantities(cell) for _, cell in one.columns] for one in every}
    key = quantities(row.key)
    for figure in quantities(claim):
        digits = claim[figure.start : figure.end].strip("£$€¥₹")[:1].isdigit()
        if not digits or figure.bound in ("<", ">", "~") or any(same(figure, one) for one in key):
            continue
        if not any(same(figure, one) for cells in values.values() for cell in cells for one in cell):
            continue  # no table has it
        if any(same(figure, one) for cell in values[id(row)] for one in cell) and not _is_named(row, stems):
            continue
        column = _column(figure, row, stems, values[id(row)])
        if column is None:
            if not any(same(figure, one) for cell in values[id(row)] for one in cell):
                return Misplaced(figure, row, "")
        elif not any(same(figure, one) for one in values[id(row)][column]):
            return Misplaced(figure, row, row.columns[column][1])
    return None


def _named(stems: set[str], every: Sequence[Row]) -> Row | None:
    """The one row whose key the claim has in full; of keys within one another the longer."""
    keys = [(one, set(content_stems(one.key))) for one in every]
    found = [(one, key) for one, key in keys if key and key <= stems]
    found = [(one, key) for one, key in found if not any(key < other for _, other in found)]
    return found[0][0] if len(found) == 1 else None


def _is_named(row: Row, stems: set[str]) -> bool:
    """Whether words of a header say which of the row's cells is meant, so that another one is wrong."""
    return any(stems & _telling(head, row) for head, _ in row.columns)


def _telling(head: str, row: Row) -> set[str]:
    """The stems of a header that no other header of the row, and not its key, has."""
    others = {stem for other, _ in row.columns if other != head for stem in content_stems(other)}
    return set(content_stems(head)) - others - set(content_stems(row.key))


def _column(figure: Quantity, row: Row, stems: set[str], values: Sequence[Sequence[Quantity]]) -> int | None:
    """The one column that can be meant: of those with the figure's unit the one whose header the claim speaks of."""
    fit = [place for place, cell in enumerate(values) if any(one.unit == figure.unit for one in cell)]
    if len(fit) == 1 and figure.unit:
        return fit[0]
    spoken = {place: len(stems & _telling(row.columns[place][0], row)) for place in fit}
    most = max(spoken.values(), default=0)
    best = [place for place in fit if spoken[place] == most]
    return best[0] if most and len(best) == 1 else None
