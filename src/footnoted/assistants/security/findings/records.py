"""Reads JSON records one by one from bytes as they arrive; a broken one is told with its line and costs no other.

A file may be an array, a line a record, values set one after the other, or an object that wraps a list
(``{"Findings": […]}``). However large it is, no more than a piece and one record are held. After a record that
cannot be read the next one is looked for, first by counting brackets, then by how records of this file begin.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

PIECE = 1 << 20  # bytes read at a time
LARGEST_RECORD = 8 << 20  # code points
_RECOVERY = 32 << 20  # code points looked at, in all, to find where the next record begins after a bad one
_SPACE = re.compile(r"[\s,\ufeff]*")
_WRAPPED = re.compile(r'\{[^{}\[\]]{0,2000}?"(?:Findings|findings)"\s*:\s*\[')
_STRUCTURE = re.compile(r'"(?:[^"\\]|\\.)*+"|[{}\[\]"]', re.DOTALL)
_OPENING = re.compile(r'\{\s*"(?:[^"\\\n]|\\.){1,100}"\s*:')
_OPEN, _CROSSED = -1, -2
_decode = json.JSONDecoder().raw_decode


class Record(NamedTuple):
    """One value of the file, and the line it begins on, from 1."""

    line: int
    value: Any


@dataclass(frozen=True, slots=True)
class BadRecord:
    """A stretch of the file that is no record: the line it begins on and why."""

    line: int
    reason: str


def records(pieces: Iterable[bytes], *, largest: int = LARGEST_RECORD) -> Iterator[Record | BadRecord]:
    """Every record of a JSON file given in pieces, in order; whatever cannot be read is a `BadRecord`."""
    return _Records(pieces, largest).read()


def split(pieces: Iterable[bytes], size: int = PIECE) -> Iterator[bytes]:
    """The same bytes in pieces of at most ``size``."""
    for piece in pieces:
        for at in range(0, len(piece), size):
            yield piece[at : at + size]


def decoded(pieces: Iterable[bytes]) -> Iterator[str]:
    """Pieces of bytes as text: UTF-8, or UTF-16 where a byte-order mark says so (as PowerShell writes)."""
    decoder = None
    head = b""
    for piece in pieces:
        if decoder is None:
            head += piece
            if len(head) < 4:
                continue
            decoder, piece = codecs.getincrementaldecoder(_encoding(head))("replace"), head  # noqa: PLW2901
        yield decoder.decode(piece)
    if decoder is None:
        yield head.decode(_encoding(head), "replace")
    else:
        yield decoder.decode(b"", final=True)


def _encoding(head: bytes) -> str:
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    return "utf-8-sig"


class _Records:
    """The part of the file that is held: from the record being read to the end of what has arrived."""

    def __init__(self, pieces: Iterable[bytes], largest: int) -> None:
        self._pieces = decoded(split(pieces))
        self._largest = largest
        self._text = ""
        self._at = 0
        self._line = 1
        self._ended = False
        self._opening: re.Pattern[str] | None = None  # how a record of this file begins
        self._in_array = False
        self._looked_at = 0  # code points, to recover

    def read(self) -> Iterator[Record | BadRecord]:
        """Every record."""
        while self._next_char():
            char = self._text[self._at]
            if char == "[" and not self._in_array:
                self._in_array = True
                self._move(self._at + 1)
            elif char == "]":
                self._in_array = False
                self._move(self._at + 1)
            elif char == "}" and not self._in_array:
                self._move(self._at + 1)  # closes what wrapped the list
            elif not self._in_array and char == "{" and (inside := self._wrapper()):
                self._in_array = True
                self._move(inside)
            else:
                yield self._record()
                if self._looked_at > _RECOVERY:
                    yield BadRecord(self._line, "too much of this file is no JSON; what follows was left out")
                    return
        if self._in_array:
            yield BadRecord(self._line, "the file ends before its list is closed; what came before is kept")

    def _next_char(self) -> bool:
        """Go to the next character that is neither space nor comma; whether there is one."""
        while True:
            found = _SPACE.match(self._text, self._at)
            self._move(found.end() if found else self._at)
            if self._at < len(self._text):
                return True
            if not self._more():
                return False

    def _more(self) -> bool:
        """Read one more piece; whether there was one."""
        if self._ended:
            return False
        for piece in self._pieces:
            self._text = self._text[self._at :] + piece
            self._at = 0
            if piece:
                return True
        self._ended = True
        return False

    def _move(self, to: int) -> None:
        self._line += self._text.count("\n", self._at, to)
        self._at = to

    def _wrapper(self) -> int:
        """Where the list begins that this object wraps; 0 when it wraps none."""
        while len(self._text) - self._at < 4000 and self._more():
            pass
        found = _WRAPPED.match(self._text, self._at)
        return found.end() if found else 0

    def _record(self) -> Record | BadRecord:
        line, looked_at = self._line, self._looked_at
        while True:
            problem, wrong = "", self._at
            try:
                value, end = _decode(self._text, self._at)
            except RecursionError:
                problem = "brackets stand too deep in one another"
            except ValueError as error:
                problem, wrong = _why(error, self._text), getattr(error, "pos", self._at)
            # A number that ends with what has arrived may go on in the next piece.
            if not problem and (end < len(self._text) or self._ended or not self._more()):
                if self._opening is None and isinstance(value, dict):
                    self._opening = _opening_like(self._text[self._at : self._at + 300])
                self._move(end)
                self._looked_at = looked_at  # it was whole, and had only not arrived yet
                return Record(line, value)
            if not problem:
                continue
            if self._is_a_line(wrong):
                self._move(self._text.find("\n", self._at))
                return BadRecord(line, problem)
            closes, held = self._end_of_brackets(), len(self._text) - self._at
            if closes == _OPEN and held < self._largest and self._more():
                while len(self._text) - self._at < 2 * held and self._more():
                    pass  # looked at again when it has doubled, so that small pieces cost no more than large ones
                continue
            return self._skipped(line, problem, closes)

    def _is_a_line(self, wrong: int) -> bool:
        """Whether the bad record is a line of its own: it goes wrong within it, and the next line opens another."""
        if self._in_array:
            return False
        newline = self._text.find("\n", self._at)
        return wrong <= newline and self._text.startswith("{", newline + 1)

    def _end_of_brackets(self) -> int:
        """Where the record's last bracket closes; `_OPEN` while it does not, `_CROSSED` where another kind closes."""
        if self._text[self._at] not in "{[":
            return _OPEN
        self._looked_at += min(len(self._text) - self._at, self._largest)
        stack: list[str] = []
        for found in _STRUCTURE.finditer(self._text, self._at, self._at + self._largest):
            char = found.group()
            if char in "{[":
                stack.append("}" if char == "{" else "]")
            elif char == '"':
                return _OPEN  # in a string
            elif char in "}]":
                if not stack or stack.pop() != char:
                    return _CROSSED
                if not stack:
                    return found.end()
        return _OPEN

    def _skipped(self, line: int, problem: str, end: int) -> BadRecord:
        """Go behind a record that cannot be read, whose brackets close at ``end``."""
        inner = self._next_opening()
        if end > 0 and not 0 < inner < end:
            self._move(end)
        elif inner > 0:
            self._move(inner)
        else:
            self._skip_far()
        if self._ended and self._at >= len(self._text) and end < 0:
            self._in_array = False
            problem = f"the file ends inside this record ({problem})"
        return BadRecord(line, problem)

    def _next_opening(self) -> int:
        """Where the next record begins, judged by how the others did; 0 when none is in sight."""
        if self._opening is None:
            self._opening = _opening_like(self._text[self._at : self._at + 300])
        if self._opening is None:
            return 0
        while True:
            self._looked_at += len(self._text) - self._at
            found = self._opening.search(self._text, self._at + 1)
            if found:
                self._looked_at -= len(self._text) - found.start()
                return found.start()
            if len(self._text) - self._at > self._largest or not self._more():
                return 0

    def _skip_far(self) -> None:
        """Nothing tells where the record ends: go behind its line, or through the file to the next opening."""
        newline = self._text.find("\n", self._at)
        if not self._in_array and newline >= 0:
            self._move(newline)
            return
        while True:
            found = self._opening.search(self._text, self._at + 1) if self._opening else None
            if found:
                self._move(found.start())
                return
            self._move(max(self._at, len(self._text) - 300) if not self._ended else len(self._text))
            if not self._more():
                self._move(len(self._text))
                return


def _opening_like(text: str) -> re.Pattern[str] | None:
    """A pattern of how this record begins: its bracket and its first key, whatever space is between them."""
    found = _OPENING.match(text)
    if found is None:
        return None
    key = found.group()[1:-1].strip()
    return re.compile(r"\{\s*" + re.escape(key) + r"\s*:")


def _why(error: ValueError, text: str) -> str:
    if isinstance(error, json.JSONDecodeError):
        near = text[error.pos : error.pos + 30].split("\n", maxsplit=1)[0]
        return f"not JSON: {error.msg.lower()}" + (f" at “{near}”" if near.strip() else "")
    return f"not JSON: {error}"
