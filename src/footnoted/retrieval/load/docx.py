"""Reads a Word file: headings, paragraphs, lists with their numbers, tables, boxes and notes in the order they stand.

The hard thing is that Word keeps apart what a page shows together: numbers, notes and fonts are parts of their own.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any, NamedTuple

import docx

from footnoted.errors import SourceError
from footnoted.retrieval.load.archive import open_archive, tree_of
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
_CONTENTS = -1  # the level of a line of the table of contents
_BOX = f"{_WORD}txbxContent"
_NOTES = (f"{_WORD}footnote", f"{_WORD}endnote")
_CALLS = (f"{_WORD}footnoteReference", f"{_WORD}endnoteReference")


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
        looks = _Looks.of(word)
        paragraphs = [looks.is_listing(one) for one in body.iter(f"{_WORD}p") if _text(one).strip()]
        if 2 * sum(paragraphs) > len(paragraphs):  # a letter from a typewriter
            looks = looks._replace(fixed=frozenset())
        title = _Writer(draft, looks, Numbering(word)).write(body) or title
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
        elif called.casefold().startswith("toc "):
            levels[style_id] = _CONTENTS
        elif heading and number.strip() in _LEVELS and called.casefold().startswith("heading"):
            levels[style_id] = int(number)
        elif outline and outline < "9":
            levels[style_id] = int(outline) + 1
    levels.pop("", None)  # a style without an id is nobody's: a paragraph that names none is no heading
    return levels


class _Looks(NamedTuple):
    """What a Word file keeps apart from its text.

    Levels of styles; styles by their id; notes by kind and id; fonts of one pitch.
    """

    levels: dict[str, int]
    styles: dict[str, Any]
    notes: dict[tuple[str, str], str]
    fixed: frozenset[str]

    @classmethod
    def of(cls, word: Any) -> _Looks:
        """Those of an opened file."""
        roots = {
            kind: tree_of(related.target_part.blob, f"its {kind}")
            for related in word.part.rels.values()
            if not related.is_external
            and (kind := related.reltype.rpartition("/")[2]) in {"footnotes", "endnotes", "fontTable"}
        }
        notes = {
            (note.tag, _of(note, "id")): " ".join(" ".join(_text(one) for one in note.iter(f"{_WORD}p")).split())
            for kind in ("footnotes", "endnotes")
            for note in roots.get(kind, ())
            if note.tag in _NOTES
        }
        fixed = {_of(font, "name") for font in roots.get("fontTable", ()) if _value(font, f"{_WORD}pitch") == "fixed"}
        styles = {_of(style, "styleId"): style for style in word.styles.element.iter(f"{_WORD}style")}
        return cls(_levels(word), styles, notes, frozenset(fixed))

    def is_listing(self, paragraph: Any) -> bool:
        """Whether all words of a paragraph are set in a font of one pitch."""
        style = _value(paragraph, f"{_WORD}pPr/{_WORD}pStyle") or ""
        inherited = _of(_found(self.styles.get(style), "rPr/rFonts"), "ascii")
        runs = [run for run in paragraph.iter(f"{_WORD}r") if run.find(f"{_WORD}t") is not None]
        fonts = {_of(_found(run, "rPr/rFonts"), "ascii") or inherited for run in runs}
        return bool(fonts) and fonts <= self.fixed

    def notes_of(self, element: Any) -> list[str]:
        """The notes that are called in an element."""
        called = [(call.tag.removesuffix("Reference"), _of(call, "id")) for call in element.iter(*_CALLS)]
        return [self.notes[call] for call in called if self.notes.get(call)]


class _Writer:
    """Writes the body of a Word file into a draft, list items gathered into lists, lines of code into listings."""

    def __init__(self, draft: Draft, looks: _Looks, numbering: Numbering) -> None:
        self._draft = draft
        self._looks = looks
        self._numbering = numbering
        self._items: list[tuple[int, str]] = []  # how deep each item of a list stands, and the item
        self._code: list[str] = []
        self._notes: list[str] = []
        self._title = ""

    def write(self, body: Any) -> str:
        """Everything in ``body``; gives the text of its Title paragraph, if it has one."""
        for element in _blocks(body):
            boxes = [box for box in element.iter(_BOX) if next(box.iterancestors(_BOX), None) is None]
            for box in boxes:
                box.getparent().remove(box)
            if element.tag == f"{_WORD}tbl":
                self._close()
                self._draft.table(under_one_head(_rows(element)))
            else:
                self._paragraph(element)
            self._notes += self._looks.notes_of(element)
            for box in boxes:
                self._close()
                self.write(box)
        self._close()
        return self._title

    def _paragraph(self, element: Any) -> None:
        text = _text(element).strip("\n")
        if not text.strip():
            if self._code:
                self._code.append("")
            return
        style = _value(element, f"{_WORD}pPr/{_WORD}pStyle") or ""
        level, numbered = self._looks.levels.get(style), self._numbering.mark(element)
        if numbered is None and style.casefold().startswith("list"):
            numbered = 0, "-"
        depth, mark = numbered or (0, "")
        if level == _CONTENTS:
            return
        if level == 0 and not self._title:
            self._title = " ".join(text.split())
        elif level is not None:
            self._close()
            self._draft.heading(max(1, min(level, 6)), f"{mark.lstrip('-')} {text}")
        elif self._looks.is_listing(element):
            if not self._code:
                self._close()
            self._code.append(text)
        elif mark[-1:] in ("-", ".", ")") and (mark == "-" or _counts(mark.strip("()."))):
            if self._code:
                self._close()
            self._items.append((depth, f"{mark} {' '.join(text.split())}"))
        else:
            self._close()
            self._draft.paragraph(f"{mark} {text}")

    def _close(self) -> None:
        first = min((depth for depth, _ in self._items), default=0)
        self._draft.items(["  " * (depth - first) + item for depth, item in self._items])
        self._draft.code("\n".join(self._code))
        for note in self._notes:
            self._draft.paragraph(note)
        self._items, self._code, self._notes = [], [], []


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


def _found(element: Any, path: str) -> Any:
    """What stands at a path of Word's names below an element; None where there is nothing."""
    return None if element is None else element.find("/".join(f"{_WORD}{name}" for name in path.split("/")))


def _of(element: Any, attribute: str) -> str:
    """An attribute of Word's, or nothing."""
    return "" if element is None else element.get(f"{_WORD}{attribute}") or ""
