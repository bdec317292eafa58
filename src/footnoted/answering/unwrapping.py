"""Streams the answer inside a reply that is a JSON object, as plain text.

Where JSON is asked for, the object is ours and a model writes the words in it. What a model writes as an object all
the same would be encoded twice: its answer is read out of its object instead.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from footnoted.answering.fields import Field, fields_of

if TYPE_CHECKING:
    from collections.abc import Callable

_WRAPPED = r"\s*+(?:```\w*+[ \t]*+\n\s*+)?"
_OPENS = re.compile(_WRAPPED + r"(?:\{\s*+[\"}]|\[\s*+[\"{])")
_MAY_OPEN = re.compile(rf"\s*+(?:`{{1,2}}|```\w*+[ \t]*+)|{_WRAPPED}(?:[\[{{]\s*+)?")
_LONGEST_OPENING = 200
_ANSWER = re.compile(_WRAPPED + r"\{\s*+\"answer\"\s*+:\s*+\"")
_LITERAL = re.compile(r"[^\"\\]+")
_HIGH = r"\\u[dD][89abAB][\da-fA-F]{2}"
_ESCAPE = re.compile(rf"{_HIGH}\\u[dD][c-fC-F][\da-fA-F]{{2}}|\\u[\da-fA-F]{{4}}|\\.", re.DOTALL)
_UNFINISHED = re.compile(rf"(?:{_HIGH})?(?:\\(?:u[\da-fA-F]{{0,3}})?)?")
_CONTROLS = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}


class Unwrapped:
    r"""Reads the answer out of a reply that is JSON; any other reply comes out as it is. Any cut gives the same.

    Of an object without an ``answer``, every field becomes a line.

    >>> reply = Unwrapped()
    >>> reply.decode('{"answer": "It costs \\u20ac5 [1].", "sources": [1]}') + reply.flush()
    'It costs €5 [1].'
    """

    def __init__(self) -> None:
        self._held = ""
        self._read: Callable[[str], str] = self._begin

    def decode(self, piece: str) -> str:
        """What is certain now that ``piece`` has arrived."""
        if self._read == self._pass and not self._held:
            return piece
        text, self._held = self._held + piece, ""
        return self._read(text)

    def pass_on(self, piece: str) -> str:
        """What was held and ``piece``, as they are: words that come with their pointer are no JSON of the model's."""
        held, self._held, self._read = self._held, "", self._pass
        return held + piece

    def flush(self) -> str:
        """What was held back; the reply is over. An object that is none after all comes out as it is."""
        held, self._held = self._held, ""
        if self._read == self._gather:
            return _answer_in(held)
        return held if self._read == self._begin else ""

    def _begin(self, text: str) -> str:
        if len(text) <= _LONGEST_OPENING and _MAY_OPEN.fullmatch(text):
            self._held = text
            return ""
        self._read = self._gather if _OPENS.match(text) else self._pass
        return self._read(text)

    def _pass(self, text: str) -> str:
        return text

    def _gather(self, text: str) -> str:
        found = _ANSWER.match(text)
        if found is None:
            self._held = text
            return ""
        self._read = self._speak
        return self._speak(text[found.end() :])

    def _speak(self, text: str) -> str:
        """The inside of the answer's string (RFC 8259, section 7), up to the quotation mark that ends it."""
        out: list[str] = []
        at = 0
        while at < len(text):
            if literal := _LITERAL.match(text, at):
                out.append(literal.group())
                at = literal.end()
            elif text[at] == "\\":
                if _UNFINISHED.fullmatch(text, at):
                    break
                escape = _ESCAPE.match(text, at)
                out.append(_meant(escape.group()) if escape else "\\")
                at = escape.end() if escape else at + 1
            else:
                following = text[at + 1 :].lstrip()[:1]
                if not following:
                    break
                if following in ",}":
                    self._read = self._drop
                    return "".join(out)
                out.append('"')  # a mark the model forgot to escape
                at += 1
        self._held = text[at:]
        return "".join(out)

    def _drop(self, _text: str) -> str:
        return ""


def _meant(escape: str) -> str:
    if escape[1] != "u" or len(escape) < 6:
        return _CONTROLS.get(escape[1], escape[1])
    units = "".join(chr(int(escape[at + 2 : at + 6], 16)) for at in range(0, len(escape), 6))
    return units.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _answer_in(text: str) -> str:
    """The words of a whole reply that began like JSON: its answer, else a line a field; as it is, if it is no JSON."""
    begin = min(at for at in (text.find("{"), text.find("[")) if at >= 0)
    try:
        value, end = json.JSONDecoder(strict=False).raw_decode(text, begin)
    except (ValueError, RecursionError):
        return text
    if text[end:].strip().strip("`"):
        return text
    if isinstance(value, dict) and "answer" in value:
        value = value["answer"]
    fields = [field for field in fields_of(value) if field.value is not None]
    return "\n".join(_line(field, alone=len(fields) == 1) for field in fields)


def _line(field: Field, *, alone: bool) -> str:
    value: Any = field.value
    words = value if isinstance(value, str) else json.dumps(value)
    name = " › ".join(step for step in field.steps if isinstance(step, str))
    return words if alone or not name else f"{name}: {words}"
