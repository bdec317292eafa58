"""Follows the answer's words as they are written, to know which words a marker stands for."""

from __future__ import annotations

import re
from typing import NamedTuple

from footnoted.text import content_stems, sentences
from footnoted.text.markdown import without_opening

REACH = 1_000  # code points a marker looks back
LOOK_ON = 400  # code points a marker that stands first waits for its words

_SENTENCE_OVER = re.compile(r"[.!?…]+[*_\"'”’»)\]]*\s|[。！？]|\n")
_CLOSERS = "*_\"'”’»)]"
# Words that lead in a marker rather than say something: "According to [1], …".
_LEADS_IN = frozenset("accord see per cf sourc document passag note state say report describ under".split())


class Words(NamedTuple):
    """What a marker stands for: its ``claim``, and the ``setting`` (its sentence, its table row) around it."""

    claim: str
    setting: str


class Trail:
    """The visible text since a while, and where the last marker stood in it.

    A marker stands for the words since the sentence's beginning or the marker before it; right after a full
    stop, for the sentence that just ended. A marker that stands first stands for the words after it.
    """

    __slots__ = ("_before", "_either", "_last", "_mark", "_pieces", "_waits_from", "waiting", "write")

    def __init__(self) -> None:
        self._pieces: list[str] = []  # the text written since, put together when it is asked for
        self._before = 0  # code points that are remembered no more
        self.write = self._pieces.append  # takes more visible text: called for every piece of an answer
        self._mark = 0
        self._last = Words("", "")
        self.waiting = False  # a marker waits for the words after it
        self._waits_from = 0  # where they begin
        self._either = False  # they stand for the sentence before unless the next one runs on

    def mark(self, *, apart: bool = False) -> Words | None:
        """A marker stands here, ``apart`` by white space: its words, or None while they are to come.

        While `waiting`, ask `words_after` as text arrives, and before the next marker is set.
        """
        recent = self._text()[-REACH:]
        total = self._before + len(self._text())
        fresh = recent[max(0, len(recent) - (total - self._mark)) :]
        untold = self._mark == 0
        self._mark = total
        if not fresh.strip() and not untold:
            return None if self.waiting else self._last
        line = recent[recent.rfind("\n") + 1 :]
        fresh_line = without_opening(fresh[-len(line) :]).strip() if line else ""
        claim = _last_sentence(fresh_line)
        if _says_something(claim):
            begun_before = len(fresh) < len(line) and len(claim) == len(fresh_line)
            self._last = Words(claim, _setting(line, claim if not begun_before else ""))
            if not (apart and fresh.rstrip(_CLOSERS).endswith((".", "!", "?", "…"))):
                return self._last
            self._either = True  # "A. [1] B" or "A. [1] says b"
        else:
            first = untold or "\n" in fresh or _SENTENCE_OVER.search(fresh) is not None
            if not first and self._last.claim:
                return self._last
            self._last = Words(_last_sentence(recent), "")
            self._either = False
        self._waits_from, self.waiting = total, True
        return None

    def words_after(self, *, marker_next: bool = False, end: bool = False) -> Words | None:
        """The words of the markers that wait; None while they must wait on.

        They are there by the end of their sentence, or when a marker follows them, or at the text's ``end``.
        """
        text = self._text()
        begun = max(0, self._waits_from - self._before)
        following = text[begun : begun + LOOK_ON]
        begins = following.lstrip(" \t")[:1]
        if not begins and not end:
            return None
        if self._either and begins.islower():
            self._either = False
        if not self._either:
            stop = _SENTENCE_OVER.search(following)
            if stop is None and len(following) < LOOK_ON and not marker_next and not end:
                return None
            claim = following[: stop.end() if stop else LOOK_ON].strip()
            if _says_something(claim):
                self._last = Words(claim, "")
        self.waiting = False
        return self._last

    def _text(self) -> str:
        """What is remembered: as far as a marker looks back, and all that one waits for."""
        pieces = self._pieces
        if len(pieces) == 1:
            return pieces[0]
        text = "".join(pieces)
        if len(text) > 4 * REACH:
            gone = len(text) - 2 * REACH
            if self.waiting:
                gone = max(0, min(gone, self._waits_from - self._before - REACH))
            self._before += gone
            text = text[gone:]
        pieces[:] = (text,)
        return text

    @property
    def ends_in_text(self) -> bool:
        """Whether a space is due before a marker here."""
        last = self._text()[-1:]
        return last != "" and not last.isspace()


def _last_sentence(text: str) -> str:
    spans = sentences(text)
    return text[spans[-1].start : spans[-1].end] if spans else ""


def _setting(line: str, sentence: str) -> str:
    """The sentence (where it is not known yet) or the table row's label around the end of a line."""
    before, _, rest = line.partition("|")
    label, closed, _ = rest.partition("|")
    return f"{label.strip()} " if closed and not before.strip(" \t") else sentence or _last_sentence(line)


def _says_something(text: str) -> bool:
    stems = content_stems(text)
    if stems:
        return not (len(stems) <= 2 and all(one in _LEADS_IN for one in stems))
    # Only small words, or a script this cannot read: letters enough to look for as they stand.
    return sum(char.isalnum() for char in text) > 3 and not text.isascii()
