"""Tapes shared by all replicas through Redis Streams: written by one, followed on any, ended when their writer is lost.

A frame is told to readers once Redis has it, so that every replica tells the same. Who writes holds a lease; when it
lapses, whichever replica follows the stream ends it.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import secrets
import time
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, Any

import structlog

from footnoted.service.faults import Fault
from footnoted.service.replay.base import Kept, Record, Tape
from footnoted.service.replay.lease import Lease
from footnoted.service.replay.line import AWAY, Line, over
from footnoted.service.replay.names import Keys
from footnoted.service.replay.pump import Pump
from footnoted.service.replay.scripts import LOST
from footnoted.service.replay.watch import Mirror, Watch
from footnoted.service.settings import Settings

if TYPE_CHECKING:
    from footnoted.service.counting import RedisCounters
    from footnoted.service.limits import RedisLimits

log = structlog.get_logger("footnoted.replay")

_READ_MS, _LEFT_MS = 3_000, 800  # for how long a reader elsewhere counts once told, and once it has left
_SAY = 0.5  # seconds between telling so
_REMEMBER_MS = 86_400_000  # how long an expired stream's owner is told that it expired
_LOST = {"code": "replica_lost", "message": "the process that wrote this answer was lost; ask again"}
_PATIENCE = 10.0  # seconds without Redis after which readers here are told what is only known here
_GIVE_UP = 30.0  # seconds without Redis after which readers of other replicas' streams are let go


class RedisReplay:
    """Streams that outlive the replica they are read on."""

    def __init__(self, settings: Settings, line: Line) -> None:
        self.replica = secrets.token_hex(8)
        self.line = line
        self.redis = line.redis
        self.keys = Keys(settings.redis_prefix)
        self._keep_ms = int(settings.keep_stream_seconds * 1000)
        self._live_ms = int(settings.stream_seconds * 1000) + self._keep_ms
        self._lease_seconds = settings.lease_seconds
        self._own: dict[str, Kept] = {}
        self._writing = line.alone()
        self._pump = Pump(
            self._writing,
            self.keys,
            self.replica,
            keep_ms=(self._keep_ms, self._live_ms, self._keep_ms + _REMEMBER_MS),
            create=self._put_record,
            taken=self._taken,
            patience=_PATIENCE,
        )
        self._following = line.alone()
        self._watch = Watch(self._following, self.keys.replica(self.replica, "control"), asked=self._asked)
        self._lease = Lease(
            settings.redis_url or "", self.keys.replica(self.replica, "lease"), seconds=settings.lease_seconds
        )
        self._leaving: set[str] = set()  # streams whose last reader here has just left
        self._guarding: asyncio.Task[None] | None = None
        self._away_since: float | None = None
        self._back_since = time.monotonic()

    async def open(self) -> None:
        """Take the lease and begin."""
        with contextlib.suppress(*AWAY):
            await self.redis.set(self.keys.replica(self.replica, "lease"), b"1", px=int(self._lease_seconds * 1000))
        self._lease.start()
        self._pump.start()
        self._watch.start()
        self._guarding = asyncio.create_task(self._guard(), name="footnoted-guard")

    async def aclose(self) -> None:
        """Write what is left, give the lease back, end."""
        await self._pump.aclose()
        await self._watch.aclose()
        await over(self._guarding)
        await asyncio.to_thread(self._lease.stop)
        with contextlib.suppress(*AWAY):
            async with asyncio.timeout(1):
                await self.redis.delete(
                    self.keys.replica(self.replica, "lease"), self.keys.replica(self.replica, "control")
                )
        for client in (self._writing, self._following):
            await client.aclose()

    async def check(self) -> None:
        """Raise `Fault` 503 when Redis is away."""
        await self.line.reached(self.redis.ping())

    async def create(self, record: Record, *, stop: Callable[[str], Any]) -> Tape:
        """A new tape, written here, known everywhere."""
        record = Record(record.stream_id, record.tenant, record.kind, record.created_at, self.replica)
        await self.line.reached(self._put_record(record))
        tape = Tape(record, keeper=self._pump.add)
        self._own[record.stream_id] = Kept(tape, stop)
        return tape

    async def find(self, stream_id: str) -> Record | None:
        """A stream's record."""
        kept = self._own.get(stream_id) or self._watch.mirrors.get(stream_id)
        if kept is not None and (not kept.tape.ended or await self._known(stream_id)):
            return kept.tape.record
        found: Any = await self.line.reached(self.redis.hgetall(self.keys.stream(stream_id, "record")))
        if not found:
            return None
        text = {name.decode(): value.decode() for name, value in found.items()}
        return Record(stream_id, text["tenant"], text["kind"], float(text["created_at"]), text["replica"])

    async def _known(self, stream_id: str) -> bool:
        """Whether Redis still has an ended stream, which any replica may have forgotten; while it is away, it has."""
        try:
            return bool(await self.redis.exists(self.keys.stream(stream_id, "record")))
        except AWAY:
            return True

    async def forget(self, record: Record) -> None:
        """Nothing of it stays in Redis, and what a process still holds of it is not found without that."""
        stream_id = record.stream_id
        names = (
            self.keys.stream(stream_id, "record"),
            self.keys.stream(stream_id, "events"),
            self.keys.stream(stream_id, "reading"),
        )
        await self.line.reached(self.redis.delete(*names))
        self._own.pop(stream_id, None)

    async def borrow(self, record: Record) -> Tape | None:
        """The tape itself where it is written, else a mirror of it."""
        stream_id = record.stream_id
        if (kept := self._own.get(stream_id)) is not None:
            kept.readers += 1
            return kept.tape
        if stream_id not in self._watch.mirrors:
            key = self.keys.stream(stream_id, "events")
            entries: Any = await self.line.reached(self.redis.xrange(key))
            state = await self.line.reached(self.redis.hget(self.keys.stream(stream_id, "record"), "state"))
            if not entries and state != b"running":
                return None
            if stream_id not in self._watch.mirrors:
                mirror = Mirror(Tape(record), key, readers=1)
                mirror.take(entries)
                self._watch.mirrors[stream_id] = mirror
                with contextlib.suppress(*AWAY):
                    await self._say_reading([mirror])
                    await self._ask(self.replica, {"wake": "1"})  # the watch looks again
                return mirror.tape
        mirror = self._watch.mirrors[stream_id]
        mirror.readers += 1
        return mirror.tape

    def give_back(self, tape: Tape) -> None:
        """One reader fewer; a mirror nobody reads is put away."""
        stream_id = tape.record.stream_id
        if (kept := self._own.get(stream_id)) is not None and kept.tape is tape:
            kept.readers -= 1
        elif (mirror := self._watch.mirrors.get(stream_id)) is not None and mirror.tape is tape:
            mirror.readers -= 1
            if mirror.readers <= 0:
                del self._watch.mirrors[stream_id]
                self._leaving.add(stream_id)

    async def read_elsewhere(self, records: Sequence[Record]) -> set[str]:
        """Those with a reader on another replica; when that cannot be known, all of them."""
        try:
            async with self.line.held():
                found = await self.redis.mget([self.keys.stream(record.stream_id, "reading") for record in records])
        except Fault:
            return {record.stream_id for record in records}
        return {record.stream_id for record, reading in zip(records, found, strict=True) if reading}

    async def stop(self, record: Record, code: str) -> None:
        """Stop it here, or ask the replica that writes it."""
        kept = self._own.get(record.stream_id)
        if kept is not None:
            kept.stop(code)
            return
        asked: dict[Any, Any] = {"stop": record.stream_id, "code": code}
        await self.line.reached(self._ask(record.replica, asked))

    async def _ask(self, replica: str, asked: dict[Any, Any]) -> None:
        key = self.keys.replica(replica, "control")
        async with self.redis.pipeline(transaction=False) as pipe:
            pipe.xadd(key, asked, maxlen=10_000, approximate=True)
            pipe.pexpire(key, self._live_ms)
            await pipe.execute()

    def _asked(self, fields: dict[bytes, bytes]) -> None:
        kept = self._own.get(fields.get(b"stop", b"").decode())
        if kept is not None:
            kept.stop(fields.get(b"code", b"stopped").decode())

    async def _put_record(self, record: Record) -> None:
        key = self.keys.stream(record.stream_id, "record")
        about: dict[Any, Any] = {
            "tenant": record.tenant,
            "kind": record.kind,
            "replica": record.replica,
            "created_at": repr(record.created_at),
            "state": "running",
        }
        async with self.redis.pipeline(transaction=True) as pipe:
            pipe.hset(key, mapping=about)
            pipe.pexpire(key, self._live_ms + _REMEMBER_MS)
            await pipe.execute()

    async def _taken(self, tape: Tape) -> None:
        """Another replica ended this stream: it took us for lost. Stop, and tell what its readers were told."""
        log.warning("stream taken", stream_id=tape.record.stream_id)
        kept = self._own.get(tape.record.stream_id)
        entries: Any = await self.redis.xrange(self.keys.stream(tape.record.stream_id, "events"))
        mirror = Mirror(Tape(tape.record), "")
        mirror.take(entries)
        tape.frames[tape.told :] = mirror.tape.frames[tape.told :]
        if len(tape.frames) > tape.told:
            tape.confirm(len(tape.frames))
        if not tape.ended:
            tape.break_off()
        if kept is not None:
            kept.stop("replica_lost")

    async def _guard(self) -> None:
        """Every moment: whose lease is gone, which streams are read here, what may be let go."""
        missing: dict[str, float] = {}
        said = 0.0
        while True:
            await asyncio.sleep(min(0.25, self._lease_seconds / 8))
            self._lease.beat()
            now = time.monotonic()
            self._sweep(now)
            self._let_go_of_old()
            mirrors = [mirror for mirror in self._watch.mirrors.values() if not mirror.tape.ended]
            try:
                if now - said >= _SAY:
                    said = now
                    await self._say_reading(mirrors)
                await self._look_for_lost(mirrors, missing, now)
            except AWAY:
                self._away_since = self._away_since or now
                self._back_since = now
                if now - self._away_since > _GIVE_UP:
                    for mirror in mirrors:
                        mirror.tape.break_off()
            else:
                self._away_since = None

    async def _look_for_lost(self, mirrors: list[Mirror], missing: dict[str, float], now: float) -> None:
        for replica in {mirror.tape.record.replica for mirror in mirrors}:
            if await self.redis.exists(self.keys.replica(replica, "lease")):
                missing.pop(replica, None)
                continue
            since = missing.setdefault(replica, now)
            # Right after Redis itself was away, leases are missing that are about to be renewed.
            if now - since < self._lease_seconds / 3 or now - self._back_since < self._lease_seconds:
                continue
            if await self._up_for() > self._lease_seconds + 1:  # its restart may have been too short to be noticed here
                for mirror in mirrors:
                    if mirror.tape.record.replica == replica:
                        await self._declare_lost(mirror.tape.record)

    async def _up_for(self) -> float:
        """Whole seconds since this Redis began, without the leases it had before."""
        told: Any = await self.redis.info("server")
        return float(told["uptime_in_seconds"])

    async def _declare_lost(self, record: Record) -> None:
        keys = (
            self.keys.stream(record.stream_id, "events"),
            self.keys.stream(record.stream_id, "record"),
            self.keys.replica(record.replica, "lease"),
            self.keys.tenant(record.tenant, "places"),
        )
        told = json.dumps(_LOST)
        kept = (self._keep_ms, self._keep_ms + _REMEMBER_MS)
        number = await self.redis.eval(LOST, len(keys), *keys, told, *map(str, kept), record.stream_id)
        if number:
            log.warning("replica lost", replica=record.replica, stream_id=record.stream_id, last=number)

    async def _say_reading(self, mirrors: list[Mirror]) -> None:
        """Tell whoever writes these streams that they are read here; a sign that Redis is there, too."""
        leaving, self._leaving = self._leaving, set()
        async with self.redis.pipeline(transaction=False) as pipe:
            pipe.ping()
            for stream_id in leaving:
                pipe.pexpire(
                    self.keys.stream(stream_id, "reading"), _LEFT_MS
                )  # another replica that reads it says so in time
            for mirror in mirrors:
                pipe.set(self.keys.stream(mirror.tape.record.stream_id, "reading"), b"1", px=_READ_MS)
            await pipe.execute()

    def _let_go_of_old(self) -> None:
        """A stream older than any may be has lost its ending somewhere."""
        oldest = time.time() - self._live_ms / 1000
        for mirror in self._watch.mirrors.values():
            if not mirror.tape.ended and mirror.tape.record.created_at < oldest:
                mirror.tape.break_off()

    def _sweep(self, now: float) -> None:
        """What ended is read from Redis after a while, like any other replica's."""
        for stream_id, kept in list(self._own.items()):
            if kept.tape.ended and kept.tape.told == len(kept.tape.frames):
                kept.until = kept.until or now + min(10.0, self._keep_ms / 1000)
                if kept.until <= now and kept.readers <= 0:
                    del self._own[stream_id]


async def open_redis(settings: Settings, opened: AsyncExitStack) -> tuple[RedisReplay, RedisLimits, RedisCounters]:
    """Replay, limits and what tenants have taken, over one Redis."""
    from footnoted.service.counting import RedisCounters
    from footnoted.service.limits import RedisLimits

    line = Line(settings.redis_url or "", connections=settings.redis_connections, seconds=settings.redis_seconds)
    line.ground.open()
    opened.push_async_callback(line.aclose)
    replay = RedisReplay(settings, line)
    limits = RedisLimits(
        line,
        replay.keys,
        per_minute=settings.requests_per_minute,
        at_once=settings.concurrent_streams,
        longest=settings.stream_seconds,
    )
    return replay, limits, RedisCounters(line, replay.keys, longest=settings.stream_seconds)
