"""Finds where raw text is prose and where code, maths, a link's target or raw HTML (CommonMark, made local).

What passes here is never changed: code and maths begin and end, no more. A construct left open ends with its
paragraph, a fence with the text.
"""

from __future__ import annotations

from dataclasses import dataclass
from string import digits
from typing import Final, Literal

from footnoted.citations.numbers import WINDOW, Unfinished
from footnoted.text.marks import skip

PROSE, TICKS, CODE, CLOSING, INFO, FENCE, INDENTED, UNTIL = range(8)

_BULLETS, _AFTER_NUMBER = frozenset("-*+•"), frozenset(".)")
_LONGEST_NUMBER = 9

# A piece of text without any of these passes unread, by what it is in; elsewhere every character counts.
_STOPS: Final = {
    CODE: frozenset("`\n"),
    INFO: frozenset("`\n"),
    FENCE: frozenset("\n"),
    INDENTED: frozenset("\n"),
    UNTIL: frozenset("$\\<)\n"),
}


class Blocks:
    """Follows a text from place to place; ``prose`` tells whether markers may stand at the present one."""

    __slots__ = (
        "_blank", "_closer", "_fence", "_in_item", "_item_indent", "_mode", "_run", "_ticks", "_was_code",
        "at_line_start", "prose",
    )  # fmt: skip

    def __init__(self) -> None:
        self.prose = False
        self.at_line_start = True
        self._mode = PROSE
        self._blank = True  # the line before was blank
        self._was_code = False  # the line before was indented code
        self._in_item = False  # a list item's mark was just read on this line
        self._item_indent = 0  # the column of the open list item's text
        self._fence = ""  # the run that opened the fence
        self._closer = ""
        self._ticks = self._run = 0

    def stops(self) -> frozenset[str] | None:
        """What must be looked at next, outside of prose: a piece without it passes as it is; None: everything."""
        return None if self.at_line_start else _STOPS.get(self._mode)

    def end_line(self) -> None:
        """Prose came to a line break."""
        self.at_line_start, self.prose = True, False

    def enter_ticks(self) -> None:
        """Prose came to a backtick, which is still to be passed."""
        self._run = 0
        self._set(TICKS)

    def enter(self, closer: str) -> None:
        """Prose came to something that lasts until ``closer``; ``)`` also ends with the line."""
        self._closer = closer
        self._set(UNTIL)

    def _set(self, mode: int) -> None:
        self._mode = mode
        self.prose = mode == PROSE and not self.at_line_start

    def step(self, text: str, at: int, *, final: bool) -> int:
        """Pass what stands at ``at``, outside of prose; where to go on. Raises `Unfinished`."""
        if self.at_line_start:
            at = self._begin_line(text, at, final=final)
            self.prose = self._mode == PROSE and not self.at_line_start
            return at
        if self._mode in (FENCE, INDENTED):
            return self._to_line_end(text, at)
        if self._mode == UNTIL:
            return self._to_closer(text, at, final=final)
        return self._in_ticks(text, at)

    def _begin_line(self, text: str, at: int, *, final: bool) -> int:
        if self._mode == FENCE:
            closed = fence_end(text, at, self._fence, final=final)
            self.at_line_start = False
            if closed is None:
                return at
            self._mode = PROSE
            return closed
        within_item = self._in_item
        if text[at].isalpha() and not within_item:  # most lines: no margin, no mark
            if self._blank or self._was_code:
                self._blank = self._was_code = False
                self._item_indent = 0
            self.at_line_start = False
            return at
        head = read_line_head(text, at, final=final)
        self._in_item = self.at_line_start = False
        if head.kind == "blank":
            self._mode, self._blank = PROSE, True
            return head.end
        broken = (self._blank or self._was_code) and not within_item
        self._blank = self._was_code = False
        if head.indent < self._item_indent and broken and head.kind != "item":
            self._item_indent = 0
        if broken and self._mode == PROSE and head.indent >= self._item_indent + 4:
            self._mode, self._was_code = INDENTED, True
        elif head.kind == "fence":
            self._mode, self._fence = INFO, head.fence
        elif head.kind == "item":
            self._item_indent = head.item_indent + (self._item_indent if within_item else 0)
            self._in_item = self.at_line_start = True  # a fence or another item may begin right here
        return head.end

    def _to_line_end(self, text: str, at: int) -> int:
        found = text.find("\n", at)
        if found < 0:
            return len(text)
        self.at_line_start = True
        if self._mode == INDENTED:
            self._mode = PROSE
        return found + 1

    def _in_ticks(self, text: str, at: int) -> int:
        """Inside code between backticks, or on the first line of a fence."""
        if self._mode in (TICKS, CLOSING):
            end = skip(text, at, len(text), "`")
            self._run += end - at
            if end < len(text) and self._mode == TICKS:
                self._ticks = self._run
                self._set(CODE)
            elif end < len(text):
                self._set(PROSE if self._run == self._ticks else CODE)
            return end
        line = text.find("\n", at)
        tick = text.find("`", at, line if line >= 0 else len(text))
        if tick < 0:
            if line < 0:
                return len(text)
            self.at_line_start = True
            self._mode = FENCE if self._mode == INFO else CODE
            return line + 1
        if self._mode == INFO and self._fence[0] == "~":
            return tick + 1
        if self._mode == INFO:  # "```code``` text": no fence after all
            self._ticks = len(self._fence)
        self._mode, self._run = CLOSING, 0
        return tick

    def _to_closer(self, text: str, at: int, *, final: bool) -> int:
        """Inside maths, a link's target or raw HTML, up to its closer."""
        found = text.find(self._closer, at)
        line = text.find("\n", at)
        if line >= 0 and (found < 0 or line < found):
            self.at_line_start = True
            if self._closer == ")":
                self._mode = PROSE
            return line + 1
        if found >= 0:
            self._set(PROSE)
            return found + len(self._closer)
        for length in range(len(self._closer) - 1, 0, -1):
            if text.endswith(self._closer[:length], at):
                if at < len(text) - length:
                    return len(text) - length
                if not final:
                    raise Unfinished
        return len(text)


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
    end = skip(text, at, limit, " \t>")
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
    number = skip(text, end, min(limit, end + _LONGEST_NUMBER), digits)
    after = number + (text[number : min(limit, number + 1)] in (_AFTER_NUMBER if number > end else _BULLETS))
    if after > end and after == limit and waiting:
        raise Unfinished
    if after > number and after < limit and text[after] in " \t":
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
