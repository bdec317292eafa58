"""Sends a tape's events to one reader, at the reader's pace and no faster."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from footnoted.service import sse
from footnoted.service.replay import Tape
from footnoted.service.tasks import ended

_PIECE = 48 * 1024  # bytes written at once; less than what uvicorn lets wait for a slow reader
ABORT = "footnoted.abort"  # where our protocol leaves a connection's abort in the scope
_HEADERS = {
    "Cache-Control": "no-cache, no-transform",
    "X-Accel-Buffering": "no",  # nginx: pass it on as it comes
}


class EventStream(Response):
    """The events of a tape after one number, until its last, for one reader.

    Whatever the reader does, at most one piece of the tape waits in its connection. ``readers`` is the set it
    stands in while it lives, so that `Pulse` can keep its line open and cut it when nothing is taken from it;
    ``when_left`` is called once, in the end.
    """

    media_type = sse.MEDIA_TYPE

    def __init__(self, tape: Tape, *, after: int, readers: set[EventStream], when_left: Callable[[], Any]) -> None:
        super().__init__(headers=dict(_HEADERS))
        self.raw_headers = [(name, value) for name, value in self.raw_headers if name != b"content-length"]
        self.stream_id = tape.record.stream_id
        self._tape = tape
        self._after = after
        self._readers = readers
        self._when_left = when_left
        self._loop = asyncio.get_running_loop()
        self._waits: asyncio.Future[bool] | None = None
        self._gone = False
        self._over = False
        self._abort: Callable[[], None] | None = None
        self.last_sent = self._loop.time()
        self.sending_since: float | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Tell the events; returns when the last is told, the reader has left, or it was cut off."""
        self._abort = scope.get(ABORT)
        self._readers.add(self)
        listening: asyncio.Task[None] | None = None
        try:
            listening = asyncio.create_task(self._listen(receive))
            await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
            await self._tell(send)
        finally:
            self._readers.discard(self)
            self._when_left()
            await ended(listening)

    def nudge(self) -> None:
        """Look again: the line needs a sign of life, or the reader has left."""
        if self._waits is not None and not self._waits.done():
            self._waits.set_result(False)

    def let_go(self) -> None:
        """End the response here, without an ending of the stream: the reader rejoins, at another replica."""
        self._over = True
        self.nudge()

    def cut(self) -> None:
        """Drop the connection with whatever waits in it."""
        self._gone = True
        if self._abort is not None:
            self._abort()
        self.nudge()

    async def _tell(self, send: Send) -> None:
        tape, after = self._tape, self._after
        await self._send(send, sse.OPENING)
        while not (self._gone or self._over):
            if tape.told > after:
                piece, after = tape.between(after, _PIECE)
                await self._send(send, piece)
            elif tape.ended or tape.broken:
                if tape.ended and not tape.none_follow(after):
                    await self._send(send, _lost(after + 1))
                break
            else:
                self._waits = tape.wait()
                news = await self._waits
                self._waits = None
                if not (news or self._gone or self._over):
                    await self._send(send, sse.HEARTBEAT)
        if not self._gone:
            await self._send(send, b"", more=False)

    async def _send(self, send: Send, piece: bytes, *, more: bool = True) -> None:
        self.sending_since = self.last_sent = self._loop.time()
        await send({"type": "http.response.body", "body": piece, "more_body": more})
        self.sending_since = None

    async def _listen(self, receive: Receive) -> None:
        while (await receive())["type"] != "http.disconnect":
            pass
        self._gone = True
        self.nudge()


def _lost(number: int) -> bytes:
    """The ending for a reader who saw more than was kept: its replica died with the last of it."""
    return sse.frame(number, "error", {"code": "replica_lost", "message": "the end of this answer was lost; ask again"})


class Pulse:
    """One clock for all readers of a process: a comment on quiet lines, an end to those that take nothing."""

    def __init__(self, *, heartbeat: float, stall: float) -> None:
        self.readers: set[EventStream] = set()
        self._heartbeat = heartbeat
        self._stall = stall
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin to beat."""
        self._task = asyncio.create_task(self._beat(), name="footnoted-pulse")

    async def aclose(self) -> None:
        """Stop."""
        await ended(self._task)

    async def _beat(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            await asyncio.sleep(min(1.0, self._heartbeat / 2, self._stall / 2))
            now = loop.time()
            for reader in list(self.readers):
                if reader.sending_since is not None and now - reader.sending_since > self._stall:
                    reader.cut()
                elif reader.sending_since is None and now - reader.last_sent >= self._heartbeat:
                    reader.nudge()
