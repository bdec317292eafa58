"""Reads an HTML page as a reader sees it, without scripts, styles and navigation."""

from __future__ import annotations

import re

from selectolax.lexbor import LexborHTMLParser
from selectolax.lexbor import LexborNode as Node

from footnoted.errors import SourceError
from footnoted.retrieval.load.decode import decode
from footnoted.retrieval.load.document import Document, Draft, under_one_head
from footnoted.retrieval.load.html_lists import BLOCKS, BREAK, DEEP, inline, items_of, terms_of

_UNSEEN = (
    "script, style, noscript, template, nav, svg, canvas, iframe, object, embed, button, select, input, textarea, "
    "audio, video, map, dialog, head, body > footer, [hidden], [aria-hidden=true], [style*='display:none'], "
    "[style*='display: none'], [role=navigation]"
)
_HEADINGS = frozenset("h1 h2 h3 h4 h5 h6".split())
_NESTS = re.compile(
    r"<(/?)(?:div|span|section|article|b|i|em|strong|font|table|blockquote|a|ul|ol|main|center|details)\b",
    re.IGNORECASE,
)
_UNCLOSED = 5000  # the parser's time grows with the square of how deep a page nests


def read_html(path: str, data: bytes) -> Document:
    """The document of an HTML page; its title is the one top heading, else ``<title>``."""
    draft = Draft()
    title = write_page(draft, decoded_page(data))
    tops = [heading for heading in draft.headings if heading.level == 1]
    if len(tops) == 1 and draft.headings[0] is tops[0]:
        title = tops[0].title
    return draft.document(path, title=title, kind="html")


def write_page(draft: Draft, page: str) -> str:
    """Write a page's headings, lists, tables, listings and paragraphs into a draft; what ``<title>`` says."""
    if _depth(page) > _UNCLOSED:
        raise SourceError("is damaged: its elements nest thousands deep, or are never closed")
    tree = LexborHTMLParser(page)
    titled = tree.css_first("title")
    title = " ".join(titled.text().split()) if titled else ""
    for unseen in reversed(tree.css(_UNSEEN)):  # inner ones first: an outer one takes them with it
        unseen.decompose()
    if tree.body is not None:
        _Reader(draft).read(tree.body)
    return title


def _depth(page: str) -> int:
    """How deep a page nests at most, as if each element that can be closed had to be."""
    deepest = depth = 0
    for tag in _NESTS.finditer(page):
        depth = max(0, depth - 1) if tag[1] else depth + 1
        deepest = max(deepest, depth)
    return deepest


def written(page: str) -> str:
    """A piece of HTML as Markdown."""
    draft = Draft()
    write_page(draft, page)
    return draft.text


