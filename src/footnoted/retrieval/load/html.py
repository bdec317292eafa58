"""Reads an HTML page as a reader sees it, without scripts, styles and navigation.

Its one hard thing: what a list's item, a term's meaning or a warning holds stays there, listings, tables and all.
"""

from __future__ import annotations

import re

from selectolax.lexbor import LexborHTMLParser
from selectolax.lexbor import LexborNode as Node

from footnoted.errors import SourceError
from footnoted.retrieval.load.decode import decode
from footnoted.retrieval.load.dialects import ADMONITIONS
from footnoted.retrieval.load.document import Document, Draft, as_item, letters_of, under_one_head
from footnoted.retrieval.load.numerals import counted

_UNSEEN = (
    "script, style, noscript, template, nav, svg, canvas, iframe, object, embed, button, select, input, textarea, "
    "audio, video, map, dialog, head, body > footer, [hidden], [aria-hidden=true], [style*='display:none'], "
    "[style*='display: none'], [role=navigation], "
    "[role=contentinfo], [role=search]"
)
_WRITTEN_OUT = "h1, h2, h3, h4, h5, h6, p, pre"  # what no list or table of navigation holds
_CODE = frozenset("code tt samp".split())
_BLOCKS = frozenset(
    "address article aside blockquote body center dd details div dl dt fieldset figcaption figure footer header "
    "hgroup hr html li main p section summary ul ol table pre h1 h2 h3 h4 h5 h6 tr td th tbody thead tfoot".split()
)
_HEADINGS = frozenset("h1 h2 h3 h4 h5 h6".split())
_BREAK = "\u2028"  # a line break the page asks for, told from those of its source
_NESTS = re.compile(
    r"<(/?)(?:div|span|section|article|b|i|em|strong|font|table|blockquote|a|ul|ol|main|center|details)\b",
    re.IGNORECASE,
)
_UNCLOSED = 5000  # the parser's time grows with the square of how deep a page nests
_LONGEST_MEANING = 1_500  # code points; a term with more to it heads it
_TEXT = 1_500  # code points that a listing has which may be the text of the whole page
_FORMS = {  # of an item's number, as HTML and CSS name them
    "a": "lowerLetter",
    "A": "upperLetter",
    "i": "lowerRoman",
    "I": "upperRoman",
    "lower-alpha": "lowerLetter",
    "lower-latin": "lowerLetter",
    "lower-roman": "lowerRoman",
    "upper-alpha": "upperLetter",
    "upper-latin": "upperLetter",
    "upper-roman": "upperRoman",
}
_DEEP = 200  # levels of nesting a page's layout may have; what lies deeper is taken as running text


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
    _remove_controls(tree)
    mains = [node for node in tree.css("main, [role=main]") if node.text().strip()]
    root = mains[0] if len(mains) == 1 else tree.body
    if root is not None:
        _Reader(draft, root).read(root)
    return title


