"""Encodes events as `text/event-stream` (WHATWG HTML, 9.2), once for however many readers."""

from __future__ import annotations

import json
from typing import Any

from pydantic_core import PydanticSerializationError, to_json

MEDIA_TYPE = "text/event-stream"
HEARTBEAT = b": still here\n\n"
OPENING = b"retry: 1000\n\n"  # milliseconds a browser waits before it rejoins
TERMINAL = frozenset({"done", "error"})

_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), default=str).encode


def frame(number: int, name: str, data: dict[str, Any]) -> bytes:
    r"""One event. JSON escapes every line break, so its data is one line.

    >>> frame(2, "chunk", {"content": "a\nb"})
    b'id: 2\nevent: chunk\ndata: {"content":"a\\nb"}\n\n'
    """
    try:
        told = to_json(data, inf_nan_mode="null", fallback=str)
    except PydanticSerializationError:  # half a surrogate pair, which UTF-8 cannot hold
        told = _encode(data).encode("utf-8", "replace")
    return b"id: %d\nevent: %s\ndata: %s\n\n" % (number, name.encode(), told)


def is_last(framed: bytes) -> bool:
    """Whether a frame ends its stream."""
    head = framed[:30]  # the id and the name; data begins with a field's name, so no text of a user is in it
    return b"\nevent: done" in head or b"\nevent: error" in head


def data_of(framed: bytes) -> dict[str, Any]:
    """The data of a frame again."""
    value: dict[str, Any] = json.loads(framed.split(b"\ndata: ", 1)[1])
    return value


def name_of(framed: bytes) -> str:
    """The event's name of a frame."""
    return framed.split(b"\n", 2)[1].removeprefix(b"event: ").decode()
