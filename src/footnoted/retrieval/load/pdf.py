"""A PDF in; a document out: lines mended into paragraphs, lists and tables, headings told by their size."""

from __future__ import annotations

import contextlib
import io
import logging
import re
import statistics
from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING

from pypdf import PdfReader
from pypdf.errors import DependencyError

from footnoted.errors import SourceError
from footnoted.retrieval.load.document import Document, Draft
from footnoted.retrieval.load.pdf_lines import Line, page_lines, without_furniture

if TYPE_CHECKING:
    from collections.abc import Iterator

_ITEM = re.compile(r"(?:[-–*•‣▪◦●]|\(?\d{1,2}[.)]|\(?[a-z][.)])\s+\S")
_HYPHEN = re.compile(r"(\w{2,})[-\u00ad\u2010]$")
_WORD = re.compile(r"\w+(?:-\w+)*")
_HEADED = 1.12  # how many times the size of the body a heading is set in, at least
_FULL = 0.7  # share of the longest line above which a line was broken by the margin
_APART = 1.3  # how many times the usual pitch parts two paragraphs


def read_pdf(path: str, data: bytes) -> Document:
    """The document of a PDF. Raises `SourceError` when it is encrypted, damaged, or holds images only."""
    try:
        with _quiet():
            reader = PdfReader(io.BytesIO(data))
            _unlock(reader)
            pages = [page_lines(page, number) for number, page in enumerate(reader.pages, 1)]
            titled = str((reader.metadata.title if reader.metadata else None) or "").strip()
    except SourceError:
        raise
    except DependencyError:
        hint = "install the package cryptography, or save it without protection"
        raise SourceError(f"is encrypted with a cipher that cannot be opened here; {hint}") from None
    except Exception as error:
        raise SourceError(f"is damaged: the PDF cannot be read ({type(error).__name__})") from error
    if not any(char.isalnum() for page in pages for line in page for char in line.text):
        count = f"{len(pages)} page" + ("" if len(pages) == 1 else "s")
        raise SourceError(f"holds images only and no text ({count}, probably a scan); it needs OCR first")
    draft = Draft()
    _Setting(without_furniture(pages)).write(draft)
    # Many programs leave the name of the file they converted as the title.
    return draft.document(path, title="" if re.search(r"\.\w{2,4}$", titled) else titled, kind="pdf")


def _unlock(reader: PdfReader) -> None:
    if not reader.is_encrypted:
        return
    opened = 0
    with contextlib.suppress(Exception):  # a cipher this installation lacks
        opened = int(reader.decrypt(""))  # many files only forbid printing and open without a password
    if not opened:
        raise SourceError("is encrypted with a password; save it without one first")


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """The parser's remarks on sloppy files are of no use to a reader."""
    logger = logging.getLogger("pypdf")
    before = logger.level
    logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        logger.setLevel(before)


class _Setting:
    """How a document is set (sizes, pitch, measure), and from that what each line is."""

    def __init__(self, lines: list[Line]) -> None:
        self._lines = lines
        sizes: Counter[float] = Counter()
        for line in lines:
            sizes[line.size] += len(line.text)
        self._body = sizes.most_common(1)[0][0] if sizes else 0.0
        letters = sum(sizes.values())
        self._light = sum(len(line.text) for line in lines if line.bold) < letters / 2
        sizes_of_heads = {line.size for line in lines if self._heads(line)}
        self._levels = {size: level for level, size in enumerate(sorted(sizes_of_heads, reverse=True)[:6], 1)}
        steps = [one.y - two.y for one, two in pairwise(lines) if one.page == two.page and one.y > two.y]
        # Pages of single lines have no pitch of their own; nobody sets text wider than two lines apart.
        self._pitch = min(statistics.median_low(steps), 2 * self._body) if steps else 0.0
        self._measure = max((len(line.text) for line in lines if not self._heads(line)), default=0)
        self._known = {word for line in lines for word in _WORD.findall(line.text.casefold())}

    def write(self, draft: Draft) -> None:
        """Write the lines as headings, tables, lists and paragraphs."""
        for group in self._groups():
            first = group[0]
            if self._level(first):
                draft.heading(self._level(first), " ".join(line.text for line in group), page=first.page)
            elif len(group) > 1 and len(first.cells) > 1:
                draft.table([list(line.cells) for line in group], page=first.page)
            elif _ITEM.match(first.text):
                draft.items(self._items(group), page=first.page)
            else:
                draft.paragraph(self._joined(group), page=first.page)

    def _heads(self, line: Line) -> bool:
        if len(line.text) > 150 or not any(map(str.isalpha, line.text)):
            return False
        if line.size >= self._body * _HEADED:
            return True
        # Smaller headings are told by their weight alone: a short bold line that is no sentence or table row.
        bold = line.bold and self._light and line.size >= self._body
        return bold and len(line.cells) == 1 and len(line.text) <= 90 and line.text[-1] not in ".,;:"

    def _level(self, line: Line) -> int:
        return self._levels.get(line.size, 6) if self._heads(line) else 0

    def _groups(self) -> Iterator[list[Line]]:
        group: list[Line] = []
        for line in self._lines:
            if group and not self._belongs(group, line):
                yield group
                group = []
            group.append(line)
        if group:
            yield group

    def _belongs(self, group: list[Line], line: Line) -> bool:
        """Whether a line goes on with the group before it."""
        first, last = group[0], group[-1]
        if self._level(first) or self._level(line):
            # A heading may break over two lines; two headings of one size stand further apart.
            close = last.page == line.page and 0 < last.y - line.y < 1.6 * line.size
            return close and line.size == last.size and bool(self._level(first))
        if (len(first.cells) > 1) != (len(line.cells) > 1):
            return False
        if len(first.cells) > 1:
            return len(first.cells) == len(line.cells)
        if _ITEM.match(line.text) and not _ITEM.match(first.text):
            return False
        if last.page != line.page:
            return last.text[-1:] not in ".!?:" and not _ITEM.match(line.text)
        apart = last.y - line.y
        if _ITEM.match(first.text) and _ITEM.match(line.text):
            return 0 < apart < 3 * self._pitch
        return 0 <= apart <= _APART * self._pitch

    def _items(self, group: list[Line]) -> list[str]:
        items: list[list[Line]] = []
        for line in group:
            if _ITEM.match(line.text):
                items.append([line])
            else:
                items[-1].append(line)
        return [self._joined(item, wrapped=True) for item in items]

    def _joined(self, lines: list[Line], *, wrapped: bool = False) -> str:
        """Lines as running text: where the margin broke a line a space, a hyphen mended, else a line end."""
        text = lines[0].text
        for before, line in pairwise(lines):
            broken = _HYPHEN.search(before.text)
            if broken and line.text[:1].islower():
                text = text[:-1] + self._hyphen(broken[1], line.text) + line.text
            elif wrapped or len(before.text) >= _FULL * self._measure:
                text += " " + line.text
            else:
                text += "\n" + line.text
        return text

    def _hyphen(self, head: str, after: str) -> str:
        """The hyphen at a line's end if the word has one elsewhere in the document; else nothing."""
        tail = _WORD.match(after)
        rest = tail[0] if tail else ""
        joined, parted = (head + rest).casefold(), f"{head}-{rest}".casefold()
        return "-" if parted in self._known and joined not in self._known else ""
