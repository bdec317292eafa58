"""Finds the knowledge base's entries for a framework, a service or a check, gravest first."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from sqlalchemy import func, select

from footnoted.assistants.security.knowledge import shipped
from footnoted.assistants.security.knowledge.entry import KnowledgeEntry, from_json
from footnoted.assistants.security.knowledge.importing import KnowledgeReport, import_knowledge
from footnoted.assistants.security.names import framework_key, service_key
from footnoted.assistants.security.rooms import opened, prepare, transaction
from footnoted.assistants.security.tables import EntryCheckRow, EntryFrameworkRow, EntryRow
from footnoted.errors import ConfigurationError

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement

    from footnoted.store import Database

MOST = 200  # entries of one look-up


class KnowledgeBaseService:
    """The shipped catalogue, and what a tenant imported beside it. Without a ``database``, the catalogue alone."""

    def __init__(self, database: Database | str | None = None) -> None:
        self.database = None if database is None else opened(database)

    async def prepare(self) -> None:
        """Bring the tables up to date."""
        if self.database is not None:
            await prepare(self.database)

    async def get_for_framework(
        self, framework: str, *, tenant_id: str = "", limit: int = MOST
    ) -> list[KnowledgeEntry]:
        """The entries that serve a framework, by any of its names ("PCI", "pci-dss")."""
        key = framework_key(framework)
        found = [entry for entry in shipped.entries() if key in entry.frameworks]
        linked = _linked(EntryFrameworkRow, tenant_id, EntryFrameworkRow.framework == key)
        return _gravest_first([*found, *await self._imported(tenant_id, linked)], limit)

    async def get_for_service(self, service: str, *, tenant_id: str = "", limit: int = MOST) -> list[KnowledgeEntry]:
        """The entries about a service, by any of its names ("S3", "awslambda")."""
        key = service_key(service)
        found = [entry for entry in shipped.entries() if entry.service == key]
        return _gravest_first([*found, *await self._imported(tenant_id, EntryRow.service == key)], limit)

    async def get_for_checks(
        self, checks: Sequence[str], *, tenant_id: str = "", limit: int = MOST
    ) -> list[KnowledgeEntry]:
        """The entries that speak of any of these checks or controls: how what a scanner found is put right."""
        wanted = list(dict.fromkeys(checks))
        index = shipped.by_check()
        found = [entry for check in wanted for entry in index.get(check, ())]
        linked = _linked(EntryCheckRow, tenant_id, EntryCheckRow.check_id.in_(wanted[:100]))
        return _gravest_first([*found, *await self._imported(tenant_id, linked)], limit)

    async def get_by_ids(self, ids: Sequence[str], *, tenant_id: str = "") -> list[KnowledgeEntry]:
        """The entries with these ids or labels ("s3-block-public-access", "AC-2")."""
        wanted = {identity.casefold() for identity in ids}
        found = [entry for entry in shipped.entries() if entry.id in wanted]
        forms = sorted(wanted | {f"nist-800-53:{identity}" for identity in wanted})
        return [*found, *await self._imported(tenant_id, EntryRow.id.in_(forms))]

    async def import_file(self, tenant_id: str, data: bytes) -> KnowledgeReport:
        """Keep what an OSCAL catalogue or profile, or a Prowler compliance or check file holds."""
        if self.database is None:
            raise ConfigurationError("this knowledge base has no database to import into; give it one")
        return await import_knowledge(self.database, tenant_id, data)

    async def count(self, tenant_id: str) -> dict[str, int]:
        """How many entries there are, by where they are from."""
        counts = {"shipped": len(shipped.entries())}
        if self.database is not None:
            of_tenant = select(EntryRow.origin, func.count()).where(EntryRow.tenant == tenant_id)
            async with transaction(self.database) as session:
                rows = await session.execute(of_tenant.group_by(EntryRow.origin))
                counts |= {origin: int(count) for origin, count in rows}
        return counts

    async def _imported(self, tenant: str, wanted: ColumnElement[bool]) -> list[KnowledgeEntry]:
        """What the tenant imported itself and is wanted; nothing of anybody else's."""
        if self.database is None or not tenant:
            return []
        query = select(EntryRow.body).where(EntryRow.tenant == tenant, wanted)
        async with transaction(self.database) as session:
            found = await session.scalars(query.order_by(EntryRow.severity, EntryRow.id).limit(MOST))
            return [from_json(body) for body in found]


def _linked(table: Any, tenant: str, wanted: ColumnElement[bool]) -> ColumnElement[bool]:
    """That an entry stands in a table which says what entries are for."""
    return EntryRow.id.in_(select(table.entry_id).where(table.tenant == tenant, wanted))


def _gravest_first(found: Iterable[KnowledgeEntry], limit: int) -> list[KnowledgeEntry]:
    """Gravest first, what names no severity last; the order given breaks ties. Each once."""
    unique = {(entry.origin, entry.id): entry for entry in found}
    return sorted(unique.values(), key=lambda entry: entry.severity.rank if entry.severity else 9)[:limit]
