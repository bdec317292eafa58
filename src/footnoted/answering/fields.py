"""Reads a JSON object from pieces of text and tells each field, with its path, as soon as it is complete.

A field is a value that is no object and no list: text, number, yes or no, null. Its path is an RFC 9535 query that
finds it: ``$.amounts[0].pounds``, and ``$['a b']`` for a name that is no identifier. However the text is cut,
the fields are the same. Code fences and words around the object are passed over.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pydantic_core

from footnoted.text.marks import skip

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Value = str | int | float | bool | None
Step = str | int

_SPACE = " \t\r\n"
_AFTER_SCALAR = frozenset(' \t\r\n,:]}[{"')
_DEEPEST = 150  # levels; what is nested deeper is no answer, and pydantic does not read it either
_ESCAPES = {"\\": "\\\\", "'": "\\'", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


@dataclass(frozen=True, slots=True)
class Field:
    """One complete value and where it stands: ``steps`` are names and places in lists, from the outside in."""

    steps: tuple[Step, ...]
    value: Value

    @property
    def path(self) -> str:
        """The steps as a path."""
        return path_of(self.steps)


def path_of(steps: Sequence[Step]) -> str:
    """Names and places as a path.

    >>> path_of(("amounts", 0, "in pounds"))
    "$.amounts[0]['in pounds']"
    """
    return "$" + "".join(map(_written, steps))


def fields_of(value: Any, steps: tuple[Step, ...] = ()) -> Iterator[Field]:
    """The fields of a parsed object, in order.

    >>> [(field.path, field.value) for field in fields_of({"a": [1, {"b": None}]})]
    [('$.a[0]', 1), ('$.a[1].b', None)]
    """
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from fields_of(inner, (*steps, name))
    elif isinstance(value, list):
        for place, inner in enumerate(value):
            yield from fields_of(inner, (*steps, place))
    else:
        yield Field(steps, value)


class FieldReader:
    """Reads one object out of a growing text: `decode` its pieces in order, then `flush`.

    Only the piece at hand is looked at, so the cost is that of its length however long the reply is. Text that
    stops being JSON stops being read: whoever validates the whole says what is wrong with it.
    """

    __slots__ = ("_escaped", "_held", "_inside", "_next", "_steps", "_told")

    def __init__(self) -> None:
        self._reset()

    def _reset(self) -> None:
        self._next = "object"  # what may come: object · key · name · colon · value · item · comma · nothing
        self._steps: list[Step] = []  # a step for each open object or list; "" until an object's first name is known
        self._inside = ""  # "text" or "scalar" while one is open
        self._held: list[str] = []  # its pieces so far
        self._escaped = False  # the next character belongs to a backslash
        self._told = False

    def decode(self, piece: str) -> list[Field]:
        """The fields that are complete now that ``piece`` is in."""
        fields: list[Field] = []
        at = 0
        while at < len(piece) and self._next != "nothing":
            if self._inside == "text":
                at = self._read_text(piece, at, fields)
            elif self._inside == "scalar":
                at = self._read_scalar(piece, at, fields)
            elif self._next == "object":
                at = self._find_object(piece, at)
            else:
                at = skip(piece, at, len(piece), _SPACE)
                if at == len(piece):
                    break
                at = self._read_mark(piece[at], at)
        return fields

    def flush(self) -> list[Field]:
        """Nothing: a field is complete before its object closes, and half a value is none. Ready for another."""
        self._reset()
        return []

    def _find_object(self, piece: str, at: int) -> int:
        start = piece.find("{", at)
        if start < 0:
            return len(piece)
        self._steps = [""]
        self._next = "key"
        return start + 1

    def _read_mark(self, mark: str, at: int) -> int:
        """Take one character that stands outside of texts and scalars; where to read on."""
        wants = self._next
        if mark == '"' and wants in ("key", "name", "value", "item"):
            self._open("text", mark)
        elif (mark == ":" and wants == "colon") or (mark == "," and wants == "comma"):
            self._next = "value" if mark == ":" else self._after_comma()
        elif mark in "{[" and wants in ("value", "item") and len(self._steps) < _DEEPEST:
            self._steps.append("" if mark == "{" else 0)
            self._next = "key" if mark == "{" else "item"
        elif (mark == "}" and wants in ("key", "comma") and isinstance(self._steps[-1], str)) or (
            mark == "]" and wants in ("item", "comma") and isinstance(self._steps[-1], int)
        ):
            self._steps.pop()
            self._next = "comma" if self._steps else "nothing"
        elif wants in ("value", "item") and (mark.isalnum() or mark == "-"):
            self._open("scalar", "")
            return at
        else:
            return self._give_up(at)
        return at + 1

    def _open(self, what: str, begun: str) -> None:
        self._inside = what
        self._held = [begun]

    def _after_comma(self) -> str:
        last = self._steps[-1]
        if isinstance(last, int):
            self._steps[-1] = last + 1
            return "value"
        return "name"

    def _give_up(self, at: int) -> int:
        """This brace opened no object; one that opens where it broke off may still be the one."""
        self._next = "nothing" if self._told else "object"
        return at

    def _read_text(self, piece: str, at: int, fields: list[Field]) -> int:
        start = at
        if self._escaped:
            self._escaped = False
            at += 1
        quote = piece.find('"', at)
        while (escape := piece.find("\\", at, quote if quote >= 0 else len(piece))) >= 0:
            at = escape + 2
            self._escaped = at > len(piece)
            quote = piece.find('"', at) if 0 <= quote < at else quote
        self._held.append(piece[start : quote + 1] if quote >= 0 else piece[start:])
        if quote < 0:
            return len(piece)
        self._close(fields)
        return quote + 1

    def _read_scalar(self, piece: str, at: int, fields: list[Field]) -> int:
        end = next((place for place in range(at, len(piece)) if piece[place] in _AFTER_SCALAR), len(piece))
        self._held.append(piece[at:end])
        if end < len(piece):
            self._close(fields)
        return end

    def _close(self, fields: list[Field]) -> None:
        self._inside = ""
        try:
            value: Value = pydantic_core.from_json("".join(self._held))
        except ValueError:
            self._give_up(0)
            return
        if self._next in ("key", "name"):
            self._steps[-1] = str(value)
            self._next = "colon"
            return
        self._next = "comma"
        self._told = True
        fields.append(Field(tuple(self._steps), value))


def _written(step: Step) -> str:
    if isinstance(step, int):
        return f"[{step}]"
    if "".join(char if char.isascii() else "x" for char in step).isidentifier():  # beyond ASCII all are letters
        return f".{step}"
    return "['" + "".join(_ESCAPES.get(char) or (f"\\u{ord(char):04x}" if char < " " else char) for char in step) + "']"
