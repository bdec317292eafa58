"""Reads requests and writes responses of HTTP/1.1: as much of RFC 9112 as clients use."""

from __future__ import annotations

import contextlib
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, unquote, urlsplit

if TYPE_CHECKING:
    from collections.abc import Mapping

_REASONS = {200: "OK", 400: "Bad Request", 401: "Unauthorized", 404: "Not Found", 429: "Too Many Requests"}


@dataclass(frozen=True, slots=True)
class Message:
    """One HTTP request as read."""

    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    json: Mapping[str, Any] = field(default_factory=dict)


def head(status: int, headers: Mapping[str, str]) -> bytes:
    """The status line and headers of a chunked reply."""
    lines = [f"HTTP/1.1 {status} {_REASONS.get(status, 'Scripted')}", "Transfer-Encoding: chunked"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    return "\r\n".join([*lines, "", ""]).encode("latin-1")


def parse(data: bytearray) -> Message | None:
    """The first whole request in the bytes, taken out of them; ``None`` while it is not all there."""
    end = data.find(b"\r\n\r\n")
    if end < 0:
        return None
    first, *lines = data[:end].decode("latin-1").split("\r\n")
    pairs = (line.partition(":") for line in lines)
    headers = {name.strip().lower(): value.strip() for name, _, value in pairs}
    found = _body(data, end + 4, headers)
    if found is None:
        return None
    body, stop = found
    del data[:stop]
    target = urlsplit(first.split(" ")[1])
    value: Any = None
    with contextlib.suppress(ValueError):
        value = json.loads(body)
    return Message(
        path=unquote(target.path),
        query=dict(parse_qsl(target.query)),
        headers=headers,
        json=value if isinstance(value, dict) else {},
    )


def _body(data: bytearray, start: int, headers: Mapping[str, str]) -> tuple[bytes, int] | None:
    """The body that starts here, and where it ends."""
    if headers.get("transfer-encoding", "").lower() != "chunked":
        stop = start + int(headers.get("content-length", "0"))
        return (bytes(data[start:stop]), stop) if len(data) >= stop else None
    body = bytearray()
    while True:
        line = data.find(b"\r\n", start)
        if line < 0:
            return None
        size = int(data[start:line].split(b";")[0], 16)
        start, stop = line + 2, line + 2 + size + 2
        if len(data) < stop:
            return None
        body += data[start : stop - 2]
        start = stop
        if not size:
            return bytes(body), stop
