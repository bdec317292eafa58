"""A query run: totals, groups and rows exactly as the database has them, and what requirements and checks say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import TYPE_CHECKING, Any

from sqlalchemy import func, or_, select

from footnoted.assistants.security.names import requirement_key
from footnoted.assistants.security.query.compile import Compiled, mapping_of
from footnoted.assistants.security.query.finding_query import FindingQuery, Having, Where
from footnoted.assistants.security.severity import Severity, of_rank
from footnoted.assistants.security.tables import FindingRow, MappingRow, RequirementRow, RuleRow, reading

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement, Select
    from sqlalchemy.ext.asyncio import AsyncConnection

    from footnoted.store import Database

_OF_RULE = (
    RuleRow.id, RuleRow.check_id.label("check"), RuleRow.title, RuleRow.description, RuleRow.risk, RuleRow.remediation,
    RuleRow.remediation_cli.label("cli"), FindingRow.scanner,
)  # fmt: skip

_MOST_GROUPS = 100_000
_BARE = "(none)"
_FEW = 10  # resources named beside a list that does not show every finding
CHANGES = ("new", "unmuted", "fixed", "muted", "gone")
_MOST = 400


@dataclass(frozen=True, slots=True)
class Found:
    """One finding as a query lists it."""

    id: str
    check: str
    severity: str
    status: str
    resource: str
    account: str
    account_name: str
    region: str
    first_seen: str


@dataclass(frozen=True, slots=True)
class Result:
    """What a query gives. `total` is of what it asks for (findings, resources or checks)."""

    query: FindingQuery
    total: int = 0
    findings: int = 0
    resources: int = 0
    checks: int = 0
    scanners: Mapping[str, int] = field(default_factory=dict)
    severities: Mapping[str, int] = field(default_factory=dict)
    failing: Mapping[str, int] = field(default_factory=dict)  # the severities of what is open
    statuses: Mapping[str, int] = field(default_factory=dict)
    groups: tuple[tuple[str, str, int], ...] = ()  # key, name, how many
    rows: tuple[Found, ...] = ()
    ages: tuple[int, ...] = ()  # days, ascending
    sides: tuple[Result, ...] = ()
    bare: tuple[str, ...] = ()  # groups that hold nothing, where the fewest are asked for
    kinds: int = 0  # groups there are in the scan's records, with or without what is asked for
    rates: Mapping[str, tuple[int, int]] = field(default_factory=dict)  # group -> passed, failed
    requirements: Mapping[str, Mapping[str, int]] = field(default_factory=dict)  # id -> status -> how many

    @property
    def pass_rate(self) -> float:
        """Passes over passes and failures, in per cent; what is muted, manual or a warning is neither."""
        passed, failed = self.statuses.get("pass", 0), self.statuses.get("fail", 0)
        return share(passed, failed)


def share(passed: int, failed: int) -> float:
    """Passes over passes and failures, in per cent."""
    return round(100 * passed / max(1, passed + failed), 1)


async def run(database: Database, tenant: str, query: FindingQuery, today: date) -> Result:
    """The result of a query; ``today`` is the day of the newest scan."""
    async with reading(database) as connection:
        return await _Run(connection, tenant, today).result(query)


class _Run:
    def __init__(self, connection: AsyncConnection, tenant: str, today: date) -> None:
        self._connection, self._tenant, self._today = connection, tenant, today

    async def result(self, query: FindingQuery) -> Result:
        if query.select == "compare" and query.sides:
            sides = tuple([await self._counted(_side(query, one)) for one in query.sides])
            return Result(query, total=sum(one.total for one in sides), sides=sides)
        if query.select == "diff":
            before = await self._counted(_with(query, scan="previous"))
            now = await self._counted(query)
            if query.group_by:
                before = replace(before, groups=await self._groups(_with(query, scan="previous")))
                now = replace(now, groups=await self._groups(query))
            changes = tuple([await self._counted(_with(query, change=one)) for one in CHANGES])
            return Result(query, total=now.total, groups=now.groups, sides=(before, now, *changes))
        if query.select == "unmet":
            return await self._unmet(query)
        found = await self._counted(query)
        if query.select in ("group", "trend"):
            return await self._grouped(found, query)
        if query.select == "age":
            return replace(found, ages=await self._ages(query))
        if query.select == "list":
            if query.of == "checks":
                by_check = query.model_copy(update={"group_by": "check", "of": "findings", "limit": 200})
                return replace(found, groups=await self._groups(by_check), rows=await self._rows(query))
            rows = await self._rows(query)
            few = found.findings > len(rows) and found.resources <= _FEW and not query.offset
            if query.of != "resources" and not few:
                return replace(found, rows=rows)
            by_resource = query.model_copy(update={"group_by": "resource", "of": "findings"})
            return replace(found, groups=await self._groups(by_resource), rows=rows)
        return found

    async def _execute(self, make: Callable[[Compiled], Select[Any]], query: FindingQuery) -> Sequence[Any]:
        return list(await self._connection.execute(make(Compiled(self._tenant, query, self._today))))

    async def _counted(self, query: FindingQuery) -> Result:
        scanners, grave, statuses = Counter[str](), Counter[Severity](), Counter[str]()
        failing = Counter[Severity]()
        for scanner, rank, status, n in await self._execute(Compiled.counting, query):
            scanners[scanner] += n
            grave[of_rank(rank)] += n
            statuses[status] += n
            failing[of_rank(rank)] += n * (status == "fail")
        findings = scanners.total()
        ((resources, checks),) = await self._execute(Compiled.distinct, query) if findings else ((0, 0),)
        total = {"findings": findings, "resources": resources, "checks": checks}[query.of]
        severities, failing_ = ({one.value: of[one] for one in Severity if of[one]} for of in (grave, failing))
        return Result(query, total, findings, resources, checks, dict(scanners), severities, failing_, dict(statuses))

    async def _grouped(self, found: Result, query: FindingQuery) -> Result:
        groups = await self._groups(query)
        fewest = query.order_by == "fewest" and query.measure == "count"
        if query.having != Having() or query.measure == "average" or fewest:
            whole = await self._groups(query.model_copy(update={"having": Having(at_least=0), "offset": 0}))
            found = replace(found, kinds=len(whole), bare=tuple(key for key, _, n in whole if not n))
        if query.measure != "rate":
            parts = tuple([await self._counted(_side(query, one)) for one in query.sides])
            return replace(found, groups=groups, sides=parts)
        told = {
            status: {key: n for key, _, n in await self._groups(_with(query, status=[status]))}
            for status in ("pass", "fail")
        }
        rates = {key: (told["pass"].get(key, 0), told["fail"].get(key, 0)) for key, _, _ in groups}
        sign = -1 if query.order_by == "fewest" else 1
        rated = sorted(
            (one for one in groups if any(rates[one[0]])), key=lambda one: (sign * share(*rates[one[0]]), one)
        )
        return replace(found, groups=tuple(rated), rates=rates)

    async def _groups(self, query: FindingQuery) -> tuple[tuple[str, str, int], ...]:
        told: dict[str, tuple[str, int]] = {}
        for key, name, n in (await self._execute(Compiled.grouping, query))[:_MOST_GROUPS]:
            for each in _keys(query.group_by, key):
                told[each] = (name or "", told.get(each, ("", 0))[1] + n)
        groups = [(key, name, n) for key, (name, n) in told.items() if query.having.holds(n)]
        if query.group_by.startswith("first_seen") or query.order_by == "key":
            return tuple(sorted(groups))
        if query.group_by == "severity":
            return tuple(sorted(groups, key=lambda one: Severity(one[0]).rank))
        sign = 1 if query.order_by == "fewest" else -1
        # what has no value of a tag is told, and is not the one that has the most
        return tuple(sorted(groups, key=lambda one: (one[0] == _BARE, sign * one[2], one[0])))

    async def _rows(self, query: FindingQuery) -> tuple[Found, ...]:
        return tuple([_found(row) for row in await self._execute(Compiled.listing, query)])

    async def _ages(self, query: FindingQuery) -> tuple[int, ...]:
        by_day = query.model_copy(update={"group_by": "first_seen_week", "of": "findings"})
        ages: list[int] = []
        for day, _, n in await self._execute(Compiled.grouping, by_day):
            if day:
                ages += [(self._today - date.fromisoformat(day)).days] * n
        return tuple(sorted(ages))

    async def _unmet(self, query: FindingQuery) -> Result:
        told: dict[str, dict[str, int]] = {}
        for name, requirement, status, n in await self._execute(Compiled.by_requirement, query):
            told.setdefault(f"{name} {requirement}", {})[status] = n
        failing = sum("fail" in statuses for statuses in told.values())
        return Result(query, total=failing, requirements=told)


def _found(row: Any) -> Found:
    return Found(
        id=row.id,
        check=row.check_id,
        severity=of_rank(row.severity).value,
        status=row.status,
        resource=row.resource_name or row.resource_id or row.account,
        account=row.account,
        account_name=row.account_name or row.account,
        region=row.region,
        first_seen=row.first_seen[:10],
    )


def _with(query: FindingQuery, **changes: Any) -> FindingQuery:
    return query.model_copy(update={"select": "count", "where": query.where.model_copy(update=changes)})


def _side(query: FindingQuery, side: Where) -> FindingQuery:
    """The query of one side: its own fields, and for the rest those all sides share."""
    told = {name: getattr(side, name) for name in side.narrowed()}
    return _with(query, **told)


def _keys(group_by: str, key: Any) -> list[str]:
    """The groups a row counts in: one, or one for each of its categories."""
    if group_by == "severity":
        return [of_rank(key).value]
    if group_by == "first_seen_week":
        return ["{}-W{:02d}".format(*date.fromisoformat(key[:10]).isocalendar()[:2])] if key else ["(unknown)"]
    if group_by.startswith("tag:"):
        lead = f"{group_by[4:]}:"
        return [next((one[len(lead) :] for one in key.split("\n") if one.startswith(lead)), _BARE)]
    if group_by == "category":
        return key.split("\n")[1:-1] or [_BARE]
    return [str(key) or _BARE]


@dataclass(frozen=True, slots=True)
class Duties:
    """Requirements in words; what checks are mapped to, by the framework's name; and the checks themselves."""

    requirements: tuple[Any, ...] = ()  # rows of `RequirementRow`
    mapped: Mapping[str, Mapping[str, tuple[str, ...]]] = field(default_factory=dict)  # check -> framework -> ids
    rules: tuple[Any, ...] = ()  # rows of `RuleRow`, each with the scanner that says so
    held: int = 0  # requirements of the framework that are known, mapped or imported


