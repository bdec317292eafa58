"""Writes the one statement that counts and reads a page of findings, and the page it gives.

A page is asked for at every question, so it costs one statement, no object mapping, and reads its counts from an
index alone. What serves a framework is settled for the checks, of which there are few, and not for the findings.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from footnoted.assistants.security.findings.finding import Finding, FindingFilters, FindingsPage, Pagination
from footnoted.assistants.security.knowledge.shipped import checks_of
from footnoted.assistants.security.rooms import reading
from footnoted.assistants.security.severity import Severity, of_rank, read_severity

if TYPE_CHECKING:
    from sqlalchemy import TextClause

    from footnoted.store import Database

_FINDING = (
    "id", "check_id", "control_id", "status", "service", "scanner", "uid", "provider", "account", "region",
    "resource_id", "resource_name", "resource_type", "detail", "account_name",
)  # fmt: skip
_RULE = ("title", "description", "risk", "remediation", "remediation_cli")
_COUNTED = len(Severity)
_STATEMENT = """
WITH serving AS (SELECT r.id FROM security_rules AS r WHERE r.tenant = :tenant AND {rules})
SELECT c.*, f.severity, f.observed_at, f.first_seen, CAST(r.links AS text), CAST(r.frameworks AS text), {columns}
FROM (SELECT {counts} FROM security_findings AS f WHERE {where}{counted}) AS c
LEFT JOIN (SELECT f.* FROM security_findings AS f WHERE {where} ORDER BY {order} LIMIT :size OFFSET :skipped) AS f
    ON 1 = 1
LEFT JOIN security_rules AS r ON r.id = f.rule_id
ORDER BY {order}
"""
GRAVEST_FIRST = "f.severity, f.id"
# What needs work stands first; what passed is shown too, where it was asked for by name.
FAILING_FIRST = (
    "CASE WHEN f.status = 'fail' THEN 0 WHEN f.status IN ('manual', 'warning') THEN 1 ELSE 2 END, f.severity, f.id"
)


@dataclass(slots=True)
class Wanted:
    """The conditions on findings ``f`` and, if any, on rules ``r``, and the values that travel beside them."""

    sqlite: bool
    findings: list[str] = field(default_factory=lambda: ["f.tenant = :tenant", "f.current"])
    rules: list[str] = field(default_factory=list)
    values: dict[str, Any] = field(default_factory=dict)

    def among(self, column: str, names: Sequence[str], *, other: bool = False) -> str:
        """That a column is one of these names, or none of them; many travel as one value."""
        key = f"v{len(self.values)}"
        names = [name.replace("\x00", "\ufffd") for name in names]  # PostgreSQL keeps no NUL, so none is found
        if len(names) == 1:
            self.values[key] = names[0]
            return f"{column} {'<>' if other else '='} :{key}"
        if self.sqlite:
            self.values[key] = _as_array(tuple(names))
            return f"{column} {'NOT ' if other else ''}IN (SELECT value FROM json_each(:{key}))"  # noqa: S608 — values are bound
        self.values[key] = list(names)
        return f"{column} {'<> ALL' if other else '= ANY'} (CAST(:{key} AS text[]))"


def wanted_by(filters: FindingFilters, *, sqlite: bool) -> Wanted:
    """The filters as conditions."""
    wanted = Wanted(sqlite)
    for column, names, other in (
        ("f.service", filters.services, False),
        ("f.status", filters.statuses, False),
        ("f.account", filters.accounts, False),
        ("f.region", filters.regions, False),
        ("f.service", filters.excluded_services, True),
    ):
        if names:
            wanted.findings.append(wanted.among(column, names, other=other))
    for severities, word in ((filters.severities, "IN"), (filters.excluded_severities, "NOT IN")):
        if severities and (ranks := _ranks(severities) or (word == "IN" and [-1])):
            wanted.findings.append(f"f.severity {word} ({', '.join(map(str, ranks))})")
    if filters.check_ids or filters.title_words:
        wanted.findings.append(_about(filters, wanted))
    if filters.frameworks:
        wanted.rules.append(_serving(filters.frameworks, wanted))
        wanted.findings.append("f.rule_id IN (SELECT id FROM serving)")
    return wanted


def wanted_by_name(names: Sequence[str], *, sqlite: bool) -> Wanted:
    """The findings that these ids name: of checks, of Security Hub controls, of findings, of resources."""
    wanted = Wanted(sqlite)
    columns = ("check_id", "control_id", "id", "uid", "resource_id")
    wanted.findings.append(f"({' OR '.join(wanted.among(f'f.{column}', names) for column in columns)})")
    return wanted


def wanted_by_id(ids: Sequence[str], *, sqlite: bool) -> Wanted:
    """The findings of these ids, whether they are still reported or not."""
    wanted = Wanted(sqlite, findings=["f.tenant = :tenant"])
    wanted.findings.append(wanted.among("f.id", ids))
    return wanted


async def read_page(
    database: Database,
    tenant: str,
    wanted: Wanted,
    pagination: Pagination,
    *,
    order: str = GRAVEST_FIRST,
    counted: str = "",
) -> FindingsPage:
    """The page and the counts of what is wanted; ``counted`` narrows the counts alone."""
    values = {**wanted.values, "tenant": tenant, "size": pagination.limit, "skipped": pagination.offset}
    rules = " AND ".join(wanted.rules) or "1 = 0"
    async with reading(database) as connection:
        result = await connection.execute(_statement(" AND ".join(wanted.findings), rules, order, counted), values)
        rows = result.all()
    counts = {of_rank(rank).value: int(count) for rank, count in enumerate(rows[0][:_COUNTED]) if count}
    findings = tuple(_finding(row[_COUNTED:]) for row in rows if row[_COUNTED] is not None)
    return FindingsPage(findings, sum(counts.values()), counts, max(pagination.page, 1), pagination.limit)


def forms_of(name: str) -> tuple[str, ...]:
    """The spellings under which an id may be kept: ``s3.1`` is S3.1."""
    name = name.strip()
    if not name:
        return ()
    from footnoted.assistants.security.findings.spelling import spelled

    return tuple(dict.fromkeys((name, name.casefold(), spelled(name))))


@lru_cache(maxsize=256)
def _statement(where: str, rules: str, order: str, counted: str) -> TextClause:
    """The statement for one shape of question; names and values are bound, never written into it."""
    from sqlalchemy import text

    counts = ", ".join(f"count(CASE WHEN f.severity = {rank} THEN 1 END) AS n{rank}" for rank in range(_COUNTED))
    columns = ", ".join([*(f"f.{name}" for name in _FINDING), *(f"r.{name}" for name in _RULE)])
    return text(
        _STATEMENT.format(rules=rules, columns=columns, counts=counts, where=where, counted=counted, order=order)
    )


def _serving(frameworks: Sequence[str], wanted: Wanted) -> str:
    """That a check touches a framework: by its scanner's word, the catalogue's or imported knowledge's."""
    rules = "SELECT s.rule_id FROM security_rule_frameworks AS s WHERE s.tenant = :tenant AND "
    checks = "SELECT k.check_id FROM security_kb_checks AS k WHERE k.tenant = :tenant AND "
    ways = [
        f"r.id IN ({rules}{wanted.among('s.framework', frameworks)})",
        f"r.check_id IN ({checks}{wanted.among('k.framework', frameworks)})",
    ]
    if shipped := checks_of(tuple(frameworks)):
        ways.append(wanted.among("r.check_id", shipped))
    return f"({' OR '.join(ways)})"


