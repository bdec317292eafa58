"""Reads an OpenDocument text (.odt): headings, paragraphs, lists and tables in the order they stand."""

from __future__ import annotations

from typing import Any

from footnoted.errors import SourceError
from footnoted.retrieval.load.archive import open_archive, part_of, tree_of
from footnoted.retrieval.load.document import Document, Draft

_TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
_STYLE = "{urn:oasis:names:tc:opendocument:xmlns:style:1.0}"
_TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
_OFFICE = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}"
_BOX = "{urn:oasis:names:tc:opendocument:xmlns:drawing:1.0}text-box"
_UNSEEN = frozenset({f"{_TEXT}tracked-changes", f"{_OFFICE}annotation", f"{_TEXT}note", f"{_OFFICE}forms", _BOX})
_REPEATED = 50  # times a cell may say that it is repeated


def read_odt(path: str, data: bytes, *, limit_bytes: int) -> Document:
    """The document of an .odt file. Raises `SourceError` when it is damaged or encrypted."""
    with open_archive(data, ".odt", limit_bytes=limit_bytes) as archive:
        if b"encryption-data" in part_of(archive, "META-INF/manifest.xml"):
            raise SourceError("is encrypted with a password; save it without one first")
        content = part_of(archive, "content.xml")
        if not content:
            raise SourceError("is a zip archive, but not an OpenDocument text")
        root = tree_of(content, "its content")
        about = part_of(archive, "meta.xml")
        titles = [title.text or "" for title in tree_of(about, "its description").iter("{*}title")] if about else []
    body = next(root.iter(f"{_OFFICE}text"), None)
    if body is None:
        raise SourceError("is an OpenDocument file, but not a text")
    draft = Draft()
    _write(draft, body, _numbered(root))
    return draft.document(path, title=" ".join(" ".join(titles).split()), kind="odt")


def _numbered(root: Any) -> set[tuple[str, int]]:
    """The levels of list styles that count, by the style's name."""
    return {
        (style.get(f"{_STYLE}name") or "", _number(level, f"{_TEXT}level", 1))
        for style in root.iter(f"{_TEXT}list-style")
        for level in style.iterchildren(f"{_TEXT}list-level-style-number")
        if level.get(f"{_STYLE}num-format")
    }


def _write(draft: Draft, parent: Any, numbered: set[tuple[str, int]]) -> None:
    for element in parent:
        if element.tag == f"{_TEXT}h":
            draft.heading(max(1, min(6, _number(element, f"{_TEXT}outline-level", 1))), _words(element))
        elif element.tag == f"{_TEXT}p":
            draft.paragraph(_words(element))
        elif element.tag == f"{_TEXT}list":
            draft.items(_items(element, "", 1, numbered))
        elif element.tag == f"{_TABLE}table":
            draft.table(_rows(element))
        elif element.tag not in _UNSEEN:
            _write(draft, element, numbered)
            continue
        else:
            continue
        for aside in element.iter(f"{_TEXT}note-body", _BOX):
            _write(draft, aside, numbered)


def _items(element: Any, style: str, level: int, numbered: set[tuple[str, int]]) -> list[str]:
    """A list's items with their numbers or dashes; an inner list without a style of its own has that around it."""
    style = element.get(f"{_TEXT}style-name") or style
    items: list[str] = []
    number = 0
    for item in element.iterchildren(f"{_TEXT}list-item", f"{_TEXT}list-header"):
        own = " ".join(_words(part) for part in item if part.tag in {f"{_TEXT}p", f"{_TEXT}h"})
        nested = [
            line for inner in item.iterchildren(f"{_TEXT}list") for line in _items(inner, style, level + 1, numbered)
        ]
        number = _number(item, f"{_TEXT}start-value", number + 1)
        mark = f"{number}." if (style, level) in numbered and item.tag == f"{_TEXT}list-item" else "-"
        lines = [f"{'  ' * (level - 1)}{mark} {' '.join(own.split())}"] if own.strip() else []
        items.append("\n".join([*lines, *nested]))
    return items


def _rows(table: Any) -> list[list[str]]:
    rows: list[list[str]] = []
    for row in table.iter(f"{_TABLE}table-row"):
        line: list[str] = []
        for cell in row.iterchildren(f"{_TABLE}table-cell", f"{_TABLE}covered-table-cell"):
            words = " ".join(_words(part) for part in cell.iter(f"{_TEXT}p", f"{_TEXT}h"))
            wide = max(
                _number(cell, f"{_TABLE}number-columns-repeated", 1) if words.strip() else 1,
                _number(cell, f"{_TABLE}number-columns-spanned", 1) if cell.getnext() is None else 1,
            )
            line.extend([words] * min(wide, _REPEATED))
        rows.append(line)
    return rows


def _words(element: Any) -> str:
    """The running text of a paragraph: tabs, spaces and breaks as characters, notes and changes left out."""
    pieces = [element.text or ""]
    for child in element:
        if child.tag == f"{_TEXT}s":
            pieces.append(" " * min(_number(child, f"{_TEXT}c", 1), 100))
        elif child.tag == f"{_TEXT}tab":
            pieces.append("\t")
        elif child.tag == f"{_TEXT}line-break":
            pieces.append("\n")
        elif child.tag not in _UNSEEN:
            pieces.append(_words(child))
        pieces.append(child.tail or "")
    return "".join(pieces)


def _number(element: Any, name: str, otherwise: int) -> int:
    number = element.get(name) or ""
    return int(number[:6]) if number.isdecimal() and number.isascii() else otherwise
