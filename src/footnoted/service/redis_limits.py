"""The limits of all replicas together, counted in Redis; while it is away, each replica counts for itself."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

from redis.asyncio import Redis
from redis.exceptions import RedisError

from footnoted.service.limits import MemoryLimits, Release, too_many_requests, too_many_streams
from footnoted.service.replay.scripts import ENTER, RATE

if TYPE_CHECKING:
    from footnoted.service.replay.names import Keys

_AWAY = (RedisError, OSError, TimeoutError)


class RedisLimits:
    """A bucket and a set of places a tenant, in Redis. A place that nobody gave back is free after ``longest`` s."""

    def __init__(self, redis: Redis, keys: Keys, *, per_minute: int, at_once: int, longest: float) -> None:
        self._redis = redis
        self._keys = keys
        self._per_minute = per_minute
        self._at_once = at_once
        self._longest_ms = str(int((longest + 30) * 1000))
        self._alone = MemoryLimits(per_minute=per_minute, at_once=at_once)
        self._rate: Any = redis.register_script(RATE)
        self._enter: Any = redis.register_script(ENTER)

    async def aclose(self) -> None:
        """Close the connections."""
        await self._redis.aclose()

    async def request(self, tenant: str) -> None:
        """Take a token."""
        arguments = [str(self._per_minute / 60.0), str(self._per_minute)]
        try:
            wait = await self._rate(keys=[self._keys.bucket(tenant)], args=arguments)
        except _AWAY:
            await self._alone.request(tenant)
            return
        if wait:
            raise too_many_requests(int(wait) / 1000)

    async def enter(self, tenant: str, what: str) -> Release:
        """Take a place."""
        key = self._keys.places(tenant)
        try:
            entered = await self._enter(keys=[key], args=[str(self._at_once), what, self._longest_ms])
        except _AWAY:
            return await self._alone.enter(tenant, what)
        if not entered:
            raise too_many_streams(self._at_once)

        async def release() -> None:
            with contextlib.suppress(*_AWAY):
                await self._redis.zrem(key, what)

        return release
