"""Reads the inside of a citation marker, which may still be arriving, and the numbers of the sources in it.

The hard thing is that nothing may depend on how the stream is cut: `Window` gives a character only once it is there.
"""

from __future__ import annotations

from collections.abc import Callable

WINDOW = 128  # the most that is ever held back to tell a marker from text: twenty numbers, a long title

# Full-width and look-alike punctuation, one for one, so that offsets stay.
_PLAIN = str.maketrans("［］〔〕（），、،；؛：＃＆–—−‑‐〜\u00a0\u2009\u202f\u3000", "[][](),,,;;:#&------    ")

RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹"

# What models call a source, in the languages they answer in.
KEYS = frozenset(
    """source sources src srcs doc docs document documents ref refs reference references cite cites citation
    citations passage passages chunk chunks excerpt excerpts snippet snippets quelle quellen fuente fuentes
    fonte fontes fonti bron bronnen källa źródło kaynak источник источники المصدر مصدر 来源 來源 出典 资料 資料
    文献 文獻 文档 文檔 출처 แหล่งที่มา แหล่ง स्रोत""".split()
)
JOINS = frozenset({"and", "or", "und", "et", "y", "e"})
_LOCATORS = frozenset(
    "p pp page pages s sec section sections para paragraph art article ch chapter line lines l clause".split()
)
_LARGEST = 999  # a bare number beyond it, and beyond the sources, is a year or an amount

_TAIL_ENDS = {"]": "[]【】\n", ")": "[]【】()\n", "】": "【】\n"}  # by what closes the marker
_RAISED_DIGITS = str.maketrans(RAISED, "0123456789")


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


class Numbers(Window):
    """Reads lists of source numbers; ``count`` sources exist, and only their numbers are given."""

    __slots__ = ("caret", "count", "has_zero")

    def __init__(self, text: str, start: int, *, count: int, final: bool) -> None:
        super().__init__(text, start, final=final)
        self.count = count
        self.caret = False  # a "^" stood before a number
        self.has_zero = False

    def spaces(self) -> str:
        """White space, a little."""
        return self.run(" \t".__contains__, 8)

    def word(self) -> str:
        """Letters; vowels above and below Thai ones are no letters to Python."""
        return self.run(_is_letter, 16)

    def key_glue(self) -> str:
        """What stands between a source's name and its number."""
        return self.run(" \t.:#_-".__contains__, 4)

    def numbers(self, closer: str = "]") -> list[int] | None:
        """``1, 3-5 and 7`` · ``Source 1, Source 3`` · ``citation:3`` · ``1†source``; None where it is text."""
        found: list[int] = []
        keyed = numbered = False
        while True:
            word = self.word().casefold()
            if word in JOINS and numbered:
                self.spaces()
                word = self.word().casefold()
            if word and word not in KEYS:
                return self._with_tail(found, closer) if numbered and (keyed or word in _LOCATORS) else None
            if word:
                keyed = True
                self.key_glue()
            elif self.peek() in ("#", "^"):
                self.caret = self.caret or self.peek() == "^"
                self.at += 1
            item = self._item(keyed=keyed, after=self.text[self.at - 1])
            if item is None:
                return None
            found += item
            numbered = True
            self.spaces()
            char = self.peek()
            if char and (char in ",;&" or (keyed and char == "/")):
                self.at += 1
                self.spaces()
                if self.peek() == "§":
                    return self._with_tail(found, closer)
            elif char == "†" or (char == ":" and (keyed or closer == "】")) or (keyed and char and char in "|-§("):
                return self._with_tail(found, closer)
            elif not char.isalpha():
                return found

    def raised(self) -> list[int] | None:
        """``¹`` · ``²³`` · ``¹⁻³``; None for powers, fractions and charges."""
        digits = self.run(RAISED.__contains__).translate(_RAISED_DIGITS)
        if not digits:
            return None
        found = self._raised_numbers(digits)
        if self.peek() == "⁻":
            self.at += 1
            last = self.run(RAISED.__contains__).translate(_RAISED_DIGITS)
            if not last:
                return None
            found = self._span(int(digits), int(last))
        char = self.peek()
        goes_on = char != "" and (char in "/⁄⁺⁻ⁿ⁼⁽" or (char.isascii() and char.isalnum()))
        return None if goes_on else found

    def _raised_numbers(self, digits: str) -> list[int]:
        """``²³`` is 23 where there are so many sources, else 2 and 3."""
        if int(digits) <= self.count:
            return self._span(int(digits), int(digits))
        each = [int(digit) for digit in digits]
        return each if all(1 <= number <= self.count for number in each) else []

    def _span(self, first: int, last: int) -> list[int]:
        """The valid numbers from first to last; both ends when they run backwards."""
        if first == 0:
            self.has_zero = True
        if last < first:
            return [number for number in (first, last) if 1 <= number <= self.count]
        return list(range(max(1, first), min(last, self.count) + 1))

    def _with_tail(self, found: list[int], closer: str) -> list[int] | None:
        """Skip what a model adds after the number: a title, a page, ``†L3-L5``."""
        self.run(lambda char: char not in _TAIL_ENDS[closer])
        return found if self.peek() == closer else None

    def _item(self, *, keyed: bool, after: str) -> list[int] | None:
        """``3`` or ``3-5``; None where it cannot number a source: no digits, a year, the end of ``1,500``."""
        digits = self.run(str.isdecimal, 5)
        if not digits or len(digits) > 4:
            return None
        first = last = int(digits)
        if after == "," and len(digits) == 3 and first > self.count:
            return None
        if self.peek().isascii() and self.peek().isalpha():  # "3rd", "1a"
            return None
        mark = self.at
        self.spaces()
        if self.peek() == "-":
            end = self._range_end()
            if end is None and not keyed:
                return None
            if end is None:
                self.at = mark
            else:
                last = end
        else:
            self.at = mark
        if not keyed and max(first, last) > max(_LARGEST, self.count):
            return None
        return self._span(first, last)

    def _range_end(self) -> int | None:
        self.at += 1
        self.spaces()
        word = self.word().casefold()
        if word in KEYS:
            self.key_glue()
        digits = self.run(str.isdecimal, 5)
        return int(digits) if 0 < len(digits) <= 4 and (not word or word in KEYS) else None


def _is_letter(char: str) -> bool:
    return (char.isalnum() and not char.isdecimal()) or "\u0e00" <= char <= "\u0e4f"
