"""Counts what tenants' answers took in a day or a month, and holds what those under way may take.

The hard thing is that a count must neither begin at nothing nor be asked of the database each time: whoever holds first
in a period is told to bring what the ledger knows (`Unknown`), and from then on the count goes on by itself.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal

import structlog

from footnoted.service.faults import Fault
from footnoted.service.replay.names import Keys
from footnoted.service.replay.scripts import HOLD, SETTLE
from footnoted.service.tasks import AFTER_FAILURES, finished
from footnoted.service.told import iso

if TYPE_CHECKING:
    from footnoted.service.replay.line import Line

log = structlog.get_logger("footnoted.spending")
_DAY = 24 * 60 * 60  # seconds
_KEPT = 2 * _DAY  # seconds a period is kept in Redis after its end: for answers that end later than it
_PATIENCE = 3.0


@dataclass(frozen=True, slots=True)
class Period:
    """A day or a month (UTC), by the name of its first day."""

    kind: Literal["day", "month"]
    name: str
    renews: datetime

    @property
    def first(self) -> str:
        """Its first day."""
        return self.name if self.kind == "day" else f"{self.name}-01"

    @property
    def renews_at(self) -> str:
        """When the next begins, as ISO 8601."""
        return iso(self.renews.timestamp())


@dataclass(frozen=True, slots=True)
class Cost:
    """Tokens, and money in billionths of the currency."""

    tokens: int = 0
    money: int = 0

    def __add__(self, other: Cost) -> Cost:
        return Cost(self.tokens + other.tokens, self.money + other.money)

    def __sub__(self, other: Cost) -> Cost:
        return Cost(self.tokens - other.tokens, self.money - other.money)


@dataclass(frozen=True, slots=True)
class Cap:
    """The most that may be taken in a period; nothing is no limit. ``spent`` is what the ledger knows of it."""

    period: Period
    tokens: int | None
    money: int | None
    spent: Cost | None = None


@dataclass(frozen=True, slots=True)
class Count:
    """What was taken in a period, and how much of that is held for answers under way."""

    used: Cost
    held: Cost = Cost()


@dataclass(frozen=True, slots=True)
class Full:
    """The cap an answer does not fit in, and what is counted there."""

    cap: int  # index
    money: bool
    count: Count


class Unknown(Exception):
    """A period that nothing was counted in yet, here: what the ledger knows must be told along."""


class MemoryCounters:
    """The counts of one process."""

    def __init__(self) -> None:
        self._used: dict[tuple[str, str], Cost] = {}
        self._held: dict[str, dict[str, Cost]] = {}

    async def hold(self, tenant: str, what: str, cost: Cost, caps: Sequence[Cap]) -> Full | None:
        """Count ``cost`` in every period, or in none and say which is full. Raises `Unknown`."""
        self._forget(caps)
        for cap in caps:
            if (tenant, cap.period.name) not in self._used:
                if cap.spent is None:
                    raise Unknown
                self._used[tenant, cap.period.name] = cap.spent
        held = self._held_of(tenant)
        for index, cap in enumerate(caps):
            used = self._used[tenant, cap.period.name]
            for money, most, there, more in (
                (False, cap.tokens, used.tokens, cost.tokens),
                (True, cap.money, used.money, cost.money),
            ):
                if most is not None and there + more > most:
                    return Full(index, money, Count(used, held))
        self._held.setdefault(tenant, {})[what] = cost
        self._add(tenant, cost, caps)
        return None

    def settle(self, tenant: str, what: str, held: Cost, took: Cost, caps: Sequence[Cap]) -> None:
        """Count what it took instead of what was held, once; nobody waits for it."""
        if self._held.get(tenant, {}).pop(what, None) is None:
            return
        if not self._held[tenant]:
            del self._held[tenant]
        self._add(tenant, took - held, caps)

    async def counted(self, tenant: str, caps: Sequence[Cap]) -> list[Count | None]:
        """What is counted in each period; nothing where nothing was counted yet."""
        held = self._held_of(tenant)
        found = [self._used.get((tenant, cap.period.name)) for cap in caps]
        return [None if used is None else Count(used, held) for used in found]

    async def aclose(self) -> None:
        """Nothing is left."""

    def _held_of(self, tenant: str) -> Cost:
        return sum(self._held.get(tenant, {}).values(), Cost())

    def _add(self, tenant: str, more: Cost, caps: Sequence[Cap]) -> None:
        for cap in caps:
            used = self._used.get((tenant, cap.period.name))
            if used is not None:
                self._used[tenant, cap.period.name] = used + more

    def _forget(self, caps: Sequence[Cap]) -> None:
        """Days and months before these; an answer that began in one and ended in the next was counted ahead."""
        if len(self._used) > 10_000:
            now = {cap.period.name for cap in caps}
            self._used = {name: used for name, used in self._used.items() if name[1] in now}


class RedisCounters:
    """The counts of all replicas, in Redis: while it is away, no answer with a limit begins.

    What was held by a replica that died counts as taken; an answer takes ``longest`` seconds at most.
    """

    def __init__(self, line: Line, keys: Keys, *, longest: float) -> None:
        self._line = line
        self._keys = keys
        self._longest_ms = int((longest + 120) * 1000)
        self._hold: Any = line.redis.register_script(HOLD)
        self._settle: Any = line.redis.register_script(SETTLE)
        self._settling: set[asyncio.Task[None]] = set()

    async def hold(self, tenant: str, what: str, cost: Cost, caps: Sequence[Cap]) -> Full | None:
        """Count ``cost`` in every period, or in none and say which is full. Raises `Unknown`, and `Fault` 503."""
        arguments: list[Any] = [what, cost.tokens, cost.money, self._longest_ms]
        for cap in caps:
            arguments += [-1 if most is None else most for most in (cap.tokens, cap.money)]
            arguments += ["", ""] if cap.spent is None else [cap.spent.tokens, cap.spent.money]
            arguments.append(max(1_000, int((cap.period.renews.timestamp() - time.time() + _KEPT) * 1000)))
        told = await self._line.reached(self._hold(keys=self._names(tenant, caps), args=arguments))
        if told[0] == b"unknown":
            raise Unknown
        if told[0] == b"held":
            return None
        index, money, *counts = map(int, told[1:])
        return Full(index - 1, bool(money), Count(Cost(*counts[:2]), Cost(*counts[2:])))

    def settle(self, tenant: str, what: str, held: Cost, took: Cost, caps: Sequence[Cap]) -> None:
        """Count what it took instead of what was held, in a task of its own; again while Redis is away."""
        more = took - held
        arguments = [what, more.tokens, more.money]
        task = asyncio.create_task(self._settled(self._names(tenant, caps), arguments), name="footnoted-settle")
        self._settling.add(task)
        task.add_done_callback(self._settling.discard)

    async def counted(self, tenant: str, caps: Sequence[Cap]) -> list[Count | None]:
        """What is counted in each period; nothing where nothing was counted yet."""
        *names, holding = self._names(tenant, caps)
        async with self._line.held() as redis:
            found = [await redis.hmget(name, ["tokens", "money"]) for name in names]
            kept: list[Any] = await redis.hvals(holding)
        under_way = [entry.decode().split() for entry in kept]
        now = time.time() * 1000
        live = [Cost(int(tokens), int(money)) for tokens, money, until in under_way if float(until) > now]
        held = sum(live, Cost())
        return [
            None if tokens is None or money is None else Count(Cost(int(tokens), int(money)), held)
            for tokens, money in found
        ]

    async def aclose(self) -> None:
        """Settle what is left, within a moment."""
        await finished(*self._settling, patience=_PATIENCE)

    async def _settled(self, names: list[str], arguments: list[Any]) -> None:
        for wait in (*AFTER_FAILURES, None):
            try:
                await self._line.reached(self._settle(keys=names, args=arguments))
                return
            except Fault:
                if wait is None:
                    log.warning("what was held counts as taken")
                    return
                await asyncio.sleep(wait)

    def _names(self, tenant: str, caps: Sequence[Cap]) -> list[str]:
        return [
            *(self._keys.tenant(tenant, f"taken:{cap.period.name}") for cap in caps),
            self._keys.tenant(tenant, "holding"),
        ]


Counters = MemoryCounters | RedisCounters


def periods_of(now: float) -> tuple[Period, Period]:
    """The month and the day of a time in seconds since 1970.

    >>> [(period.name, period.renews_at) for period in periods_of(0)]
    [('1970-01', '1970-02-01T00:00:00.000Z'), ('1970-01-01', '1970-01-02T00:00:00.000Z')]
    """
    return _periods_of_day(int(now // _DAY))


@lru_cache(maxsize=4)
def _periods_of_day(day: int) -> tuple[Period, Period]:
    """Of a day since 1970: every answer asks, and all of a day get the same."""
    today = datetime.fromtimestamp(day * _DAY, UTC)
    first = today.replace(day=1)
    return (
        Period("month", f"{first:%Y-%m}", (first + timedelta(days=32)).replace(day=1)),
        Period("day", f"{today:%Y-%m-%d}", today + timedelta(days=1)),
    )
