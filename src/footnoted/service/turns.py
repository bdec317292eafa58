"""Places for dear work, given tenant by tenant in turn, so that whoever sends a hundred things waits for himself."""

from __future__ import annotations

import asyncio
from collections import Counter, OrderedDict, deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class Turns:
    """``places`` at once; one tenant has all but one of them at most, where there are several."""

    def __init__(self, places: int) -> None:
        self._free = places
        self._most = max(1, places - 1)
        self._taken: Counter[str] = Counter()
        self._waiting: OrderedDict[str, deque[asyncio.Future[None]]] = OrderedDict()  # the next in turn first

    @asynccontextmanager
    async def take(self, tenant: str) -> AsyncIterator[None]:
        """Wait for a place and hold it."""
        if self._free and self._taken[tenant] < self._most and not self._waiting.get(tenant):
            self._enter(tenant)
        else:
            waits: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiting.setdefault(tenant, deque()).append(waits)
            try:
                await waits
            except asyncio.CancelledError:
                if waits.cancelled():
                    self._forget(tenant, waits)
                else:
                    self._leave(tenant)
                raise
        try:
            yield
        finally:
            self._leave(tenant)

    def _enter(self, tenant: str) -> None:
        self._free -= 1
        self._taken[tenant] += 1

    def _leave(self, tenant: str) -> None:
        self._free += 1
        self._taken[tenant] -= 1
        if not self._taken[tenant]:
            del self._taken[tenant]
        for other in list(self._waiting):
            if not self._free:
                return
            if self._taken[other] >= self._most:
                continue
            waits = self._waiting[other].popleft()
            self._waiting.move_to_end(other)
            self._forget(other)
            self._enter(other)
            waits.set_result(None)

    def _forget(self, tenant: str, waits: asyncio.Future[None] | None = None) -> None:
        line = self._waiting[tenant]
        if waits is not None:
            line.remove(waits)
        if not line:
            del self._waiting[tenant]
