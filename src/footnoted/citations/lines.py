"""Tells what kind of line begins here: blank, fence, list item or other text (CommonMark 4, 5)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from footnoted.citations.window import WINDOW, Unfinished
from footnoted.text.marks import skip

_MARGIN = re.compile(r"[ \t]*(?:>[ \t]?)*[ \t]*")
_LIST_MARK = re.compile(r"[-*+•]|\d{1,9}[.)]?")  # perhaps: white space must follow, and no number stand alone


@dataclass(frozen=True, slots=True)
class LineHead:
    """How a line begins: ``end`` of its head, ``indent`` in columns, the ``fence``'s run or the list item's depth."""

    kind: Literal["blank", "fence", "item", "text"]
    end: int
    indent: int
    fence: str = ""
    item_indent: int = 0


def read_line_head(text: str, at: int, *, final: bool) -> LineHead:
    """The head of the line that begins at ``at``; raises `Unfinished` when more must arrive first."""
    limit = min(len(text), at + WINDOW)
    waiting = not final and limit == len(text) and limit - at < WINDOW
    margin = _MARGIN.match(text, at, limit)
    end = margin.end() if margin else at
    if end == limit and waiting:
        raise Unfinished
    indent = _columns(text[at:end])
    char = text[end : end + 1]
    if char in ("", "\n") or (char == "\r" and text[end + 1 : end + 2] in ("", "\n")):
        return LineHead("blank", end, indent)
    if char in "`~":
        after = skip(text, end, limit, char)
        if after == limit and waiting:
            raise Unfinished
        if after - end >= 3:
            return LineHead("fence", after, indent, fence=text[end:after])
    if mark := _LIST_MARK.match(text, end, limit):
        after = mark.end()
        if after == limit and waiting:
            raise Unfinished
        if not mark[0].isdecimal() and after < limit and text[after] in " \t":
            return LineHead("item", after + 1, indent, item_indent=indent + after - end + 1)
    return LineHead("text", end, indent)


def _columns(margin: str) -> int:
    """Columns of white space; a block quote's line is not indented."""
    return 0 if ">" in margin else len(margin.expandtabs(4))


def fence_end(text: str, at: int, fence: str, *, final: bool) -> int | None:
    """Where the line at ``at`` ends if it closes ``fence``, else None; raises `Unfinished` as above."""
    limit = min(len(text), at + WINDOW)
    end = at
    for chars in (" \t>", "`~", " \t\r"):
        end = skip(text, end, limit, chars)
    if end == limit and not final and limit == len(text) and limit - at < WINDOW:
        raise Unfinished
    run = text[at:end].strip(" \t\r>")
    closes = len(run) >= len(fence) and run == fence[0] * len(run) and text[end : end + 1] in ("", "\n")
    return end if closes else None
