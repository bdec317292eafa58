"""A tenant and what is asked for in; pages of its findings, gravest first, with counts that are computed, out."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from footnoted.assistants.security.findings.finding import Finding, FindingFilters, FindingsPage, Pagination
from footnoted.assistants.security.findings.importing import ImportReport, import_findings
from footnoted.assistants.security.rooms import opened, transaction
from footnoted.assistants.security.severity import Severity, of_rank, read_severity

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement

    from footnoted.store import Database

_MOST_NAMED = 100  # ids one question may name


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
        from sqlalchemy import func, select

        from footnoted.assistants.security.tables import FindingRow

        filters, pagination = filters or FindingFilters(), pagination or Pagination()
        where = await self._where(_of(tenant_id), filters)
        async with transaction(self.database) as session:
            counted = await session.execute(
                select(FindingRow.severity, func.count()).where(*where).group_by(FindingRow.severity)
            )
            counts = {of_rank(rank).value: int(count) for rank, count in sorted(tuple(row) for row in counted)}
            page = _with_rule().where(*where).order_by(FindingRow.severity, FindingRow.id)
            rows = await session.execute(page.limit(pagination.limit).offset(pagination.offset))
            findings = tuple(_finding(row) for row in rows)
        return FindingsPage(findings, sum(counts.values()), counts, max(pagination.page, 1), pagination.limit)

    async def get_by_rule_ids(
        self, tenant_id: str, rule_ids: Sequence[str], pagination: Pagination | None = None
    ) -> FindingsPage:
        """The findings that these ids name: of checks, of Security Hub controls, of findings, of resources.

        What needs work stands first; what passed is shown too, since it was asked for by name.
        """
        from sqlalchemy import case, func, or_, select

        from footnoted.assistants.security.tables import FindingRow

        pagination = pagination or Pagination()
        named = sorted({form for one in list(rule_ids)[:_MOST_NAMED] for form in _forms(one)})
        if not named:
            return FindingsPage()
        columns = (FindingRow.check_id, FindingRow.control_id, FindingRow.id, FindingRow.uid, FindingRow.resource_id)
        where = [FindingRow.tenant == _of(tenant_id), or_(*(column.in_(named) for column in columns))]
        failing_first = case((FindingRow.status == "fail", 0), (FindingRow.status == "manual", 1), else_=2)
        async with transaction(self.database) as session:
            counted = await session.execute(
                select(FindingRow.severity, func.count())
                .where(*where, FindingRow.status == "fail")
                .group_by(FindingRow.severity)
            )
            counts = {of_rank(rank).value: int(count) for rank, count in sorted(tuple(row) for row in counted)}
            page = _with_rule().where(*where).order_by(failing_first, FindingRow.severity, FindingRow.id)
            findings = tuple(
                _finding(row) for row in await session.execute(page.limit(pagination.limit).offset(pagination.offset))
            )
        return FindingsPage(findings, sum(counts.values()), counts, max(pagination.page, 1), pagination.limit)

    async def count(self, tenant_id: str) -> int:
        """How many findings the tenant has, whatever their state."""
        from sqlalchemy import func, select

        from footnoted.assistants.security.tables import FindingRow

        async with transaction(self.database) as session:
            total = await session.scalar(
                select(func.count()).select_from(FindingRow).where(FindingRow.tenant == _of(tenant_id))
            )
        return int(total or 0)

    async def delete_all(self, tenant_id: str) -> int:
        """Forget every finding of a tenant; how many there were."""
        from sqlalchemy import delete

        from footnoted.assistants.security.tables import FindingRow, RuleFrameworkRow, RuleRow

        async with transaction(self.database) as session:
            gone = await session.execute(delete(FindingRow).where(FindingRow.tenant == _of(tenant_id)))
            for table in (RuleFrameworkRow, RuleRow):
                await session.execute(delete(table).where(table.tenant == _of(tenant_id)))
        return int(getattr(gone, "rowcount", 0))

    async def _where(self, tenant: str, filters: FindingFilters) -> list[ColumnElement[bool]]:
        from footnoted.assistants.security.tables import FindingRow as F

        where: list[ColumnElement[bool]] = [F.tenant == tenant]
        for column, wanted in (
            (F.service, filters.services),
            (F.status, filters.statuses),
            (F.account, filters.accounts),
            (F.region, filters.regions),
        ):
            if wanted:
                where.append(column == wanted[0] if len(wanted) == 1 else column.in_(wanted))
        if filters.severities:
            where.append(F.severity.in_(_ranks(filters.severities)))
        if filters.excluded_services:
            where.append(F.service.not_in(filters.excluded_services))
        if filters.excluded_severities:
            where.append(F.severity.not_in(_ranks(filters.excluded_severities)))
        if filters.check_ids or filters.title_words:
            where.append(_about(tenant, filters))
        if filters.frameworks:
            where.append(_serves(tenant, filters, sqlite=self.database.is_sqlite))
        return where


def _of(tenant_id: str) -> str:
    if not isinstance(tenant_id, str) or not tenant_id.strip() or len(tenant_id) > 200:
        from footnoted.errors import ConfigurationError

        raise ConfigurationError("a tenant is named by 1 to 200 characters")
    return tenant_id


def _serves(tenant: str, filters: FindingFilters, *, sqlite: bool) -> ColumnElement[bool]:
    """That a finding touches one of the frameworks: by its scanner's word, the catalogue's or imported knowledge's."""
    from sqlalchemy import or_, select

    from footnoted.assistants.security.knowledge.shipped import checks_of
    from footnoted.assistants.security.tables import EntryCheckRow, FindingRow, RuleFrameworkRow

    named = list(filters.frameworks)
    by_scanner = select(RuleFrameworkRow.rule_id).where(
        RuleFrameworkRow.tenant == tenant, RuleFrameworkRow.framework.in_(named)
    )
    by_knowledge = select(EntryCheckRow.check_id).where(
        EntryCheckRow.tenant == tenant, EntryCheckRow.framework.in_(named)
    )
    ways: list[Any] = [FindingRow.rule_id.in_(by_scanner), FindingRow.check_id.in_(by_knowledge)]
    if shipped := checks_of(tuple(named)):
        ways += [
            _among(FindingRow.check_id, shipped, sqlite=sqlite),
            _among(FindingRow.control_id, shipped, sqlite=sqlite),
        ]
    return or_(*ways)


