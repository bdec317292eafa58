"""A tenant's findings: imports scanners' files, gives pages of what they found, gravest first, and forgets them.

A page and the counts of all that match are read in one statement. What matches is counted from an index alone, so both
are subqueries of their own with the same conditions; what serves a framework is settled for the checks, which are few.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from sqlalchemy import case, delete, func, or_, select, true

from footnoted.assistants.security.catalogue import checks_of
from footnoted.assistants.security.findings.fields import moment
from footnoted.assistants.security.findings.finding import Finding, FindingFilters, FindingsPage, Pagination
from footnoted.assistants.security.findings.hub import spelled
from footnoted.assistants.security.findings.importing import ImportReport, import_findings
from footnoted.assistants.security.severity import Severity, of_rank, read_severity
from footnoted.assistants.security.tables import (
    EntryCheckRow,
    FindingRow,
    MappingRow,
    RuleFrameworkRow,
    RuleRow,
    ScanRow,
    StateRow,
    opened,
    prepare,
    reading,
    transaction,
)
from footnoted.errors import ConfigurationError

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement

    from footnoted.store import Database

FINDINGS = FindingRow.__table__.alias("f")
_RULES = RuleRow.__table__.alias("r")
_OF_FINDING = (
    "id", "check_id", "control_id", "status", "service", "scanner", "uid", "provider", "account", "region",
    "resource_id", "resource_name", "resource_type", "detail", "account_name", "severity", "observed_at", "first_seen",
)  # fmt: skip
_OF_RULE = ("title", "description", "risk", "remediation", "remediation_cli", "links", "frameworks")
_MOST_NAMED = 250  # ids one question may name


def _order(findings: Any, *, failing: bool) -> list[Any]:
    """The order of a page: by severity, behind what needs work where that stands first."""
    needs_work = case((findings.c.status == "fail", 0), (findings.c.status.in_(("manual", "warning")), 1), else_=2)
    return [*([needs_work] if failing else []), findings.c.severity, findings.c.id]


def filtered(tenant: str, filters: FindingFilters) -> list[ColumnElement[bool]]:
    """The conditions that the filters are on a tenant's current findings."""
    findings = FINDINGS.c
    wanted: list[ColumnElement[bool]] = [findings.tenant == tenant, findings.current]
    asked = {"service": filters.services, "status": filters.statuses, "account": filters.accounts}
    asked["region"] = filters.regions
    wanted += [among(findings[name], names) for name, names in asked.items() if names]
    if filters.excluded_services:
        wanted.append(~among(findings.service, filters.excluded_services))
    if filters.severities:
        wanted.append(findings.severity.in_(_ranks(filters.severities)))
    if filters.excluded_severities:
        wanted.append(findings.severity.not_in(_ranks(filters.excluded_severities)))
    about: list[ColumnElement[bool]] = []
    if filters.check_ids:
        about += named(filters.check_ids, findings.check_id, findings.control_id)
    if filters.title_words:
        words = [word.casefold().replace("\x00", "") for word in filters.title_words[:8]]
        titled = [func.lower(RuleRow.title).contains(word, autoescape=True) for word in words]
        about.append(findings.rule_id.in_(select(RuleRow.id).where(RuleRow.tenant == tenant, *titled)))
    if about:
        wanted.append(or_(*about))
    if filters.frameworks:
        wanted.append(findings.rule_id.in_(select(_serving(tenant, filters.frameworks).c.id)))
    return wanted


def among(column: Any, names: Sequence[str]) -> ColumnElement[bool]:
    """That a column holds one of these names."""
    # PostgreSQL keeps no NUL, and takes none: a name that has one is found nowhere.
    found: ColumnElement[bool] = column.in_([name.replace("\x00", "\ufffd") for name in names])
    return found


def named(names: Sequence[str], *columns: Any) -> list[ColumnElement[bool]]:
    """That one of the columns holds one of these ids, in a spelling under which it may be kept: ``s3.1`` is S3.1."""
    stripped = [name.strip() for name in names]
    forms = {form for name in stripped if name for form in (name, name.casefold(), spelled(name))}
    return [among(column, sorted(forms)) for column in columns] if forms else []


def _serving(tenant: str, frameworks: Sequence[str]) -> Any:
    """The rules that touch a framework: by their scanner's word, the catalogue's or imported knowledge's."""

    def serves(table: Any) -> list[ColumnElement[bool]]:
        return [table.tenant == tenant, among(table.framework, frameworks)]

    by_scanner = select(RuleFrameworkRow.rule_id).where(*serves(RuleFrameworkRow))
    imported = select(EntryCheckRow.check_id).where(*serves(EntryCheckRow))
    ways: list[ColumnElement[bool]] = [RuleRow.id.in_(by_scanner), RuleRow.check_id.in_(imported)]
    if shipped := checks_of(tuple(frameworks)):
        ways.append(among(RuleRow.check_id, shipped))
    return select(RuleRow.id).where(RuleRow.tenant == tenant, or_(*ways)).cte("serving")


def _ranks(severities: Sequence[str]) -> list[int]:
    return [severity.rank for word in severities if (severity := read_severity(word)) is not None]


async def read_page(
    database: Database, wanted: Sequence[ColumnElement[bool]], pagination: Pagination, *, failing: bool = False
) -> FindingsPage:
    """The page and the counts of the findings that meet all conditions.

    ``failing``: what needs work stands first and is counted alone; what passed is shown too.
    """
    of_severity = [func.count(case((FINDINGS.c.severity == one.rank, 1))).label(one.value) for one in Severity]
    counted = [FINDINGS.c.status == "fail"] if failing else []
    counts = select(*of_severity).where(*wanted, *counted).subquery("counts")
    chosen = select(FINDINGS).where(*wanted).order_by(*_order(FINDINGS, failing=failing))
    page = chosen.limit(pagination.limit).offset(pagination.offset).subquery("page")
    columns = [*counts.c, *(page.c[name] for name in _OF_FINDING), *(_RULES.c[name] for name in _OF_RULE)]
    # The counts are there though the page be empty.
    joined = counts.outerjoin(page, true()).outerjoin(_RULES, _RULES.c.id == page.c.rule_id)
    async with reading(database) as connection:
        result = await connection.execute(select(*columns).select_from(joined).order_by(*_order(page, failing=failing)))
        rows = result.all()
    size = len(Severity)
    found = {of_rank(rank).value: int(count) for rank, count in enumerate(rows[0][:size]) if count}
    findings = tuple(_finding(row[size:]) for row in rows if row[size] is not None)
    return FindingsPage(findings, sum(found.values()), found, max(pagination.page, 1), pagination.limit)


def _finding(row: Sequence[Any]) -> Finding:
    fields = dict(zip((*_OF_FINDING, *_OF_RULE), row, strict=True))
    since = fields.pop("first_seen")
    return Finding(
        severity=of_rank(fields.pop("severity")),
        first_seen=moment(since),
        references=tuple(fields.pop("links")),
        frameworks={key: tuple(ids) for key, ids in fields.pop("frameworks").items()},
        **fields,
    )


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
        return await read_page(self.database, wanted, pagination or Pagination(), failing=True)

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
