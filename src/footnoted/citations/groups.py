"""Reads a group of citation markers from the start of a text: where it ends, and what it stands for."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Literal

from footnoted.citations.numbers import JOINS, KEYS, RAISED, Numbers, Unfinished
from footnoted.text.marks import integers

Kind = Literal["bracket", "keyed", "raised", "bare"]

_OPENERS = "[\\【(<*^"
_LEADS = frozenset({"see", "cf", "per", "from", "via"})
_WORD_BEGINS = frozenset(word[:end] for word in KEYS | _LEADS for end in range(1, len(word) + 1))
_URL_BEGINS = ("http", "www.", "mailto:", "ftp:", "#", "/", "<", "./", "../")

_WORDED = re.compile(r"(\*{1,4}|[\[(（［〔])([A-Za-z]{1,16})")
_ONE_PLAIN = r"\[\d{1,2}(?:, ?\d{1,2}){0,4}\]"
_PLAIN_MARK = re.compile(rf"(?:{_ONE_PLAIN}){{1,4}}(?=[.!?\n\"|A-Za-z]| [A-Z])")
_PLAIN_BEGUN = re.compile(rf"(?:{_ONE_PLAIN}){{0,3}}(?:\[(?:\d{{1,2}}(?:, ?\d{{1,2}}){{0,3}}(?:\]|,? ?))?)?\Z")


@dataclass(frozen=True, slots=True)
class Marker:
    """The sources one marker names: valid 1-based ``numbers`` in the order written.

    ``raw`` is what the model wrote; ``before`` the white space it put before, which belongs to the marker so
    that a superscript may close up to its word.
    """

    numbers: tuple[int, ...]
    raw: str
    before: str = ""


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


class _Stays(Exception):
    """A link or a definition: text, up to ``end``."""

    def __init__(self, end: int) -> None:
        super().__init__()
        self.end = end


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
    return word not in KEYS and word not in _LEADS and text[match.end()].isascii()


def read_plain(text: str, at: int, count: int) -> Group | None:
    """What `read_group` would find, at once, for the plainest markers ``[1]`` and ``[1, 3][2]``; else None."""
    match = _PLAIN_MARK.match(text, at)
    if match is None:
        if _PLAIN_BEGUN.match(text, at):
            raise Unfinished
        return None
    numbers = integers(match.group())
    part = Part([one for one in numbers if 1 <= one <= count], at, match.end())
    return Group("bracket", match.end(), [part], has_zero=0 in numbers)


def read_group(text: str, at: int, *, count: int, final: bool, line_head: bool) -> Group | None:
    """The group at ``at``, or None when this is text; raises `Unfinished` when more must arrive first.

    ``count`` sources exist; ``final``: nothing more arrives; ``line_head``: only white space stands before.
    """
    reader = _Groups(text, at, count=count, final=final, line_head=line_head)
    try:
        parts = reader.sequence()
    except _Stays as link:
        return Group("bracket", at + link.end, stays=True)
    if parts is None:
        return None
    return Group(reader.kind, at + reader.at, parts, reader.lead, reader.trail, has_zero=reader.has_zero)


def written(group: Group, text: str, at: int, before: str) -> list[str | Marker]:
    """What a group that begins at ``at`` comes to: neighbours are one marker, a word between them stays."""
    out: list[str | Marker] = []
    if group.lead:
        out.append(before + group.lead)
        before = ""
    start, numbers = at, list[int]()
    for part in group.parts:
        if part.numbers and part.joined_by and numbers:
            out += [
                Marker(tuple(numbers), text[start : part.start].removesuffix(part.joined_by), before),
                part.joined_by,
            ]
            start, numbers, before = part.start, [], ""
        numbers += part.numbers
    out.append(Marker(tuple(numbers), text[start : group.end], before))
    if group.trail:
        out.append(group.trail)
    return out


class _Groups(Numbers):
    """Reads a group, its wrappers (``**``, ``( )``, ``<sup>``, ``[[ ]]``) aside."""

    __slots__ = ("_line_head", "_nested", "kind", "lead", "trail")

    def __init__(self, text: str, start: int, *, count: int, final: bool, line_head: bool) -> None:
        super().__init__(text, start, count=count, final=final)
        self.kind: Kind = "bracket"
        self.lead = self.trail = ""
        self._line_head = line_head
        self._nested = 0

    def sequence(self) -> list[Part] | None:
        """One marker after another, as long as nothing but a joint stands between."""
        parts = self._marker(first=True)
        if parts is None or self.kind == "bare":
            return parts
        while True:
            mark, kind = self.at, self.kind
            joint = self._joint()
            more = self._marker(first=False) if joint is not None and self._at_opener() else None
            if more is None or joint is None:
                self.at, self.kind = mark, kind
                return parts
            if joint == "-":
                _fill_range(parts[-1], more[0])
            elif joint:
                more[0].joined_by = joint
            parts += more

    def _at_opener(self) -> bool:
        char = self.peek()
        return char != "" and (char in _OPENERS or char in RAISED)

    def _joint(self) -> str | None:
        """What stands between two markers: ``""`` for nothing, space or comma; a word; ``-`` for a range."""
        start = self.at
        spaces = self.spaces()
        char = self.peek()
        if char == "-" and not spaces:
            self.at += 1
            return "-"
        if char and char in ",;&":
            self.at += 1
            spaces = self.spaces()
            char = self.peek()
        if not (spaces and char.isalpha()):
            return ""
        if self.word() not in JOINS or not self.spaces():
            return None
        return self.text[start : self.at]

    def _marker(self, *, first: bool) -> list[Part] | None:
        """One marker; several where a wrapper holds several."""
        start = self.at
        char = self.peek()
        if char in ("[", "\\"):
            return self._bracket(start, first=first)
        if char == "【":
            return self._lenticular(start)
        if char == "(":
            return self._paren(start, first=first)
        if char == "<":
            return self._sup(start, first=first)
        if char == "*":
            return self._starred()
        if char == "^":
            return self._careted()
        if first:
            self.kind = "raised"
        return self._one(start, self.raised())

    def _one(self, start: int, numbers: list[int] | None) -> list[Part] | None:
        return None if numbers is None else [Part(numbers, self.offset + start, self.offset + self.at)]

    def _inside(self) -> list[Part] | None:
        """Markers inside a wrapper, at most three deep."""
        if self._nested >= 3:
            return None
        self._nested += 1
        parts = self.sequence()
        self._nested -= 1
        return parts

    # -- brackets -----------------------------------------------------------------------------------

    def _bracket(self, start: int, *, first: bool) -> list[Part] | None:
        escaped = self.peek() == "\\"
        self.at += escaped
        if self.peek() != "[":
            return None
        self.at += 1
        if not (escaped and self.peek() == " "):  # "\[ x \]" is maths
            self.spaces()
        inner: list[Part] | None = None
        numbers: list[int] | None = None
        if self.peek() in ("[", "\\"):
            inner = self._inside()
        else:
            numbers = self.numbers()
        if inner is None and numbers is None:
            return None
        self.spaces()
        if self.peek() == "\\":
            self.at += 1
        if self.peek() != "]":
            return None
        self.at += 1
        parts = inner or self._one(start, numbers)
        end = self.at
        if self._leads_on(first=first):
            if first:
                raise _Stays(end)
            return None
        self.at = end
        return parts

    def _leads_on(self, *, first: bool) -> bool:
        """Whether a link's target or a definition follows ``[1]``."""
        char = self.peek()
        if char == "(":
            return self._links()
        if char == ":" and first and self._line_head and not self._nested:
            self.at += 1
            self.spaces()
            return self.caret or self.begins(_URL_BEGINS)
        return False

    def _links(self) -> bool:
        self.at += 1
        if self.begins(_URL_BEGINS):
            return True
        target = self.run(lambda char: char not in "()" and not char.isspace())
        char = self.peek()
        if char == ")":
            return not target.isdigit()
        if char == " " and target:
            self.spaces()
            return self.peek() == '"'
        return False

    def _lenticular(self, start: int) -> list[Part] | None:
        self.at += 1
        self.spaces()
        numbers = self.numbers(closer="】")
        if numbers is None:
            return None
        self.spaces()
        return self._one(start, numbers) if self.eat("】") else None

    # -- parentheses and wrappers -------------------------------------------------------------------

    def _paren(self, start: int, *, first: bool) -> list[Part] | None:
        word, lead = self._paren_lead(start)
        inner: list[Part] | None = None
        numbers: list[int] | None = None
        if word in KEYS:
            mark = self.at
            self.word()
            self.key_glue()
            if self._at_opener():  # "(Source: [1])"
                inner = self._inside()
                lead = ""
            else:
                self.at = mark
                numbers = self.numbers(closer=")")
            self.kind = "keyed"
        elif word:
            return None
        elif self._at_opener():
            inner = self._inside()
        elif first and not self._nested and not lead:
            numbers = self.numbers()
            self.kind = "bare"
        if inner is None and numbers is None:
            return None
        self.spaces()
        if not self.eat(")"):
            return None
        if inner and lead and first and not self._nested:
            self.lead, self.trail = lead, ")"
        return inner or self._one(start, numbers)

    def _paren_lead(self, start: int) -> tuple[str, str]:
        """The word a parenthesis begins with, and what leads it in: ``(see ``."""
        self.at += 1
        self.spaces()
        mark = self.at
        lead = ""
        word = self.word().casefold()
        if word in _LEADS:
            self.at += self.peek() == "."
            self.spaces()
            mark = self.at
            lead = self.text[start:mark]
            word = self.word().casefold()
        self.at = mark
        return word, lead

    def _sup(self, start: int, *, first: bool) -> list[Part] | None:
        if not self.eat("<sup>"):
            return None
        if self._at_opener():
            inner = self._inside()
            return inner if inner is not None and self.eat("</sup>") else None
        numbers = self.numbers()
        if first:
            self.kind = "raised"
        return self._one(start, numbers) if numbers is not None and self.eat("</sup>") else None

    def _starred(self) -> list[Part] | None:
        stars = self.run("*".__contains__, 4)
        inner = self._inside() if self._at_opener() and self.peek() != "*" else None
        return inner if inner is not None and self.eat(stars) else None

    def _careted(self) -> list[Part] | None:
        self.at += 1
        inner = self._inside() if self.peek() == "[" else None
        if inner is not None and self.peek() == "^":
            self.at += 1
        return inner


def _fill_range(left: Part, right: Part) -> None:
    """``[1]-[3]``: the numbers between."""
    if left.numbers and right.numbers and left.numbers[-1] < right.numbers[0]:
        right.numbers[:0] = range(left.numbers[-1] + 1, right.numbers[0])
