"""Reads a PDF: lines mended into paragraphs, lists and tables, headings told by its outline or by their size."""

from __future__ import annotations

import re
import statistics
import threading
from dataclasses import replace
from itertools import pairwise, zip_longest

from footnoted.errors import SourceError
from footnoted.retrieval.load.document import Document, Draft, Mark, grouped
from footnoted.retrieval.load.pdf_lines import Line, joined_box, page_lines, usual_size, without_furniture
from footnoted.retrieval.load.pdf_notes import parted_notes
from footnoted.retrieval.load.pdf_outline import Entry, entries_of, levels_of
from footnoted.text import runs
from footnoted.text.lines import is_item

_HYPHENS = ("-", "\u00ad", "\u2010")
_WORD = re.compile(r"\w+(?:-\w+)*")
_HEADED = 1.12  # how many times the size of the body a heading is set in, at least
_FULL = 0.7  # share of its column's width above which a line was broken by the margin
_MOST_PAGES = 5_000
_APART = 1.3  # how many times the usual pitch parts two paragraphs
_OUTDENT = 2.0  # points left of its label at which no item goes on


_ONE_AT_A_TIME = threading.Lock()  # PDFium is not made for threads


def read_pdf(path: str, data: bytes) -> Document:
    """The document of a PDF. Raises `SourceError` when it is encrypted, damaged, or holds images only."""
    with _ONE_AT_A_TIME:
        pages, titled, scans, outline = _pages(data)
    if not any(char.isalnum() for page in pages for line in page for char in line.text):
        count = f"{len(pages)} page" + ("" if len(pages) == 1 else "s")
        raise SourceError(f"holds images only and no text ({count}, probably a scan); it needs OCR first")
    draft = Draft()
    _Setting(without_furniture(pages), outline).write(draft)
    # Many programs leave the name of the file they converted as the title.
    made = draft.document(path, title="" if re.search(r"\.\w{2,4}$", titled) else titled, kind="pdf")
    return replace(made, unread=_partly_read(scans)) if scans else made


def _partly_read(scans: list[int]) -> str:
    if len(scans) == 1:
        return f"is read in part: page {scans[0]} holds images only and needs OCR first"
    some = ", ".join(map(str, scans[:10])) + (f" and {len(scans) - 10} more" if len(scans) > 10 else "")
    return f"is read in part: pages {some} hold images only and need OCR first"


def _pages(data: bytes) -> tuple[list[list[Line]], str, list[int], list[Entry]]:
    """The lines of each page, the title the file gives itself, the pages that are pictures, and the outline."""
    import pypdfium2
    from pypdfium2.raw import FPDF_PAGEOBJ_IMAGE

    try:
        file = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        if "password" in str(error).lower():
            raise SourceError("is encrypted with a password; save it without one first") from None
        raise SourceError("is damaged: the PDF cannot be read") from error
    try:
        if len(file) > _MOST_PAGES:
            raise SourceError(f"has {len(file)} pages; {_MOST_PAGES} can be read at once")
        pages: list[list[Line]] = []
        scans: list[int] = []
        for number in range(len(file)):
            page = file[number]
            pages.append(page_lines(page, number + 1))
            if not pages[-1] and any(page.get_objects(filter=[FPDF_PAGEOBJ_IMAGE], max_depth=3)):
                scans.append(number + 1)
            page.close()
        return pages, str(file.get_metadata_value("Title") or "").strip(), scans, entries_of(file)
    except pypdfium2.PdfiumError as error:
        raise SourceError("is damaged: a page of the PDF cannot be read") from error
    finally:
        file.close()


Place = tuple[int, int, Line]  # where in a text a line stands


def _same_column(line: Line, other: Line) -> bool:
    return (line.page, line.column) == (other.page, other.column)


def _mark(draft: Draft, start: int, places: list[Place]) -> None:
    draft.marks += [Mark(start + begin, start + end, line.page, line.box) for begin, end, line in places]


def _headed_once(rows: list[Line]) -> list[Line]:
    """A table's rows without the head, of one row or several, that is printed again where it goes on over the page."""
    kept: list[Line] = []
    again = len(rows)  # how many rows of the head have come again
    for n, row in enumerate(rows):
        if n and not _same_column(rows[n - 1], row):
            again = 0
        if n and again < n and row.cells == rows[again].cells:
            again += 1
        elif not n or row.cells != rows[0].cells:
            again = len(rows)
            kept.append(row)
    return kept


