"""Finds the markers in a model's raw text as it arrives piece by piece.

The law: however the stream is cut, the text and the markers are the same. So every decision reads characters
one after another, waits when it needs one that has not come (`Unfinished`), and looks back only at a fixed
stretch of what has passed. Code, maths, links and definitions pass untouched (`blocks`).
"""

from __future__ import annotations

import re
from string import ascii_letters, digits

from footnoted.citations import context
from footnoted.citations.blocks import Blocks
from footnoted.citations.gaps import SPACES, Gap
from footnoted.citations.groups import Group, Marker, is_hopeless, read_group, read_plain, written
from footnoted.citations.numbers import RAISED, Unfinished
from footnoted.text.marks import skip

_HELD_SPACES = 8
_MATHS_REACH = 48  # how far after a marker the "$" that would make it maths is looked for

_STOPS = frozenset("[\\【［〔(（<*^⁰¹²³⁴⁵⁶⁷⁸⁹`$\n")
_SPECIAL = re.compile(f"[{re.escape(''.join(sorted(_STOPS)))}]")
# What surely waits, and is not looked at before it goes on: the white space and digits of the plainest markers.
_BEGUN = re.compile(r" ?(?:\[\d{1,2}\]){0,2}\[(?:\d{1,2}\]?)?")
_AMOUNT, _LONGEST_AMOUNT = f"{digits}.,", 24
_RAW_TAGS = frozenset({"<code", "<pre", "<script", "<style", "<math", "<samp"})
_BEGIN = "\\begin{"