def _among(column: ColumnElement[Any] | Any, names: Sequence[str], *, sqlite: bool) -> ColumnElement[bool]:
    """That a column is one of many names, which travel as one parameter: hundreds of their own cost milliseconds."""
    from sqlalchemy import ARRAY, Text, any_, func, literal, select

    if sqlite:
        found: ColumnElement[bool] = column.in_(select(func.json_each(json.dumps(names)).table_valued("value").c.value))
        return found
    return column == any_(literal(list(names), ARRAY(Text)))


def _about(tenant: str, filters: FindingFilters) -> ColumnElement[bool]:
    """That a finding is of one of the checks, or that its title holds all of the words."""
    from sqlalchemy import func, or_, select

    from footnoted.assistants.security.tables import FindingRow, RuleRow

    ways: list[ColumnElement[bool]] = []
    if filters.check_ids:
        named = sorted({form for one in filters.check_ids for form in _forms(one)})
        ways += [FindingRow.check_id.in_(named), FindingRow.control_id.in_(named)]
    if filters.title_words:
        words = [word.casefold() for word in filters.title_words[:8]]
        titles = [func.lower(RuleRow.title).contains(word, autoescape=True) for word in words]
        ways.append(FindingRow.rule_id.in_(select(RuleRow.id).where(RuleRow.tenant == tenant, *titles)))
    return or_(*ways)


def _with_rule() -> Any:
    from sqlalchemy import select

    from footnoted.assistants.security.tables import FindingRow, RuleRow

    return select(FindingRow, RuleRow).join(RuleRow, RuleRow.id == FindingRow.rule_id)


def _finding(row: Sequence[Any]) -> Finding:
    kept, rule = row
    return Finding(
        id=kept.id,
        severity=of_rank(kept.severity),
        frameworks={key: tuple(ids) for key, ids in rule.frameworks.items()},
        references=tuple(rule.references),
        **{
            name: getattr(kept, name)
            for name in (
                "check_id", "control_id", "status", "service", "scanner", "uid", "provider", "account", "region",
                "resource_id", "resource_name", "resource_type", "detail", "observed_at",
            )
        },
        **{name: getattr(rule, name) for name in ("title", "description", "risk", "remediation", "remediation_cli")},
    )  # fmt: skip


def _forms(name: str) -> tuple[str, ...]:
    """The spellings under which an id may be kept: ``s3.1`` is S3.1."""
    name = name.strip()
    if not name:
        return ()
    from footnoted.assistants.security.findings.spelling import spelled

    return tuple(dict.fromkeys((name, name.casefold(), spelled(name))))


def _ranks(severities: Iterable[str]) -> list[int]:
    return [found.rank for one in severities if isinstance(found := read_severity(one), Severity)]
