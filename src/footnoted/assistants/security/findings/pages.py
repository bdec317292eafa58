"""Reads one page of findings and counts all that match, in one statement.

What matches is counted from an index alone, so counts and page are subqueries of their own with the same conditions.
What serves a framework is settled for the checks, of which there are few, and not for the findings.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from sqlalchemy import case, func, or_, select, true

from footnoted.assistants.security.findings.finding import Finding, FindingFilters, FindingsPage, Pagination
from footnoted.assistants.security.findings.hub import spelled
from footnoted.assistants.security.knowledge.shipped import checks_of
from footnoted.assistants.security.rooms import reading
from footnoted.assistants.security.severity import Severity, of_rank, read_severity
from footnoted.assistants.security.tables import EntryCheckRow, FindingRow, RuleFrameworkRow, RuleRow

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


def gravest_first(findings: Any) -> list[Any]:
    """The order of a page: by severity."""
    return [findings.c.severity, findings.c.id]


def failing_first(findings: Any) -> list[Any]:
    """What needs work stands first; what passed is shown too, where it was asked for by name."""
    return [
        case((findings.c.status == "fail", 0), (findings.c.status.in_(("manual", "warning")), 1), else_=2),
        *gravest_first(findings),
    ]


def filtered(tenant: str, filters: FindingFilters) -> list[ColumnElement[bool]]:
    """The conditions that the filters are on a tenant's current findings."""
    findings = FINDINGS.c
    wanted: list[ColumnElement[bool]] = [findings.tenant == tenant, findings.current]
    for column, names in (
        (findings.service, filters.services),
        (findings.status, filters.statuses),
        (findings.account, filters.accounts),
        (findings.region, filters.regions),
    ):
        if names:
            wanted.append(among(column, names))
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
    by_scanner = select(RuleFrameworkRow.rule_id).where(
        RuleFrameworkRow.tenant == tenant, among(RuleFrameworkRow.framework, frameworks)
    )
    imported = select(EntryCheckRow.check_id).where(
        EntryCheckRow.tenant == tenant, among(EntryCheckRow.framework, frameworks)
    )
    ways: list[ColumnElement[bool]] = [RuleRow.id.in_(by_scanner), RuleRow.check_id.in_(imported)]
    if shipped := checks_of(tuple(frameworks)):
        ways.append(among(RuleRow.check_id, shipped))
    return select(RuleRow.id).where(RuleRow.tenant == tenant, or_(*ways)).cte("serving")


def _ranks(severities: Sequence[str]) -> list[int]:
    return [severity.rank for word in severities if (severity := read_severity(word)) is not None]


async def read_page(
    database: Database,
    wanted: Sequence[ColumnElement[bool]],
    pagination: Pagination,
    *,
    order: Callable[[Any], list[Any]] = gravest_first,
    counted: ColumnElement[bool] | None = None,
) -> FindingsPage:
    """The page and the counts of the findings that meet all conditions; ``counted`` narrows the counts alone."""
    of_severity = [func.count(case((FINDINGS.c.severity == one.rank, 1))).label(one.value) for one in Severity]
    counts = select(*of_severity).where(*wanted, *(() if counted is None else (counted,))).subquery("counts")
    chosen = select(FINDINGS).where(*wanted).order_by(*order(FINDINGS))
    page = chosen.limit(pagination.limit).offset(pagination.offset).subquery("page")
    columns = [*counts.c, *(page.c[name] for name in _OF_FINDING), *(_RULES.c[name] for name in _OF_RULE)]
    # The counts are there though the page be empty.
    joined = counts.outerjoin(page, true()).outerjoin(_RULES, _RULES.c.id == page.c.rule_id)
    async with reading(database) as connection:
        result = await connection.execute(select(*columns).select_from(joined).order_by(*order(page)))
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
        observed_at=_in_utc(fields.pop("observed_at")),
        first_seen=_in_utc(datetime.fromisoformat(since)) if since else None,
        references=tuple(fields.pop("links")),
        frameworks={key: tuple(ids) for key, ids in fields.pop("frameworks").items()},
        **fields,
    )


def _in_utc(moment: datetime | None) -> datetime | None:
    """SQLite keeps no zone; all times here are UTC."""
    return moment.replace(tzinfo=UTC) if moment is not None and moment.tzinfo is None else moment
