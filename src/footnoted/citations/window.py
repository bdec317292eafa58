"""Looks ahead in arriving text, and gives characters and stretches of it once they are certain."""

from __future__ import annotations

from collections.abc import Callable

WINDOW = 128  # the most that is ever held back to tell a marker from text: twenty numbers, a long title

# Full-width and look-alike punctuation, one for one, so that offsets stay.
_PLAIN = str.maketrans("［］〔〕（），、،；؛：＃＆–—−‑‐〜\u00a0\u2009\u202f\u3000", "[][](),,,;;:#&------    ")


class Unfinished(Exception):
    """The text so far ends before it can be told what this is."""


class Window:
    """At most `WINDOW` code points of ``text`` from ``start``, read from left to right.

    Whoever reads past what has arrived raises `Unfinished` (unless ``final``), so what is found by reading
    cannot depend on how a stream is cut.
    """

    __slots__ = ("_limit", "_open", "at", "offset", "text")

    def __init__(self, text: str, start: int, *, final: bool) -> None:
        window = text[start : start + WINDOW]
        self.text = window if window.isascii() else window.translate(_PLAIN)
        self.offset = start
        self.at = 0
        self._limit = len(window)
        self._open = not final and self._limit < WINDOW

    def peek(self) -> str:
        """The next character; empty at the end of the text or of the window."""
        if self.at < self._limit:
            return self.text[self.at]
        if self._open:
            raise Unfinished
        return ""

    def run(self, belongs: Callable[[str], bool], most: int = WINDOW) -> str:
        """The longest stretch of such characters from here, ``most`` at most, once it is known where it ends."""
        start, stop = self.at, min(self._limit, self.at + most)
        while self.at < stop and belongs(self.text[self.at]):
            self.at += 1
        if self.at == self._limit and self._open:
            raise Unfinished
        return self.text[start : self.at]

    def eat(self, literal: str) -> bool:
        """Whether ``literal`` (in lower case) stands here in any case; passes it."""
        for char in literal:
            if self.peek().casefold() != char:
                return False
            self.at += 1
        return True

    def begins(self, words: tuple[str, ...]) -> bool:
        """Whether one of the words begins here; told as soon as its letters are there."""
        if self.text.startswith(words, self.at):
            return True
        rest = self.text[self.at :]
        if self._open and any(word.startswith(rest) for word in words):
            raise Unfinished
        return False
