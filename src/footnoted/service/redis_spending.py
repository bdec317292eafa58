"""What tenants have taken, counted in Redis for all replicas. While it is away no answer with a limit begins."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import structlog

from footnoted.service.faults import Fault
from footnoted.service.replay.scripts import HOLD, SETTLE
from footnoted.service.spending import Cap, Cost, Count, Full, Unknown

if TYPE_CHECKING:
    from footnoted.service.replay.line import Line
    from footnoted.service.replay.names import Keys

log = structlog.get_logger("footnoted.spending")
_KEPT = 2 * 86_400  # seconds a period is kept after its end: for answers that end later than it
_WAITS = (0.5, 1.0, 2.0, 5.0, 10.0, 20.0)
_PATIENCE = 3.0


class RedisCounters:
    """A count a tenant and period. What was held by a replica that died counts as taken; ``longest`` s is an answer."""

    def __init__(self, line: Line, keys: Keys, *, longest: float) -> None:
        self._line = line
        self._keys = keys
        self._longest_ms = int((longest + 120) * 1000)
        self._hold: Any = line.redis.register_script(HOLD)
        self._settle: Any = line.redis.register_script(SETTLE)
        self._settling: set[asyncio.Task[None]] = set()

    async def hold(self, tenant: str, what: str, cost: Cost, caps: Sequence[Cap]) -> Full | None:
        """Count it, or say what is full."""
        arguments: list[Any] = [what, cost.tokens, cost.money, self._longest_ms]
        for cap in caps:
            spent = cap.spent
            arguments += [_limit(cap.tokens), _limit(cap.money)]
            arguments += ["", ""] if spent is None else [spent.tokens, spent.money]
            arguments.append(max(1_000, int((cap.period.renews.timestamp() - time.time() + _KEPT) * 1000)))
        told = await self._line.reached(self._hold(keys=self._names(tenant, caps), args=arguments))
        if told[0] == b"unknown":
            raise Unknown
        if told[0] == b"held":
            return None
        index, money, *counts = (int(each) for each in told[1:])
        return Full(index - 1, bool(money), Count(Cost(*counts[:2]), Cost(*counts[2:])))

    def settle(self, tenant: str, what: str, held: Cost, took: Cost, caps: Sequence[Cap]) -> None:
        """In a task of its own, again while Redis is away."""
        arguments = [what, took.tokens - held.tokens, took.money - held.money]
        task = asyncio.create_task(self._settled(self._names(tenant, caps), arguments), name="footnoted-settle")
        self._settling.add(task)
        task.add_done_callback(self._settling.discard)

    async def counted(self, tenant: str, caps: Sequence[Cap]) -> list[Count | None]:
        """What is counted for all replicas."""
        *names, holding = self._names(tenant, caps)
        async with self._line.held() as redis:
            found = [await redis.hmget(name, ["tokens", "money"]) for name in names]
            kept: list[Any] = await redis.hvals(holding)
        under_way = [each.decode().split() for each in kept]
        now = time.time() * 1000
        live = [(int(tokens), int(money)) for tokens, money, until in under_way if float(until) > now]
        held = Cost(sum(tokens for tokens, _ in live), sum(money for _, money in live))
        return [
            None if tokens is None or money is None else Count(Cost(int(tokens), int(money)), held)
            for tokens, money in found
        ]

    async def aclose(self) -> None:
        """Settle what is left, within a moment."""
        if self._settling:
            _, late = await asyncio.wait(list(self._settling), timeout=_PATIENCE)
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)

    async def _settled(self, names: list[str], arguments: list[Any]) -> None:
        for wait in (*_WAITS, None):
            try:
                await self._line.reached(self._settle(keys=names, args=arguments))
                return
            except Fault:
                if wait is None:
                    log.warning("what was held counts as taken")
                    return
                await asyncio.sleep(wait)

    def _names(self, tenant: str, caps: Sequence[Cap]) -> list[str]:
        return [*(self._keys.taken(tenant, cap.period.name) for cap in caps), self._keys.holding(tenant)]


def _limit(most: int | None) -> int:
    return -1 if most is None else most
