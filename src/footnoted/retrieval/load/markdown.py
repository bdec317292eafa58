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
from footnoted.text.marks import skip
from footnoted.text.scripts import is_wordlike

if TYPE_CHECKING:
    from collections.abc import Iterator

    from markdown_it import MarkdownIt
    from markdown_it.tree import SyntaxTreeNode

_FENCES = ("---", "+++")  # around YAML, around TOML
_REFERENCE = re.compile(r"^[ ]{0,3}\[(?P<name>(?!\^)[^\]\n]+)\]:[ \t]*(?P<to><[^>\n]*>|\S+).*\n?", re.MULTILINE)


def read_markdown(
    path: str, text: str, *, components: bool = False, kind: str = "markdown", tags: bool = True
) -> Document:
    """The document of a Markdown file, or of an MDX file (``components``). Front matter is its metadata.

    Without ``tags`` what stands in angle brackets is words.

    Of another ``kind`` of file, which was written as Markdown for this, blocks know no line.
    """
    front, body = front_matter(text)
    plain_text = plain(text, body, components=components, tags=tags)
    once = plain_text.woven
    references = {folded_name(m["name"]): m["to"].strip("<>") for m in _REFERENCE.finditer(once.text)}
    edits = [
        edit
        for stretch in _prose(plain_text)
        for edit in _edits(once.text, *stretch, references, components=components, tags=tags)
    ]
    twice = edited(once.text, edits)
    headings, blocks = _blocks(twice.text, components=components)
    newlines = _newlines(text)
    placed: list[Block] = []
    for block in blocks:
        at = twice.origin(block.start)
        line = bisect_left(newlines, once.origin(at)) + 1 if kind == "markdown" else None
        placed.append(replace(block, said=_admonition(plain_text, at), line=line))
    return assemble(path, twice.text, headings, placed, front.get("title", ""), kind, front)


def _prose(plain_text: Plain) -> Iterator[tuple[int, int]]:
    """The stretches between listings, a block at a time."""
    at = 0
    for start, end in [*plain_text.listings, (len(plain_text.woven.text), len(plain_text.woven.text))]:
        while at < start:
            gap = _gap(plain_text.woven.text, at, start)
            stop = gap[1] if gap else start
            yield at, stop
            at = stop
        at = max(at, end)


def _gap(text: str, start: int, end: int) -> tuple[int, int] | None:
    """The first blank lines of a stretch, with the line end before them."""
    begin = text.find("\n", start, end)
    while begin >= 0:
        stop = begin + 1
        while text.startswith("\n", blank := skip(text, stop, end, " \t"), end):
            stop = blank + 1
        if stop > begin + 1:
            return begin, stop
        begin = text.find("\n", stop, end)
    return None


def _edits(text: str, start: int, end: int, references: dict[str, str], *, components: bool, tags: bool) -> list[Edit]:
    """What to take out of one block; a line that was nothing else goes whole."""
    edits = [Edit(m.start(), m.end()) for m in _REFERENCE.finditer(text, start, end)] if references else []
    edits += inline_edits(text, start, end, references=references, components=components, tags=tags)
    apart = _gap(text, start, end)
    if apart is not None and apart[1] - apart[0] > len("\n\n"):
        edits.append(Edit(*apart, "\n\n"))
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
    from markdown_it.tree import SyntaxTreeNode  # reopening an index needs no parser

    parser = _parser()
    if components:
        parser.disable("code")
    lines = [0, *(at + 1 for at in _newlines(text)), len(text)]
    headings: list[Heading] = []
    blocks: list[Block] = []
    for node in SyntaxTreeNode(parser.parse(text)).children:
        start, end = _span(text, lines, node)
        if node.type == "heading":
            title = _plain(parser, node.children[0].content) if node.children else ""
            if title:
                headings.append(Heading(int(node.tag[1]), title, start, end))
        elif node.type in {"bullet_list", "ordered_list"}:
            blocks.append(Block(start, end, "list", tuple(_span(text, lines, item) for item in node.children)))
        elif node.type == "table":
            head, *rest = node.children
            rows = tuple(_span(text, lines, row) for body in rest for row in body.children)
            blocks.append(Block(start, end, "table", rows, _span(text, lines, head, more=1)))  # and the dashes under it
        elif node.type == "fence":
            opened = text.find("\n", start, end)
            blocks.append(Block(start, end, "code", lead=(start, opened) if opened > 0 else None))
        elif node.type == "code_block":
            blocks.append(Block(start, end, "code"))
        elif node.type != "hr" and start < end:
            blocks.append(Block(start, end))
    return headings, blocks


def _admonition(plain_text: Plain, at: int) -> str:
    """The kind of the innermost admonition at a place of the plain text."""
    around = [stretch for stretch in plain_text.admonitions if stretch.start <= at < stretch.end]
    return min(around, key=lambda stretch: stretch.end - stretch.start).label if around else ""


def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt  # reopening an index needs no parser

    # Inline markup is only wanted in headings; leaving it unparsed elsewhere is several times faster.
    return MarkdownIt("commonmark").enable("table").disable(["inline", "text_join", "html_block", "reference"])


def front_matter(text: str) -> tuple[dict[str, str], int]:
    """Simple ``key: value`` lines of a leading YAML or TOML block, and where the body begins."""
    opening, newline, rest = text.partition("\n")
    fence = opening.rstrip(" \t")
    lines = rest.split("\n") if newline and fence in _FENCES else []
    closing = next((place for place, line in enumerate(lines) if line.rstrip(" \t") == fence), None)
    if closing is None:
        return {}, 0
    found: dict[str, str] = {}
    for line in lines[:closing]:
        parted = min((line.partition(sign) for sign in ":="), key=lambda parts: len(parts[0]))
        key, value = parted[0].rstrip(), parted[2].strip()
        named = key[:1].isascii() and key[:1].isalpha() and all(is_wordlike(char) or char in " .-" for char in key)
        if named and value:
            quoted = len(value) > 1 and value[0] == value[-1] and value[0] in "'\""
            found[key.casefold()] = value[1:-1] if quoted else value
    return found, min(len(text), len(opening) + 1 + sum(len(line) + 1 for line in lines[: closing + 1]))


def _newlines(text: str) -> list[int]:
    return [match.start() for match in re.finditer("\n", text)]


def _span(text: str, lines: list[int], node: SyntaxTreeNode, *, more: int = 0) -> tuple[int, int]:
    """Where a block stands, and so many lines ``more``, without the white space behind it."""
    first, last = node.map or (0, 0)
    start, end = lines[min(first, len(lines) - 1)], lines[min(last + more, len(lines) - 1)]
    return start, start + len(text[start:end].rstrip())


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
