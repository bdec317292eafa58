"""Reads Markdown and MDX in the file's own words, without what only a site's builder reads.

The text is the file's, marks of emphasis and code included, so quotes are the author's words. Its one hard thing: what
was taken out is remembered, so that each block knows its line in the file.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import replace
from typing import TYPE_CHECKING

from footnoted.retrieval.load.dialects import Plain, plain
from footnoted.retrieval.load.document import Block, Document, Heading, assemble, folded_name
from footnoted.retrieval.load.inline import inline_edits
from footnoted.retrieval.load.weave import Edit, edited

if TYPE_CHECKING:
    from collections.abc import Iterator

    from markdown_it import MarkdownIt
    from markdown_it.token import Token

_FRONT = re.compile(r"\A(?P<fence>---|\+\+\+)[ \t]*\n(?P<body>.*?)^(?P=fence)[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)
_KEY = re.compile(r"^(?P<key>[A-Za-z][\w .-]*?)\s*[:=]\s*(?P<value>\S.*?)\s*$")
_REFERENCE = re.compile(r"^[ ]{0,3}\[(?P<name>(?!\^)[^\]\n]+)\]:[ \t]*(?P<to><[^>\n]*>|\S+).*\n?", re.MULTILINE)
_APART = re.compile(r"\n(?:[ \t]*\n)+")


def read_markdown(path: str, text: str, *, components: bool = False, kind: str = "markdown") -> Document:
    """The document of a Markdown file, or of an MDX file (``components``). Front matter is its metadata.

    Of another ``kind`` of file, which was written as Markdown for this, blocks know no line.
    """
    front, body = _front_matter(text)
    told = plain(text, body, components=components)
    once = told.woven
    references = {folded_name(m["name"]): m["to"].strip("<>") for m in _REFERENCE.finditer(once.text)}
    edits = [
        edit for stretch in _prose(told) for edit in _edits(once.text, *stretch, references, components=components)
    ]
    twice = edited(once.text, edits)
    headings, blocks = _blocks(twice.text, components=components)
    newlines = _newlines(text)
    placed: list[Block] = []
    for block in blocks:
        at = twice.origin(block.start)
        line = bisect_left(newlines, once.origin(at)) + 1 if kind == "markdown" else None
        placed.append(replace(block, said=_said(told, at), line=line))
    return assemble(path, twice.text, headings, placed, front.get("title", ""), kind, front)


def _prose(told: Plain) -> Iterator[tuple[int, int]]:
    """The stretches between listings, a block at a time."""
    at = 0
    for start, end in [*told.listings, (len(told.woven.text), len(told.woven.text))]:
        while at < start:
            gap = _APART.search(told.woven.text, at, start)
            stop = gap.end() if gap else start
            yield at, stop
            at = stop
        at = max(at, end)


def _edits(text: str, start: int, end: int, references: dict[str, str], *, components: bool) -> list[Edit]:
    """What to take out of one block; a line that was nothing else goes whole."""
    edits = [Edit(m.start(), m.end()) for m in _REFERENCE.finditer(text, start, end)] if references else []
    edits += inline_edits(text, start, end, references=references, components=components)
    apart = _APART.search(text, start, end)
    if apart is not None and apart.end() - apart.start() > 2:
        edits.append(Edit(apart.start(), apart.end(), "\n\n"))
    if not edits:
        return edits
    left = edited(text[start:end], [Edit(a - start, b - start, new) for a, b, new in edits])
    if not left.text.strip():
        return [Edit(start, end)]
    emptied: list[Edit] = []
    at = 0
    for line in left.text.splitlines(keepends=True):
        begin, stop = start + left.origin(at), start + left.origin(at + len(line) - 1) + 1
        at += len(line)
        had = text[begin:stop].strip()
        if had and had != line.strip() and line.strip() in {"", "-", "*", "+", "|"}:
            emptied.append(Edit(begin, stop))
    kept = [edit for edit in edits if not any(line.start <= edit.start and edit.end <= line.end for line in emptied)]
    return [*kept, *emptied]


def _blocks(text: str, *, components: bool) -> tuple[list[Heading], list[Block]]:
    parser = _parser()
    if components:
        parser.disable("code")
    lines = [0, *(at + 1 for at in _newlines(text)), len(text)]
    headings: list[Heading] = []
    blocks: list[Block] = []
    for token, inside in _top_level(parser.parse(text)):
        if token.map is None:
            continue
        start, end = _span(text, lines, token.map)
        if token.type == "heading_open":
            title = _plain(parser, inside[0].content) if inside else ""
            if title:
                headings.append(Heading(int(token.tag[1]), title, start, end))
        elif token.type in {"bullet_list_open", "ordered_list_open"}:
            blocks.append(Block(start, end, "list", _items(text, lines, inside)))
        elif token.type == "table_open":
            blocks.append(_table(text, lines, start, end, inside))
        elif token.type == "fence":
            opened = text.find("\n", start, end)
            blocks.append(Block(start, end, "code", lead=(start, opened) if opened > 0 else None))
        elif token.type == "code_block":
            blocks.append(Block(start, end, "code"))
        elif token.type != "hr" and start < end:
            blocks.append(Block(start, end))
    return headings, blocks


def _said(told: Plain, at: int) -> str:
    """The kind of the innermost admonition at a place of the plain text."""
    around = [said for said in told.said if said.start <= at < said.end]
    return min(around, key=lambda said: said.end - said.start).label if around else ""


def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt  # reopening an index needs no parser

    # Inline markup is only wanted in headings; leaving it unparsed elsewhere is several times faster.
    return MarkdownIt("commonmark").enable("table").disable(["inline", "text_join", "html_block", "reference"])


def _front_matter(text: str) -> tuple[dict[str, str], int]:
    """Simple ``key: value`` lines of a leading YAML or TOML block, and where the body begins."""
    match = _FRONT.match(text)
    if match is None:
        return {}, 0
    found: dict[str, str] = {}
    for line in match["body"].splitlines():
        entry = _KEY.match(line)
        if entry:
            value = entry["value"]
            if len(value) > 1 and value[0] == value[-1] and value[0] in "'\"":
                value = value[1:-1]
            found[entry["key"].casefold()] = value
    return found, match.end()


def _newlines(text: str) -> list[int]:
    return [match.start() for match in re.finditer("\n", text)]


def _span(text: str, lines: list[int], rows: list[int]) -> tuple[int, int]:
    start, end = lines[min(rows[0], len(lines) - 1)], lines[min(rows[1], len(lines) - 1)]
    return start, start + len(text[start:end].rstrip())


def _top_level(tokens: list[Token]) -> Iterator[tuple[Token, list[Token]]]:
    """Each outermost block with the tokens inside it."""
    opened: Token | None = None
    inside: list[Token] = []
    for token in tokens:
        if opened is None:
            if token.nesting == 1:
                opened, inside = token, []
            else:
                yield token, []
        elif token.nesting == -1 and token.level == opened.level:
            yield opened, inside
            opened = None
        else:
            inside.append(token)


def _items(text: str, lines: list[int], inside: list[Token]) -> tuple[tuple[int, int], ...]:
    opened = (token for token in inside if token.type == "list_item_open" and token.level == 1)
    return tuple(_span(text, lines, token.map) for token in opened if token.map)


def _table(text: str, lines: list[int], start: int, end: int, inside: list[Token]) -> Block:
    head = next((t.map for t in inside if t.type == "thead_open" and t.map), None)
    rows = [t.map for t in inside if t.type == "tr_open" and t.map]
    if head is None:
        return Block(start, end, "table")
    # The head's line map leaves out the dashes under it.
    lead = _span(text, lines, [head[0], head[0] + 2])
    parts = tuple(_span(text, lines, row) for row in rows if row[0] >= head[0] + 2)
    return Block(start, end, "table", parts, lead)


def _plain(parser: MarkdownIt, inline: str) -> str:
    """A heading's words without its markup."""
    if not any(mark in inline for mark in "*_`[]<&\\!"):
        return " ".join(inline.split())
    parser.enable("inline")
    try:
        tokens = parser.parseInline(inline)
    finally:
        parser.disable("inline")
    children = [child for token in tokens for child in token.children or []]
    words = (" " if child.type in {"softbreak", "hardbreak"} else child.content for child in children)
    return " ".join("".join(words).split())