class MarkerDecoder:
    """Decodes citation markers out of text that arrives in pieces.

    ``count`` sources exist: a number outside 1…count vanishes without a trace. With ``show=False`` every
    marker vanishes from the text the same way and is still told.

    >>> decoder = MarkerDecoder(3)
    >>> decoder.decode("It is £100 [Sour") + decoder.decode("ce 2, 9].") + decoder.flush()
    ['It is £100', Marker(numbers=(2,), raw='[Source 2, 9]', before=' '), '.']
    """

    __slots__ = (
        "_barrier", "_base", "_begun", "_blocks", "_buffer", "_dollar", "_done", "_enumerated", "_explicit", "_final",
        "_gap", "_held", "_holds", "_idle", "_out", "_show", "_size", "_stops", "_tail", "count",
    )  # fmt: skip

    def __init__(self, count: int, *, show: bool = True) -> None:
        self.count = count
        self._show = show
        self._held = ""  # raw text that waits for what comes next
        self._begun = False  # it is the beginning of a plain marker
        self._tail = ""  # the end of the raw text that has passed
        self._gap: Gap | None = None  # a marker just vanished here
        self._blocks = Blocks()
        self._dollar = False  # a "$" on this line may have opened maths
        self._explicit = self._enumerated = False  # what a bare "(1)" means in this text
        self._stops = self._blocks.stops()  # what matters in the next piece; None: everything
        self._holds = ""  # what is held back at the end of a piece
        self._idle = True  # nothing is held but white space, and no gap is open
        self._buffer = ""
        self._size = 0
        self._final = False
        self._out: list[str | Marker] = []
        self._done = self._base = self._barrier = 0

    def decode(self, piece: str) -> list[str | Marker]:
        """The text and markers that are certain now that ``piece`` has arrived."""
        if not piece:
            return []
        text = self._held + piece
        if self._idle and self._stops is not None and self._stops.isdisjoint(piece):  # nearly every piece
            end = len(text)
            if text[-1] in self._holds:
                end = max(len(text.rstrip(SPACES)), end - _HELD_SPACES)
            if end:
                self._held = text[end:]
                tail = self._tail + text[:end]
                self._tail = tail if len(tail) < 256 else tail[-context.LOOK_BEHIND :]
                return [text[:end]]
        elif self._blocks.prose and (not self._held or self._begun) and _BEGUN.fullmatch(text):
            self._held, self._begun, self._idle = text, True, False
            return []
        return self._scan(text, final=False)

    def settle(self) -> list[str | Marker]:
        """What is held back, decided as if nothing followed; decoding goes on after it."""
        return self._scan(self._held, final=True) if self._held else []

    def flush(self) -> list[str | Marker]:
        """What is held back at the end of the stream."""
        found = self.settle()
        self._gap = None
        return found

    # -- the scan: _done..at is text not yet given out ------------------------------------------------

    def _scan(self, buffer: str, *, final: bool) -> list[str | Marker]:
        self._buffer, self._size, self._final, self._out = buffer, len(buffer), final, []
        self._done = self._base = self._barrier = 0
        self._begun = False
        blocks = self._blocks
        at, size = 0, self._size
        try:
            while at < size:
                if not blocks.prose:
                    at = self._barrier = blocks.step(buffer, at, final=final)
                elif match := _SPECIAL.search(buffer, at):
                    at = match.start()
                    at = self._meet(at)
                else:
                    at = size
        except Unfinished:
            pass
        waits = at < size
        if blocks.prose:
            if at and not final and buffer[at - 1] in SPACES:
                at = self._before_spaces(at)
            self._stops, self._holds = _STOPS, SPACES
        else:
            self._stops, self._holds = blocks.stops(), ""
        if at > self._done:
            self._give(at)
        self._tail = self._behind(at)
        self._held = buffer[at:]
        self._idle = not waits and self._gap is None
        return self._out

    def _give(self, end: int) -> None:
        """Give out the text up to ``end``."""
        text = self._buffer[self._done : end]
        self._done = max(self._done, end)
        if self._gap is not None and text:
            text = self._gap.close(text)
            if self._gap.closed:
                self._gap = None
        if text:
            self._out.append(text)

    def _behind(self, at: int) -> str:
        """The raw text before ``at``, `context.LOOK_BEHIND` code points at most."""
        begin = at - context.LOOK_BEHIND
        if begin >= self._base:
            return self._buffer[begin:at]
        return (self._tail + self._buffer[self._base : at])[begin - at :]

    def _ahead(self, at: int) -> str:
        """The character at ``at``; empty at the end of the text."""
        if at < self._size:
            return self._buffer[at]
        if self._final:
            return ""
        raise Unfinished

    def _before_spaces(self, at: int) -> int:
        """Where the white space before ``at`` begins, as far as it is held back."""
        stop = max(self._done, self._barrier, at - _HELD_SPACES)
        while at > stop and self._buffer[at - 1] in SPACES:
            at -= 1
        return at

    # -- what may be a marker -----------------------------------------------------------------------

    def _meet(self, at: int) -> int:
        """A character of prose that may matter."""
        char = self._buffer[at]
        if char == "\n":
            self._blocks.end_line()
            self._dollar = False
            return at + 1
        if char == "`":
            self._blocks.enter_ticks()
            return at
        if char == "$":
            return self._meet_dollar(at)
        if char == "\\":
            return self._meet_backslash(at)
        if char == "<":
            return self._meet_tag(at)
        behind = self._behind(at)
        if char in "(（" and behind.endswith("]"):
            return self._enter(")", at + 1)
        if is_hopeless(self._buffer, at):
            return at + 1
        last = behind[-1:]
        if last and ((char == "*" and last == "*") or (char in RAISED and last in RAISED + "⁻⁺")):
            return at + 1  # within a run that was looked at from its start
        return self._meet_opener(at, behind) or at + 1

    def _enter(self, closer: str, at: int) -> int:
        self._blocks.enter(closer)
        return at

    def _meet_dollar(self, at: int) -> int:
        after = self._ahead(at + 1)
        if after == "$":
            return self._enter("$$", at + 2)
        last = self._behind(at)[-1:]
        if self._dollar and not last.isspace() and not after.isalnum():
            self._dollar = False
        elif after and not after.isspace() and not last.isalnum():
            end = skip(self._buffer, at + 1, min(self._size, at + 1 + _LONGEST_AMOUNT), _AMOUNT)
            unit = self._ahead(end)
            priced = end > at + 1 and (not unit or unit.isspace() or unit in "kKmMbB)]!?:;-–—%/|*\"'”[(")
            self._dollar = self._dollar or not priced
        return at + 1

    def _meet_backslash(self, at: int) -> int:
        after = self._ahead(at + 1)
        if after == "[":
            return self._meet_opener(at, self._behind(at)) or self._enter("\\]", at + 2)
        if after == "(":
            return self._enter("\\)", at + 2)
        if after == "b":
            rest = self._buffer[at : at + len(_BEGIN)]
            if rest == _BEGIN:
                return self._enter("\\end{", at + len(_BEGIN))
            if _BEGIN.startswith(rest) and not self._final:
                raise Unfinished
        return at + 1 if after in ("", "\n") or after.isalnum() else at + 2

    def _meet_tag(self, at: int) -> int:
        end = skip(self._buffer, at + 1, min(self._size, at + 9), ascii_letters)
        if end == self._size and not self._final:
            raise Unfinished
        tag = self._buffer[at:end].lower()
        if tag in _RAW_TAGS:
            return self._enter("</" + tag[1:], end)
        return (self._meet_opener(at, self._behind(at)) if tag == "<sup" else 0) or at + 1

    def _meet_opener(self, at: int, behind: str) -> int:
        """Read a group of markers; where it ends, or 0 when this is text from its first character."""
        quick = None if self._final else read_plain(self._buffer, at, self.count)
        if quick is not None and not self._dollar:
            if not self._stays(quick, at, behind, line_head=False):
                self._take(at, quick)
            return quick.end
        line_head = behind.rstrip(" \t>")[-1:] in ("", "\n")
        group = read_group(self._buffer, at, count=self.count, final=self._final, line_head=line_head)
        if group is None:
            return 0
        if group.stays or self._stays(group, at, behind, line_head=line_head) or self._in_maths(group.end):
            return group.end
        self._take(at, group)
        return group.end

    def _stays(self, group: Group, at: int, behind: str, *, line_head: bool) -> bool:
        """Whether what reads like a marker is code, maths or a list item in this place."""
        if group.kind == "bare":
            return not self._cites_bare(group, at, behind, line_head=line_head)
        if group.kind == "raised" or self._buffer[at] == "^":
            return line_head or context.is_exponent(behind)
        opener = self._buffer[at]
        if opener in "(（":
            return group.kind == "bracket" and context.ends_in_word(behind)
        if opener not in "[［〔\\":
            return False
        if context.indexes(behind) or context.assigns(behind):
            return True
        if group.has_zero and "," in self._buffer[at : group.end] and context.reads_as_interval(behind):
            return True
        return context.ends_in_word(behind) and self._is_operated_on(group.end)

    def _is_operated_on(self, at: int) -> bool:
        """Whether ``word[1]`` goes on like code: ``= 5``, ``.name``."""
        after = self._ahead(at)
        if after == " ":
            return self._ahead(at + 1) == "="
        return after == "=" or (after == "." and self._ahead(at + 1).islower())

    def _cites_bare(self, group: Group, at: int, behind: str, *, line_head: bool) -> bool:
        numbered = group.parts and all(part.numbers for part in group.parts) and not group.has_zero
        if self._explicit or self._enumerated or line_head or not numbered:
            return False
        if not self._buffer[at + 1].isdigit():
            return False
        after = self._ahead(group.end)
        after += self._ahead(group.end + 1) if after else ""
        cites = context.can_only_cite(behind, after)
        if not cites and not behind[-1:].isalnum():
            self._enumerated = True
        return cites

    def _in_maths(self, end: int) -> bool:
        """Whether the "$" open on this line closes after ``end``, near enough to be told."""
        if not self._dollar:
            return False
        line, _, _ = self._buffer[end : end + _MATHS_REACH].partition("\n")
        dollar = line.find("$")
        if dollar < 0:
            if end + len(line) == self._size < end + _MATHS_REACH and not self._final:
                raise Unfinished
            return False
        place = end + dollar
        if self._buffer[place - 1].isspace():
            return False
        return not self._ahead(place + 1).isalnum()

    # -- markers ------------------------------------------------------------------------------------

    def _take(self, at: int, group: Group) -> None:
        """Give out a group: its known markers, or the gap it leaves."""
        self._explicit = self._explicit or group.kind != "bare"
        begin = self._before_spaces(at)
        ahead_of = self._behind(begin)
        opening = context.opens(ahead_of, touches=begin == at)
        if opening:
            begin = at
        self._give(begin)
        before = self._buffer[begin:at]
        known = [part for part in group.parts if part.numbers]
        if known and self._show:
            if self._gap is not None:
                before = before or self._gap.spaces
                self._gap = None
            self._out += written(group, self._buffer, at, before)
        else:
            if known:
                numbers = tuple(number for part in known for number in part.numbers)
                self._out.append(Marker(numbers, self._buffer[at : group.end], before))
            self._vanish(before, ahead_of, opening=opening)
        self._tail = self._behind(at) + context.TAKEN
        self._base = self._done = self._barrier = group.end

    def _vanish(self, before: str, behind: str, *, opening: bool) -> None:
        if self._gap is not None:
            self._gap.widen(before)
            return
        breaks = 0
        if behind[-1:] in ("", "\n"):
            breaks = 1 << 30 if behind[-2:] in ("", "\n", "\n\n") else 1
        self._gap = Gap(before, opening=opening, line_breaks=breaks)
