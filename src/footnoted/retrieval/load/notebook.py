"""Reads a Jupyter notebook: its Markdown cells as Markdown, its code cells as listings with what they printed."""

from __future__ import annotations

import json
import re
from textwrap import indent
from typing import Any

from footnoted.errors import SourceError
from footnoted.retrieval.load.decode import without_colours
from footnoted.retrieval.load.document import Document, fence_for
from footnoted.retrieval.load.markdown import read_markdown
from footnoted.retrieval.load.rst import is_rst, read_rst

_MOST_CELLS = 5_000
_LONGEST_OUTPUT = 4_000  # code points of what one cell printed


def read_notebook(path: str, text: str) -> Document:
    """The document of a notebook (nbformat 3 and 4). Raises `SourceError` when it is none."""
    try:
        book = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise SourceError(f"is damaged: the notebook is no JSON ({error})") from None
    cells = _cells(book)
    if cells is None:
        raise SourceError("is JSON, but not a notebook: it has no cells")
    language = _language(book)
    known = [cell for cell in cells[:_MOST_CELLS] if isinstance(cell, dict)]
    raw, marked = (
        "\n\n".join(_text(cell.get("source")) for cell in known if cell.get("cell_type") == kind)
        for kind in ("raw", "markdown")
    )
    if len(raw) > len(marked) and is_rst(raw):  # its words are for Sphinx, and pass Jupyter as they are
        return read_rst(path, "\n\n".join(_as_rst(cell, language) for cell in known), kind="notebook")
    pieces = [piece for cell in known for piece in _pieces(cell, language)]
    return read_markdown(path, "\n\n".join(pieces), kind="notebook")


def _cells(book: Any) -> list[Any] | None:
    if not isinstance(book, dict):
        return None
    sheets = book.get("worksheets")
    if isinstance(sheets, list):
        return [cell for sheet in sheets if isinstance(sheet, dict) for cell in sheet.get("cells") or []]
    cells = book.get("cells")
    return cells if isinstance(cells, list) else None


def _language(book: dict[str, Any]) -> str:
    about = book.get("metadata")
    info = about.get("language_info") if isinstance(about, dict) else None
    name = info.get("name") if isinstance(info, dict) else None
    return name if isinstance(name, str) and re.fullmatch(r"[\w+#-]{1,20}", name) else "python"


def _pieces(cell: dict[str, Any], language: str) -> list[str]:
    words = _text(cell.get("source", cell.get("input")))
    if cell.get("cell_type") == "markdown":
        return [words]
    if cell.get("cell_type") == "heading":
        return ["#" * max(1, min(6, int(cell.get("level") or 1))) + " " + " ".join(words.split())]
    if cell.get("cell_type") != "code":
        return []
    printed = [_printed(output) for output in cell.get("outputs") or [] if isinstance(output, dict)]
    return [_listing(words, language), *(_listing(output, "text") for output in printed)]


def _as_rst(cell: dict[str, Any], language: str) -> str:
    words = _text(cell.get("source"))
    if cell.get("cell_type") != "code" or not words.strip():
        return words
    return f".. code-block:: {language}\n\n{indent(words, '   ')}"


def _printed(output: dict[str, Any]) -> str:
    """What a cell printed, as text; pictures and errors' colours say nothing."""
    data = output.get("data")
    printed = _text(data.get("text/plain") if isinstance(data, dict) else output.get("text"))
    return without_colours(printed)[:_LONGEST_OUTPUT]


def _listing(words: str, language: str) -> str:
    if not words.strip():
        return ""
    fence = fence_for(words)
    return f"{fence}{language}\n{words}\n{fence}"


def _text(source: Any) -> str:
    """A string, or a list of strings to be joined."""
    if isinstance(source, list):
        return "".join(piece for piece in source if isinstance(piece, str))
    return source if isinstance(source, str) else ""