def decoded_page(data: bytes) -> str:
    """The page's text; what the page says of its own encoding counts where the bytes do not settle it."""
    charset = _charset(data[:2048].decode("latin-1"))
    if charset and not data.startswith((b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")):
        try:
            return data.decode(charset)
        except (LookupError, ValueError):
            pass  # it says what it is not
    return decode(data)


def _charset(head: str) -> str:
    """The encoding that a page's beginning says it is in: ``<meta charset="utf-8">``, or as a content's type."""
    told = [meta.attributes for meta in LexborHTMLParser(head).css("meta")] if "charset" in head.lower() else []
    typed = ((one.get("content") or "").lower().partition("charset=")[2] for one in told)
    return next(filter(None, (*(one.get("charset") for one in told), *typed)), "").strip("\"' ;")


class _Reader:
    """Walks a page and writes its blocks into a draft."""

    def __init__(self, draft: Draft) -> None:
        self._draft = draft
        self._run: list[str] = []

    def read(self, node: Node, depth: int = 0) -> None:
        """Everything under ``node``, in order."""
        for child in node.iter(include_text=True):
            tag = child.tag or ""
            if tag == "-text":
                self._run.append(child.text(deep=False) or "")
            elif tag.startswith(("_", "-", "!")):  # comments and the like
                continue
            elif tag == "br":
                self._run.append(BREAK)
            elif tag not in BLOCKS and not _holds_blocks(child):
                self._run.append(inline(child))
            elif depth >= DEEP:
                self._run.append(" " + child.text() + " ")
            else:
                self._block(child, tag, depth + 1)
        if depth == 0 or (node.tag or "") in BLOCKS:
            self._close()

    def _block(self, node: Node, tag: str, depth: int) -> None:
        self._close()
        if tag in _HEADINGS:
            self._draft.heading(int(tag[1]), inline(node))
        elif tag in {"ul", "ol"}:
            self._draft.items(items_of(node))
        elif tag == "dl" and (terms := terms_of(node)):
            self._draft.items(terms)
        elif tag == "table" and _lists_in_columns(node):
            self._by_column(node, depth)
        elif tag == "table" and not _for_layout(node):
            caption = node.css_first("caption")
            self._draft.table(under_one_head(_rows(node)), caption=inline(caption) if caption is not None else "")
        elif tag == "pre":
            self._draft.paragraph(node.text(), kind="code")
        else:
            self.read(node, depth)
            self._close()

    def _by_column(self, table: Node, depth: int) -> None:
        """Read a table whose cells hold lists: each cell behind the name of its row and of its column."""
        head, *rows = (_cells_of(row) for row in table.css("tr"))
        names = [" ".join(inline(cell).split()) for cell in head]
        for row in rows:
            named = not names[0] or row[0].tag == "th"
            own = " ".join(inline(row[0]).split()) if named else ""
            for name, cell in list(zip(names, row, strict=True))[named:]:
                self._run.append(" – ".join(filter(None, (own, name))) + ": ")
                self.read(cell, depth)
                self._close()

    def _close(self) -> None:
        text = _tidy("".join(self._run))
        self._run.clear()
        self._draft.paragraph(text)


def _rows(table: Node) -> list[list[str]]:
    """A table's rows; a cell that spans columns or rows is said again in each."""
    rows: list[list[str]] = []
    below: dict[int, tuple[int, str]] = {}  # column → how many more rows the cell above reaches into, its text
    for row in table.css("tr"):
        cells = iter(_cells_of(row))
        line: list[str] = []
        while True:
            if len(line) in below:
                more, text = below.pop(len(line))
                if more > 1:
                    below[len(line)] = (more - 1, text)
                line.append(text)
                continue
            cell = next(cells, None)
            if cell is None:
                break
            text = inline(cell)
            high = _span(cell, "rowspan")
            for _ in range(_span(cell, "colspan")):
                if high > 1:
                    below[len(line)] = (high - 1, text)
                line.append(text)
        rows.append(line)
    return rows


def _span(cell: Node, name: str) -> int:
    number = (cell.attributes.get(name) or "1").strip()
    return max(1, min(int(number), 50)) if number.isdecimal() and number.isascii() else 1


def _lists_in_columns(table: Node) -> bool:
    """A table with lists in its cells under a head that names each column."""
    head, *rows = [_cells_of(row) for row in table.css("tr")] or [[]]
    if len(head) < 2 or not rows or any(cell.tag != "th" for cell in head) or table.css_first("td table") is not None:
        return False
    return all(len(row) == len(head) for row in rows) and any(table.css_first(f"td {one}") for one in ("ul", "ol"))


def _cells_of(row: Node) -> list[Node]:
    return [cell for cell in row.iter() if cell.tag in {"td", "th"}]


def _for_layout(table: Node) -> bool:
    """A table that only places things on the page: it holds headings, lists or tables of its own."""
    return any(table.css_first(f"td {inner}") is not None for inner in ("table", "h1", "h2", "h3", "p + p", "ul"))


def _holds_blocks(node: Node) -> bool:
    return any((inside.tag or "") in BLOCKS for inside in node.traverse())


def _tidy(text: str) -> str:
    return "\n".join(line for line in (" ".join(line.split()) for line in text.split(BREAK)) if line)
