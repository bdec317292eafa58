"""The text from a possible marker on in; the source numbers it names and where it ends out.

A reader over a window of at most `WINDOW` code points. It reads one character after another and raises
`Unfinished` when it would need one that has not arrived, so what it finds cannot depend on how a stream is cut.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Literal

WINDOW = 64  # the most that is ever held back to tell a marker from text

Kind = Literal["bracket", "keyed", "raised", "bare"]

OPENERS = "[\\【(<*^"
RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹"
_RAISED_DIGITS = str.maketrans(RAISED, "0123456789")
# Full-width and look-alike punctuation, one for one, so that offsets stay.
_PLAIN = str.maketrans("［］〔〕（），、،；؛：＃＆–—−‑‐〜\u00a0\u2009\u202f\u3000", "[][](),,,;;:#&------    ")

_SPACES = re.compile(r"[ \t]{0,8}")
_LETTERS = re.compile(r"(?:[^\W\d_]|[\u0e00-\u0e4f]){0,16}")
_DIGITS = re.compile(r"\d{0,5}")
_KEY_GLUE = re.compile(r"[ \t.:#_-]{0,4}")
_TAIL = re.compile(r"[^\[\]【】()\n]*")
_LENTICULAR_TAIL = re.compile(r"[^【】\n]*")
_RAISED_RUN = re.compile("[⁰¹²³⁴-⁹]+")
_TARGET = re.compile(r"[^\s()]*")
_STARS = re.compile(r"\*{1,4}")
_URL_STARTS = ("http", "www.", "mailto:", "ftp:", "#", "/", "<", "./", "../")

_KEYS = frozenset(
    """source sources src srcs doc docs document documents ref refs reference references cite cites citation
    citations passage passages chunk chunks excerpt excerpts snippet snippets quelle quellen fuente fuentes
    fonte fontes fonti bron bronnen källa źródło kaynak источник источники المصدر مصدر 来源 來源 出典 资料 資料
    文献 文獻 文档 文檔 출처 แหล่งที่มา แหล่ง स्रोत""".split()
)
_LEADS = frozenset({"see", "cf", "per", "from", "via"})
_JOINS = frozenset({"and", "or", "und", "et", "y", "e"})
_LOCATORS = frozenset(
    "p pp page pages s sec section sections para paragraph art article ch chapter line lines l clause".split()
)


_WORD_BEGINS = frozenset(word[:end] for word in _KEYS | _LEADS for end in range(1, len(word) + 1))
_WORDED = re.compile(r"(\*{1,4}|[\[(（［〔])([A-Za-z]{1,16})")


def is_hopeless(text: str, at: int) -> bool:
    """Whether an opener at ``at`` is followed by a word that begins no marker: a cheap test before reading."""
    match = _WORDED.match(text, at)
    if match is None:
        return False
    if text[at] == "*":
        return True
    word = match.group(2).lower()
    if match.end() == len(text):
        return word not in _WORD_BEGINS
    return word not in _KEYS and word not in _LEADS and text[match.end()].isascii()


_PLAIN_BEGUN = re.compile(r"\[(?:\d{1,3}(?:, ?\d{1,3}){0,3}(?:\]|,? ?))?\Z")
_PLAIN_MARK = re.compile(r"\[(\d{1,2})(?:, ?(\d{1,2}))?\](?=[.!?\n\"|A-Za-z])")


def read_plain(text: str, at: int, count: int) -> Group | None:
    """What `GroupReader` would find, at once, for the plainest markers ``[1]`` and ``[1, 3]``; else None."""
    match = _PLAIN_MARK.match(text, at)
    if match is None:
        if _PLAIN_BEGUN.match(text, at):
            raise Unfinished
        return None
    digits = [int(one) for one in match.groups() if one]
    part = Part([one for one in digits if 1 <= one <= count], at, match.end())
    return Group("bracket", match.end(), [part], has_zero=0 in digits)


class Unfinished(Exception):  # noqa: N818 - it is not an error: the text goes on
    """The text so far ends before it can be told what this is."""


@dataclass(slots=True)
class Part:
    """One marker of a group: its valid numbers, where it stands, and the word before it (``" and "``)."""

    numbers: list[int]
    start: int
    end: int
    joined_by: str = ""


@dataclass(slots=True)
class Group:
    """Markers written side by side: ``[1][2]``, ``[1], [2]``, ``(see [1] and [2])``; offsets into the text.

    ``stays`` marks what looks like a marker but is a link or a definition and stays as written.
    """

    kind: Kind
    end: int
    parts: list[Part] = field(default_factory=list)
    lead: str = ""
    trail: str = ""
    stays: bool = False
    has_zero: bool = False


class _Stays(Exception):  # noqa: N818
    """A link or definition: text, up to ``end``."""

    def __init__(self, end: int) -> None:
        super().__init__()
        self.end = end


class GroupReader:
    """Reads one group of markers at ``start`` of ``text``; ``final``: nothing more will arrive.

    ``count`` is how many sources there are; ``line_head``: only white space stands before on the line.
    """

    __slots__ = (
        "_caret", "_has_zero", "_kind", "_lead", "_limit", "_line_head", "_nested", "_offset", "_open",
        "_trail", "at", "count", "text",
    )  # fmt: skip

    def __init__(self, text: str, start: int, *, count: int, final: bool, line_head: bool) -> None:
        window = text[start : start + WINDOW]
        self.text = window if window.isascii() else window.translate(_PLAIN)
        self._limit = len(window)
        self._open = not final and self._limit < WINDOW
        self._offset = start
        self.at = 0
        self.count = count
        self._line_head = line_head
        self._kind: Kind = "bracket"
        self._caret = False
        self._has_zero = False
        self._nested = 0
        self._lead = self._trail = ""

    def read(self) -> Group | None:
        """The group, or None when this is text; raises `Unfinished` when more must arrive first."""
        try:
            parts = self._sequence()
        except _Stays as link:
            return Group("bracket", self._offset + link.end, stays=True)
        if parts is None:
            return None
        return Group(self._kind, self._offset + self.at, parts, self._lead, self._trail, has_zero=self._has_zero)

    def peek(self) -> str:
        """The next character; empty at the end of the text or of the window."""
        if self.at < self._limit:
            return self.text[self.at]
        if self._open:
            raise Unfinished
        return ""

    def run(self, pattern: re.Pattern[str]) -> str:
        """The longest stretch of ``pattern`` from here, once it is known where it ends."""
        match = pattern.match(self.text, self.at)
        if match is None:
            self.peek()
            return ""
        if match.end() == self._limit and self._open:
            raise Unfinished
        self.at = match.end()
        return match.group()

    def _eat(self, literal: str) -> bool:
        for char in literal:
            if self.peek().casefold() != char:
                return False
            self.at += 1
        return True

    # -- groups -------------------------------------------------------------------------------------

    def _sequence(self) -> list[Part] | None:
        parts = self._atom(first=True)
        if parts is None or self._kind == "bare":
            return parts
        while True:
            mark = self.at
            kind = self._kind
            joint = self._joint()
            more = self._atom(first=False) if joint is not None and self._at_opener() else None
            if more is None or joint is None:
                self.at, self._kind = mark, kind
                return parts
            if joint == "-":
                self._fill_range(parts[-1], more[0])
            elif joint:
                more[0].joined_by = joint
            parts += more

    def _at_opener(self) -> bool:
        char = self.peek()
        return char != "" and (char in OPENERS or char in RAISED)

    def _joint(self) -> str | None:
        """What stands between two markers: ``""`` for nothing, space or comma; a word; ``-`` for a range."""
        start = self.at
        spaces = self.run(_SPACES)
        char = self.peek()
        if char == "-" and not spaces:
            self.at += 1
            return "-"
        if char and char in ",;&":
            self.at += 1
            spaces = self.run(_SPACES)
            char = self.peek()
        if not (spaces and char.isalpha()):
            return ""
        if self.run(_LETTERS) not in _JOINS or not self.run(_SPACES):
            return None
        return self.text[start : self.at]

    def _fill_range(self, left: Part, right: Part) -> None:
        if left.numbers and right.numbers and left.numbers[-1] < right.numbers[0]:
            right.numbers[:0] = range(left.numbers[-1] + 1, right.numbers[0])

    # -- one marker ---------------------------------------------------------------------------------

    def _atom(self, *, first: bool) -> list[Part] | None:
        start = self.at
        char = self.peek()
        if char in ("[", "\\"):
            found = self._bracket(first=first)
        elif char == "【":
            found = self._lenticular()
        elif char == "(":
            found = self._paren(first=first)
        elif char == "<":
            found = self._sup(first=first)
        elif char in ("*", "^"):
            found = self._wrapped(first=first)
        else:
            found = self._raised(first=first)
        if isinstance(found, list) and found and isinstance(found[0], Part):
            return found  # a wrapper around markers
        if found is None:
            return None
        return [Part(found, self._offset + start, self._offset + self.at)]  # type: ignore[arg-type]

    def _inside(self) -> list[Part] | None:
        """Markers inside a wrapper, at most three deep."""
        if self._nested >= 3:
            return None
        self._nested += 1
        parts = self._sequence()
        self._nested -= 1
        return None if self._kind == "bare" else parts

    def _bracket(self, *, first: bool) -> list[int] | list[Part] | None:
        escaped = self.peek() == "\\"
        self.at += escaped
        if self.peek() != "[":
            return None
        self.at += 1
        if not (escaped and self.peek() == " "):  # "\[ x \]" is maths
            self.run(_SPACES)
        found: list[int] | list[Part] | None
        found = self._inside() if self.peek() in ("[", "\\") else self._numbers()
        if found is None:
            return None
        self.run(_SPACES)
        if self.peek() == "\\":
            self.at += 1
        if self.peek() != "]":
            return None
        self.at += 1
        end = self.at
        if self._leads_on(first=first):
            if first:
                raise _Stays(end)
            return None
        self.at = end
        return found

    def _leads_on(self, *, first: bool) -> bool:
        """Whether a link target or a definition follows ``[1]``."""
        char = self.peek()
        if char == "(":
            return self._links()
        if char == ":" and first and self._line_head and not self._nested:
            self.at += 1
            self.run(_SPACES)
            return self._caret or self._url()
        return False

    def _url(self) -> bool:
        """Whether an address starts here; told as soon as its first letters are there."""
        for known in _URL_STARTS:
            if self.text.startswith(known, self.at):
                return True
        rest = self.text[self.at :]
        if any(known.startswith(rest) for known in _URL_STARTS) and self._open:
            raise Unfinished
        return False

    def _links(self) -> bool:
        self.at += 1
        if self._url():
            return True
        target = self.run(_TARGET)
        char = self.peek()
        if char == ")":
            return not target.isdigit()
        if char == " " and target:
            self.run(_SPACES)
            return self.peek() == '"'
        return False

    def _lenticular(self) -> list[int] | None:
        self.at += 1
        self.run(_SPACES)
        found = self._numbers(closer="】")
        if found is None:
            return None
        self.run(_LENTICULAR_TAIL)
        return found if self._eat("】") else None

    def _paren(self, *, first: bool) -> list[int] | list[Part] | None:
        opened = self.at
        self.at += 1
        self.run(_SPACES)
        mark = self.at
        word = self.run(_LETTERS).casefold()
        if word in _LEADS:
            self._eat(".") if self.peek() == "." else None
            self.run(_SPACES)
            mark = self.at
            word = self.run(_LETTERS).casefold()
        lead = self.text[opened:mark] if mark - opened > 1 else ""
        self.at = mark
        found: list[int] | list[Part] | None
        if word in _KEYS:
            found = self._numbers()
            self._kind = "keyed"
        elif word:
            return None
        elif self._at_opener():
            found = self._inside()
        elif first and not self._nested and not lead:
            found = self._numbers()
            self._kind = "bare"
        else:
            return None
        if found is None:
            return None
        self.run(_SPACES)
        if not self._eat(")"):
            return None
        if lead.strip("( ") and found and isinstance(found[0], Part) and first and not self._nested:
            self._lead, self._trail = lead, ")"
        return found

    def _sup(self, *, first: bool) -> list[int] | list[Part] | None:
        if not self._eat("<sup>"):
            return None
        found: list[int] | list[Part] | None
        if self._at_opener():
            found = self._inside()
        else:
            found = self._numbers()
            self._kind = "raised" if first else self._kind
        if found is None or not self._eat("</sup>"):
            return None
        return found

    def _wrapped(self, *, first: bool) -> list[Part] | None:
        if self.peek() == "^":
            self.at += 1
            parts = self._inside() if self.peek() == "[" else None
            if parts is not None and self.peek() == "^":
                self.at += 1
            return parts
        stars = self.run(_STARS)
        parts = self._inside() if self._at_opener() and self.peek() not in "*" else None
        return parts if parts is not None and self._eat(stars) else None

    def _raised(self, *, first: bool) -> list[int] | None:
        digits = self.run(_RAISED_RUN)
        if not digits:
            return None
        numbers = self._raised_numbers(digits.translate(_RAISED_DIGITS))
        if self.peek() == "⁻":
            self.at += 1
            last = self.run(_RAISED_RUN).translate(_RAISED_DIGITS)
            if not last:
                return None
            numbers = self._span(int(digits.translate(_RAISED_DIGITS)), int(last))
        char = self.peek()
        if char and (char in "/⁄⁺⁻ⁿ⁼⁽" or (char.isascii() and char.isalnum())):
            return None
        if first:
            self._kind = "raised"
        return numbers

    def _raised_numbers(self, digits: str) -> list[int]:
        """``²³`` is 23 where there are so many sources, else 2 and 3."""
        if int(digits) <= self.count:
            return self._span(int(digits), int(digits))
        each = [int(digit) for digit in digits]
        return each if all(1 <= number <= self.count for number in each) else []

    # -- numbers ------------------------------------------------------------------------------------

    def _span(self, first: int, last: int) -> list[int]:
        """The valid numbers from first to last; both ends when they run backwards."""
        if first == 0:
            self._has_zero = True
        if last < first:
            return [number for number in (first, last) if 1 <= number <= self.count]
        return list(range(max(1, first), min(last, self.count) + 1))

    def _numbers(self, closer: str = "]") -> list[int] | None:
        """``1, 3-5 and 7`` · ``Source 1, Source 3`` · ``citation:3`` · ``1†source``, as the valid numbers."""
        found: list[int] = []
        keyed = numbered = False
        while True:
            word = self.run(_LETTERS).casefold()
            if word in _JOINS and numbered:
                self.run(_SPACES)
                word = self.run(_LETTERS).casefold()
            if word:
                if word not in _KEYS:
                    return self._with_tail(found) if numbered and (keyed or word in _LOCATORS) else None
                keyed = True
                self.run(_KEY_GLUE)
            elif self.peek() in ("#", "^"):
                self._caret = self._caret or self.peek() == "^"
                self.at += 1
            item = self._item(keyed=keyed, after=self.text[self.at - 1])
            if item is None:
                return None
            found += item
            numbered = True
            self.run(_SPACES)
            char = self.peek()
            if char and char in ",;&":
                self.at += 1
                self.run(_SPACES)
                if self.peek() == "§":
                    return self._with_tail(found)
            elif char == "†" or (char == ":" and (keyed or closer == "】")) or (keyed and char in "|-§"):
                return found if closer == "】" else self._with_tail(found)
            elif not char.isalpha() or char == "":
                return found

    def _with_tail(self, found: list[int]) -> list[int] | None:
        """Skip what a model adds after the number: a title, a page, ``†L3-L5``."""
        self.run(_TAIL)
        return found if self.peek() == "]" or self.peek() == ")" else None

    def _item(self, *, keyed: bool, after: str) -> list[int] | None:
        """``3`` or ``3-5``; None where it cannot number a source: no digits, a year, the end of ``1,500``."""
        digits = self.run(_DIGITS)
        if not digits or len(digits) > 4:
            return None
        first = last = int(digits)
        if after == "," and len(digits) == 3 and first > self.count:
            return None
        mark = self.at
        self.run(_SPACES)
        if self.peek() == "-":
            self.at += 1
            self.run(_SPACES)
            word = self.run(_LETTERS).casefold()
            if word in _KEYS:
                self.run(_KEY_GLUE)
            more = self.run(_DIGITS)
            if more and len(more) <= 4 and (not word or word in _KEYS):
                last = int(more)
            elif keyed:
                self.at = mark
            else:
                return None
        else:
            self.at = mark
        if not keyed and max(first, last) > max(999, self.count):
            return None
        return self._span(first, last)
