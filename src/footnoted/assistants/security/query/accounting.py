"""What of a question a query holds, whoever filled it: what it dropped, and what it has that nobody asked for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any

from footnoted.assistants.security.names import requirement_key
from footnoted.assistants.security.query.vocabulary import compact
from footnoted.text import content_stems

if TYPE_CHECKING:
    from footnoted.assistants.security.query.finding_query import FindingQuery, Where
    from footnoted.assistants.security.query.linking import Mention
    from footnoted.assistants.security.query.vocabulary import Meaning, Vocabulary

_UNITS = (1, 7, 30, 365)  # days that a number of a question may count
_LITERAL_ROLES = frozenset({"severity", "change", "untagged", "order", "negate"})
_BACKED = ("provider", "account", "region", "service", "scanner", "severity", "resource", "tag", "framework", "version",
           "requirement")  # fmt: skip
_DUTIES = ("requirement", "mapping", "explain", "remediation", "unmet")


class Held:
    """One query, and what it says of the mentions of a question."""

    def __init__(self, query: FindingQuery, vocabulary: Vocabulary) -> None:
        self.query, self.vocabulary = query, vocabulary
        self.wheres: list[Where] = [query.where, query.exclude, *query.sides]
        self.checks = [vocabulary.checks[one] for one in self._all("check") if one in vocabulary.checks]

    def holds(self, one: Mention) -> bool:
        """Whether the query says what the mention does."""
        if one.kind == "name":
            return any(map(self._means, one.meanings))
        if one.kind == "requirement":
            keys = [requirement_key(each.requirement) for each in self.wheres if each.requirement]
            return any(key == one.value or key.startswith(f"{one.value}.") for key in keys)
        if one.kind == "version":
            return any(compact(each.version) == compact(str(one.value)) for each in self.wheres)
        if one.kind == "number":
            return self._counts(int(str(one.value)))
        if one.kind == "date":
            return self._dates(*one.value)  # type: ignore[misc]
        if one.kind == "unknown":
            texts = (str(value).casefold() for each in self.wheres for value in _flat(each.narrowed().values()))
            return any(one.text.casefold() in text for text in texts)
        return not one.roles or any(self._says(*role.partition(":")[::2]) for role in one.roles)

    def dropped(self, mentions: Iterable[Mention]) -> list[str]:
        """The names, numbers, identifiers, times, severities and changes that the query does not hold."""
        return [one.text for one in mentions if _is_literal(one) and not self.holds(one)]

    def added(self, mentions: Iterable[Mention], before: FindingQuery | None) -> list[str]:
        """The names and severities of the query that stand neither in the question nor in what was asked before."""
        backed = {(each.field, value) for one in mentions for each in one.meanings for value in each.values}
        for one in mentions:
            if one.kind in ("requirement", "version"):
                backed.add((one.kind, str(one.value)))
            backed |= {("severity", value) for role in one.roles if (value := role.removeprefix("severity:")) != role}
        wider = any(one.role("or") for one in mentions)
        for each in (before.where, before.exclude, *before.sides) if before else ():
            backed |= {(name, value) for name, told in each.narrowed().items() for value in _flat([told])}
        return [
            f"{name} {value}"
            for each in self.wheres
            for name in _BACKED
            for value in _flat([each.narrowed().get(name, ())])
            if (name, value) not in backed and not (name == "severity" and wider) and not self._follows(name, value)
        ]

    def _follows(self, name: str, value: Any) -> bool:
        """What other fields already imply: an account's cloud, the only version there is, a requirement as written."""
        where = self.query.where
        if name == "provider":
            return value in self._providers()
        if name == "version":
            return len(self.vocabulary.frameworks.get(where.framework, {})) == 1
        return name == "requirement" and not where.framework

    def _all(self, name: str) -> set[str]:
        return {value for each in self.wheres for value in _flat([getattr(each, name)])}

    def _providers(self) -> set[str]:
        services = [self.vocabulary.services.get(one, set()) for one in self._all("service")]
        return {
            *self._all("provider"),
            *(self.vocabulary.account_providers.get(one, "") for one in self._all("account")),
            *(one.provider for one in self.checks),
            *(of for each in services if len(each) == 1 for of in each),
        }

    def _means(self, meaning: Meaning) -> bool:
        values, name = set(meaning.values), meaning.field
        if values & self._all(name) or self.query.group_by.startswith(name):
            return True
        if name == "provider":
            return bool(values & self._providers())
        if name == "framework":
            return self.query.group_by == "requirement"
        if name in ("service", "resource_type"):
            kinds = {kind for each in self._all("resource") for kind in self.vocabulary.resource_kinds.get(each, ())}
            of = [{one.service} if name == "service" else set(one.types) for one in self.checks]
            return bool(values & kinds) or any(values & each for each in of)
        return False

    @property
    def _changed(self) -> bool:
        return self.query.select == "diff" or any(each.change for each in self.wheres)

    def _days(self) -> list[date]:
        return [day for each in self.wheres for day in (each.first_seen_from, each.first_seen_before) if day]

    def _counts(self, number: int) -> bool:
        today = self.vocabulary.today
        spans = {each.open_for_more_than for each in self.wheres} | {(today - day).days for day in self._days()}
        told = {0, 1, self.query.limit, len(self.query.sides), *([2] if self._changed else [])}
        return number in told or any(number * unit in spans for unit in _UNITS)

    def _dates(self, first: date, last: date) -> bool:
        told = {*self._days(), *(each.scan for each in self.wheres if isinstance(each.scan, date))}
        if {first, last + timedelta(days=1)} & told:
            return True
        named = {"latest": self.vocabulary.today, "previous": self.vocabulary.previous}
        scans = {named.get(str(each.scan)) for each in self.wheres}
        return first in scans or (self._changed and first in named.values())

    def _says(self, kind: str, value: str) -> bool:
        query, where = self.query, self.query.where
        by, shows = query.group_by, query.select in ("list", *_DUTIES)
        changed = self._changed
        dated = bool(self._days()) or any(each.open_for_more_than is not None for each in self.wheres)
        if kind == "severity":
            sides = query.select == "compare" and not query.where.severity  # each side is told by severity
            return value in self._all("severity") or by == "severity" or sides
        if kind == "status":
            usual = value == "fail" or (value == "pass" and "rate" in (query.select, query.measure))
            return usual or value in self._all("status") or by == "status" or (value == "muted" and changed)
        if kind == "change":
            return any(each.change == value for each in self.wheres) or query.select == "diff" or (
                value == "new" and (dated or query.order_by == "newest")
            )  # fmt: skip
        if kind == "noun":
            return self._of_noun(value, by, shows=shows, timed=dated or changed)
        if kind == "select":
            reflected = {
                "age": query.select == "age" or query.order_by in ("oldest", "newest"),
                "rate": query.select == "rate" or query.measure == "rate",
                "compare": query.select in ("compare", "diff") or bool(query.sides or by),
                "diff": changed or query.select == "trend" or by.startswith("first_seen"),
                "group": bool(by) or query.select in ("compare", "unmet"),
                "explain": query.select == "explain",
                "remediation": query.select == "remediation" or where.change == "fixed" or shows or by != "",
                "mapping": query.select in _DUTIES or bool(where.framework),
                "wording": query.select in _DUTIES,
            }
            return reflected.get(value, True)
        if kind == "order":
            first = query.select in ("group", "compare") or (query.select == "list" and query.order_by == "severity")
            old = query.order_by == "oldest" or query.select == "age" or shows
            latest = value == "newest" and where.scan == "latest" and not shows
            return query.order_by == value or {"most": first, "oldest": old, "since": old}.get(value, latest)
        reflected = {
            "negate": bool(query.without() or self.checks or where.untagged) or changed or query.of != "findings",
            "than": dated or query.select == "compare" or bool(query.sides),
            "period": dated or changed or where.scan != "latest" or query.select in _DUTIES,
            "scan": where.scan == (value or "latest") or changed or (value == "previous" and dated),
            "or": len(self._all("severity")) > 1,
            "untagged": where.untagged,
            "comply": bool(where.framework) or query.select == "unmet",
            "seen": dated or changed or shows or by.startswith("first_seen"),
            "more": query.offset > 0 or query.select in ("compare", "diff"),
            "both": not any(len(set(_flat([told]))) == 2 for told in where.narrowed().values()) or bool(query.sides),
            "distinct": query.of != "findings" or bool(by),
        }
        return reflected.get(kind, True)

    def _of_noun(self, value: str, by: str, *, shows: bool, timed: bool) -> bool:
        query = self.query
        if value in ("findings", "text"):
            return True
        if value in ("month", "week", "day", "year"):
            if by.startswith("first_seen"):  # by when they came, not by when they changed
                return by == f"first_seen_{value}" and query.where.change in (None, "new")
            return timed or query.select in ("age", "trend") or query.order_by == "oldest"
        if value == "resources":
            return shows or query.of == "resources" or by == "resource" or bool(self._all("resource"))
        if value == "checks":
            passed = "pass" in query.where.status or query.select == "rate"
            return shows or query.of == "checks" or by == "check" or bool(self.checks) or passed
        if value == "scan":
            return True
        if value == "tag":
            return bool(self._all("tag")) or by.startswith("tag:") or query.where.untagged
        if value == "requirement":
            return query.select in _DUTIES or by == "requirement" or bool(self._all("requirement"))
        return shows or by.startswith(value) or bool(self._all(value)) or query.select in ("compare", *_DUTIES)


def _is_literal(one: Mention) -> bool:
    if one.kind == "role":
        return any(role.partition(":")[0] in _LITERAL_ROLES for role in one.roles) or bool(
            {"status:pass", "status:muted", "status:manual", "status:archived"} & set(one.roles)
        )
    return one.kind in ("name", "requirement", "version", "number", "date", "unknown")


def told_apart(one: Mention) -> bool:
    """Whether leaving the mention out says something else: words without content do not."""
    return bool(content_stems(one.text)) or any(map(one.role, ("negate", "scan", "both", "more", "order")))


def _flat(values: Iterable[Any]) -> Iterator[Any]:
    for value in values:
        if isinstance(value, list | tuple | set | frozenset):
            yield from value
        elif value:
            yield value
