"""One index a tenant, kept up with the tenant's documents: what is new is added, what is gone is taken out.

The hard thing is that uploads, deletions and questions come at once, from several processes; the shelf's version in the
store says when to look, the documents' ids what to do.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from sqlalchemy import select

from footnoted.service.store.tables import DocumentRow, PassageRow, ShelfRow
from footnoted.types import Source

if TYPE_CHECKING:
    from collections.abc import Callable

    from footnoted.retrieval.index import Index
    from footnoted.service.store.room import Store

_KEPT_PASSAGES = 200_000  # passages in the indexes a process holds; the least used goes first
_KEPT_TENANTS = 1_000


@dataclass(slots=True)
class _Shelf:
    index: Index
    version: int = -1
    documents: set[str] = field(default_factory=set)
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)


class Shelves:
    """The tenants' indexes of one process."""

    def __init__(self, store: Store, source_of: Callable[[PassageRow], Source]) -> None:
        self._store = store
        self._source_of = source_of
        self._kept: OrderedDict[str, _Shelf] = OrderedDict()
        self._reading = asyncio.Lock()
        self._tasks: set[asyncio.Task[None]] = set()

    async def index(self, tenant: str) -> Index | None:
        """The index over all of a tenant's documents as they stand now; nothing where it never had any."""
        async with self._store.session() as session:
            version = await session.scalar(select(ShelfRow.version).where(ShelfRow.tenant == tenant))
        if version is None:
            return None
        shelf = self._kept.get(tenant)
        if shelf is None:
            from footnoted.retrieval.index import Index

            shelf = self._kept[tenant] = _Shelf(Index.of(()))
        self._kept.move_to_end(tenant)
        async with shelf.lock:
            if shelf.version != version:
                await self._renew(tenant, shelf)
                shelf.version = version
        self._let_go()
        return shelf.index

    async def _renew(self, tenant: str, shelf: _Shelf) -> None:
        async with self._store.session() as session:
            rows = await session.execute(
                select(DocumentRow.id, DocumentRow.conversation_id)
                .where(DocumentRow.tenant == tenant)
                .order_by(DocumentRow.created_at, DocumentRow.id)
            )
            there = {id_: conversation or "" for id_, conversation in rows}
            new = [id_ for id_ in there if id_ not in shelf.documents]
            sources = []
            for id_ in new:
                found = await session.scalars(
                    select(PassageRow).where(PassageRow.document_id == id_).order_by(PassageRow.position)
                )
                sources += [self._of(row, there[id_]) for row in found]
        for id_ in shelf.documents - there.keys():
            await asyncio.to_thread(shelf.index.remove, id_)
        if sources:
            await asyncio.to_thread(shelf.index.add, sources)
            task = asyncio.create_task(self._understand(shelf.index))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        shelf.documents = set(there)

    def _of(self, row: PassageRow, conversation: str) -> Source:
        source = self._source_of(row)
        return replace(source, metadata={**source.metadata, "conversation_id": conversation})

    async def _understand(self, index: Index) -> None:
        """Passages get their vectors behind the answers, one tenant's after another's."""
        async with self._reading:
            await asyncio.to_thread(index.understand)

    def _let_go(self) -> None:
        while len(self._kept) > 1 and (
            len(self._kept) > _KEPT_TENANTS or sum(each.index.count for each in self._kept.values()) > _KEPT_PASSAGES
        ):
            self._kept.popitem(last=False)
