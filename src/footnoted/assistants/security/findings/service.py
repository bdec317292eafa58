"""Gives a tenant pages of its findings, gravest first, with computed counts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from footnoted.assistants.security.findings.finding import Finding, FindingFilters, FindingsPage, Pagination
from footnoted.assistants.security.findings.importing import ImportReport, import_findings
from footnoted.assistants.security.findings.pages import (
    FAILING_FIRST,
    forms_of,
    read_page,
    wanted_by,
    wanted_by_id,
    wanted_by_name,
)
from footnoted.assistants.security.rooms import opened, transaction

if TYPE_CHECKING:
    from footnoted.store import Database

_MOST_NAMED = 250  # ids one question may name


class FindingsService:
    """The findings of every tenant, and of each only its own. ``database``: a `Database` or its URL."""

    def __init__(self, database: Database | str) -> None:
        self.database = opened(database)

    async def prepare(self) -> None:
        """Bring the tables up to date."""
        from footnoted.assistants.security.rooms import prepare

        await prepare(self.database)

    async def import_file(self, tenant_id: str, pieces: Iterable[bytes], **options: Any) -> ImportReport:
        """Keep every finding of a scanner's file; see `import_findings`."""
        return await import_findings(self.database, _of(tenant_id), pieces, **options)

    async def get_findings(
        self, tenant_id: str, filters: FindingFilters | None = None, pagination: Pagination | None = None
    ) -> FindingsPage:
        """One page, gravest first, and how many there are in all and of each severity."""
        wanted = wanted_by(filters or FindingFilters(), sqlite=self.database.is_sqlite)
        return await read_page(self.database, _of(tenant_id), wanted, pagination or Pagination())

    async def get_by_rule_ids(
        self, tenant_id: str, rule_ids: Sequence[str], pagination: Pagination | None = None
    ) -> FindingsPage:
        """The findings that these ids name: of checks, of Security Hub controls, of findings, of resources.

        What needs work stands first; what passed is shown too, since it was asked for by name.
        """
        tenant = _of(tenant_id)
        named = sorted({form for one in list(rule_ids)[:_MOST_NAMED] for form in forms_of(one)})
        if not named:
            return FindingsPage()
        wanted = wanted_by_name(named, sqlite=self.database.is_sqlite)
        failing = " AND f.status = 'fail'"
        return await read_page(
            self.database, tenant, wanted, pagination or Pagination(), order=FAILING_FIRST, counted=failing
        )

    async def get_by_ids(self, tenant_id: str, ids: Sequence[str]) -> tuple[Finding, ...]:
        """The findings of these ids in their order, those that are no longer reported too."""
        tenant = _of(tenant_id)
        if not ids:
            return ()
        wanted = wanted_by_id(list(ids)[:_MOST_NAMED], sqlite=self.database.is_sqlite)
        page = await read_page(self.database, tenant, wanted, Pagination(page_size=200))
        found = {one.id: one for one in page}
        return tuple(found[one] for one in ids if one in found)

    async def count(self, tenant_id: str) -> int:
        """How many findings the tenant has, whatever their state."""
        from sqlalchemy import func, select

        from footnoted.assistants.security.tables import FindingRow

        counted = select(func.count()).select_from(FindingRow).where(FindingRow.tenant == _of(tenant_id))
        async with transaction(self.database) as session:
            return int(await session.scalar(counted) or 0)

    async def delete_all(self, tenant_id: str) -> int:
        """Forget every finding of a tenant; how many there were."""
        from sqlalchemy import delete, select

        from footnoted.assistants.security.tables import (
            FindingRow,
            MappingRow,
            RuleFrameworkRow,
            RuleRow,
            ScanRow,
            StateRow,
        )

        tenant = _of(tenant_id)
        async with transaction(self.database) as session:
            kept = select(FindingRow.id).where(FindingRow.tenant == tenant)
            await session.execute(delete(StateRow).where(StateRow.finding_id.in_(kept)))
            gone = await session.execute(delete(FindingRow).where(FindingRow.tenant == tenant))
            for table in (RuleFrameworkRow, MappingRow, RuleRow, ScanRow):
                await session.execute(delete(table).where(table.tenant == tenant))
        return int(getattr(gone, "rowcount", 0))


def _of(tenant_id: str) -> str:
    if not isinstance(tenant_id, str) or not tenant_id.strip() or len(tenant_id) > 200:
        from footnoted.errors import ConfigurationError

        raise ConfigurationError("a tenant is named by 1 to 200 characters")
    return tenant_id
