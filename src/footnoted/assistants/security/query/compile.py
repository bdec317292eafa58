"""A query as one SQLAlchemy statement, the same for SQLite and PostgreSQL.

The newest state of every finding stands in its own row. An earlier scan is read from the states kept of it, and a
change by setting the states of two scans that follow one another side by side.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING, Any

from sqlalchemy import and_, case, distinct, func, literal, not_, or_, select, true
from sqlalchemy.orm import aliased

from footnoted.assistants.security.names import requirement_key
from footnoted.assistants.security.query.finding_query import Where
from footnoted.assistants.security.severity import Severity
from footnoted.assistants.security.tables import FindingRow, MappingRow, ScanRow, StateRow

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement, Select

    from footnoted.assistants.security.query.finding_query import FindingQuery

_PLAIN = {
    "provider": FindingRow.provider,
    "account": FindingRow.account,
    "region": FindingRow.region,
    "service": FindingRow.family,
    "scanner": FindingRow.scanner,
    "check": FindingRow.check_id,
    "resource_type": FindingRow.resource_type,
}
RESOURCE = FindingRow.provider + "|" + FindingRow.account + "|" + FindingRow.resource_id
_PARTED = ("tag:", "category", "first_seen")  # whose groups are made of keys when they are read
_PLACES = ("provider", "account", "region", "service")
_WITHIN: dict[str, tuple[str, ...]] = {  # the fields that say where a group lies, and not what it holds
    "provider": _PLACES[:1], "account": _PLACES[:2], "region": _PLACES[:3], "service": _PLACES,
    "resource": (*_PLACES, "scanner", "check", "resource", "resource_type", "tag", "untagged", "without_tag"),
}  # fmt: skip
_RANKS = {one.value: one.rank for one in Severity}


@dataclass(frozen=True, slots=True)
class _View:
    """The findings as of a scan: how each stood then, and the rows to read it from."""

    base: Any
    status: ColumnElement[str]
    severity: ColumnElement[int]
    first_seen: ColumnElement[str]
    conditions: tuple[ColumnElement[bool], ...]
    rule: tuple[ColumnElement[bool], ...] = ()  # what became of a finding, where that is asked for


def _view(tenant: str, where: Where) -> _View:
    if where.change is not None:
        return _changed(tenant, where.change)
    if where.scan == "latest":
        here = (FindingRow.tenant == tenant, FindingRow.current)
        return _View(FindingRow, FindingRow.status, FindingRow.severity, FindingRow.first_seen, here)  # type: ignore[arg-type]
    base = aliased(StateRow)
    joined = FindingRow.__table__.join(base, base.finding_id == FindingRow.id).join(ScanRow, ScanRow.id == base.scan_id)
    if where.scan == "previous":
        taken: ColumnElement[bool] = ScanRow.place == 1
    else:
        taken = and_(
            ScanRow.taken_at >= _midnight(where.scan), ScanRow.taken_at < _midnight(where.scan + timedelta(days=1))
        )
    return _View(joined, base.status, base.severity, base.first_seen, (ScanRow.tenant == tenant, taken))  # type: ignore[arg-type]


def _changed(tenant: str, change: str) -> _View:
    """Findings of which two scans in a row say something else. What is no more is seen from the earlier scan."""
    here, other = aliased(StateRow), aliased(StateRow)
    from_earlier = change in ("fixed", "gone", "muted")
    neighbour = ScanRow.later if from_earlier else ScanRow.earlier
    joined = (
        FindingRow.__table__.join(here, here.finding_id == FindingRow.id)
        .join(ScanRow, ScanRow.id == here.scan_id)
        .outerjoin(other, and_(other.finding_id == here.finding_id, other.scan_id == neighbour))
    )
    before = func.coalesce(other.status, "")
    rule = {
        "new": and_(here.status == "fail", before.notin_(("fail", "muted"))),
        "unmuted": and_(here.status == "fail", before == "muted"),
        "still": and_(here.status == "fail", before == "fail"),
        "fixed": and_(here.status == "fail", before == "pass"),
        "muted": and_(here.status == "fail", before == "muted"),
        "gone": and_(here.status == "fail", before.in_(("", "archived"))),
    }[change]
    place = ScanRow.place == (1 if from_earlier else 0)
    compared = ScanRow.earlier != "" if not from_earlier else true()
    conditions = (ScanRow.tenant == tenant, place, compared)
    return _View(joined, here.status, here.severity, here.first_seen, conditions, (rule,))  # type: ignore[arg-type]


def _midnight(day: date) -> Any:
    return datetime(day.year, day.month, day.day, tzinfo=UTC)


def mapping_of(tenant: str, where: Where) -> list[ColumnElement[bool]]:
    """The mappings of a framework, of one version if one is named, and of a requirement and what is below it."""
    name = MappingRow.name
    if where.version:
        named: ColumnElement[bool] = name == f"{where.framework}-{where.version}"
    else:
        named = or_(name == where.framework, name.startswith(f"{where.framework}-"))
    wanted = [MappingRow.tenant == tenant, named]
    if where.requirement:
        key = requirement_key(where.requirement)
        wanted.append(or_(MappingRow.key == key, MappingRow.key.startswith(f"{key}.", autoescape=True)))
    return wanted


_LISTED = (FindingRow.id, FindingRow.check_id, FindingRow.account, FindingRow.account_name, FindingRow.region,
           FindingRow.resource_id, FindingRow.resource_name)  # fmt: skip


class Compiled:
    """A query on a tenant's findings as statements; ``today`` is the day of the newest scan."""

    def __init__(self, tenant: str, query: FindingQuery, today: date, view: _View | None = None) -> None:
        self._tenant, self._query, self._today = tenant, query, today
        self._view = view or _view(tenant, query.where)

    def counting(self) -> Select[Any]:
        """How many findings, by scanner, severity and status."""
        kinds = (FindingRow.scanner, self._view.severity, self._view.status)
        return self.selected(*kinds, func.count()).group_by(*kinds)

    def distinct(self) -> Select[Any]:
        """How many resources and how many checks the findings are of."""
        return self.selected(func.count(distinct(RESOURCE)), func.count(distinct(FindingRow.check_id)))

    def listing(self) -> Select[Any]:
        """A page of findings; what fails stands first, then by the order asked for."""
        view, query = self._view, self._query
        orders: dict[str, list[Any]] = {
            "oldest": [view.first_seen, view.severity],
            "newest": [view.first_seen.desc(), view.severity],
        }
        failing = case((view.status == "fail", 0), else_=1)
        columns = (view.status.label("status"), view.severity.label("severity"), view.first_seen.label("first_seen"))
        order = [failing, *orders.get(query.order_by, [view.severity]), FindingRow.uid]
        return self.selected(*_LISTED, *columns).order_by(*order).limit(query.limit).offset(query.offset)

    def grouping(self) -> Select[Any]:
        """How many by one field: `key`, a name for it, `n`."""
        if self._query.group_by in ("framework", "requirement"):
            return self._by_mapping()
        key, name = self._key()
        rows, counted = self._rows(key, func.max(name))
        bounds = [] if self._query.group_by.startswith(_PARTED) else self._bounds(counted)
        return rows.group_by(key).having(*bounds)

    def by_requirement(self) -> Select[Any]:
        """The requirements of a framework that checks are mapped to, and how many findings of each status."""
        where, status = self._query.where, self._view.status
        every = where.model_copy(update={"framework": "", "requirement": "", "status": []})
        inner = self._of(self._query.model_copy(update={"where": every}), self._view)
        counted = inner.selected(FindingRow.rule_id, status.label("status"), func.count().label("n"))
        rules = counted.group_by(FindingRow.rule_id, status).subquery()
        return (
            select(MappingRow.name, MappingRow.requirement, rules.c.status, func.sum(rules.c.n).label("n"))
            .select_from(rules.join(MappingRow, MappingRow.rule_id == rules.c.rule_id))
            .where(*mapping_of(self._tenant, where))
            .group_by(MappingRow.name, MappingRow.requirement, rules.c.status)
        )

    def _of(self, query: FindingQuery, view: _View) -> Compiled:
        return Compiled(self._tenant, query, self._today, view)

    def selected(self, *columns: Any) -> Select[Any]:
        """These columns of every row that is what the query wants, and not what it excludes."""
        return select(*columns).select_from(self._view.base).where(*self._view.conditions, *self._wanted())

    def _wanted(self) -> list[ColumnElement[bool]]:
        wanted = [*self._view.rule, *self._conditions(self._query.where)]
        if self._query.without():
            wanted.append(not_(or_(*self._conditions(self._query.exclude))))
        return wanted

    def _conditions(self, where: Where) -> list[ColumnElement[bool]]:
        view = self._view
        wanted: list[ColumnElement[bool]] = []
        for name, column in _PLAIN.items():
            if values := getattr(where, name):
                wanted.append(column.in_(values))
        if where.severity:
            wanted.append(view.severity.in_([_RANKS[one] for one in where.severity]))
        if where.status and where.change is None:
            wanted.append(view.status.in_(where.status))
        if where.resource:
            wanted.append(or_(FindingRow.resource_name.in_(where.resource), FindingRow.resource_id.in_(where.resource)))
        by_key: dict[str, list[ColumnElement[bool]]] = {}
        for one in where.tag:  # a resource has one value of a key: two are alternatives
            held = FindingRow.tags.contains(f"\n{one}\n", autoescape=True)
            by_key.setdefault(one.partition(":")[0], []).append(held)
        wanted += [or_(*each) for each in by_key.values()]
        wanted += [not_(FindingRow.tags.contains(f"\n{key}:", autoescape=True)) for key in where.without_tag]
        if where.untagged:
            wanted.append(FindingRow.tags == "")
        if where.category:
            wanted.append(
                or_(*(FindingRow.categories.contains(f"\n{one}\n", autoescape=True) for one in where.category))
            )
        if where.framework:
            rules = select(MappingRow.rule_id).where(*mapping_of(self._tenant, where))
            wanted.append(FindingRow.rule_id.in_(rules))
        if where.first_seen_from:
            wanted.append(view.first_seen >= where.first_seen_from.isoformat())
        if where.first_seen_before:
            wanted.append(view.first_seen < where.first_seen_before.isoformat())
        if where.open_for_more_than is not None:
            wanted.append(view.first_seen < (self._today - timedelta(days=where.open_for_more_than)).isoformat())
        return wanted

    def _scope(self) -> Compiled:
        """All that lies where the groups of a query do, whatever its state: what has none of what is asked for, too."""
        query, names = self._query, [*_WITHIN.get(self._query.group_by, _WITHIN["resource"]), "scan"]
        where, exclude = ({name: getattr(one, name) for name in names} for one in (query.where, query.exclude))
        lies = {
            "where": Where.model_validate({**where, "status": []}),
            "exclude": Where.model_validate({**exclude, "status": [], "scan": "latest"}),
        }
        return self._of(query.model_copy(update=lies), replace(self._view, rule=()))

    def _rows(self, *keys: Any) -> tuple[Select[Any], Any]:
        """The rows that groups are made of, and how many of them each holds; where some hold none, those rows too."""
        of: Any = {"resources": RESOURCE, "checks": FindingRow.check_id}.get(self._query.of)
        if not self._query.having.takes_none:
            counted = func.count() if of is None else func.count(distinct(of))
            return self.selected(*keys, counted.label("n")), counted
        counted = func.count(distinct(case((and_(*self._wanted()), FindingRow.id if of is None else of))))
        return self._scope().selected(*keys, counted.label("n")), counted

    def _bounds(self, counted: Any) -> list[ColumnElement[bool]]:
        """What a group must hold, as SQL's HAVING."""
        having = self._query.having
        bounds = [counted >= having.at_least] if having.at_least else []
        bounds += [] if having.at_most is None else [counted <= having.at_most]
        if having.every:
            held = func.count(distinct(self._view.severity if having.every == "severity" else _PLAIN[having.every]))
            named = len(set(getattr(self._query.where, having.every)))
            bounds.append(held >= (named or self._scope().selected(held).correlate(None).scalar_subquery()))
        return bounds

    def _by_mapping(self) -> Select[Any]:
        """Counted by check first, of which there are few, and then by what the checks are mapped to."""
        where, of_requirements = self._query.where, self._query.group_by == "requirement"
        checks = (FindingRow.rule_id, FindingRow.provider)
        rules = self._rows(*checks)[0].group_by(*checks).subquery()
        wanted = mapping_of(self._tenant, where) if where.framework else []
        to = MappingRow.requirement if of_requirements else MappingRow.name
        named = select(MappingRow.rule_id, to.label("to")).where(MappingRow.tenant == self._tenant, *wanted)
        mapped = named.distinct().subquery()
        key = (mapped.c.to if of_requirements else rules.c.provider + "|" + mapped.c.to).label("key")
        n = func.sum(rules.c.n)
        counted = select(key, literal("").label("name"), n.label("n"))
        joined = counted.select_from(rules.join(mapped, mapped.c.rule_id == rules.c.rule_id))
        return joined.group_by(key).having(*self._bounds(n))

    def _key(self) -> tuple[Any, Any]:
        """What groups are told apart by, and a name for each."""
        view, group_by = self._view, self._query.group_by
        if group_by.startswith("tag:"):
            return FindingRow.tags, literal("")  # which of them is wanted is seen when the few kinds of sets are read
        names = {"account": FindingRow.account_name, "resource": FindingRow.resource_id}
        keys: dict[str, Any] = {
            **_PLAIN,
            "severity": view.severity,
            "status": view.status,
            "resource": RESOURCE,
            "first_seen_month": func.substr(view.first_seen, 1, 7),
            "first_seen_week": func.substr(view.first_seen, 1, 10),
            "category": FindingRow.categories,
        }
        return keys[group_by], names.get(group_by, literal(""))
