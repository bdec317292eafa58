"""The connections to Redis: a bounded number that all requests share, one each for what blocks, and whether it answers.

A pool that has no place left and a Redis that is away are different things to whoever waits: ``overloaded`` asks for
patience, ``unavailable`` for somebody to look.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager
from typing import Any, TypeVar

from redis.asyncio import BlockingConnectionPool, Redis
from redis.asyncio.retry import Retry
from redis.backoff import ExponentialBackoff, NoBackoff
from redis.exceptions import RedisError

from footnoted.service.faults import full, unavailable
from footnoted.service.ground import PATIENCE, Ask, Ground

Reply = TypeVar("Reply")
AWAY = (RedisError, OSError, TimeoutError)
_OURS = 4  # connections besides for what the replay does by itself
_LONGEST = 20.0  # seconds a reply may take: the ground notices sooner what is frozen, and a busy process is no fault


async def over(task: asyncio.Task[None] | None) -> None:
    """Cancel a loop over Redis until it is over: a reply that arrives at that very moment may swallow the first one."""
    while task is not None and not task.done():
        task.cancel()
        await asyncio.wait({task}, timeout=0.2)


class Line:
    """Redis for one process. ``redis`` is what requests share, a place each: `held`, or `reached` for one command."""

    def __init__(self, url: str, *, connections: int, seconds: float) -> None:
        self._url = url
        retry: Any = Retry(ExponentialBackoff(cap=0.4, base=0.05), 5)
        # A pool that blocks lets late comers pass those who wait; places are given in turn, so nobody waits for ever.
        self._places = asyncio.Semaphore(connections)
        self._seconds = seconds
        pool = BlockingConnectionPool.from_url(
            url,
            max_connections=connections + _OURS,
            timeout=seconds,
            retry=retry,
            socket_connect_timeout=_LONGEST,
            socket_timeout=_LONGEST,
            protocol=2,
        )
        self.redis: Redis = Redis.from_pool(pool)
        self.ground = Ground("Redis", self._asked)

    def alone(self) -> Redis:
        """A client with one connection for whoever blocks or writes all the time; it does not try again by itself."""
        return Redis.from_url(
            self._url,
            max_connections=2,
            retry=Retry(NoBackoff(), 0),
            socket_connect_timeout=2,
            socket_timeout=10,
            protocol=2,
        )

    async def aclose(self) -> None:
        """Close the shared connections."""
        await self.ground.aclose()
        await self.redis.aclose()

    @asynccontextmanager
    async def held(self) -> AsyncIterator[Redis]:
        """Redis for one use. Raises `Fault` 503 that says which: Redis is away, or no connection came free in time."""
        try:
            async with asyncio.timeout(self._seconds):
                await self._places.acquire()
        except TimeoutError:
            raise full("Redis") from None
        try:
            async with self.ground.upon():
                yield self.redis
        except AWAY as error:
            raise unavailable("Redis") from error
        finally:
            self._places.release()

    async def reached(self, work: Awaitable[Reply]) -> Reply:
        """What one command gives, `held` while it is under way."""
        try:
            async with self.held():
                return await work
        finally:
            close = getattr(work, "close", None)
            if close is not None:
                close()  # where it was never begun

    @asynccontextmanager
    async def _asked(self) -> AsyncIterator[Ask]:
        async with Redis.from_url(
            self._url,
            single_connection_client=True,
            retry=Retry(NoBackoff(), 0),
            socket_connect_timeout=2 * PATIENCE,
            socket_timeout=2 * PATIENCE,
            protocol=2,
        ) as client:
            yield client.ping