def _remove_controls(tree: LexborHTMLParser) -> None:
    """Take out links to a heading's own place (``¶``), calls of notes, and lists of links with keys (Prev, Next)."""
    for link in tree.css("a[accesskey]"):
        around = link.parent
        while around is not None and around.tag not in {"ul", "ol", "table", "body", "html"}:
            around = around.parent
        if around is not None and around.tag in {"ul", "ol", "table"} and around.css_first(_WRITTEN_OUT) is None:
            around.decompose()
    for link in tree.css("a[href]"):
        words, to, around = link.text().strip(), link.attributes.get("href") or "", link.parent
        small = link.css_first("sup") is not None or (around is not None and around.tag == "sup")
        raised = "#" in to and words.strip("[]()").isdecimal() and small
        if words and (raised or not any(map(str.isalnum, words))):
            link.decompose()


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

    def __init__(self, draft: Draft, page: Node, *, within: bool = False) -> None:
        self._draft = draft
        self._page = page
        self._within = within  # a list's item, or what else no heading leaves
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
                self._run.append(_BREAK)
            elif tag not in _BLOCKS and not _holds_blocks(child):
                self._run.append(_inline(child))
            elif depth >= _DEEP:
                self._run.append(" " + child.text() + " ")
            else:
                self._block(child, tag, depth + 1)
        if depth == 0 or (node.tag or "") in _BLOCKS:
            self._close()

    def _block(self, node: Node, tag: str, depth: int) -> None:
        self._close()
        if tag in _HEADINGS and self._within:
            self._draft.paragraph(f"**{' '.join(_inline(node).split())}**")
        elif tag in _HEADINGS:
            self._draft.heading(int(tag[1]), _inline(node, marked=False))
        elif tag in {"ul", "ol"}:
            self._draft.items(_items(node, depth))
        elif tag == "dl":
            self._terms(node, depth)
        elif tag == "table" and _lists_in_columns(node):
            self._by_column(node, depth)
        elif tag == "table" and not _for_layout(node):
            caption = node.css_first("caption")
            self._draft.table(under_one_head(_rows(node)), caption=_inline(caption) if caption is not None else "")
        elif tag == "pre":
            self._preformatted(node)
        elif kinds := ADMONITIONS.intersection((node.attributes.get("class") or "").split()):
            _remove_label(node, kinds)
            within, self._within = self._within, True
            self.read(node, depth)
            self._within = within
        else:
            self.read(node, depth)
            self._close()

    def _preformatted(self, node: Node) -> None:
        """A listing; the numbers of its lines are none, and a page that is all one is text."""
        text = node.text()
        if len(text) > _TEXT and len(self._page.text()) < 2 * len(text) and node.css_first("code, span") is None:
            self._draft.paragraph(text, kind="code")
        elif any(map(str.isalpha, text)):
            self._draft.code(text, _language(node))

    def _terms(self, node: Node, depth: int) -> None:
        """Terms and what each means: an item of a list, or where there is much to it, a line in bold over it."""
        items: list[str] = []
        terms: list[str] = []
        for child in _entries(node):
            if child.tag == "dt":
                terms.append(" ".join(_inline(child).split()))
                continue
            term = ", ".join(filter(None, terms)).removesuffix(":")
            if len(child.text()) > _LONGEST_MEANING:
                terms.clear()
                self._draft.items(items)
                items = []
                self._draft.paragraph(f"**{term}**" if term else "")
                self.read(child, depth)
                continue
            inner = Draft()
            _Reader(inner, child, within=True).read(child, depth)
            if next((one.tag for one in child.iter()), "") == "dl":  # a table of contents: each term is one of its own
                items += [f"- {above}" for above in terms[:-1] if above]
                term = terms[-1] if terms else ""
            terms.clear()
            items.append(as_item(f"- {term}:" if term else "-", inner))
        self._draft.items([*items, *(f"- {term}" for term in terms if term)])

    def _by_column(self, table: Node, depth: int) -> None:
        """Read a table whose cells hold lists: each cell behind the name of its row and of its column."""
        head, *rows = (_cells_of(row) for row in table.css("tr"))
        names = [" ".join(_inline(cell).split()) for cell in head]
        for row in rows:
            named = not names[0] or row[0].tag == "th"
            own = " ".join(_inline(row[0]).split()) if named else ""
            for name, cell in list(zip(names, row, strict=True))[named:]:
                self._run.append(" – ".join(filter(None, (own, name))) + ": ")
                self.read(cell, depth)
                self._close()

    def _close(self) -> None:
        text = _tidy("".join(self._run))
        self._run.clear()
        self._draft.paragraph(text)


def _inline(node: Node, *, marked: bool = True) -> str:
    """The running text under a node; line breaks kept, code marked as Markdown has it."""
    pieces: list[str] = []
    if (node.tag or "") in _CODE:
        words = " ".join(node.text().split())
        return f"`{words}`" if marked and words and "`" not in words else words
    for child in node.iter(include_text=True):
        tag = child.tag or ""
        if tag == "-text":
            pieces.append(child.text(deep=False) or "")
        elif tag == "br":
            pieces.append(_BREAK)
        elif not tag.startswith(("_", "-", "!")):
            pieces.append((" " if tag in _BLOCKS else "") + _inline(child, marked=marked))
    return "".join(pieces)


