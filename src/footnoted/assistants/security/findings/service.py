"""A tenant's findings: imports scanners' files, gives pages of what they found, gravest first, and forgets them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from sqlalchemy import delete, func, or_, select

from footnoted.assistants.security.findings.finding import Finding, FindingFilters, FindingsPage, Pagination
from footnoted.assistants.security.findings.importing import ImportReport, import_findings
from footnoted.assistants.security.findings.pages import FINDINGS, among, failing_first, filtered, named, read_page
from footnoted.assistants.security.rooms import opened, prepare, transaction
from footnoted.assistants.security.tables import FindingRow, MappingRow, RuleFrameworkRow, RuleRow, ScanRow, StateRow
from footnoted.errors import ConfigurationError

if TYPE_CHECKING:
    from footnoted.store import Database

_MOST_NAMED = 250  # ids one question may name


class FindingsService:
    """The findings of every tenant, and of each only its own. ``database``: a `Database` or its URL."""

    def __init__(self, database: Database | str) -> None:
        self.database = opened(database)

    async def prepare(self) -> None:
        """Bring the tables up to date."""
        await prepare(self.database)

    async def import_file(self, tenant_id: str, pieces: Iterable[bytes], **options: Any) -> ImportReport:
        """Keep every finding of a scanner's file; see `import_findings`."""
        return await import_findings(self.database, _checked(tenant_id), pieces, **options)

    async def get_findings(
        self, tenant_id: str, filters: FindingFilters | None = None, pagination: Pagination | None = None
    ) -> FindingsPage:
        """One page, gravest first, and how many there are in all and of each severity."""
        wanted = filtered(_checked(tenant_id), filters or FindingFilters())
        return await read_page(self.database, wanted, pagination or Pagination())

    async def get_by_rule_ids(
        self, tenant_id: str, rule_ids: Sequence[str], pagination: Pagination | None = None
    ) -> FindingsPage:
        """The findings that these ids name: of checks, of Security Hub controls, of findings, of resources.

        What needs work stands first; what passed is shown too, since it was asked for by name.
        """
        tenant, column = _checked(tenant_id), FINDINGS.c
        columns = (column.check_id, column.control_id, column.id, column.uid, column.resource_id)
        if not (ways := named(list(rule_ids)[:_MOST_NAMED], *columns)):
            return FindingsPage()
        wanted = [column.tenant == tenant, column.current, or_(*ways)]
        failing = column.status == "fail"
        return await read_page(self.database, wanted, pagination or Pagination(), order=failing_first, counted=failing)

    async def get_by_ids(self, tenant_id: str, ids: Sequence[str]) -> tuple[Finding, ...]:
        """The findings of these ids in their order, those that are no longer reported too."""
        tenant = _checked(tenant_id)
        if not ids:
            return ()
        wanted = [FINDINGS.c.tenant == tenant, among(FINDINGS.c.id, list(ids)[:_MOST_NAMED])]
        page = await read_page(self.database, wanted, Pagination(page_size=200))
        found = {finding.id: finding for finding in page}
        return tuple(found[identity] for identity in ids if identity in found)

    async def count(self, tenant_id: str) -> int:
        """How many findings the tenant has, whatever their state."""
        counted = select(func.count()).select_from(FindingRow).where(FindingRow.tenant == _checked(tenant_id))
        async with transaction(self.database) as session:
            return int(await session.scalar(counted) or 0)

    async def delete_all(self, tenant_id: str) -> int:
        """Forget every finding of a tenant; how many there were."""
        tenant = _checked(tenant_id)
        async with transaction(self.database) as session:
            kept = select(FindingRow.id).where(FindingRow.tenant == tenant)
            await session.execute(delete(StateRow).where(StateRow.finding_id.in_(kept)))
            gone = await session.execute(delete(FindingRow).where(FindingRow.tenant == tenant))
            for table in (RuleFrameworkRow, MappingRow, RuleRow, ScanRow):
                await session.execute(delete(table).where(table.tenant == tenant))
        return int(getattr(gone, "rowcount", 0))


def _checked(tenant_id: str) -> str:
    """The tenant's name; without one, an error and never everybody's findings."""
    if not isinstance(tenant_id, str) or not tenant_id.strip() or len(tenant_id) > 200:
        raise ConfigurationError("a tenant is named by 1 to 200 characters")
    return tenant_id
