"""Keeps the sources of an answer as they were when it was written, for as long as answers are kept.

A finding changes with the next scan and a document may go. What an answer was cited from is kept by its own words, so a
citation's offsets hold for as long as the answer does.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import delete

from footnoted.assistants.security.tables import SourceRow, opened, transaction
from footnoted.store.bulk import Upsert

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement

    from footnoted.contract import SourceContext
    from footnoted.store import Database


@dataclass(frozen=True, slots=True)
class ShelvedSource:
    """A source as it was cited.

    ``kind`` is finding, control, document or inventory (the counts), ``item`` the id of what it tells of.
    """

    id: str
    kind: str
    item: str
    title: str
    text: str


class SourceShelf:
    """The cited sources of every tenant, and of each only its own. ``database``: a `Database` or its URL."""

    def __init__(self, database: Database | str) -> None:
        self.database = opened(database)
        said = ("kind", "item", "title", "text")
        self._keeping = Upsert(SourceRow.__table__, ("tenant", "id", *said, "kept_at"), by=("tenant", "id"), kept=said)

    async def keep(self, tenant: str, sources: Sequence[SourceContext]) -> None:
        """Keep the sources of one answer; the same words are kept once."""
        rows = []
        for one in sorted(sources, key=lambda source: str(source.chunk_id)):
            kind, item = str(one.metadata["kind"]), str(one.metadata["id"])
            rows.append((tenant, str(one.chunk_id), kind, item, one.title, one.content, time.time()))
        async with transaction(self.database) as session:
            await self._keeping.write(session, rows)

    async def get(self, tenant: str, source_id: str) -> ShelvedSource | None:
        """One source of the tenant; another tenant's is as good as none."""
        async with transaction(self.database) as session:
            row = await session.get(SourceRow, (tenant, source_id))
        return None if row is None else ShelvedSource(row.id, row.kind, row.item, row.title, row.text)

    async def delete_all(self, tenant: str) -> None:
        """Forget every source of a tenant."""
        await self._delete(SourceRow.tenant == tenant)

    async def delete(self, tenant: str, source_ids: list[str]) -> None:
        """Forget these sources of a tenant."""
        await self._delete(SourceRow.tenant == tenant, SourceRow.id.in_(source_ids))

    async def forget(self, oldest: float) -> None:
        """Let go of what was last cited before ``oldest`` (seconds since 1970)."""
        await self._delete(SourceRow.kept_at < oldest)

    async def _delete(self, *wanted: ColumnElement[bool]) -> None:
        async with transaction(self.database) as session:
            await session.execute(delete(SourceRow).where(*wanted))
