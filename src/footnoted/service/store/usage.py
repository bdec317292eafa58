"""Keeps what answers took by tenant, day and month, in a table that outlives every counter."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from dataclasses import asdict, dataclass
from typing import Any, cast

import structlog
from sqlalchemy import Table, select

from footnoted.service.faults import Fault
from footnoted.service.store.room import Store
from footnoted.service.store.tables import UsageRow
from footnoted.service.tasks import finished
from footnoted.store.bulk import insert_of

log = structlog.get_logger("footnoted.usage")
_USAGE = cast("Table", UsageRow.__table__)
_GATHERED = 0.25  # seconds in which what answers took goes into one transaction
_AGAIN = 5.0  # seconds until it is tried again while the database is away
_PATIENCE = 2.0


@dataclass(frozen=True, slots=True)
class Taken:
    """What answers took: ``money`` in billionths of the currency."""

    answers: int = 0
    tokens: int = 0
    money: int = 0

    def __add__(self, other: Taken) -> Taken:
        return Taken(self.answers + other.answers, self.tokens + other.tokens, self.money + other.money)

    def __sub__(self, other: Taken) -> Taken:
        return Taken(self.answers - other.answers, self.tokens - other.tokens, self.money - other.money)


@dataclass(frozen=True, slots=True)
class Day:
    """One tenant's day (UTC)."""

    tenant: str
    day: str
    taken: Taken


class Ledger:
    """Every tenant's days in a store. What is written down waits for nobody; while the database is away, it is kept."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._pending: defaultdict[tuple[str, str], Taken] = defaultdict(Taken)
        self._writing: asyncio.Task[None] | None = None

    def add(self, tenant: str, day: str, taken: Taken) -> None:
        """Write down what one answer took."""
        self._pending[tenant, day] += taken
        if self._writing is None or self._writing.done():
            self._writing = asyncio.create_task(self._write(), name="footnoted-usage")

    async def since(self, tenant: str, first: str) -> Taken:
        """What a tenant's answers took since the day ``first``, those not yet written down among them."""
        return sum((day.taken for day in await self.days(first, tenant=tenant)), Taken())

    async def days(self, first: str, *, tenant: str | None = None) -> list[Day]:
        """The days since ``first``, the newest first: one tenant's, or everybody's."""
        wanted = [UsageRow.day >= first, *([UsageRow.tenant == tenant] if tenant is not None else [])]
        async with self._store.session() as session:
            rows = await session.scalars(select(UsageRow).where(*wanted))
            found = {(row.tenant, row.day): Taken(row.answers, row.tokens, row.money) for row in rows}
        for (who, day), more in self._pending.items():
            if day >= first and tenant in (None, who):
                found[who, day] = found.get((who, day), Taken()) + more
        newest = sorted(found, key=lambda name: (name[1], found[name].tokens), reverse=True)
        return [Day(*name, found[name]) for name in newest]

    async def aclose(self) -> None:
        """Write down what is left, within a moment."""
        await finished(self._writing, patience=_PATIENCE)

    async def _write(self) -> None:
        while self._pending:
            await asyncio.sleep(_GATHERED)
            batch = dict(sorted(self._pending.items()))  # in one order, so that no two replicas wait for one another
            try:
                async with self._store.session() as session:
                    for (tenant, day), taken in batch.items():
                        await session.execute(self._added(tenant, day, taken))
            except Fault:
                await asyncio.sleep(_AGAIN)
                continue
            except Exception:  # what cannot be written must not keep the rest from it
                log.exception("usage not kept", days=len(batch))
            for name, taken in batch.items():
                self._pending[name] -= taken
                if self._pending[name] == Taken():
                    del self._pending[name]

    def _added(self, tenant: str, day: str, taken: Taken) -> Any:
        new = asdict(taken)
        return (
            insert_of(self._store.database.engine.dialect)(UsageRow)
            .values(tenant=tenant, day=day, **new)
            .on_conflict_do_update(
                index_elements=["tenant", "day"], set_={name: _USAGE.c[name] + more for name, more in new.items()}
            )
        )