class _Setting:
    """How a document is set (sizes, pitch, measure), and from that what each line is."""

    def __init__(self, lines: list[Line], outline: list[Entry]) -> None:
        self._body = usual_size(lines)
        self._lines, self._notes = parted_notes(lines, self._body)
        lines = self._lines
        letters = sum(len(line.text) for line in lines)
        self._light = sum(len(line.text) for line in lines if line.bold) < letters / 2
        heads = [line for line in lines if self._heads(line)]
        sizes = sorted({line.size for line in heads}, reverse=True)
        printed = {id(line): min(1 + sizes.index(line.size), 6) for line in heads}
        self._levels = levels_of(lines, outline, printed)
        below = [(upper, line) for upper, line in pairwise(lines) if _same_column(upper, line) and upper.y > line.y]
        # Under a line that the margin broke goes its sentence on; lists and short lines may all stand further apart.
        steps = [upper.y - line.y for upper, line in below if upper.reach >= _FULL]
        steps = steps or [upper.y - line.y for upper, line in below]
        # Pages of single lines have no pitch of their own; nobody sets text wider than two lines apart.
        self._pitch = min(statistics.median_low(steps), 2 * self._body) if steps else 0.0
        self._known = {word for line in lines for word in _WORD.findall(line.text.casefold())}

    def write(self, draft: Draft) -> None:
        """Write the lines as headings, tables, lists and paragraphs, each with its place on its page."""
        groups = grouped(self._lines, self._belongs)
        for group, following in zip_longest(groups, groups[1:]):
            first = group[0]
            if self._level(first):
                title, _ = self._joined(group, wrapped=True)
                start = draft.heading(self._level(first), title, page=first.page)
                boxes = [line.box for line in group]
                draft.marks.append(Mark(start, len(draft), first.page, joined_box(boxes)))
            elif first.table or (len(group) > 1 and len(first.cells) > 1):
                rows = _headed_once(group)
                spans = draft.table([list(line.cells) for line in rows], page=first.page)
                for (start, end), line in zip(spans, rows, strict=True):
                    draft.marks.append(Mark(start, end, line.page, line.box))
            elif is_item(first.text):
                items = self._items(group)
                spans = draft.items([text for text, _ in items], page=first.page)
                for (start, _), (_, places) in zip(spans, items, strict=True):
                    _mark(draft, start, places)
            else:
                text, places = self._joined(group)
                _mark(draft, draft.paragraph(text, page=first.page), places)
            self._write_notes(draft, before=following[0].page if following else _MOST_PAGES + 1)

    def _write_notes(self, draft: Draft, *, before: int) -> None:
        """Write the notes of the pages that are told, which stand behind the paragraph that goes on over the page."""
        for page in [page for page in self._notes if page < before]:
            for note in self._notes.pop(page):
                text, places = self._joined(note, wrapped=True)
                _mark(draft, draft.paragraph(text, page=page), places)

    def _heads(self, line: Line) -> bool:
        if line.table or len(line.text) > 150 or not any(map(str.isalpha, line.text)):
            return False
        if line.size >= self._body * _HEADED:
            return True
        # Smaller headings are told by their weight alone: a short bold line that is no sentence or table row.
        bold = line.bold and self._light and line.size >= self._body
        return bold and len(line.cells) == 1 and len(line.text) <= 90 and line.text[-1] not in ".,;:"

    def _level(self, line: Line) -> int:
        return self._levels.get(id(line), 0)

    def _belongs(self, group: list[Line], line: Line) -> bool:
        """Whether a line goes on with the group before it."""
        first, last = group[0], group[-1]
        if self._level(first) or self._level(line):
            # A heading may break over two lines; two headings of one size stand further apart.
            close = _same_column(last, line) and 0 < last.y - line.y < 1.6 * line.size
            same = line.size == last.size and self._level(line) == self._level(first)
            return close and same
        if last.page == line.page and last.table != line.table:
            return False
        if bool(first.table) != bool(line.table) or (len(first.cells) > 1) != (len(line.cells) > 1):
            return False
        if len(first.cells) > 1:
            return len(first.cells) == len(line.cells)
        if is_item(line.text) and not is_item(first.text):
            return False
        if not _same_column(last, line):
            return last.text[-1:] not in ".!?:" and not is_item(line.text)
        apart = last.y - line.y
        if is_item(first.text):
            if is_item(line.text):
                return 0 < apart < 3 * self._pitch
            item = next(one for one in reversed(group) if is_item(one.text))
            if _same_column(item, line) and line.indent < item.indent - _OUTDENT:
                return False
        return 0 <= apart <= _APART * self._pitch

    def _items(self, group: list[Line]) -> list[tuple[str, list[Place]]]:
        items = grouped(group, lambda _, line: not is_item(line.text))
        return [self._joined(item, wrapped=True) for item in items]

    def _joined(self, lines: list[Line], *, wrapped: bool = False) -> tuple[str, list[Place]]:
        """Lines as running text, and where in it each stands.

        Where the margin broke a line stands a space, a hyphen there is mended, else there is a line end.
        """
        text = lines[0].text
        places = [(0, len(text), lines[0])]
        for before, line in pairwise(lines):
            broken = (runs(before.text[:-1]) or [""])[-1] if before.text.endswith(_HYPHENS) else ""
            if len(broken) > 1 and before.text[:-1].endswith(broken) and line.text[:1].islower():
                text = text[:-1] + self._hyphen(broken, line.text)
            elif wrapped or before.reach >= _FULL:
                text += " "
            else:
                text += "\n"
            places.append((len(text), len(text) + len(line.text), line))
            text += line.text
        return text, places

    def _hyphen(self, head: str, after: str) -> str:
        """The hyphen at a line's end if the word has one elsewhere in the document; else nothing."""
        tail = _WORD.match(after)
        rest = tail[0] if tail else ""
        joined, parted = (head + rest).casefold(), f"{head}-{rest}".casefold()
        return "-" if parted in self._known and joined not in self._known else ""
