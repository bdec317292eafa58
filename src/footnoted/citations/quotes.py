"""Finds the words of a source where a marker quotes them (``[1 "the words"]``), and points at them.

The law: however the stream is cut, text and pointers are the same, and no part of a quote is ever told. A quote is
found letter by letter, as `spans` finds a quotation; in another source than its number says if it stands there alone.
One that stands nowhere is an invented marker, and vanishes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from footnoted.citations.gaps import SPACES, Gap
from footnoted.citations.spans import SourceSpans
from footnoted.text.marks import integers
from footnoted.types import Pointer

LONGEST = 1_000  # code points of one quote; what runs on for longer is none, and stays in the text
_SHORTEST = 8  # a shorter quote stands anywhere: its number counts and its words do not
_MOST_NUMBERS = 8
_MOST_SPACES = 8  # before a marker, that are held back

_MARKS = '"“”„«»‹›「」『』'
_OPENS = rf"[{_MARKS}]"
_NUMBER = r"(?:[Ss]ources?\s?)?\d{1,3}"
_NUMBERS = rf"{_NUMBER}(?:\s?[,;&]\s?{_NUMBER}){{0,{_MOST_NUMBERS}}}"
_ENTRY = rf"\s?(?P<numbers>{_NUMBERS})\s?[:,]?\s?{_OPENS}"
_FIRST = re.compile(rf"\[{_ENTRY}")
_NEXT = re.compile(rf"(?P<last>\s?\])|(?:\s?[,;]\s?|\s)(?:{_ENTRY}|{_OPENS})")  # the marker's end, or another quote
_MARK = re.compile(_OPENS)
# Whatever may still become the rest of `_FIRST` or `_NEXT`, code point by code point.
_UNDECIDED = re.compile(r"[\sSources\d,;&:]{0,200}")

Piece = tuple[str, tuple[Pointer, ...]]
Indexed = Callable[[int], SourceSpans]


class QuoteReader:
    """Takes quotes out of markers. ``spans`` gives the index of each of ``count`` sources.

    >>> reader = QuoteReader(1, lambda source: SourceSpans("The excess is £75."))
    >>> reader.decode('It is £75 [1 "the exc') + reader.decode('ess is £75"].') + reader.flush()
    [('It is £75', ()), ('', (Pointer(source=0, start=0, end=17),)), ('.', ())]
    """

    def __init__(self, count: int, spans: Indexed) -> None:
        self._count = count
        self._spans = spans
        self._held = ""
        self._gap: Gap | None = None  # a marker just vanished here
        self._line = ""  # what this line begins with, to tell a fence
        self._ticks = False  # whether an odd number of backticks stands before, on this line
        self._fenced = False
        self._out: list[Piece] = []

    def decode(self, text: str) -> list[Piece]:
        """What is certain now that ``text`` has arrived: text, and the pointers right after it."""
        return self._scan(self._held + text, final=False) if text else []

    def flush(self) -> list[Piece]:
        """What was held back; the stream is over. A quote that was cut off counts as far as it goes."""
        return self._scan(self._held, final=True)

    def _scan(self, text: str, *, final: bool) -> list[Piece]:
        self._out = []
        at = 0
        while at < len(text):
            bracket = text.find("[", at)
            stop = bracket if bracket >= 0 else len(text)
            begin = max(at + len(text[at:stop].rstrip(SPACES)), stop - _MOST_SPACES)
            self._give(text[at:begin])
            at = begin
            if bracket < 0 and not final:
                break
            end: int | None = 0
            if bracket >= 0 and not self._ticks and not self._fenced:
                end = self._marker(text, begin, bracket, final=final)
            if end is None:
                break
            if not end:
                end = stop + 1
                self._give(text[at:end])
            at = end
        self._held = text[at:]
        if final:
            self._gap = None
        return self._out

    # -- markers ------------------------------------------------------------------------------------

    def _marker(self, text: str, begin: int, at: int, *, final: bool) -> int | None:
        """Read the marker whose bracket opens at ``at``: where it ends; 0 where it is none, None if more must come."""
        entry = _FIRST.match(text, at)
        if entry is None:
            return None if not final and _UNDECIDED.fullmatch(text, at + 1) else 0
        quoted: list[tuple[list[int], str]] = []
        numbers = integers(entry["numbers"])
        while True:
            closing, waits = _closing(text, entry.end(), final=final)
            if "\n\n" in text[entry.end() : closing.start() if closing else len(text)]:
                return 0
            if closing is None:
                if not waits and len(text) - entry.end() > LONGEST:
                    return 0
                if not final:
                    return None
                self._settle(text[begin:at], [*quoted, (numbers, text[entry.end() :])])
                return len(text)
            quoted.append((numbers, text[entry.end() : closing.start()]))
            following = _NEXT.match(text, closing.end())
            if following is None or following["last"]:
                self._settle(text[begin:at], quoted)
                return following.end() if following else len(text)  # cut off between two quotes
            entry = following
            numbers = integers(entry["numbers"]) if entry["numbers"] else numbers

    def _settle(self, before: str, quoted: Sequence[tuple[list[int], str]]) -> None:
        """Tell what a marker comes to: pointers at quotes, plain markers for bare numbers, or the gap it leaves."""
        pointers: list[Pointer] = []
        plain: list[int] = []
        for (*bare, number), words in quoted:
            plain += bare
            if len(words.strip()) < _SHORTEST:
                plain.append(number)
            elif (pointer := self._find(number - 1, words.strip())) is not None:
                pointers.append(pointer)
        pointed = {one.source + 1 for one in pointers}
        known = [f"[{n}]" for n in dict.fromkeys(plain) if 1 <= n <= self._count and n not in pointed]
        if known:
            self._give(before + "".join(known))
        if pointers:
            self._gap = None
            self._point(tuple(dict.fromkeys(pointers)))
        elif not known:
            opening = not self._line.strip()
            if self._gap is None:
                self._gap = Gap(before, opening=opening)
            else:
                self._gap.widen(before)

    def _find(self, named: int, words: str) -> Pointer | None:
        """Where the quote stands: in the source it names, else in the only other one that has it."""
        if 0 <= named < self._count and (span := self._spans(named).quotation(words)) is not None:
            return Pointer(named, span.start, span.end)
        others = ((index, self._spans(index).quotation(words)) for index in range(self._count) if index != named)
        found = [Pointer(index, span.start, span.end) for index, span in others if span is not None]
        return found[0] if len(found) == 1 else None

    # -- text ---------------------------------------------------------------------------------------

    def _give(self, text: str) -> None:
        if self._gap is not None:
            text = self._gap.close(text)
            if self._gap.closed:
                self._gap = None
        if not text:
            return
        for part in text.splitlines(keepends=True):
            self._ticks ^= part.count("`") % 2 == 1
            self._line = (self._line + part)[:64]
            if part.endswith("\n"):
                self._fenced ^= self._line.lstrip(" \t>").startswith(("```", "~~~"))
                self._ticks, self._line = False, ""
        if self._out and not self._out[-1][1]:
            text = self._out.pop()[0] + text
        self._out.append((text, ()))

    def _point(self, pointers: tuple[Pointer, ...]) -> None:
        text = self._out.pop()[0] if self._out and not self._out[-1][1] else ""
        self._out.append((text, pointers))


def _closing(text: str, begin: int, *, final: bool) -> tuple[re.Match[str] | None, bool]:
    """The mark that ends a quote, one after which the marker ends or another quote begins; whether one may yet be."""
    for mark in _MARK.finditer(text, begin, begin + LONGEST + 1):
        if _NEXT.match(text, mark.end()):
            return mark, False
        if _UNDECIDED.fullmatch(text, mark.end()):
            return (mark, False) if final else (None, True)
    return None, False
