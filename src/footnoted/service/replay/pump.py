"""Copies the frames of this process's tapes to Redis, in order and once, and then tells readers of them."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable
from typing import Any

import structlog
from redis.asyncio import Redis
from redis.exceptions import NoScriptError, RedisError

from footnoted.service import sse
from footnoted.service.replay.base import Record, Tape
from footnoted.service.replay.line import over
from footnoted.service.replay.names import Keys
from footnoted.service.replay.scripts import APPEND

log = structlog.get_logger("footnoted.replay")

_MOST_FRAMES = 500  # of one stream at once; Lua unpacks no more than a few thousand values
_MOST_STREAMS = 400  # in one round trip
_FLUSH = 5.0  # seconds to write what is left when the process ends


class Pump:
    """One writer for all tapes of a process: what gathered during one round trip leaves together with the next.

    ``keep_ms``: of an ended stream's events, of a running one's, of an ended one's record. ``create`` puts a record
    that Redis has lost; ``taken`` is called for a stream that another replica has ended.
    """

    def __init__(
        self,
        redis: Redis,
        keys: Keys,
        replica: str,
        *,
        keep_ms: tuple[int, int, int],
        create: Callable[[Record], Awaitable[None]],
        taken: Callable[[Tape], Awaitable[None]],
        patience: float,
    ) -> None:
        self._redis = redis
        self._keys = keys
        self._replica = replica
        self._keep_ms = tuple(map(str, keep_ms))
        self._create = create
        self._taken = taken
        self._patience = patience
        self._waiting: dict[str, Tape] = {}
        self._written: dict[str, int] = {}  # frames of each running tape that Redis has
        self._news = asyncio.Event()
        self._empty = asyncio.Event()
        self._empty.set()
        self._sha = ""
        self._away_since: float | None = None
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin to write."""
        self._task = asyncio.create_task(self._run(), name="footnoted-pump")

    def add(self, tape: Tape) -> None:
        """A tape has a frame that is not safe yet."""
        self._waiting[tape.record.stream_id] = tape
        self._news.set()
        self._empty.clear()

    async def aclose(self) -> None:
        """Write what is left, within a few seconds."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_FLUSH):
                await self._empty.wait()
        await over(self._task)

    async def _run(self) -> None:
        wait = 0.05
        while True:
            await self._news.wait()
            self._news.clear()
            batch = self._batch()
            try:
                await self._write(batch)
            except (RedisError, OSError, TimeoutError) as error:
                self._note_absence(batch, error)
                await asyncio.sleep(wait)
                wait = min(wait * 2, 0.5)
            except Exception:  # a defect of one round must not end all streams
                log.exception("pump broke")
                await asyncio.sleep(wait)
            else:
                wait = 0.05
                self._away_since = None
            if self._waiting:
                self._news.set()
            else:
                self._empty.set()

    def _batch(self) -> list[Tape]:
        batch = []
        for stream_id, tape in list(self._waiting.items())[:_MOST_STREAMS]:
            if self._written.get(stream_id, 0) < len(tape.frames):
                batch.append(tape)
            else:
                del self._waiting[stream_id]
        return batch

    async def _write(self, batch: list[Tape]) -> None:
        if not self._sha:
            loaded = await self._redis.script_load(APPEND)
            self._sha = loaded if isinstance(loaded, str) else loaded.decode()
        ends: list[int] = []
        async with self._redis.pipeline(transaction=False) as pipe:
            for tape in batch:
                begin = self._written.get(tape.record.stream_id, 0)
                end = min(len(tape.frames), begin + _MOST_FRAMES)
                ends.append(end)
                pipe.evalsha(self._sha, 2, *self._arguments(tape, begin, end))
            replies: list[Any] = await pipe.execute(raise_on_error=False)
        for tape, end, reply in zip(batch, ends, replies, strict=True):
            await self._hear(tape, end, reply)

    def _arguments(self, tape: Tape, begin: int, end: int) -> list[Any]:
        stream_id = tape.record.stream_id
        ended, running, record = self._keep_ms
        last = tape.frames[end - 1]
        state = ("done" if sse.name_of(last) == "done" else "error") if sse.is_last(last) else ""
        fields: list[Any] = []
        for number, framed in enumerate(tape.frames[begin:end], begin + 1):
            fields += (number, framed)
        about = (self._replica, str(end), state, ended if state else running, record)
        return [self._keys.stream(stream_id, "events"), self._keys.stream(stream_id, "record"), *about, *fields]

    async def _hear(self, tape: Tape, end: int, reply: Any) -> None:
        stream_id = tape.record.stream_id
        if reply in (b"ok", b"again"):
            self._written[stream_id] = end
            if end == len(tape.frames):
                self._waiting.pop(stream_id, None)
            tape.confirm(end)
            if tape.ended:
                self._written.pop(stream_id, None)
        elif reply == b"gone":
            # Redis came back without what it had: everything is written again.
            self._written[stream_id] = 0
            await self._create(tape.record)
        elif reply == b"taken":
            self._waiting.pop(stream_id, None)
            self._written.pop(stream_id, None)
            await self._taken(tape)
        elif isinstance(reply, NoScriptError):
            self._sha = ""
        elif isinstance(reply, Exception):
            raise reply

    def _note_absence(self, batch: list[Tape], error: Exception) -> None:
        now = time.monotonic()
        if self._away_since is None:
            self._away_since = now
            log.warning("redis away", error=type(error).__name__)
        self._sha = ""
        # It may come back without its last moments: running streams are offered again from their beginning, and
        # what it still has is not taken twice.
        self._written.clear()
        if now - self._away_since > self._patience:
            # Readers here have waited long enough; what they are told now is written as soon as that is possible.
            for tape in batch:
                tape.confirm(len(tape.frames))
