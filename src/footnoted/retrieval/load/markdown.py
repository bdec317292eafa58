"""A Markdown file in; a document out whose text is the file's own, so that quotes are the file's words."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from footnoted.retrieval.load.document import Block, Document, Heading, assemble

if TYPE_CHECKING:
    from collections.abc import Iterator

    from markdown_it import MarkdownIt
    from markdown_it.token import Token

_FRONT = re.compile(r"\A(?P<fence>---|\+\+\+)[ \t]*\n(?P<body>.*?)^(?P=fence)[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)
_KEY = re.compile(r"^(?P<key>[A-Za-z][\w .-]*?)\s*[:=]\s*(?P<value>\S.*?)\s*$")
_TAG = re.compile(r"<!--.*?-->|<(script|style)\b.*?</\1\s*>|<[^>]*>", re.DOTALL | re.IGNORECASE)


def read_markdown(path: str, text: str) -> Document:
    """The document of a Markdown file. Front matter gives its title and metadata and is no passage."""
    front, body = _front_matter(text)
    parser = _parser()
    lines = _line_starts(text, body)
    headings: list[Heading] = []
    blocks: list[Block] = []
    tokens = parser.parse(text[body:])
    for token, inside in _top_level(tokens):
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
        elif token.type in {"fence", "code_block"}:
            blocks.append(Block(start, end, "code"))
        elif token.type == "html_block":
            if _TAG.sub("", text[start:end]).strip():
                blocks.append(Block(start, end))
        elif token.type != "hr" and start < end:
            blocks.append(Block(start, end))
    return assemble(path, text, headings, blocks, front.get("title", ""), "markdown", front)


def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt  # reopening an index needs no parser

    # Inline markup is only wanted in headings; leaving it unparsed elsewhere is several times faster.
    return MarkdownIt("commonmark").enable("table").disable(["inline", "text_join"])


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


def _line_starts(text: str, body: int) -> list[int]:
    starts = [body]
    at = text.find("\n", body)
    while at >= 0:
        starts.append(at + 1)
        at = text.find("\n", at + 1)
    starts.append(len(text))
    return starts


def _span(text: str, lines: list[int], rows: list[int]) -> tuple[int, int]:
    start, end = lines[min(rows[0], len(lines) - 1)], lines[min(rows[1], len(lines) - 1)]
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end


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
    return " ".join(_TAG.sub("", "".join(words)).split())
