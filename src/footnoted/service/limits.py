"""Gives a tenant a place for what it wants, or 429 with the seconds to wait."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from footnoted.service.faults import Fault
from footnoted.service.observe.metrics import METRICS
from footnoted.service.replay.names import Keys
from footnoted.service.replay.scripts import ENTER, RATE

if TYPE_CHECKING:
    from footnoted.service.replay.line import Line

Release = Callable[[], Awaitable[None]]
_IDLE = 120.0  # seconds after which a full bucket is forgotten


def _too_many_requests(wait: float) -> Fault:
    METRICS.limited.labels("rate_limited").inc()
    return Fault(429, "rate_limited", "too many requests; wait a little", retry_after=wait)


def _too_many_streams(most: int) -> Fault:
    METRICS.limited.labels("too_many_streams").inc()
    return Fault(
        429, "too_many_streams", f"{most} answers are being written for you already; wait for one", retry_after=2
    )


class MemoryLimits:
    """The limits of one process: a bucket of tokens a tenant that fills evenly, and a set of places."""

    def __init__(self, *, per_minute: int, at_once: int) -> None:
        self._rate = per_minute / 60.0
        self._most = float(per_minute)
        self._at_once = at_once
        self._buckets: dict[str, tuple[float, float]] = {}  # tokens, and when they were counted
        self._places: dict[str, set[str]] = {}
        self._swept = time.monotonic()

    async def request(self, tenant: str) -> None:
        """Count one request; raises `Fault` 429 when there are too many."""
        now = time.monotonic()
        self._sweep(now)
        tokens, then = self._buckets.get(tenant, (self._most, now))
        tokens = min(self._most, tokens + (now - then) * self._rate)
        if tokens < 1.0:
            self._buckets[tenant] = (tokens, now)
            raise _too_many_requests((1.0 - tokens) / self._rate)
        self._buckets[tenant] = (tokens - 1.0, now)

    async def enter(self, tenant: str, what: str) -> Release:
        """A place for one answer, to be released; raises `Fault` 429 when all are taken."""
        places = self._places.setdefault(tenant, set())
        if len(places) >= self._at_once:
            raise _too_many_streams(self._at_once)
        places.add(what)

        async def release() -> None:
            places.discard(what)
            if not places and self._places.get(tenant) is places:
                del self._places[tenant]

        return release

    def _sweep(self, now: float) -> None:
        if now - self._swept < _IDLE:
            return
        self._swept = now
        self._buckets = {who: bucket for who, bucket in self._buckets.items() if now - bucket[1] < _IDLE}


class RedisLimits:
    """The limits of all replicas, counted in Redis. A place that nobody gave back is free after ``longest`` seconds."""

    def __init__(self, line: Line, keys: Keys, *, per_minute: int, at_once: int, longest: float) -> None:
        self._line = line
        self._keys = keys
        self._per_minute = per_minute
        self._at_once = at_once
        self._longest_ms = str(int((longest + 30) * 1000))
        self._rate: Any = line.redis.register_script(RATE)
        self._enter: Any = line.redis.register_script(ENTER)

    async def request(self, tenant: str) -> None:
        """Count one request; raises `Fault` 429 when there are too many, 503 while Redis is away."""
        arguments = [str(self._per_minute / 60.0), str(self._per_minute)]
        wait = await self._line.reached(self._rate(keys=[self._keys.tenant(tenant, "bucket")], args=arguments))
        if wait:
            raise _too_many_requests(int(wait) / 1000)

    async def enter(self, tenant: str, what: str) -> Release:
        """A place for one answer, to be released; raises `Fault` 429 when all are taken, 503 while Redis is away."""
        key = self._keys.tenant(tenant, "places")
        entered = await self._line.reached(self._enter(keys=[key], args=[str(self._at_once), what, self._longest_ms]))
        if not entered:
            raise _too_many_streams(self._at_once)

        async def release() -> None:
            with contextlib.suppress(Fault):  # it is free again after ``longest``
                await self._line.reached(self._line.redis.zrem(key, what))

        return release


Limits = MemoryLimits | RedisLimits
