"""Follows streams that other replicas write, over one connection for all."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from redis.asyncio import Redis
from redis.exceptions import RedisError

from footnoted.service.replay.base import Tape
from footnoted.service.replay.line import over

_BLOCK_MS = 1_000
_MOST = 200  # entries of a stream at once


@dataclass(slots=True)
class Mirror:
    """A tape that follows a stream in Redis. ``last`` is the id of the last entry taken."""

    tape: Tape
    key: str
    last: bytes = b"0-0"
    readers: int = 0

    def take(self, entries: Sequence[tuple[bytes, dict[bytes, bytes]]]) -> None:
        """Add the frames of entries, each once: a writer that heard no answer may have written some twice."""
        tape = self.tape
        for entry_id, fields in entries:
            self.last = entry_id
            for number, framed in fields.items():
                if int(number) == len(tape.frames) + 1:
                    tape.append(framed)


class Watch:
    """Follows ``mirrors``, by their streams' ids, and what other replicas ask of this process."""

    def __init__(self, redis: Redis, control: str, *, asked: Callable[[dict[bytes, bytes]], None]) -> None:
        self.mirrors: dict[str, Mirror] = {}
        self._redis = redis
        self._control = control
        self._asked = asked
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin to follow."""
        self._task = asyncio.create_task(self._follow(), name="footnoted-watch")

    async def aclose(self) -> None:
        """Stop."""
        await over(self._task)

    async def _follow(self) -> None:
        asked_last: bytes = b"0-0"
        wait = 0.05
        while True:
            by_key = {mirror.key: mirror for mirror in self.mirrors.values() if not mirror.tape.ended}
            wanted: dict[Any, Any] = {self._control: asked_last, **{key: mirror.last for key, mirror in by_key.items()}}
            try:
                found: Any = await self._redis.xread(wanted, count=_MOST, block=_BLOCK_MS)
            except (RedisError, OSError, TimeoutError):
                await asyncio.sleep(wait)
                wait = min(wait * 2, 0.5)
                continue
            wait = 0.05
            for name, entries in found or ():
                key = name.decode()
                if key == self._control:
                    for entry_id, fields in entries:
                        asked_last = entry_id
                        self._asked(fields)
                elif key in by_key:
                    by_key[key].take(entries)
