"""The turns before a question in; what it carries over from them out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from footnoted.assistants.security.nlu.identifiers import identifiers
from footnoted.assistants.security.nlu.words import readable

TURNS = 10  # pairs of turns that are looked back on
_ITEM = re.compile(r"^\s{0,6}(?:\d{1,3}[.)]|[-*•])\s+(.+)$|^\s{0,6}(\[[\w.:/-]{2,200}\].*)$", re.MULTILINE)

_ORDINALS = {
    "first": 1, "1st": 1, "second": 2, "2nd": 2, "third": 3, "3rd": 3, "fourth": 4, "4th": 4, "fifth": 5, "5th": 5,
    "sixth": 6, "6th": 6, "seventh": 7, "7th": 7, "eighth": 8, "8th": 8, "ninth": 9, "9th": 9, "tenth": 10, "10th": 10,
    "last": -1, "final": -1, "primero": 1, "primera": 1, "segundo": 2, "segunda": 2, "tercero": 3, "tercera": 3,
    "último": -1, "última": -1, "ultimo": -1, "ultima": -1, "pertama": 1, "kedua": 2, "ketiga": 3, "terakhir": -1,
}  # fmt: skip
_ORDINAL = re.compile(
    rf"\b(?:the|and|el|la|y|dan|yang|about|is)\s+(?:the\s+|yang\s+)?({'|'.join(_ORDINALS)})\b"
    r"(?!\s+(?:time|place|step|week|day|month|quarter|thing|to\b))"
    r"|(?:\b(?:number|no\.?|item|finding)\s+#?|#)(\d{1,2})\b(?![-\w.])",
    re.IGNORECASE,
)
_POINTS_BACK = re.compile(
    r"\b(?:it|its|this|that|these|those|them|they|the same|former|latter)\b"
    r"|\b(?:eso|esto|ello|ellos|ese|esa|esos|itu|ini|tersebut)\b"
    r"|\b(?:first|second|third|last|which|other|both|neither|high|low|medium|critical|only the) ones?\b"
    r"|\b(?:arreglo|corrijo|soluciono)lo\b",
    re.IGNORECASE,
)
_GOES_ON = re.compile(
    r"^\s*(?:(?:ok|okay|right|great|sure|thanks|fine|good|hm+)[\s,.]+)?"
    r"(?:and|or|but|also|then|so|what about|how about|what else|only|just|same|y|e|o|dan|pula|bagaimana dengan|"
    r"qué hay de|que hay de|qué tal|why|more|elaborate|go on|continue)\b",
    re.IGNORECASE,
)
_SELF_STANDING = 14  # words beyond which a question is taken to stand on its own


@dataclass(frozen=True, slots=True)
class Turn:
    """What one side said: ``user`` or ``assistant``."""

    who: str
    text: str


def turns(history: Iterable[Any]) -> list[Turn]:
    """The last turns of a conversation, told as (user, assistant) pairs or as messages with role and content."""
    told: list[Turn] = []
    for entry in list(history)[-2 * TURNS :]:
        if isinstance(entry, str):
            told.append(Turn("user", readable(entry)))
        elif isinstance(entry, Mapping):
            told.append(_turn(entry.get("role"), entry.get("content")))
        elif hasattr(entry, "role") and hasattr(entry, "content"):
            told.append(_turn(entry.role, entry.content))
        elif isinstance(entry, Sequence) and len(entry) == 2:
            told += [Turn("user", readable(str(entry[0]))), Turn("assistant", readable(str(entry[1] or "")))]
    return [turn for turn in told if turn.text.strip()][-2 * TURNS :]


def _turn(role: Any, content: Any) -> Turn:
    return Turn("user" if str(role).lower() in {"user", "human"} else "assistant", readable(str(content or "")))


def ordinals_of(text: str) -> tuple[int, ...]:
    """The positions a question points at, from 1; -1 is the last.

    >>> ordinals_of("and the second one?"), ordinals_of("fix #3"), ordinals_of("what do I fix first?")
    ((2,), (3,), ())
    """
    found = (_ORDINALS[m[1].lower()] if m[1] else int(m[2]) for m in _ORDINAL.finditer(text))
    return tuple(dict.fromkeys(found))


def without_ordinals(text: str) -> str:
    """The question without its ordinals: "the first" of a list is no matter of priority."""
    return _ORDINAL.sub(" ", text)


def points_back(text: str) -> bool:
    """Whether a question speaks of something said before ("it", "the second one")."""
    return bool(_POINTS_BACK.search(text))


def goes_on(text: str) -> bool:
    """Whether a question is short and goes on from the one before it ("what about RDS?")."""
    return len(text.split()) <= _SELF_STANDING and bool(_GOES_ON.match(text))


def listed(answer: str) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    r"""The check ids and the finding ids of each item an answer listed, in its order.

    >>> listed("1. [S3.1] Off (medium)\n2. [S3.5] Plain (high)")
    [(('S3.1',), ()), (('S3.5',), ())]
    """
    items = []
    for found in _ITEM.finditer(answer):
        known = identifiers(found[1] or found[2])
        checks = tuple(one.value for one in known if one.kind == "check")
        items.append((checks, tuple(one.value for one in known if one.kind == "finding")))
    return [item for item in items if item[0] or item[1]]
