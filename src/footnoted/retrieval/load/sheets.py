"""Reads spreadsheets (.xlsx, .xls, .ods) and tables of text (.csv, .tsv), and remembers the cell of all words."""

from __future__ import annotations

import csv
import datetime as dt
import io
from collections.abc import Iterable
from itertools import islice, zip_longest

from footnoted.errors import SourceError
from footnoted.retrieval.load.archive import OFFICE, open_archive
from footnoted.retrieval.load.document import Document, Draft, Mark

_MOST_CELLS = 400_000  # of one file
_WIDEST = 500  # columns that are read
_MOST_SHEETS = 200


def read_workbook(path: str, data: bytes, *, limit_bytes: int) -> Document:
    """The document of a spreadsheet: a section a sheet. Raises `SourceError` when it is damaged or too large."""
    from python_calamine import CalamineError, CalamineWorkbook

    if not data.startswith(OFFICE):
        open_archive(data, "spreadsheet", limit_bytes=limit_bytes).close()
    draft, cells = Draft(), 0
    try:
        book = CalamineWorkbook.from_filelike(io.BytesIO(data))
        names = book.sheet_names[:_MOST_SHEETS]
        for name in names:
            sheet = book.get_sheet_by_name(name)
            cells += sheet.total_height * min(sheet.total_width, _WIDEST)
            if cells > _MOST_CELLS:
                raise SourceError(
                    f"has more than {_MOST_CELLS:,} cells; give the sheets that matter as a file of their own"
                )
            rows = sheet.to_python(skip_empty_area=False)
            _write(
                draft, name, ([_as_written(value) for value in row[:_WIDEST]] for row in rows), titled=len(names) > 1
            )
    except SourceError:
        raise
    except (CalamineError, OSError, ValueError) as error:
        encrypted = "password" in str(error).lower()
        raise SourceError(
            "is encrypted with a password; save it without one first"
            if encrypted
            else f"is damaged: the spreadsheet cannot be read ({type(error).__name__})"
        ) from error
    return draft.document(path, kind="sheet")


def read_table(path: str, text: str) -> Document:
    """The document of comma, semicolon or tab separated values; its first row names the columns."""
    sample = text[:20_000]
    try:
        dialect: type[csv.Dialect] | csv.Dialect = csv.Sniffer().sniff(sample, ",;\t|")
    except csv.Error:
        dialect = csv.excel_tab if path.lower().endswith((".tsv", ".tab")) else csv.excel
    csv.field_size_limit(1_000_000)
    draft = Draft()
    try:
        rows = list(islice(csv.reader(io.StringIO(text, newline=""), dialect), _MOST_CELLS))
    except csv.Error as error:
        raise SourceError(f"is damaged: the table cannot be read ({error})") from None
    if sum(map(len, rows)) > _MOST_CELLS:
        raise SourceError(f"has more than {_MOST_CELLS:,} cells; give the part that matters as a file of its own")
    _write(draft, "", (row[:_WIDEST] for row in rows), titled=False)
    return draft.document(path, kind="sheet")


def _write(draft: Draft, name: str, rows: Iterable[list[str]], *, titled: bool) -> None:
    """One sheet: stretches of rows between empty ones are tables, and a row of one cell alone is a line of text."""
    if titled:
        draft.heading(1, name)
    stretch: list[tuple[int, list[str]]] = []
    for number, row in enumerate(rows, 1):
        if any(cell.strip() for cell in row):
            stretch.append((number, row))
        else:
            _write_stretch(draft, name, stretch)
            stretch = []
    _write_stretch(draft, name, stretch)


def _write_stretch(draft: Draft, sheet: str, rows: list[tuple[int, list[str]]]) -> None:
    while rows and sum(bool(cell.strip()) for cell in rows[0][1]) == 1:
        number, row = rows.pop(0)
        column = next(at for at, cell in enumerate(row) if cell.strip())
        start = draft.paragraph(row[column])
        draft.marks.append(Mark(start, len(draft), sheet=sheet, cell=cell_name(column, number)))
    if not rows:
        return
    columns = list(enumerate(zip_longest(*(row for _, row in rows), fillvalue="")))
    columns = [(at, cells) for at, cells in columns if any(map(str.strip, cells))]
    used = [at for at, _ in columns]
    table = [list(cells) for cells in zip(*(cells for _, cells in columns), strict=True)]
    for (start, _), cells, (number, _) in zip(draft.table(table), table, rows, strict=True):
        at = start + 2
        for column, cell in zip(used, cells, strict=True):
            length = len(" ".join(cell.split()).replace("|", "\\|"))
            if length:
                draft.marks.append(Mark(at, at + length, sheet=sheet, cell=cell_name(column, number)))
            at += length + 3


def cell_name(column: int, row: int) -> str:
    """A cell's name as spreadsheets show it, of a column counted from 0 and a row from 1.

    >>> cell_name(0, 1), cell_name(27, 12)
    ('A1', 'AB12')
    """
    letters = ""
    column += 1
    while column:
        column, rest = divmod(column - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return f"{letters}{row}"


def _as_written(value: object) -> str:
    """A cell's value as people write it."""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    if isinstance(value, dt.datetime) and value.time() == dt.time():
        return value.date().isoformat()
    if isinstance(value, dt.time) and not value.second:
        return value.isoformat("minutes")
    return str(value)
