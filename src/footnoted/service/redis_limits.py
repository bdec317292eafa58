"""The limits of all replicas together, counted in Redis. While it is away nothing is let through uncounted: 503."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

from footnoted.service.faults import Fault
from footnoted.service.limits import Release, too_many_requests, too_many_streams
from footnoted.service.replay.scripts import ENTER, RATE

if TYPE_CHECKING:
    from footnoted.service.replay.line import Line
    from footnoted.service.replay.names import Keys


class RedisLimits:
    """A bucket and a set of places a tenant, in Redis. A place that nobody gave back is free after ``longest`` s."""

    def __init__(self, line: Line, keys: Keys, *, per_minute: int, at_once: int, longest: float) -> None:
        self._line = line
        self._keys = keys
        self._per_minute = per_minute
        self._at_once = at_once
        self._longest_ms = str(int((longest + 30) * 1000))
        self._rate: Any = line.redis.register_script(RATE)
        self._enter: Any = line.redis.register_script(ENTER)

    async def request(self, tenant: str) -> None:
        """Take a token."""
        arguments = [str(self._per_minute / 60.0), str(self._per_minute)]
        wait = await self._line.reached(self._rate(keys=[self._keys.bucket(tenant)], args=arguments))
        if wait:
            raise too_many_requests(int(wait) / 1000)

    async def enter(self, tenant: str, what: str) -> Release:
        """Take a place."""
        key = self._keys.places(tenant)
        entered = await self._line.reached(self._enter(keys=[key], args=[str(self._at_once), what, self._longest_ms]))
        if not entered:
            raise too_many_streams(self._at_once)

        async def release() -> None:
            with contextlib.suppress(Fault):  # it is free again after ``longest``
                await self._line.reached(self._line.redis.zrem(key, what))

        return release