def _about(filters: FindingFilters, wanted: Wanted) -> str:
    """That a finding is of one of the checks, or that its title holds all of the words."""
    ways: list[str] = []
    if filters.check_ids:
        named = sorted({form for one in filters.check_ids for form in forms_of(one)})
        ways += [wanted.among("f.check_id", named), wanted.among("f.control_id", named)]
    if filters.title_words:
        titles = []
        for word in filters.title_words[:8]:
            key = f"v{len(wanted.values)}"
            wanted.values[key] = (
                "%" + "".join(f"/{c}" if c in "/%_" else c for c in word.casefold() if c != "\x00") + "%"
            )
            titles.append(f"lower(t.title) LIKE :{key} ESCAPE '/'")
        titled = "SELECT t.id FROM security_rules AS t WHERE t.tenant = :tenant AND "
        ways.append(f"f.rule_id IN ({titled}{' AND '.join(titles)})")
    return f"({' OR '.join(ways)})"


def _finding(row: Sequence[Any]) -> Finding:
    severity, observed_at, first_seen, links, frameworks, *texts = row
    return Finding(
        severity=of_rank(severity),
        observed_at=_moment(observed_at),
        first_seen=_moment(first_seen) if first_seen else None,
        references=_links(links),
        frameworks=_requirements(frameworks),
        **dict(zip((*_FINDING, *_RULE), texts, strict=True)),
    )


def _moment(value: datetime | str | None) -> datetime | None:
    """SQLite keeps times as text without a zone; all times here are UTC."""
    found = datetime.fromisoformat(value) if isinstance(value, str) else value
    return found.replace(tzinfo=UTC) if found is not None and found.tzinfo is None else found


# A check's words are the same on each of its findings.
@lru_cache(maxsize=4096)
def _links(written: str) -> tuple[str, ...]:
    return tuple(json.loads(written))


@lru_cache(maxsize=4096)
def _requirements(written: str) -> Mapping[str, tuple[str, ...]]:
    return {key: tuple(ids) for key, ids in json.loads(written).items()}


@lru_cache(maxsize=256)
def _as_array(names: tuple[str, ...]) -> str:
    return json.dumps(names)


def _ranks(severities: Iterable[str]) -> list[int]:
    return [found.rank for one in severities if isinstance(found := read_severity(one), Severity)]
