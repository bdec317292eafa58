"""What a scripted model says: replies in, one for each request that arrives, and the requests on record."""

from __future__ import annotations

import json as jsonlib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

ProtocolName = Literal["openai", "responses", "anthropic", "gemini", "azure", "bedrock", "vertex", "cohere"]
Finish = Literal["stop", "length", "filter", "blocked"]


@dataclass(frozen=True, slots=True)
class Pin:
    """A native citation (Anthropic's ``char_location``) right after piece number ``piece`` (0-based).

    ``document`` is the request's document (0-based), ``[start, end)`` its code points, ``quote`` their text.
    """

    piece: int
    document: int
    start: int
    end: int
    quote: str = ""
    title: str | None = None


@dataclass(frozen=True, slots=True)
class Fault:
    """A way to go wrong: in the events, in the whole reply's body, or in how either travels; `faults` makes them.

    Each takes what a good reply would be, and what is said of it there, and gives what is sent instead.
    """

    name: str
    frames: Callable[..., Any] | None = None
    body: Callable[..., bytes] | None = None
    steps: Callable[..., Any] | None = None


@dataclass(frozen=True, slots=True)
class Reply:
    """One reply of the model, in no protocol yet.

    ``pieces`` are the streamed parts (``text`` cut after each word unless given); ``first_delay`` seconds
    pass before the first, ``delay`` between two. ``finish``: ``filter`` is a filter that stopped the model,
    ``blocked`` one that refused the prompt. ``usage`` is (input, cached among them, output) tokens, else
    estimated. ``json`` is a structured reply, encoded as protocol and request ask for it. A ``status`` other
    than 200 is the vendor's own error body, with ``text`` as its message.
    """

    text: str = ""
    pieces: Sequence[str] | None = None
    delay: float = 0.0
    first_delay: float = 0.0
    finish: Finish = "stop"
    usage: tuple[int, int, int] | None = None
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    fault: Fault | None = None
    json: Any = None
    citations: Sequence[Pin] = ()

    @property
    def parts(self) -> list[str]:
        """The text as it streams: ``"a b"`` -> ``["a ", "b"]``."""
        if self.pieces is not None:
            return list(self.pieces)
        return re.findall(r"\s*\S+\s?|\s+", self.whole)

    @property
    def whole(self) -> str:
        """The text in one."""
        if self.json is not None:
            return jsonlib.dumps(self.json, ensure_ascii=False)
        return self.text if self.pieces is None else "".join(self.pieces)

    def tokens(self, prompt: str) -> tuple[int, int, int]:
        """(input, cached, output) tokens: as scripted, else four characters a token."""
        return self.usage or (max(1, len(prompt) // 4), 0, len(self.whole) // 4)


@dataclass(frozen=True, slots=True)
class Request:
    """One request as the server read it. Header names are lower case; ``json`` is the body, decoded."""

    protocol: ProtocolName
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    json: Mapping[str, Any]
    model: str
    stream: bool
    system_text: str
    prompt_text: str
    key: str | None

    def lacks(self, *names: str) -> str | None:
        """The first of these fields that the body does not have."""
        return next((name for name in names if not self.json.get(name)), None)


Scripted = Reply | str | Callable[[Request], Reply | str]


class Script:
    """Replies in order, the last one again and again; a function is asked with the request."""

    def __init__(self, replies: Sequence[Scripted]) -> None:
        self._replies = list(replies) or [Reply(text="Hello.")]
        self._next = 0

    def reply(self, request: Request) -> Reply:
        """The reply to this request; moves on to the next."""
        scripted = self._replies[min(self._next, len(self._replies) - 1)]
        self._next += 1
        if callable(scripted):
            scripted = scripted(request)
        return Reply(text=scripted) if isinstance(scripted, str) else scripted


def text_of(content: object) -> str:
    """The words in a message's content, whichever shape a protocol gives it: text, parts, documents."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "\n".join(filter(None, (text_of(part) for part in content)))
    if isinstance(content, dict):
        for name in ("text", "parts", "content", "source", "data"):
            if name in content:
                return text_of(content[name])
    return ""


def texts(turns: Any, *roles: str) -> str:
    """The words of the turns in these roles; a turn that names none is the user's."""
    given = [turn for turn in turns or () if isinstance(turn, dict)]
    return "\n".join(text_of(turn) for turn in given if turn.get("role", "user") in roles)