async def duties_of(database: Database, tenant: str, query: FindingQuery) -> Duties:
    """What a query on requirements, mappings or single checks rests on beside the findings."""
    if query.select not in ("requirement", "mapping", "explain", "remediation", "unmet"):
        return Duties()
    where = query.where
    serving = mapping_of(tenant, where) if where.framework else []
    async with reading(database) as connection:

        async def rows(statement: Any) -> Sequence[Any]:
            return list(await connection.execute(statement.limit(_MOST)))

        texts: Sequence[Any] = ()
        held = 0
        if where.framework:
            texts = await rows(_requirements(tenant, where))
            mapped = mapping_of(tenant, where.model_copy(update={"requirement": ""}))
            counted = select(func.count(func.distinct(MappingRow.requirement))).where(*mapped)
            held = len(texts) or (await connection.execute(counted)).scalar_one()
        chosen = [RuleRow.tenant == tenant]
        if where.check:
            chosen.append(RuleRow.check_id.in_(where.check))
        elif where.requirement and where.framework:
            chosen.append(RuleRow.id.in_(select(MappingRow.rule_id).where(*serving)))
        else:
            return Duties(tuple(texts), held=held)
        if where.provider:
            chosen.append(FindingRow.provider.in_(where.provider))
        asked = select(*_OF_RULE).join(FindingRow, FindingRow.rule_id == RuleRow.id).where(*chosen).distinct()
        rules = await rows(asked)
        order = {check: place for place, check in enumerate(where.check)}
        by_check = {rule.check: rule for rule in rules}
        ordered = sorted(by_check.values(), key=lambda one: (order.get(one.check, 0), one.check))
        told: dict[str, dict[str, dict[str, None]]] = {}
        if query.select == "mapping":
            checks = {rule.id: rule.check for rule in rules}
            columns = select(MappingRow.rule_id, MappingRow.name, MappingRow.requirement)
            wanted = columns.where(MappingRow.rule_id.in_(list(checks)), *serving)
            for rule, name, requirement in await connection.execute(wanted.order_by(MappingRow.name, MappingRow.key)):
                told.setdefault(checks[rule], {}).setdefault(name, {})[requirement] = None
        ids = {check: {name: tuple(each) for name, each in names.items()} for check, names in told.items()}
        return Duties(tuple(texts), ids, tuple(ordered), held)


def _requirements(tenant: str, where: Where) -> Select[Any]:
    """The words of a framework's requirements, or of one, of each of its versions where none is named."""
    name = f"{where.framework}-{where.version}" if where.version else where.framework
    named: ColumnElement[bool] = RequirementRow.name.in_([name, where.framework])
    if not where.version:
        named = or_(named, RequirementRow.name.startswith(f"{name}-"))
    wanted = [RequirementRow.tenant == tenant, named]
    if where.provider:
        wanted.append(RequirementRow.provider.in_([*where.provider, ""]))
    if where.requirement:
        wanted.append(RequirementRow.key == requirement_key(where.requirement))
    return select(RequirementRow.__table__).where(*wanted)
