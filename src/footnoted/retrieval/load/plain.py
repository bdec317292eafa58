"""Reads plain text: paragraphs by blank lines, headings where a line plainly is one."""

from __future__ import annotations

import re

from footnoted.retrieval.load.document import Block, Document, Heading, assemble, grouped
from footnoted.text.lines import filled_lines, is_item

_NUMBERED = re.compile(r"^(?:(?:SECTION|PART|CHAPTER|ARTICLE|Section|Part|Chapter|Article)\s+\w+|\d+(?:\.\d+)*\.?)\b")


def read_plain(path: str, text: str) -> Document:
    """The document of a text file, its words untouched."""
    headings: list[Heading] = []
    blocks: list[Block] = []
    paragraphs = _paragraphs(text)
    depths = [0, *(_numbered(text[start:end]) for start, end in paragraphs), 0]
    for place, (start, end) in enumerate(paragraphs, 1):
        # Numbered lines one after another are a list whose items stand apart.
        depth = depths[place] if depths[place] not in {depths[place - 1], depths[place + 1]} else 0
        heading, rest = _heading(text, start, end, depth)
        if heading:
            headings.append(heading)
        if rest < end:
            blocks.extend(_blocks(text, rest, end))
    return assemble(path, text, headings, blocks, "", "text", {})


def blocks_of(text: str) -> list[Block]:
    """The paragraphs and lists of a text without headings."""
    return [block for paragraph in _paragraphs(text) for block in _blocks(text, *paragraph)]


def _paragraphs(text: str) -> list[tuple[int, int]]:
    lines = grouped(filled_lines(text), lambda group, line: group[-1][1] + 1 == line[0])
    return [(group[0][0], group[-1][1]) for group in lines]


def _numbered(paragraph: str) -> int:
    """How deep a one-line paragraph such as ``2.1 Baggage`` or ``Section 2`` is numbered; 0 for any other."""
    match = _NUMBERED.match(paragraph)
    if match is None or "\n" in paragraph or len(paragraph) > 80 or not paragraph.rstrip()[-1].isalnum():
        return 0
    return 2 + match[0].rstrip(".").count(".") if match[0][0].isdigit() else 1


def _heading(text: str, start: int, end: int, depth: int) -> tuple[Heading | None, int]:
    """The heading a paragraph opens with, if it does, and where the rest begins."""
    first, _, rest = text[start:end].partition("\n")
    title = first.strip()
    second = rest.partition("\n")[0]
    if len(title) > 100 or not any(char.isalpha() for char in title):
        return None, start
    mark = second.strip()
    if len(mark) > 2 and mark[0] in "=-~^*" and not mark.strip(mark[0]):
        after = start + len(first) + 1 + len(second)
        level = 1 if mark[0] == "=" else 2
        return Heading(level, title, start, after), min(end, after + 1)
    if rest or title[-1] in ".;,:?!":
        return None, start
    shouted = title.isupper() and len(title) > 3
    if depth or shouted:
        return Heading(max(2, depth + 1), title, start, end), end
    return None, start


def _blocks(text: str, start: int, end: int) -> list[Block]:
    """One paragraph as prose, a list, or prose that runs into a list."""
    items: list[tuple[int, int]] = []
    position = start
    for line in text[start:end].split("\n"):
        stop = position + len(line)
        if is_item(line.strip()):
            items.append((position, stop))
        elif items:
            items[-1] = (items[-1][0], stop)
        position = stop + 1
    if not items:
        return [Block(start, end)]
    first = items[0][0]
    listed = Block(first, end, "list", tuple(items))
    intro = text[start:first].rstrip()
    return [Block(start, start + len(intro)), listed] if intro else [listed]
