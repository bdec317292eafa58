"""One index a tenant, kept up with the tenant's documents: what is new is added, what is gone is taken out.

The hard thing is that uploads, deletions and questions come at once, from several processes; the shelf's version in the
store says when to look, the documents' ids what to do. A tenant may have a hundred thousand passages, so they are read
and put in some at a time, and tenants take turns.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, cast

from sqlalchemy import Row, Table, select
from sqlalchemy.ext.asyncio import AsyncSession

from footnoted.service.store.room import Store
from footnoted.service.store.tables import DocumentRow, PassageRow, ShelfRow
from footnoted.service.turns import Turns
from footnoted.types import Source

if TYPE_CHECKING:
    from footnoted.retrieval.index import Addition, Index

_KEPT_PASSAGES = 200_000  # passages in the indexes a process holds; the least used goes first
_KEPT_TENANTS = 1_000
_TOGETHER = 200  # passages read and put in between two chances for others
_READ_TOGETHER = 128  # passages that get their vectors in one turn
_PASSAGES = cast("Table", PassageRow.__table__)


@dataclass(slots=True)
class _Shelf:
    index: Index
    version: int = -1
    documents: set[str] = field(default_factory=set)
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)


class Shelves:
    """The tenants' indexes of one process."""

    def __init__(self, store: Store, source_of: Callable[[Row[Any]], Source]) -> None:
        self._store = store
        self._source_of = source_of
        self._kept: OrderedDict[str, _Shelf] = OrderedDict()
        self._renewing = Turns(2)
        self._reading = Turns(1)
        self._tasks: set[asyncio.Task[None]] = set()

    async def version(self, tenant: str) -> int | None:
        """How often a tenant's documents have changed; nothing where it never had any."""
        async with self._store.session() as session:
            return await session.scalar(select(ShelfRow.version).where(ShelfRow.tenant == tenant))

    async def index(self, tenant: str) -> Index | None:
        """The index over all of a tenant's documents as they stand now; nothing where it never had any."""
        version = await self.version(tenant)
        if version is None:
            return None
        shelf = self._kept.get(tenant)
        if shelf is None:
            from footnoted.retrieval.index import Index

            shelf = self._kept[tenant] = _Shelf(Index.of(()))
        self._kept.move_to_end(tenant)
        if shelf.version != version:
            # Whoever asked may leave: what was begun for one question serves the next.
            await asyncio.shield(self._in_background(self._renewed(tenant, shelf, version)))
        self._let_go()
        return shelf.index

    async def _renewed(self, tenant: str, shelf: _Shelf, version: int) -> None:
        async with shelf.lock:
            if shelf.version != version:
                async with self._renewing.take(tenant):
                    await self._renew(tenant, shelf)
                shelf.version = version

    async def _renew(self, tenant: str, shelf: _Shelf) -> None:
        async with self._store.session() as session:
            rows = await session.execute(
                select(DocumentRow.id, DocumentRow.conversation_id)
                .where(DocumentRow.tenant == tenant)
                .order_by(DocumentRow.created_at, DocumentRow.id)
            )
            there = {id_: conversation or "" for id_, conversation in rows}
            new = {id_: scope for id_, scope in there.items() if id_ not in shelf.documents}
            if new:
                await self._add(session, new, shelf.index)
        for id_ in shelf.documents - there.keys():
            await asyncio.to_thread(shelf.index.remove, id_)
        if new:
            self._in_background(self._understand(tenant, shelf.index))
        shelf.documents = set(there)

    async def _add(self, session: AsyncSession, new: dict[str, str], index: Index) -> None:
        """The passages of new documents, each with its document's scope, all or none of them."""
        addition = await asyncio.to_thread(index.begin)
        try:
            for id_, scope in new.items():
                wanted = select(_PASSAGES).where(_PASSAGES.c.document_id == id_).order_by(_PASSAGES.c.position)
                found = await session.stream(wanted.execution_options(yield_per=_TOGETHER))
                async for rows in found.partitions(_TOGETHER):
                    await asyncio.to_thread(self._put, addition, rows, scope)
        except BaseException:
            addition.undo()
            raise
        await asyncio.to_thread(addition.commit)

    def _put(self, addition: Addition, rows: Sequence[Row[Any]], scope: str) -> None:
        sources = (self._source_of(row) for row in rows)
        addition.add(replace(source, metadata={**source.metadata, "conversation_id": scope}) for source in sources)

    def _in_background(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def _understand(self, tenant: str, index: Index) -> None:
        """Passages get their vectors behind the answers, some of each tenant's in turn."""
        missing = await asyncio.to_thread(index.missing)
        for first in range(0, len(missing), _READ_TOGETHER):
            async with self._reading.take(tenant):
                if not await asyncio.to_thread(index.read_ahead, missing[first : first + _READ_TOGETHER]):
                    return

    def _let_go(self) -> None:
        while len(self._kept) > 1 and (
            len(self._kept) > _KEPT_TENANTS or sum(shelf.index.count for shelf in self._kept.values()) > _KEPT_PASSAGES
        ):
            self._kept.popitem(last=False)
