"""What of a question a query holds, whoever filled it: what it dropped, and what it has that nobody asked for.

Every word is held by a field of the query, or is of the closed class that joins words, or is told. What has no rule
here is not held: a word that is new to the grammar is told until a field says it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import date, timedelta
from itertools import takewhile
from typing import TYPE_CHECKING, Any

from footnoted.assistants.security.names import requirement_key
from footnoted.assistants.security.query.finding_query import NAMED, Having, Where
from footnoted.assistants.security.query.meaning import denies, has_number, tells
from footnoted.assistants.security.query.relations import HAVING, bounds_of, field_of, negations
from footnoted.assistants.security.query.tokens import at
from footnoted.assistants.security.query.vocabulary import compact
from footnoted.assistants.security.query.words import FUNCTION_WORDS, UNITS, span

if TYPE_CHECKING:
    from footnoted.assistants.security.query.finding_query import FindingQuery
    from footnoted.assistants.security.query.tokens import Mention
    from footnoted.assistants.security.query.vocabulary import Meaning, Vocabulary

_LITERAL_ROLES = frozenset({"severity", "status", "change", "untagged", "order", "negate", "having"})
# What a model may not add unasked: all that is named, but what it may know a question to mean.
_BACKED = {*NAMED, "severity", "framework", "version", "requirement", "without_tag"} - {
    "check", "resource_type", "category",
}  # fmt: skip
_DUTIES = ("requirement", "mapping", "explain", "remediation", "unmet")
_SAY_NOTHING = frozenset("any modal only polite document seen again turned".split())  # of which findings are meant
_OPEN = frozenset({"fixed", "gone"})  # what is not that is open


class Held:
    """One query, and what it says of the mentions of a question."""

    def __init__(self, query: FindingQuery, vocabulary: Vocabulary, mentions: Sequence[Mention]) -> None:
        self.query, self.vocabulary, self.mentions = query, vocabulary, mentions
        self.wheres: list[Where] = [query.where, *query.sides]
        named = [one for each in self.wheres for one in each.check]
        self.checks = [vocabulary.checks[one] for one in named if one in vocabulary.checks]
        self.negated = negations(mentions)

    def holds(self, place: int) -> bool:
        """Whether the query says what the mention at this place does."""
        one = self.mentions[place]
        if one.kind == "name":
            without = place in self.negated
            led_by = takewhile(lambda each: each.word in FUNCTION_WORDS, reversed(self.mentions[:place]))
            if any(each.word == "than" for each in led_by) and not self.query.sides:
                return False  # what is set against another is a side, and no filter of both
            means = any(self._means(each, without=without) for each in one.meanings)
            return means or (not without and self._in_checks(one.text))
        if one.kind == "requirement":
            keys = [requirement_key(each.requirement) for each in self.wheres if each.requirement]
            return any(key == one.value or key.startswith(f"{one.value}.") for key in keys)
        if one.kind == "version":
            return any(compact(each.version) == compact(str(one.value)) for each in self.wheres)
        if one.kind == "number":
            of_port = at(self.mentions, place - 1).word == "port" and self._in_checks(one.text)
            return of_port or self._counts(place, int(str(one.value)))
        if one.kind == "date":
            return self._dates(*one.value)  # type: ignore[misc]
        if one.kind == "unknown":
            texts = (str(value).casefold() for each in self._every() for value in _flat(each.narrowed().values()))
            spelt = any(one.text.casefold() in text for text in texts)
            return spelt or self._repeats(one) or self._in_checks(one.text)
        if one.kind == "word":
            graded = at(self.mentions, place - 1).role("severity") is not None
            turns = one.word in ("up", "down") and graded  # a bound that was not read
            return not turns and self._is_held(one)
        return any(self._says(place, *role.partition(":")[::2]) for role in one.roles) or self._in_checks(one.text)

    def dropped(self) -> list[str]:
        """The names, numbers, identifiers, times, severities and changes that the query does not hold."""
        return [one.text for place, one in enumerate(self.mentions) if _is_literal(one) and not self.holds(place)]

    def left(self) -> list[int]:
        """The places of all words that the query does not hold."""
        return [place for place in range(len(self.mentions)) if not self.holds(place)]

    def added(self, before: FindingQuery | None) -> list[str]:
        """The names and severities of the query that stand neither in the question nor in what was asked before."""
        backed = {(each.field, value) for one in self.mentions for each in one.meanings for value in each.values}
        for one in self.mentions:
            if one.kind in ("requirement", "version"):
                backed.add((one.kind, str(one.value)))
            backed |= {("without_tag", key) for key in self.vocabulary.tag_keys if compact(key) == one.word}
            backed |= {("severity", value) for role in one.roles if (value := role.removeprefix("severity:")) != role}
        wider = any(one.role("or") for one in self.mentions)
        for each in (before.where, before.exclude, *before.sides) if before else ():
            backed |= {(name, value) for name, told in each.narrowed().items() for value in _flat([told])}
        return [
            f"{name} {value}"
            for each in self._every()
            for name in Where.model_fields
            if name in _BACKED
            for value in _flat([each.narrowed().get(name, ())])
            if (name, value) not in backed and not (name == "severity" and wider) and not self._follows(name, value)
        ]

    def _every(self) -> list[Where]:
        return [*self.wheres, self.query.exclude]

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

    def _means(self, meaning: Meaning, *, without: bool) -> bool:
        values, name = set(meaning.values), meaning.field
        if without:
            return values <= set(_flat([getattr(self.query.exclude, name)]))
        if values <= self._all(name):
            return True
        if name == "provider":
            return values <= self._providers()
        if name in ("service", "resource_type"):
            kinds = {kind for each in self._all("resource") for kind in self.vocabulary.resource_kinds.get(each, ())}
            of = [{one.service} if name == "service" else set(one.types) for one in self.checks]
            every = any if self.query.select in _DUTIES else all
            return bool(values & kinds) or (bool(of) and every(values & each for each in of))
        return False

    def _repeats(self, one: Mention) -> bool:
        """Whether a word only says again what a filter holds: "not findings, buckets"."""
        return any(self._means(each, without=False) for each in self.vocabulary.lookup(one.text))

    def _in_checks(self, text: str) -> bool:
        """Whether each of the checks says this; of those that may answer why and how, whether one does."""
        every = any if self.query.select in _DUTIES else all
        return bool(self.checks) and every(tells(text, each) for each in self.checks)

    @property
    def _changed(self) -> bool:
        return self.query.select == "diff" or any(each.change for each in self.wheres)

    def _days(self) -> list[date]:
        return [day for each in self.wheres for day in (each.first_seen_from, each.first_seen_before) if day]

    def _counts(self, place: int, number: int) -> bool:
        """A number before a unit is a span of time; any other is how many are shown, or set side by side."""
        behind = self.mentions[place + 1 : place + 3]  # "30 and 60 days"
        joined = [one.kind for one in behind[1:]] == ["number"] and behind[0].word in ("and", "to")
        after = at(self.mentions, place + 1 + 2 * joined)
        if after.word in UNITS:
            least = {each.open_for_more_than + 1 for each in self.wheres if each.open_for_more_than is not None}
            ends = {each.open_for_more_than for each in self.wheres} | least
            told = bool(self.checks) and all(has_number(each, number) for each in self.checks)
            days = span(number, after.word, self.vocabulary.today)
            ages = {(self.vocabulary.today - day).days for day in self._days()}
            became = self._changed and self.vocabulary.is_previous(self.vocabulary.today - timedelta(days=days))
            return told or became or days in ends | ages | {age + 1 for age in ages}
        if after.role("noun") == "scan" and len({str(one.scan) for one in self.query.sides}) == number:
            return True
        if after.role("noun") in ("scan", "text"):
            return after.role("noun") == "text" or self._changed
        than = at(self.mentions, place - 1).role("than")
        if self._bounds(bounds_of(than, number) if than else number):
            return True
        if self.mentions[place].text.casefold() == "one":
            return True
        before = at(self.mentions, place - 1)
        if before.role("select") == "group":
            return False  # "per 100 resources"
        if any(each.kind == "word" and not self._is_held(each) for each in (after, before)):
            return False  # "three sprints", "floor 3": it is of what no field holds
        query = self.query
        return number in {len(query.sides) or None, query.limit if query.select in ("list", "group") else None}

    def _is_held(self, one: Mention) -> bool:
        keys = {*self.query.where.without_tag, self.query.group_by.removeprefix("tag:")}
        if {one.word, one.word.removesuffix("s")} & {*map(compact, keys & self.vocabulary.tag_keys)}:
            return True
        if one.word == "when" and one is self.mentions[0]:  # days are asked for
            dated = self.query.select in ("age", "list") and self._aged()
            return dated or self.query.group_by.startswith("first_seen")
        return one.word in FUNCTION_WORDS or self._repeats(one) or self._in_checks(one.text)

    def _aged(self) -> bool:
        return self.query.order_by in ("oldest", "newest") or self._changed or bool(self._days())

    def _dates(self, first: date, last: date) -> bool:
        told = {*self._days(), *(each.scan for each in self.wheres if isinstance(each.scan, date))}
        if {first, last + timedelta(days=1)} & told:
            return True
        named = {"latest": self.vocabulary.today, "previous": self.vocabulary.previous}
        scans = {named.get(str(each.scan)) for each in self.wheres}
        return first in scans or (self._changed and first in named.values())

    def _says(self, place: int, kind: str, value: str) -> bool:  # noqa: PLR0911 — one a kind of role
        query, where = self.query, self.query.where
        by, shows = query.group_by, query.select in ("list", *_DUTIES)
        changed, negated = self._changed, place in self.negated
        dated = bool(self._days()) or any(each.open_for_more_than is not None for each in self.wheres)
        if kind in _SAY_NOTHING:
            return True
        if kind == "severity":
            if negated:
                return bool(query.exclude.severity)
            before = at(self.mentions, place - 1)
            if before.role("than") or before.word == "than":
                return bool(self._all("severity"))
            sides = query.select == "compare" and not where.severity  # each side is told by severity
            return value in self._all("severity") or by == "severity" or sides
        if kind == "status":
            return self._is_status(value, negated=negated)
        if kind == "change":
            if negated:
                became = {each.change for each in self.wheres}  # what is gone was not fixed
                return (value in _OPEN and where.status == ["fail"] and not changed) or not {None, value} & became
            return any(each.change == value for each in self.wheres) or query.select == "diff" or (
                value == "new" and (dated or changed or query.order_by == "newest")
            )  # fmt: skip
        if kind == "noun":
            if value in UNITS:
                return self._spans(place, value, timed=dated or changed)
            return self._of_noun(place, value, by, shows=shows)
        if kind == "select":
            reflected = {
                "list": True,
                "count": query.select not in ("requirement", "mapping", "explain", "remediation"),
                "age": query.select == "age" or query.order_by in ("oldest", "newest"),
                "average": query.measure == "average",
                "rate": query.select == "rate" or query.measure != "count",
                "compare": query.select in ("compare", "diff") or bool(query.sides or by) or self._is_against(place),
                "diff": changed or bool(query.sides) or query.select == "trend" or by.startswith("first_seen"),
                "group": bool(by) or query.select in ("compare", "unmet"),
                "explain": query.select == "explain",
                "remediation": query.select == "remediation"
                or where.change == "fixed"
                or ((shows or by != "") and not self._past(place)),
                "mapping": query.select in _DUTIES or bool(where.framework),
                "wording": query.select in _DUTIES,
            }
            return reflected.get(value, False)
        if kind == "order":
            having = {one.word for one in self.mentions[max(0, place - 2) : place]} & set(HAVING)
            if shows and having and value in ("most", "fewest"):  # "which user has the most" ranks, and a list does not
                return False
            first = bool(by) or query.select == "compare" or (query.select == "list" and query.order_by == "severity")
            old = query.order_by == "oldest" or query.select == "age" or shows
            latest = value == "newest" and where.scan == "latest" and not shows
            return query.order_by == value or {"most": first, "oldest": old, "since": old}.get(value, latest)
        reflected = {
            "negate": self._negates(place),
            "than": self._measures(place, dated=dated),
            "period": self._is_in_time(place, value, dated=dated),
            "scan": where.scan == (value or "latest") or changed or (value == "previous" and dated),
            "or": len({*self._all("severity"), *query.exclude.severity}) > 1 or self._ends(value),
            "aged": dated,
            "ended": changed,
            "first": self._is_first(place, dated=dated),
            "arose": dated or changed or shows or query.select == "age" or by.startswith("first_seen"),
            "untagged": where.untagged,
            "widen": self._widens(place),
            "comply": bool(where.framework) or query.select in ("unmet", "rate") or query.measure == "rate",
            "more": query.offset > 0 or query.select in ("compare", "diff"),
            "both": bool(query.having.every) or bool(query.sides) or not self._holds_two(),
            "distinct": query.of != "findings" or bool(by),
            "having": self._bounds(self.mentions[place].value),
            # a place in what is listed, which the reading holds beside the query; of scans none has a number
            "ordinal": not any(one.word in ("scan", "scans") for one in self.mentions),
        }  # fmt: skip
        return reflected.get(kind, False)

    def _bounds(self, number: object) -> bool:
        """Whether groups are bound as is said: by what is in each, by a least and a most, or by a number of these."""
        having = self.query.having
        least, most = having.at_least or None, having.at_most
        if not isinstance(number, int):
            return bool(having.every) and having.every == number if isinstance(number, str) else number == (least, most)
        return number in {least, most, None if least is None else least - 1, None if most is None else most + 1}

    def _is_first(self, place: int, *, dated: bool) -> bool:
        """Whether "first" orders what is shown: "worst first"; else it is of time."""
        query, led = self.query, self.mentions[max(0, place - 2) : place]
        shows = query.select in ("list", *_DUTIES)
        ordered = any(one.role("order") for one in led) or (shows and query.order_by == "severity")
        return ordered or query.group_by.startswith("first_seen") or dated

    def _holds_two(self) -> bool:
        return any(len(set(_flat([told]))) == 2 for told in self.query.where.narrowed().values())

    def _ends(self, bound: str) -> bool:
        """Whether a bound takes no other severity in, as of "critical or worse"."""
        end = {"worse": "critical", "lower": "informational"}.get(bound)
        return end in {*self._all("severity"), *self.query.exclude.severity}

    def _is_status(self, value: str, *, negated: bool) -> bool:
        query, told = self.query, self.query.where.status
        if query.select == "unmet":  # a requirement is unmet by what is open
            return value == "fail" and not negated
        if negated:
            return value in query.exclude.status or (bool(told) and value not in told)
        if value == "fail":
            return "fail" in told or not told or self._changed
        rated = "rate" in (query.select, query.measure)
        return (
            value in self._all("status") or query.group_by == "status" or (value == "pass" and rated)
            or (value in ("muted", "pass") and self._changed)
            or (value == "pass" and query.select == "list" and not told)
        )  # fmt: skip

    def _past(self, place: int) -> bool:
        return bool({"did", "was", "were"} & {one.word for one in self.mentions[max(0, place - 6) : place]})

    def _is_against(self, place: int) -> bool:
        """Of "new, compared with the previous scan", whether it leads to the scan that what became is told against."""
        led = takewhile(lambda one: one.word in FUNCTION_WORDS or one.role("scan"), self.mentions[place + 1 :])
        return self._changed and any(one.role("scan") == "previous" for one in led)

    def _is_in_time(self, place: int, value: str, *, dated: bool) -> bool:
        query, after = self.query, self.mentions[place + 1 : place + 3]
        if value == "since" and any(one.role("scan") for one in after):
            return self._changed or dated
        if value == "between" and any(one.role("noun") == "scan" for one in self.mentions[place + 1 : place + 5]):
            return self._changed or any(one.scan != "latest" for one in query.sides)
        named = any(one.kind in ("number", "date") for one in after)
        if value == "between" and (query.group_by or query.sides):
            return True
        if query.group_by.startswith("first_seen") and value == "last":
            return True
        timed = dated or self._changed or query.where.scan != "latest" or query.select in _DUTIES
        return timed or (value == "in" and not named)

    def _measures(self, place: int, *, dated: bool) -> bool:
        """Whether "over" is said of a span of time, of sides that are compared, or, as "over all", of nothing."""
        after = self.mentions[place + 1 : place + 3]
        if any(one.kind in ("number", "date") for one in after):
            return dated or bool(self.query.sides) or self.query.having != Having()
        if graded := [level for one in after if (level := one.role("severity"))]:
            told = {*self._all("severity"), *self.query.exclude.severity}
            inclusive = self.mentions[place].role("than") in ("least", "most")
            return told != {graded[0]} or inclusive
        if self.mentions[place].word in ("morethan", "lessthan", "fewerthan"):
            return bool(self.query.sides) and any(one.kind == "name" for one in after)
        return self.mentions[place].word in ("over", "above", "below", "under", "within")

    def _negates(self, place: int) -> bool:
        """Whether what a negation is of stands on the query's other side, or is what fails."""
        if place == 0 and self.mentions[0].word == "no" and len(self.mentions) > 1:
            after = self.mentions[1]
            return after.role("only") is not None or after.role("again") is not None
        places = [at for at, by in self.negated.items() if by == place]
        of = [self.mentions[at] for at in places]
        query = self.query
        was_not_there = query.where.change == "new" and any(one.kind == "date" for one in self.mentions)
        if query.where.untagged or query.where.without_tag or was_not_there:
            return True
        if any(one.role("noun") == "findings" for one in of) and query.of != "findings":
            return True
        literal = [at for at in places if _is_literal(self.mentions[at])]
        if literal:
            return any(self.holds(at) for at in literal)
        said = [one.text for one in of if one.kind == "word" and self._in_checks(one.text)]
        denied = any(denies(text, each) for text in said for each in self.checks)
        return bool(said) and ("pass" if denied else "fail") in query.where.status

    def _widens(self, place: int) -> bool:
        """Whether what "including" adds stands beside another of its kind, and does not narrow."""
        after = self.mentions[place + 1 : place + 4]
        if any(one.role("status") for one in after):
            return len(self.query.where.status) > 1
        return any(len(self._all(name)) > 1 for one in after if (name := field_of(one)))

    def _spans(self, place: int, unit: str, *, timed: bool) -> bool:
        """A unit of time is of a number or a period before it, or what is grouped by, or what ages are told in."""
        query = self.query
        if query.group_by.startswith("first_seen"):  # by when they came, not by when they changed
            return query.group_by == f"first_seen_{unit}" and query.where.change in (None, "new")
        before = at(self.mentions, place - 1)
        if self.mentions[place].text.casefold().endswith("ly"):  # "weekly" only groups
            return False
        told = before.kind == "number" or before.role("select") == "count" or any(map(before.role, ("period", "than")))
        return told and (timed or query.select == "age" or query.order_by == "oldest")

    def _of_noun(self, place: int, value: str, by: str, *, shows: bool) -> bool:
        query = self.query
        if self.mentions[place].near and query.group_by != value:
            return value == "severity" and shows and query.order_by == "severity"  # "the most severe"
        if value in ("findings", "text", "scan"):
            return value != "scan" or at(self.mentions, place - 1).role("select") != "count"
        if value == "resources":
            borne = at(self.mentions, place - 1).word in ("on", "of", "in", "for", "across")  # as all findings are
            return shows or borne or query.of == "resources" or by == "resource" or bool(self._all("resource"))
        if value == "checks":
            passed = "pass" in query.where.status or "rate" in (query.select, query.measure)
            return shows or query.of == "checks" or by == "check" or bool(self.checks) or passed
        if value == query.having.every:
            return True
        if value == "tag":
            told = {*self._all("tag"), *query.exclude.tag, *query.where.without_tag}
            return bool(told) or by.startswith("tag:") or query.where.untagged
        if value == "requirement":
            return query.select in _DUTIES or by == "requirement" or bool(self._all("requirement"))
        named = bool(self._all(value)) or bool(getattr(query.exclude, value))
        return shows or by.startswith(value) or named or query.select in _DUTIES


def _is_literal(one: Mention) -> bool:
    if one.kind == "role":
        kinds = {role.partition(":")[0] for role in one.roles if role != "status:fail"}
        return bool(kinds & _LITERAL_ROLES)
    return one.kind in ("name", "requirement", "version", "number", "date", "unknown")


def _flat(values: Iterable[Any]) -> Iterator[Any]:
    for value in values:
        if isinstance(value, list | tuple | set | frozenset):
            yield from value
        elif value:
            yield value
