"""Numbers the events of anything that produces them, and keeps, rejoins and stops its streams.

This is where an answer outlives its reader: the production runs in a task of its own and writes onto a tape;
connections only follow the tape.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import structlog

from footnoted.service import sse
from footnoted.service.faults import Fault, fault_of, not_found
from footnoted.service.following import EventStream, Pulse
from footnoted.service.limits import Limits, Release
from footnoted.service.observe.metrics import METRICS
from footnoted.service.replay import Record, Tape
from footnoted.service.settings import Settings
from footnoted.service.tasks import ended

if TYPE_CHECKING:
    from footnoted.service.replay import Replay

log = structlog.get_logger("footnoted.streams")

Produced = AsyncGenerator[tuple[str, dict[str, Any]]]
Reader = Literal["keep", "cancel"]

STOPPED_FOR = {
    "stopped": "the answer was stopped",
    "reader_left": "nobody was reading any more",
    "too_long": "the answer took longer, or became larger, than this service allows",
    "shutting_down": "this replica is shutting down; ask again",
    "replica_lost": "the process that wrote this answer was lost; ask again",
    "internal": "something went wrong here; the log of this service has more",
}


def _error(code: str) -> tuple[str, dict[str, Any]]:
    return "error", {"code": code, "message": STOPPED_FOR[code]}


def new_stream_id() -> str:
    """A name nobody can guess."""
    return f"s_{secrets.token_urlsafe(18)}"


@dataclass(slots=True)
class Running:
    """A production under way in this process."""

    tape: Tape
    produced: Produced
    reader: Reader
    release: Release
    readers: int = 0
    left_at: float | None = None
    why: str = ""  # the code it is stopped for
    task: asyncio.Task[None] | None = None

    def stop(self, code: str) -> None:
        """End it with an ``error`` of this code; what was told stays."""
        if not self.why and self.task is not None and not self.task.done():
            self.why = code
            self.task.cancel()


class Streams:
    """All streams a tenant may start, join and stop through this process."""

    def __init__(self, replay: Replay, limits: Limits, settings: Settings) -> None:
        self.replay = replay
        self.pulse = Pulse(heartbeat=settings.heartbeat_seconds, stall=settings.stall_seconds)
        self.draining = False
        self._draining_since = 0.0
        self._limits = limits
        self._settings = settings
        self._running: dict[str, Running] = {}
        self._minding: asyncio.Task[None] | None = None
        self._leaving: asyncio.Task[None] | None = None

    async def open(self) -> None:
        """Begin."""
        self._loop = asyncio.get_running_loop()
        await self.replay.open()
        self.pulse.start()
        self._minding = asyncio.create_task(self._mind(), name="footnoted-streams")

    async def aclose(self) -> None:
        """Give running productions their time, end those that need more, then let go of everything."""
        self.drain()
        tasks = await self._all_ended()
        self._end_all()
        await asyncio.gather(*tasks, return_exceptions=True)
        await ended(self._minding)
        await self.pulse.aclose()
        await self.replay.aclose()

    def drain(self) -> None:
        """Take nothing new; readers of streams that are written elsewhere are let go, to rejoin another replica."""
        if self.draining:
            return
        self.draining = True
        self._draining_since = time.monotonic()
        # The server waits for its connections before it tells us to close, so the time for streams runs from now.
        self._loop.call_later(self._settings.shutdown_seconds, self._end_all)
        for reader in list(self.pulse.readers):
            if reader.stream_id not in self._running:
                reader.let_go()

    def drain_soon(self, then: Callable[[], object]) -> None:
        """`drain`, from a signal's handler; ``then`` is called when the last stream has ended, or its time is over."""

        async def left() -> None:
            await self._all_ended()
            then()

        def begin() -> None:
            self.drain()
            self._leaving = asyncio.create_task(left(), name="footnoted-leaving")

        self._loop.call_soon_threadsafe(begin)

    async def _all_ended(self) -> list[asyncio.Task[None]]:
        """Wait for the streams under way, as long as there is time for them; their tasks."""
        tasks = [running.task for running in self._running.values() if running.task is not None]
        if tasks:
            left = self._draining_since + self._settings.shutdown_seconds - time.monotonic()
            await asyncio.wait(tasks, timeout=max(0.0, left))
        return tasks

    async def start(self, tenant: str, produce: Produced, *, kind: str, reader: Reader, stream_id: str) -> None:
        """Run ``produce`` to its end apart from any connection.

        ``produce`` yields ``(event, data)``; its ``start`` and ``done`` get the stream's id. Raises `Fault` 429 when
        the tenant has as many streams running as it may have.
        """
        if self.draining:
            await produce.aclose()
            raise Fault(503, "shutting_down", "this replica is shutting down; try again", retry_after=1)
        release = None
        try:
            release = await self._limits.enter(tenant, stream_id)
            record = Record(stream_id, tenant, kind, time.time())
            tape = await self.replay.create(record, stop=lambda code: self._stop_here(stream_id, code))
        except BaseException:
            await produce.aclose()
            if release is not None:
                await release()
            raise
        running = Running(tape, produce, reader, release, left_at=time.monotonic())
        self._running[stream_id] = running
        running.task = asyncio.create_task(self._write(running), name=f"footnoted-{kind}")
        METRICS.streams_running.inc()

    async def join(self, tenant: str, stream_id: str, *, after: int = 0) -> EventStream | None:
        """The events after a number, for one reader; nothing when the stream has ended and none follow.

        Raises `Fault` 404 for another tenant's, 410 for one that is no longer kept.
        """
        record = await self.find(tenant, stream_id)
        tape = await self._borrow(record)
        running = self._running.get(stream_id)
        if tape.none_follow(after):
            self.replay.give_back(tape)
            return None
        if running is not None:
            running.readers += 1
            running.left_at = None

        def left() -> None:
            self.replay.give_back(tape)
            METRICS.readers.dec()
            if running is not None:
                running.readers -= 1
                if running.readers == 0:
                    running.left_at = time.monotonic()

        METRICS.readers.inc()
        return EventStream(tape, after=after, readers=self.pulse.readers, when_left=left)

    async def find(self, tenant: str, stream_id: str) -> Record:
        """A stream of this tenant's; 404 for any other."""
        record = await self.replay.find(stream_id) if len(stream_id) <= 64 and stream_id.isascii() else None
        if record is None or record.tenant != tenant:
            raise not_found("there is no such stream")
        return record

    async def _borrow(self, record: Record) -> Tape:
        tape = await self.replay.borrow(record)
        if tape is None:
            raise Fault(410, "stream_expired", "this stream is no longer kept")
        return tape

    async def stop(self, tenant: str, stream_id: str) -> bool:
        """Stop a stream wherever it is written; whether it was still running."""
        record = await self.find(tenant, stream_id)
        tape = await self._borrow(record)
        try:
            if tape.ended:
                return False
            await self.replay.stop(record, "stopped")
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(5.0):
                    while not tape.ended:
                        await tape.wait()
            if not tape.ended:
                raise Fault(409, "conflict", "the stream did not stop in time; ask again", retry_after=1)
            return sse.data_of(tape.frames[-1]).get("code") == "stopped"
        finally:
            self.replay.give_back(tape)

    async def forget(self, tenant: str, stream_id: str) -> None:
        """Stop a stream and keep nothing of it; whoever asks for it finds none."""
        record = await self.replay.find(stream_id)
        if record is None or record.tenant != tenant:
            return
        with contextlib.suppress(Fault):
            await self.stop(tenant, stream_id)
        await self.replay.forget(record)

    async def status(self, tenant: str, stream_id: str) -> tuple[Record, str, int]:
        """A stream's record, its state, and how many events it has."""
        record = await self.find(tenant, stream_id)
        tape = await self._borrow(record)
        try:
            return record, tape.state, tape.told
        finally:
            self.replay.give_back(tape)

    def _end_all(self) -> None:
        for running in list(self._running.values()):
            running.stop("shutting_down")

    def _stop_here(self, stream_id: str, code: str) -> None:
        running = self._running.get(stream_id)
        if running is not None:
            running.stop(code)

    async def _write(self, running: Running) -> None:
        """Bring everything produced onto the tape; whatever happens, one last event ends it."""
        tape = running.tape
        ending = _error("internal")
        try:
            async with asyncio.timeout(self._settings.stream_seconds), aclosing(running.produced) as events:
                ending = await self._record(tape, events)
        except asyncio.CancelledError:
            ending = _error(running.why or "shutting_down")
        except TimeoutError:
            ending = _error("too_long")
        except Exception as error:
            fault = fault_of(error)
            if fault.status == 500:
                log.exception("stream broke", stream_id=tape.record.stream_id)
            ending = ("error", {"code": fault.code, "message": fault.message})
        finally:
            name, data = ending
            if name == "done":
                data.setdefault("stream_id", tape.record.stream_id)
            tape.append(sse.frame(len(tape.frames) + 1, name, data))
            del self._running[tape.record.stream_id]
            METRICS.streams_running.dec()
            METRICS.streams_ended.labels(tape.record.kind, name if name == "done" else data["code"]).inc()
            await running.release()

    async def _record(
        self, tape: Tape, events: AsyncIterator[tuple[str, dict[str, Any]]]
    ) -> tuple[str, dict[str, Any]]:
        most = self._settings.stream_bytes
        first = True
        async for name, data in events:
            if name in sse.TERMINAL:
                return name, data
            if name == "start":
                data.setdefault("stream_id", tape.record.stream_id)
            elif first and name == "chunk":
                first = False
                METRICS.first_chunk.labels(tape.record.kind).observe(time.time() - tape.record.created_at)
            tape.append(sse.frame(len(tape.frames) + 1, name, data))
            if tape.bytes > most:
                return _error("too_long")
        return _error("internal")

    async def _mind(self) -> None:
        """End productions that nobody has read for as long as their policy allows."""
        grace = {"keep": self._settings.keep_grace_seconds, "cancel": self._settings.cancel_grace_seconds}
        while True:
            await asyncio.sleep(min(0.25, *(max(0.05, seconds / 2) for seconds in grace.values())))
            now = time.monotonic()
            unread = [
                running
                for running in self._running.values()
                if running.left_at is not None and now - running.left_at >= grace[running.reader]
            ]
            if not unread:
                continue
            elsewhere = await self.replay.read_elsewhere([running.tape.record for running in unread])
            for running in unread:
                if running.tape.record.stream_id in elsewhere:
                    running.left_at = now if running.reader == "keep" else now - grace["cancel"]
                elif running.left_at is not None:
                    running.stop("reader_left")
