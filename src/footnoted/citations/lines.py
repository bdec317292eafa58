"""Tells what kind of line begins here: blank, fence, list item or other text (CommonMark 4, 5)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from footnoted.citations.window import WINDOW, Unfinished

_MARGIN = re.compile(r"[ \t]*(?:>[ \t]?)*[ \t]*")
_FENCE = re.compile(r"`+|~+")
_LIST_MARK = re.compile(r"(?:[-*+•]|\d{1,9}[.)])(?=[ \t])")
_LIST_MARK_BEGUN = re.compile(r"[-*+•]|\d{1,9}[.)]?")
_FENCE_END = re.compile(r"[ \t>]*[`~]*[ \t\r]*")


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
        run = _FENCE.match(text, end, limit)
        if run is not None and run.end() == limit and waiting:
            raise Unfinished
        if run is not None and len(run.group()) >= 3:
            return LineHead("fence", run.end(), indent, fence=run.group())
    begun = _LIST_MARK_BEGUN.match(text, end, limit)
    if begun is not None:
        if begun.end() == limit and waiting:
            raise Unfinished
        if _LIST_MARK.match(text, end, limit):
            width = begun.end() - end
            return LineHead("item", begun.end() + 1, indent, item_indent=indent + width + 1)
    return LineHead("text", end, indent)


def _columns(margin: str) -> int:
    """Columns of white space; a block quote's line is not indented."""
    return 0 if ">" in margin else len(margin.expandtabs(4))


def fence_end(text: str, at: int, fence: str, *, final: bool) -> int | None:
    """Where the line at ``at`` ends if it closes ``fence``, else None; raises `Unfinished` as above."""
    limit = min(len(text), at + WINDOW)
    match = _FENCE_END.match(text, at, limit)
    end = match.end() if match else at
    if end == limit and not final and limit == len(text) and limit - at < WINDOW:
        raise Unfinished
    run = text[at:end].strip(" \t\r>")
    closes = len(run) >= len(fence) and run == fence[0] * len(run) and text[end : end + 1] in ("", "\n")
    return end if closes else None
