"""Decodes a stream of server-sent events, and writes one.

Follows the WHATWG HTML standard, "Server-sent events: interpreting an event stream", with one leniency:
`Decoder.flush` gives the event that was open when the stream ended, because servers forget the last blank
line; whoever reads it decides whether it is whole (a cut JSON text is not).
"""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from footnoted.errors import BadProviderReply

MAX_EVENT = 8 * 1024 * 1024  # bytes; the largest single reply of the protocols spoken here is far smaller
_BOM = b"\xef\xbb\xbf"


class Event(NamedTuple):
    """One event: its type (``message`` unless named), its data lines joined by LF, the last id seen."""

    event: str
    data: str
    id: str = ""


class Decoder:
    r"""Turns pieces of a byte stream, cut anywhere, into events.

    >>> Decoder().decode(b"event: ping\ndata: 1\n\n")
    [Event(event='ping', data='1', id='')]
    """

    def __init__(self) -> None:
        self._between = False  # past the first event, and nothing of the next is read but an unfinished line
        self._parts: list[bytes] = []  # an unfinished line, in the pieces it came in
        self._size = 0  # bytes of the open event: its data so far and the unfinished line
        self._after_cr = False
        self._at_start = True
        self._event = b""
        self._data: list[bytes] = []
        self._id = ""

    def decode(self, piece: bytes) -> list[Event]:
        """The events this piece completes. Raises `BadProviderReply` when one outgrows ``MAX_EVENT``."""
        if not piece:
            return []
        if self._between and piece.find(b"\n\n") == len(piece) - 2 and not self._parts and piece.startswith(b"data: "):
            data = piece[6:-2]  # one event of one line, as nearly every piece of a paced stream is
            if b"\n" not in data and b"\r" not in data:
                return [Event("message", data.decode("utf-8", "replace"), self._id)]
        if self._after_cr:
            self._after_cr = False
            if piece[0] == 0x0A:  # the LF of a CRLF that was cut in two
                piece = piece[1:]
        if b"\r" in piece:
            self._after_cr = piece[-1] == 0x0D
            piece = piece.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        if b"\n" not in piece:
            self._keep(piece)
            return []
        if self._parts:
            self._parts.append(piece)
            piece = b"".join(self._parts)
            self._parts.clear()
        *lines, rest = piece.split(b"\n")
        self._size = sum(map(len, self._data))
        events = self._read(lines)
        if rest:
            self._keep(rest)
        self._between = not (self._data or self._event or self._after_cr)
        return events

    def flush(self) -> list[Event]:
        """The event still open at the end of the stream, if any; see the module's word on leniency."""
        return self.decode(b"\n\n") if self._parts or self._data else []

    def _keep(self, rest: bytes) -> None:
        self._parts.append(rest)
        self._grow(len(rest))

    def _grow(self, size: int) -> None:
        self._size += size
        if self._size > MAX_EVENT:
            raise BadProviderReply(f"an event of the stream is larger than {MAX_EVENT} bytes")

    def _read(self, lines: list[bytes]) -> list[Event]:
        events: list[Event] = []
        if self._at_start and lines:
            self._at_start = False
            lines[0] = lines[0].removeprefix(_BOM)
        for line in lines:
            if line[:6] == b"data: ":  # nearly every line there is
                self._data.append(line[6:])
                self._grow(len(line))
            elif not line:
                if self._data:
                    events.append(self._close())
                self._event = b""
            elif line[0] != 0x3A:  # a colon opens a comment
                self._field(line)
        return events

    def _field(self, line: bytes) -> None:
        name, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if name == b"data":
            self._data.append(value)
            self._grow(len(line))
        elif name == b"event":
            self._event = value
        elif name == b"id" and b"\0" not in value:
            self._id = value.decode("utf-8", "replace")

    def _close(self) -> Event:
        data = self._data[0] if len(self._data) == 1 else b"\n".join(self._data)
        self._data.clear()
        self._size = 0
        name = self._event.decode("utf-8", "replace") if self._event else "message"
        return Event(name, data.decode("utf-8", "replace"), self._id)


def line_of(data: Any, event: str = "") -> bytes:
    """An event as it is sent."""
    head = f"event: {event}\n" if event else ""
    value = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return f"{head}data: {value}\n\n".encode("utf-8", "replace")
