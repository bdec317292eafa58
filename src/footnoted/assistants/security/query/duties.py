"""What requirements say and which checks stand behind them, each with where that is written."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from footnoted.assistants.security.rooms import reading

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement

    from footnoted.assistants.security.query.finding_query import FindingQuery
    from footnoted.store import Database

_MOST = 400


@dataclass(frozen=True, slots=True)
class Requirement:
    """A requirement's words, from an imported map or catalogue."""

    name: str  # the framework with its version
    requirement: str
    title: str
    text: str
    provider: str


@dataclass(frozen=True, slots=True)
class Rule:
    """What a scanner says of a check."""

    check: str
    title: str
    description: str
    risk: str
    remediation: str
    cli: str
    scanner: str


@dataclass(frozen=True, slots=True)
class Duties:
    """Requirements in words; what checks are mapped to, by the framework's name; and the checks themselves."""

    requirements: tuple[Requirement, ...] = ()
    mapped: Mapping[str, Mapping[str, tuple[str, ...]]] = field(default_factory=dict)  # check -> framework -> ids
    rules: tuple[Rule, ...] = ()
    held: int = 0  # requirements of the framework that are known, mapped or imported


async def duties_of(database: Database, tenant: str, query: FindingQuery) -> Duties:
    """What a query on requirements, mappings or single checks rests on beside the findings."""
    if query.select not in ("requirement", "mapping", "explain", "remediation", "unmet"):
        return Duties()
    from sqlalchemy import func, or_, select

    from footnoted.assistants.security.names import requirement_key
    from footnoted.assistants.security.query.compile import mapping_of
    from footnoted.assistants.security.tables import FindingRow, MappingRow, RequirementRow, RuleRow

    where = query.where
    async with reading(database) as connection:
        texts: tuple[Requirement, ...] = ()
        held = 0
        if where.framework:
            name = f"{where.framework}-{where.version}" if where.version else where.framework
            named: ColumnElement[bool] = RequirementRow.name.in_([name, where.framework])
            if not where.version:
                named = or_(named, RequirementRow.name.startswith(f"{name}-"))
            wanted = [RequirementRow.tenant == tenant, named]
            if where.provider:
                wanted.append(RequirementRow.provider.in_([*where.provider, ""]))
            if where.requirement:
                wanted.append(RequirementRow.key == requirement_key(where.requirement))
            rows = (await connection.execute(select(RequirementRow.__table__).where(*wanted).limit(_MOST))).all()
            texts = tuple(Requirement(one.name, one.requirement, one.title, one.text, one.provider) for one in rows)
            mapped = select(func.count(func.distinct(MappingRow.requirement))).where(
                *mapping_of(tenant, where.framework, where.version)
            )
            held = len(rows) or (await connection.execute(mapped)).scalar_one()
        rules = select(RuleRow, FindingRow.scanner).join(FindingRow, FindingRow.rule_id == RuleRow.id)
        chosen = [RuleRow.tenant == tenant]
        if where.check:
            chosen.append(RuleRow.check_id.in_(where.check))
        elif where.requirement and where.framework:
            serving = mapping_of(tenant, where.framework, where.version, where.requirement)
            chosen.append(RuleRow.id.in_(select(MappingRow.rule_id).where(*serving)))
        else:
            return Duties(texts, held=held)
        if where.provider:
            chosen.append(FindingRow.provider.in_(where.provider))
        columns = (FindingRow.rule_id, RuleRow.check_id, RuleRow.title, RuleRow.description, RuleRow.risk,
                   RuleRow.remediation, RuleRow.remediation_cli, FindingRow.scanner)  # fmt: skip
        asked = rules.with_only_columns(*columns).where(*chosen).distinct().limit(_MOST)
        found_rows: Iterable[Any] = await connection.execute(asked)
        found = [(row[0], Rule(*row[1:])) for row in found_rows]
        told = {rule.check: rule for _, rule in found}
        order = {check: place for place, check in enumerate(where.check)}
        ordered = sorted(told.values(), key=lambda one: (order.get(one.check, 0), one.check))
        by_check: dict[str, dict[str, dict[str, None]]] = {}
        if query.select == "mapping":
            ids = {identity: rule.check for identity, rule in found}
            wanted_of: list[ColumnElement[bool]] = [MappingRow.rule_id.in_(list(ids))]
            if where.framework:
                wanted_of += mapping_of(tenant, where.framework, where.version, where.requirement)
            chosen_rows = select(MappingRow.rule_id, MappingRow.name, MappingRow.requirement).where(*wanted_of)
            by_name = chosen_rows.order_by(MappingRow.name, MappingRow.key)
            for rule_id, name, requirement in await connection.execute(by_name):
                by_check.setdefault(ids[rule_id], {}).setdefault(name, {})[requirement] = None
        return Duties(
            texts,
            {check: {name: tuple(each) for name, each in named_.items()} for check, named_ in by_check.items()},
            tuple(ordered),
            held,
        )