def _items(node: Node, depth: int) -> list[str]:
    """A list's items as ``- first``, ``1. first`` or ``(a) first``; what one holds beside words is set in under it."""
    items: list[str] = []
    number = _number(node, "start", 1)
    for child in node.iter():
        inner = Draft()
        if child.tag in {"ul", "ol"}:
            inner.items(_items(child, depth + 1) if depth < _DEEP else [f"- {' '.join(child.text().split())}"])
            items.extend(f"  {line}" for line in inner.text.split("\n"))
        elif child.tag == "li":
            _Reader(inner, child, within=True).read(child, depth + 1)
            number = _number(child, "value", number)
            if inner.blocks:
                items.append(as_item(_mark(node, number), inner))
                number += 1
    return items


def _mark(list_: Node, number: int) -> str:
    """What is printed before an item of a list."""
    if list_.tag == "ul":
        return "-"
    styled = (list_.attributes.get("style") or "").partition("list-style-type:")[2].partition(";")[0]
    form = _FORMS.get((styled or list_.attributes.get("type") or "").strip())
    return f"({counted(number, form)})" if form else f"{number}."


def _entries(node: Node) -> list[Node]:
    """The terms and meanings of a list of terms; they may stand in groups."""
    return [
        entry
        for child in node.iter()
        for entry in ([child] if child.tag in {"dt", "dd"} else _entries(child) if child.tag == "div" else [])
    ]


def _remove_label(node: Node, kinds: frozenset[str]) -> None:
    """Take out the first line of an admonition where it says only of what kind it is."""
    first = next(iter(node.iter()), None)
    if first is not None and letters_of(first.text()) in kinds:
        first.decompose()


def _language(listing: Node) -> str:
    """The language that a listing's class names: ``language-sh``."""
    named = [listing, *listing.css("code")]
    classes = [name for node in named for name in (node.attributes.get("class") or "").split()]
    return next((name.partition("-")[2] for name in classes if name.startswith("language-")), "")


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
            text = _inline(cell)
            high = _number(cell, "rowspan", 1, most=50)
            for _ in range(_number(cell, "colspan", 1, most=50)):
                if high > 1:
                    below[len(line)] = (high - 1, text)
                line.append(text)
        rows.append(line)
    return rows


def _number(node: Node, name: str, otherwise: int, *, most: int = 100_000) -> int:
    number = (node.attributes.get(name) or "").strip()
    return max(1, min(int(number), most)) if number.isdecimal() and number.isascii() else otherwise


def _cells_of(row: Node) -> list[Node]:
    return [cell for cell in row.iter() if cell.tag in {"td", "th"}]


def _lists_in_columns(table: Node) -> bool:
    """Whether most cells of a table hold lists, under a head that names each column."""
    head, *rows = [_cells_of(row) for row in table.css("tr")] or [[]]
    if len(head) < 2 or any(cell.tag != "th" for cell in head) or any(len(row) != len(head) for row in rows):
        return False
    told = [cell for row in rows for cell in row if cell.tag == "td"]
    lists = [cell for cell in told if cell.css_first("ul") is not None or cell.css_first("ol") is not None]
    return 2 * len(lists) > len(told) and table.css_first("td table") is None


def _for_layout(table: Node) -> bool:
    """A table that only places things on the page: it holds headings or tables, or lists and no heads of columns."""
    placed = ("table", "h1", "h2", "h3", "pre", *(() if table.css_first("th") else ("p + p", "ul")))
    return any(table.css_first(f"td {inner}") is not None for inner in placed)


def _holds_blocks(node: Node) -> bool:
    return any((inside.tag or "") in _BLOCKS for inside in node.traverse())


def _tidy(text: str) -> str:
    return "\n".join(line for line in (" ".join(line.split()) for line in text.split(_BREAK)) if line)
