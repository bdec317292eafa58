"""Decodes an AWS event stream.

Framing: docs.aws.amazon.com/transcribe/latest/dg/event-stream.html (``application/vnd.amazon.eventstream``): two
lengths and their CRC-32, headers, a payload, and the CRC-32 of all of it.
"""

from __future__ import annotations

import struct
from zlib import crc32

from footnoted.errors import BadProviderReply
from footnoted.providers._sse import MAX_EVENT, Event

CORRUPT = "corrupt"  # the type of an event whose sums are wrong; nothing after it can be read
_PRELUDE = struct.Struct(">III")
_FIXED = {0: 0, 1: 0, 2: 1, 3: 2, 4: 4, 5: 8, 8: 8, 9: 16}  # header types by their size in bytes; 6 and 7 tell theirs


class FrameDecoder:
    """Turns pieces of a byte stream, cut anywhere, into events: their type, and their payload as text."""

    def __init__(self) -> None:
        self._bytes = bytearray()
        self._lost = False

    def decode(self, piece: bytes) -> list[Event]:
        """The events this piece completes. Raises `BadProviderReply` when one outgrows ``MAX_EVENT``."""
        self._bytes += piece
        events: list[Event] = []
        while not self._lost and len(self._bytes) >= _PRELUDE.size:
            size, headers, checked = _PRELUDE.unpack_from(self._bytes)
            if crc32(self._bytes[:8]) != checked or size < headers + 16:
                return [*events, self._broken()]
            if size > MAX_EVENT:
                raise BadProviderReply(f"an event is larger than {MAX_EVENT} bytes")
            if len(self._bytes) < size:
                break
            frame = bytes(self._bytes[:size])
            del self._bytes[:size]
            if crc32(frame[:-4]) != int.from_bytes(frame[-4:]):
                return [*events, self._broken()]
            events.append(_event(frame, headers))
        return events

    def flush(self) -> list[Event]:
        """Nothing: half a frame says nothing."""
        return []

    def _broken(self) -> Event:
        self._lost = True
        return Event(CORRUPT, bytes(self._bytes[:80]).decode("utf-8", "replace"))


def _event(frame: bytes, size: int) -> Event:
    """A whole frame's event; of an exception its own type."""
    headers, at, end = {}, _PRELUDE.size, _PRELUDE.size + size
    try:
        while at < end:
            name = frame[at + 1 : at + 1 + frame[at]].decode()
            at += 1 + frame[at]
            kind, at = frame[at], at + 1
            if kind in (6, 7):
                length = int.from_bytes(frame[at : at + 2])
                headers[name] = frame[at + 2 : at + 2 + length].decode("utf-8", "replace")
                at += 2 + length
            else:
                at += _FIXED[kind]
    except (IndexError, KeyError, UnicodeDecodeError):
        return Event(CORRUPT, "its headers")
    kinds = (headers.get(name) for name in (":event-type", ":exception-type", ":error-code"))
    return Event(next(filter(None, kinds), "message"), frame[end:-4].decode("utf-8", "replace"))
