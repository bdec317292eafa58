"""Finds the knowledge base's entries for a framework, a service or a check, gravest first."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from footnoted.assistants.security.knowledge import shipped
from footnoted.assistants.security.knowledge.entry import KnowledgeEntry, from_json
from footnoted.assistants.security.names import framework_key, service_key
from footnoted.assistants.security.rooms import opened, transaction

if TYPE_CHECKING:
    from footnoted.assistants.security.knowledge.importing import KnowledgeReport
    from footnoted.store import Database

MOST = 200  # entries of one look-up


class KnowledgeBaseService:
    """The shipped catalogue, and what a tenant imported beside it. Without a ``database``, the catalogue alone."""

    def __init__(self, database: Database | str | None = None) -> None:
        self.database = None if database is None else opened(database)

    async def prepare(self) -> None:
        """Bring the tables up to date."""
        if self.database is not None:
            from footnoted.assistants.security.rooms import prepare

            await prepare(self.database)

    async def get_for_framework(
        self, framework: str, *, tenant_id: str = "", limit: int = MOST
    ) -> list[KnowledgeEntry]:
        """The entries that serve a framework, by any of its names ("PCI", "pci-dss")."""
        key = framework_key(framework)
        found = [entry for entry in shipped.entries() if key in entry.frameworks]
        return _first([*found, *await self._imported(tenant_id, framework=key)], limit)

    async def get_for_service(self, service: str, *, tenant_id: str = "", limit: int = MOST) -> list[KnowledgeEntry]:
        """The entries about a service, by any of its names ("S3", "awslambda")."""
        key = service_key(service)
        found = [entry for entry in shipped.entries() if entry.service == key]
        return _first([*found, *await self._imported(tenant_id, service=key)], limit)

    async def get_for_checks(
        self, checks: Sequence[str], *, tenant_id: str = "", limit: int = MOST
    ) -> list[KnowledgeEntry]:
        """The entries that speak of any of these checks or controls: how what a scanner found is put right."""
        wanted = list(dict.fromkeys(checks))
        index = shipped.by_check()
        found = {entry.id: entry for check in wanted for entry in index.get(check, ())}
        return _first([*found.values(), *await self._imported(tenant_id, checks=wanted)], limit)

    async def get_by_ids(self, ids: Sequence[str], *, tenant_id: str = "") -> list[KnowledgeEntry]:
        """The entries with these ids or labels ("s3-block-public-access", "AC-2")."""
        wanted = {one.casefold() for one in ids}
        found = [entry for entry in shipped.entries() if entry.id in wanted]
        return [*found, *await self._imported(tenant_id, ids=sorted(wanted))]

    async def import_file(
        self, tenant_id: str, data: bytes, *, progress: Callable[[int, int], None] | None = None
    ) -> KnowledgeReport:
        """Keep what an OSCAL catalogue or profile, or a Prowler compliance or check file holds."""
        from footnoted.assistants.security.knowledge.importing import import_knowledge
        from footnoted.errors import ConfigurationError

        if self.database is None:
            raise ConfigurationError("this knowledge base has no database to import into; give it one")
        return await import_knowledge(self.database, tenant_id, data, progress=progress)

    async def count(self, tenant_id: str) -> dict[str, int]:
        """How many entries there are, by where they are from."""
        counts = {"shipped": len(shipped.entries())}
        if self.database is not None:
            from sqlalchemy import func, select

            from footnoted.assistants.security.tables import EntryRow

            counted = (
                select(EntryRow.origin, func.count()).where(EntryRow.tenant == tenant_id).group_by(EntryRow.origin)
            )
            async with transaction(self.database) as session:
                counts |= {origin: int(count) for origin, count in await session.execute(counted)}
        return counts

    async def _imported(
        self,
        tenant: str,
        *,
        framework: str = "",
        service: str = "",
        checks: Sequence[str] = (),
        ids: Sequence[str] = (),
    ) -> list[KnowledgeEntry]:
        """What the tenant imported itself of one of these; nothing of anybody else's."""
        if self.database is None or not tenant or not (framework or service or checks or ids):
            return []
        from sqlalchemy import select

        from footnoted.assistants.security.tables import EntryCheckRow, EntryFrameworkRow, EntryRow

        if service:
            wanted = EntryRow.service == service
        elif ids:
            wanted = EntryRow.id.in_([form for one in ids for form in (one, f"nist-800-53:{one}")])
        else:
            table = EntryFrameworkRow if framework else EntryCheckRow
            of = table.framework == framework if framework else EntryCheckRow.check_id.in_(list(checks)[:100])
            wanted = EntryRow.id.in_(select(table.entry_id).where(table.tenant == tenant, of))
        query = select(EntryRow.body).where(EntryRow.tenant == tenant, wanted)
        async with transaction(self.database) as session:
            found = await session.scalars(query.order_by(EntryRow.severity, EntryRow.id).limit(MOST))
            return [from_json(body) for body in found]


def _first(found: Iterable[KnowledgeEntry], limit: int) -> list[KnowledgeEntry]:
    """Gravest first, what names no severity last; the order given breaks ties. Each once."""
    unique = {(entry.origin, entry.id): entry for entry in found}
    return sorted(unique.values(), key=lambda entry: entry.severity.rank if entry.severity else 9)[:limit]
