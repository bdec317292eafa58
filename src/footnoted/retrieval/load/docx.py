"""Reads a Word file: headings, paragraphs, lists and tables in the order they stand."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any

import docx

from footnoted.errors import SourceError
from footnoted.retrieval.load.archive import open_archive
from footnoted.retrieval.load.document import Document, Draft, under_one_head
from footnoted.retrieval.load.docx_numbers import WORD as _WORD
from footnoted.retrieval.load.docx_numbers import Numbering
from footnoted.retrieval.load.docx_numbers import value as _value

# What was moved away or struck out, and the second telling of a text box for older readers.
_UNSEEN = (
    f"{_WORD}moveFrom",
    f"{_WORD}del",
    "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback",
)
_LEVELS = frozenset("123456789")


def read_docx(path: str, data: bytes, *, limit_bytes: int) -> Document:
    """The document of a .docx file. Raises `SourceError` when it is damaged, encrypted or a zip bomb."""
    _check(data, limit_bytes)
    try:
        word = docx.Document(io.BytesIO(data))
        draft = Draft()
        title = (word.core_properties.title or "").strip()
        body = word.element.body
        for unseen in list(body.iter(*_UNSEEN)):
            unseen.getparent().remove(unseen)
        title = _Writer(draft, _levels(word), Numbering(word)).write(body) or title
    except SourceError:
        raise
    except Exception as error:
        raise SourceError(f"is damaged: Word's XML cannot be read ({type(error).__name__})") from error
    return draft.document(path, title=title, kind="docx")


def _check(data: bytes, limit: int) -> None:
    """Refuse what is no zip archive, or one that unpacks to more than is reasonable."""
    with open_archive(data, ".docx archive", limit_bytes=limit) as archive:
        names = set(archive.namelist())
    if not names & {"word/document.xml", "[Content_Types].xml"}:
        raise SourceError("is a zip archive, but not a Word document")


def _levels(word: Any) -> dict[str, int]:
    """Style id → heading level; the title counts as 0, whatever language Word spoke."""
    levels: dict[str, int] = {}
    for style in word.styles.element.iter(f"{_WORD}style"):
        style_id = style.get(f"{_WORD}styleId") or ""
        called = _value(style, f"{_WORD}name") or ""
        outline = _value(style, f"{_WORD}pPr/{_WORD}outlineLvl")
        _, heading, number = called.casefold().rpartition("heading")
        if called.casefold() == "title":
            levels[style_id] = 0
        elif heading and number.strip() in _LEVELS and called.casefold().startswith("heading"):
            levels[style_id] = int(number)
        elif outline and outline < "9":
            levels[style_id] = int(outline) + 1
    levels.pop("", None)  # a style without an id is nobody's: a paragraph that names none is no heading
    return levels


class _Writer:
    """Writes the body of a Word file into a draft, list items gathered into lists."""

    def __init__(self, draft: Draft, levels: dict[str, int], numbering: Numbering) -> None:
        self._draft = draft
        self._levels = levels
        self._numbering = numbering
        self._items: list[tuple[int, str]] = []  # how deep each item of a list stands, and the item
        self._title = ""

    def write(self, body: Any) -> str:
        """Everything in ``body``; gives the text of its Title paragraph, if it has one."""
        for element in _blocks(body):
            if element.tag == f"{_WORD}tbl":
                self._close()
                self._draft.table(under_one_head(_rows(element)))
            else:
                self._paragraph(element)
        self._close()
        return self._title

    def _paragraph(self, element: Any) -> None:
        text = _text(element).strip()
        if not text:
            return
        properties = element.find(f"{_WORD}pPr")
        style = "" if properties is None else _value(properties, f"{_WORD}pStyle") or ""
        level, numbered = self._levels.get(style), self._numbering.mark(element)
        if numbered is None and style.casefold().startswith("list"):
            numbered = 0, "-"
        depth, mark = numbered or (0, "")
        if level == 0 and not self._title:
            self._title = " ".join(text.split())
        elif level is not None:
            self._close()
            self._draft.heading(max(1, min(level, 6)), f"{mark.lstrip('-')} {text}")
        elif mark[-1:] in ("-", ".", ")") and (mark == "-" or _counts(mark.strip("()."))):
            self._items.append((depth, f"{mark} {' '.join(text.split())}"))
        else:
            self._close()
            self._draft.paragraph(f"{mark} {text}")

    def _close(self) -> None:
        first = min((depth for depth, _ in self._items), default=0)
        self._draft.items(["  " * (depth - first) + item for depth, item in self._items])
        self._items = []


def _counts(number: str) -> bool:
    """Whether a number only counts the items of a list: "3", "iv", "B"; no "4.2"."""
    return number.isdecimal() or number.isalpha()


def _blocks(parent: Any) -> Iterator[Any]:
    """Paragraphs and tables in order, those inside content controls and accepted insertions too."""
    for element in parent:
        if element.tag in {f"{_WORD}p", f"{_WORD}tbl"}:
            yield element
        elif element.tag in {f"{_WORD}sdt", f"{_WORD}sdtContent", f"{_WORD}ins", f"{_WORD}customXml"}:
            yield from _blocks(element)


def _text(element: Any) -> str:
    """A paragraph's words as they print: insertions in, deletions out, tabs and breaks kept."""
    pieces: list[str] = []
    for node in element.iter(f"{_WORD}t", f"{_WORD}tab", f"{_WORD}br", f"{_WORD}cr", f"{_WORD}noBreakHyphen"):
        if node.tag == f"{_WORD}t":
            pieces.append(node.text or "")
        elif node.tag == f"{_WORD}noBreakHyphen":
            pieces.append("-")
        elif node.getparent().tag == f"{_WORD}r":  # a tab stop in the properties is no tab
            pieces.append("\t" if node.tag == f"{_WORD}tab" else "\n")
    return "".join(pieces)


def _rows(table: Any) -> list[list[str]]:
    """A table's rows; a cell that spans columns or rows is said again in each."""
    rows: list[list[str]] = []
    for row in table.iter(f"{_WORD}tr"):
        if next(row.iterancestors(f"{_WORD}tbl")) is not table:  # of a table in a cell
            continue
        line: list[str] = []
        for cell in row.iter(f"{_WORD}tc"):
            if next(cell.iterancestors(f"{_WORD}tr")) is not row:
                continue
            text = " ".join(_text(paragraph) for paragraph in cell.iter(f"{_WORD}p"))
            wide = int(_value(cell, f"{_WORD}tcPr/{_WORD}gridSpan") or 1)
            goes_on = _value(cell, f"{_WORD}tcPr/{_WORD}vMerge") not in (None, "restart")
            if goes_on and rows and len(line) < len(rows[-1]):
                text = rows[-1][len(line)]
            line.extend([text] * min(wide, 50))
        rows.append(line)
    return rows
