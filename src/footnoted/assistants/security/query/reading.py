"""A question read into a query without a model: by grammar, and by names looked up in the tenant's own findings.

Every number, identifier, name and time word must find its field. What does not is `unfit`, and the question is then not
answered by something near it. Plain words that found no field are `unused`, and told beside the answer.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from footnoted.assistants.security.names import requirement_key
from footnoted.assistants.security.query.accounting import Held
from footnoted.assistants.security.query.finding_query import FindingQuery, Where
from footnoted.assistants.security.query.linking import Linker, Mention, is_word
from footnoted.assistants.security.query.relations import beyond_flat
from footnoted.assistants.security.query.topics import Topic, stems_of, topic_of
from footnoted.assistants.security.query.vocabulary import PROVIDERS, Meaning, Vocabulary, compact, singulars
from footnoted.assistants.security.query.words import NOT_IN_SCANS, UNITS
from footnoted.assistants.security.severity import Severity
from footnoted.text import content_stems

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from footnoted.assistants.security.query.meaning import Meanings

_SEVERAL = 5  # names told one by one
_LONGEST = 36_500  # days a question may reach back
_BEFORE_NAMES = ("in", "of", "for", "from", "by", "at", "on", "with")
_BEYOND = 0.003  # fitted: how much nearer to what no scan can answer a question may be
_SEVERITIES = [one.value for one in Severity]
_ADJACENT = {"account": "account", "region": "region", "service": "service", "tag": "tag", "category": "category"}
_GROUPS = ("account", "region", "service", "provider", "severity", "status", "scanner", "resource_type", "category",
           "framework", "requirement")  # fmt: skip


@dataclass(frozen=True, slots=True)
class Choice:
    """One of several readings of a name."""

    label: str
    query: FindingQuery


@dataclass(slots=True)
class Reading:
    """What a question was read as. `unfit` and `reason` say why it cannot be asked, `choices` what it may mean."""

    question: str
    query: FindingQuery = field(default_factory=FindingQuery)
    unfit: list[str] = field(default_factory=list)
    reason: str = ""
    unused: list[str] = field(default_factory=list)
    choices: list[Choice] = field(default_factory=list)
    open: list[str] = field(default_factory=list)  # names that may mean several things, and were not decided
    notes: list[str] = field(default_factory=list)
    about: Topic | None = None
    follows: bool = False
    format: str = ""  # terraform, cli or console, where one was asked for
    names_findings: bool = False  # whether anything in it is of findings, checks or duties
    fix: bool = False  # whether it asks how things are put right
    document: bool = False  # whether it asks of a document
    place: int = 0  # the second, the third: which of a group's places is asked for
    mentions: tuple[Mention, ...] = ()  # every word of the question, and what it was taken for
    by_model: bool = False  # whether a model filled the query
    never: bool = False  # whether it asks in so many words for what no scan holds

    @property
    def literals(self) -> list[Mention]:
        """The mentions a query must hold, whoever fills it; how long the answer should be is none."""
        return [
            one
            for place, one in enumerate(self.mentions)
            if one.kind != "word"
            and not (one.kind == "number" and any(each.role("noun") == "text" for each in self.mentions[place:][:4]))
        ]

    @property
    def is_whole(self) -> bool:
        """Whether every word found its field, and no name has two."""
        return self.can_be_asked and self.names_findings and not (self.unused or self.choices)

    @property
    def can_be_asked(self) -> bool:
        """Whether the query holds what the question does."""
        return not self.unfit and not self.reason


def read(
    question: str, vocabulary: Vocabulary, *, base: Reading | None = None, meanings: Meanings | None = None
) -> Reading:
    """The reading of a question; ``base`` is what was asked before it."""
    return _Reader(question, vocabulary, base, meanings).read()


class _Reader:
    def __init__(self, question: str, vocabulary: Vocabulary, base: Reading | None, meanings: Meanings | None) -> None:
        self.vocabulary, self.base, self.meanings = vocabulary, base, meanings
        self.linker = Linker(vocabulary)
        self.mentions = self.linker.link(question)
        self.reading = Reading(question)
        self.where: dict[str, Any] = {}
        self.without: dict[str, Any] = {}
        self.used: set[int] = set()
        self.since_scan = False
        self.since_last = False
        self.ambiguous: list[tuple[str, list[Meaning]]] = []

    def read(self) -> Reading:
        self._names()
        self._times()
        self._closed()
        self._numbers()
        follows = self.reading.follows = self._follows()
        self._about()
        query = self._query(follows)
        self.reading.query = query
        self.reading.mentions = tuple(self.mentions)
        self._choices()
        self._left_over()
        self._sense()
        return self.reading

    # names

    def _names(self) -> None:
        for place, one in enumerate(self.mentions):
            if one.kind == "requirement":
                self._put(place, "requirement", str(one.value))
            elif one.kind == "version":
                self._put(place, "version", str(one.value))
            elif one.kind == "name":
                self._name(place, one)
        self._versions()

    def _name(self, place: int, one: Mention) -> None:
        meanings = self._fitting(place, one)
        if not meanings:
            if is_word(one.text.casefold()) or not content_stems(one.text):
                self.mentions[place] = replace(one, kind="word", meanings=(), value=one.text.casefold())
            else:
                self.mentions[place] = replace(one, kind="unknown", meanings=())
            return
        self.used.add(place)
        if len(meanings) > 1:
            self.ambiguous.append((one.text, meanings))
            return
        (meaning,) = meanings
        self.mentions[place] = replace(one, meanings=(meaning,))
        values = list(meaning.values)
        if meaning.field == "provider" and values[0] not in self.vocabulary.providers:
            self.reading.unfit.append(one.text)
            self.reading.notes.append(f"nothing of {one.text} is among your scans, which are of {self._providers()}")
            return
        if meaning.field == "region" and not set(values) & self.vocabulary.regions:
            self.reading.unfit.append(one.text)
            self.reading.notes.append(f"no resource of your scans is in {values[0]}")
            return
        for value in values:
            self._put(place, meaning.field, value)

    def _providers(self) -> str:
        return ", ".join(sorted(PROVIDERS.get(one, (one,))[0] for one in self.vocabulary.providers))

    def _fitting(self, place: int, one: Mention) -> list[Meaning]:
        """The meanings that stand: the one its neighbour names, else whole names before parts of names."""
        meanings = list(one.meanings)
        for beside in (place + 1, place - 1):
            noun = self.mentions[beside].role("noun") if 0 <= beside < len(self.mentions) else None
            if noun in _ADJACENT and (fits := [each for each in meanings if each.field == _ADJACENT[noun]]):
                self.used.add(beside)
                return fits[:1]
            tags = {each.values[0].partition(":")[0] for each in meanings if each.field == "tag"}
            if 0 <= beside < len(self.mentions) and compact(self.mentions[beside].text) in tags:
                self.used.add(beside)
                return [each for each in meanings if each.field == "tag"][:1]
        whole = [each for each in meanings if each.whole]
        order = ("check", "framework", "account", "provider", "scanner", "region", "service", "category", "tag",
                 "resource_type", "resource")  # fmt: skip
        if whole:
            return sorted(whole, key=lambda each: order.index(each.field))[:1]
        meanings = [each for each in meanings if self._is_meant(place, one, each)]
        if not meanings:
            return []
        if one.start and self.base is not None:  # a part of a name goes on with what was asked before
            before = self.base.query.where.narrowed()
            if fits := [each for each in meanings if each.field in before and each.field != "resource"]:
                return fits[:1]
        kinds = {each.field for each in meanings}
        if kinds in ({"resource"}, {"resource_type"}):
            return meanings[:1]
        if "account" in kinds and len(kinds - {"resource"}) == 1:
            return [each for each in meanings if each.field == "account"]
        return [each for each in meanings if each.field not in ("resource", "resource_type")] or meanings[:1]

    def _is_meant(self, place: int, one: Mention, meaning: Meaning) -> bool:
        """Whether a part of a name stands for it: a plain word only where a name would stand."""
        before = self.mentions[place - 1] if place else None
        if meaning.field == "resource_type":
            if self._select() in ("remediation", "explain"):  # of what a check is run on
                return True
            plural = bool(singulars(compact(one.text))) and compact(one.text) not in self.vocabulary.names
            return plural and (self._role_before(place, "select", 3) is not None or _leads(before))
        if meaning.field == "resource":
            return not is_word(one.text.casefold()) and len(one.text) > 3
        return not is_word(one.text.casefold()) or _leads(before)

    def _put(self, place: int, name: str, value: str) -> None:
        target = self.without if self._is_negated(place) else self.where
        self.used.add(place)
        if name in ("framework", "version", "requirement"):
            if target.setdefault(name, value) != value and name == "requirement":
                self.reading.unfit.append(value)
            return
        values = target.setdefault(name, [])
        if value not in values:
            values.append(value)

    def _is_negated(self, place: int) -> bool:
        kinds = _kinds(self.mentions[place])
        for before in range(place - 1, max(-1, place - 6), -1):
            one = self.mentions[before]
            if one.role("negate"):
                self.used.add(before)
                return True
            # "Neither critical nor high", "except EC2 and S3": what stands beside it in a list shares its negation.
            if content_stems(one.text) and not kinds & _kinds(one):
                return False
        return False

    def _versions(self) -> None:
        version, family = self.where.get("version", ""), self.where.get("framework", "")
        if version.startswith("?"):
            known = ", ".join(sorted(self.vocabulary.frameworks.get(family, {}))) or "none"
            self.reading.unfit.append(f"{family} {version[1:]}")
            self.reading.notes.append(f"of {family} your scans are mapped to: {known}")
            self.where["version"] = ""

    # times and numbers

    def _times(self) -> None:
        for place, one in enumerate(self.mentions):
            if one.kind == "date":
                self._date(place, one)
            unit = compact(one.text)
            if unit in UNITS and place not in self.used:
                self._period(place, UNITS[unit])

    def _date(self, place: int, one: Mention) -> None:
        days_of: Any = one.value
        first, last = days_of
        before = self._role_before(place, "period", 3) or ""
        self.used.add(place)
        others = [each for each in self.mentions[place + 1 :] if each.kind == "date"]
        if before == "between" and others:
            self.where["first_seen_from"], last_of = first, others[0].value
            self.where["first_seen_before"] = last_of[1] + timedelta(days=1)  # type: ignore[index]
            return
        if self._has("period", "between") and "first_seen_before" in self.where:
            return
        days = self.vocabulary.scans
        if first == last and first in days and before != "before":
            if before == "since" or any(each.role("change") for each in self.mentions):
                if first == self.vocabulary.today and before != "since":
                    return
                if first == self.vocabulary.previous:
                    self.where.setdefault("change", "new")
                    return
            if self._has("change") or self._negated_past():
                self.where.setdefault("change", "new")
                return
            self.where["scan"] = (
                "latest" if first == days[0] else "previous" if first == self.vocabulary.previous else first
            )
            return
        if before == "since":
            self.where["first_seen_from"] = first
        elif before == "before":
            self.where["first_seen_before"] = first
        elif self._has("seen") or self._says("came", "started", "reported", "found", "opened"):
            self.where["first_seen_from"], self.where["first_seen_before"] = first, last + timedelta(days=1)
        else:
            told = " and ".join(day.isoformat() for day in sorted(days)) or "no day"
            self.reading.unfit.append(one.text)
            self.reading.notes.append(f"your scans are of {told}; how things stood on another day is not known")

    def _negated_past(self) -> bool:
        """Of "What was not there on the 9th" is what is new since."""
        words = {compact(one.text) for one in self.mentions}
        return bool(words & {"wasnt", "werent", "not", "didnt"}) and bool(
            words & {"there", "was", "were", "exist", "wasnt"}
        )

    def _period(self, place: int, days: int) -> None:
        number = self.mentions[place - 1] if place else None
        if number is not None and number.kind == "number":
            self.used.update((place - 1, place))
            count = int(number.value) * days  # type: ignore[call-overload]
            if count > _LONGEST:
                self.reading.unfit.append(f"{number.text} {self.mentions[place].text}")
                return
            than = self._role_before(place - 1, "than", 2)
            last = self._role_before(place - 1, "period", 2)
            if than == "less" or last in ("last", "this", "in"):
                self.where["first_seen_from"] = self.vocabulary.today - timedelta(days=count)
            elif than == "more" or last == "since" or self._says("for", "old", "older"):
                self.where["open_for_more_than"] = count
            else:
                self.reading.unfit.append(f"{number.text} {self.mentions[place].text}")
            return
        if self._role_before(place, "select", 1) == "group" or self._role_before(place, "period", 1) == "in":
            return
        told = self._role_before(place, "period", 1)
        if told in ("last", "this"):
            self.used.add(place)
            if self._has("select", "remediation") and not self._says("did"):  # when it is to be done
                self.reading.unused.append(f"{self.mentions[place - 1].text} {self.mentions[place].text}")
                return
            since = self.vocabulary.today - timedelta(days=days)
            near = self.vocabulary.previous is not None and abs((self.vocabulary.previous - since).days) <= days // 3
            dated = any(map(self._has, ("seen", "change"))) or self._role_before(place, "period", 3) == "since"
            if near and self._has("select", "diff"):
                return
            if not dated and not self._says("fix", "remediate", "resolve", "close"):
                self.reading.unfit.append(f"{self.mentions[place - 1].text} {self.mentions[place].text}")
                self.reading.notes.append(f"say “first seen since {since}” or “in the scan of” one of its days")
                return
            self.where["first_seen_from"] = since
            self.since_scan = near

    def _numbers(self) -> None:
        for place, one in enumerate(self.mentions):
            if one.kind == "number" and place not in self.used:
                following = self.mentions[place + 1] if place + 1 < len(self.mentions) else None
                before = self.mentions[place - 1] if place else None
                if before is not None and before.role("noun") == "requirement":
                    self._numbered(place, requirement_key(f"{before.text} {one.text}"))
                    continue
                if following is not None and following.role("noun") in ("scan", "text"):
                    self.used.add(place)
                    continue
                if int(str(one.value)) > 1 and self._role_before(place, "than", 2):  # no field holds how many there are
                    self.used.add(place)
                    self.reading.unfit.append(f"{self.mentions[place - 1].text} {one.text}")
                    continue
                if one.text.casefold() == "one" or self._presents(place):
                    self.used.add(place)
                    if one.text.casefold() == "one" and not self._has("order"):
                        continue
                counted = any(
                    each is not None
                    and (each.role("order") or each.role("noun") or each.role("severity") or each.meanings)
                    for each in (following, before)
                )
                if (
                    isinstance(one.value, int)
                    and 0 < one.value <= 200
                    and (counted or self._has("order") or _first(before))
                ):
                    self.used.add(place)
                    if one.value > 1 or self._has("order"):
                        self.where["_limit"] = one.value
            elif one.kind == "unknown" and place not in self.used:
                self.reading.unfit.append(one.text)

    def _numbered(self, place: int, key: str) -> None:
        """Of "article 32": the requirement that is called so, if one is."""
        self.used.add(place)
        versions = self.vocabulary.frameworks.get(self.where.get("framework", ""), {})
        if any(key in keys for keys in versions.values()):
            self.mentions[place] = replace(self.mentions[place], kind="requirement", value=key)
            self.where["requirement"] = key
        else:
            self.reading.unfit.append(f"{self.mentions[place - 1].text} {self.mentions[place].text}")

    def _presents(self, place: int) -> bool:
        """Of "One or two sentences": how long an answer should be."""
        return any(one.role("noun") == "text" for one in self.mentions[place + 1 : place + 3])

    # closed words

    def _closed(self) -> None:
        severities: list[str] = []
        self._scans_named()
        for place, one in enumerate(self.mentions):
            if not one.roles:
                continue
            if not one.role("negate"):
                self.used.add(place)
            measured = self._has("select", "compare") and self._role_before(place, "select", 4) == "group"
            if (severity := one.role("severity")) and not measured:
                (self.without.setdefault("severity", []) if self._is_negated(place) else severities).append(severity)
            if (status := one.role("status")) == "fail" and self._is_negated(place):  # what of all that does not fail?
                self.reading.unfit.append(f"not {one.text}")
            elif status:
                target = self.without if self._is_negated(place) else self.where
                if not (status == "fail" and self._role_before(place, "select", 1) == "group"):
                    target.setdefault("status", []).append(status)
            possible = self._role_before(place, "modal", 3) is not None  # what can be fixed is not what was
            if (change := one.role("change")) and not possible and not self._is_negated(place):
                self.where.setdefault("change", change)
            if one.role("scan") and "scan" not in self.where:
                self.where["scan"] = one.role("scan")
            if one.role("untagged"):
                self.where["untagged"] = True
            if word := one.role("or"):
                edge = _SEVERITIES.index(severities[-1]) if severities else 0
                wider = _SEVERITIES[: edge + 1] if word == "worse" else _SEVERITIES[edge:]
                severities += [each for each in wider if each not in severities]
        if severities:
            self.where["severity"] = list(dict.fromkeys(severities))
        if "muted" in self.without.get("status", []):
            del self.without["status"]
        self._scan_words()

    def _scans_named(self) -> None:
        """Of "the newest scan", which orders nothing, and "since the last scan", of what became of findings."""
        for place, one in enumerate(self.mentions):
            following = self.mentions[place + 1 : place + 2]
            if one.role("order") == "newest" and following and following[0].role("noun") == "scan":
                self.mentions[place] = replace(one, roles=("scan:latest",))
            if one.role("scan") == "previous":
                told = compact(one.text).startswith("since") or self._role_before(place, "period", 3) == "since"
                self.since_last |= told and not self._has("select", "diff")

    def _scan_words(self) -> None:
        """Fixed and new are of two scans; the fixed of "how do I get it fixed" is not."""
        if self._is_done():
            self.where.setdefault("change", "fixed")
        if self.since_last and "change" not in self.where:
            became = {"muted": "muted", "pass": "fixed"}
            self.where["change"] = next((became[one] for one in self.where.get("status", ()) if one in became), "new")
        change = self.where.get("change")
        if change == "fixed" and not self._says(
            "did", "was", "were", "been", "got", "have", "has", "fixed", "resolved", "closed", "fix", "close"
        ):
            del self.where["change"]
        if self.where.get("change") and self.where.get("scan") in ("latest", "previous"):
            del self.where["scan"]
        if self.where.get("change"):
            self.where.pop("status", None)
            if self.since_scan:  # a week ago is when the scan before was taken
                self.where.pop("first_seen_from", None)

    def _is_done(self) -> bool:
        """Of "what did we fix", not of "what have we to fix" or "how did": whether it was put right."""
        words = [compact(one.text) for one in self.mentions]
        for place, word in enumerate(words):
            if word in ("fix", "remediate", "resolve", "close"):
                before = words[max(0, place - 6) : place]
                counted = self._has("select", "count") and "have" in before
                return ("did" in before or counted) and not {"to", "how", "howdo", "howcan"} & set(before)
        return False

    # what it is about

    def _about(self) -> None:
        """Words that name no value may tell of checks: "publicly writable", "RDP open to the internet"."""
        single = self._select() in ("remediation", "explain", "mapping")
        words = [
            (place, one)
            for place, one in enumerate(self.mentions)
            if (
                place not in self.used
                and one.kind in ("word", "unknown")
                and (one.value is not None or one.kind == "unknown")
            )
            or (one.role("change") and single)
        ]
        words = [(place, one) for place, one in words if not self._is_said_already(place, one)]
        if not words or self.where.get("check") or "requirement" in self.where:
            return
        reach = self._checks_in_reach(catalogue=single)
        topic = None
        for part in [words] if single else self._parts(words, r"[.?!;](?=\s)"):
            topic = topic or self._topic(part, reach, single=single)
        if topic is None:
            return
        held = [stems_of(self.vocabulary.checks[one]) for one in topic.checks]
        for part in self._parts(words, r"[.?!;](?=\s)|[,()]"):  # of several topics side by side, those not met are told
            stems = {stem for _, one in part for stem in content_stems(one.text)}
            if not single and not any(stems <= each for each in held):
                self.reading.unused += [one.text.casefold() for _, one in part]
        self.reading.about = topic
        for place, one in words:
            if one.text.casefold() in topic.words:
                self.used.add(place)
                if one.text in self.reading.unfit:
                    self.reading.unfit.remove(one.text)
        self.where["check"] = list(topic.checks)

    def _is_said_already(self, place: int, one: Mention) -> bool:
        """Whether a word only says again what a filter holds: "not findings, buckets"."""
        for meaning in self.vocabulary.lookup(compact(one.text)):
            if set(meaning.values) & set(self.where.get(meaning.field, ())):
                self.used.add(place)
                if one.text in self.reading.unfit:
                    self.reading.unfit.remove(one.text)
                return True
        return False

    def _topic(self, words: list[tuple[int, Mention]], reach: list[Any], *, single: bool = False) -> Topic | None:
        texts = [one.text for _, one in words]
        return topic_of(self.reading.question, texts, reach, self.meanings, single=single)

    def _parts(self, words: list[tuple[int, Mention]], ends_at: str) -> list[list[tuple[int, Mention]]]:
        """The words of each sentence, or of each part of a list: what stands beside a question is no part of it."""
        ends = [found.end() for found in re.finditer(ends_at, self.reading.question)]
        tokens = self.linker.tokens
        made: dict[int, list[tuple[int, Mention]]] = {}
        for place, one in words:
            start = tokens[min(one.start, len(tokens) - 1)].start
            made.setdefault(sum(end <= start for end in ends), []).append((place, one))
        return list(made.values())

    def _checks_in_reach(self, *, catalogue: bool) -> list[Any]:
        """The checks of what else is named: of these providers, services, types and resources."""
        providers, services = self.where.get("provider", ()), set(self.where.get("service", ()))
        types = set(self.where.get("resource_type", ()))
        for name in self.where.get("resource", ()):
            types |= self.vocabulary.resource_kinds.get(name, set())
        return [
            one
            for one in self.vocabulary.checks.values()
            if (catalogue or one.types)
            and (not providers or one.provider in providers)
            and (not (services or types) or one.service in services or types & one.types)
        ]

    # the query

    def _select(self) -> str:
        told = [value for one in self.mentions for role in one.roles if (value := role.partition(":"))[0] == "select"]
        found = [value[2] for value in told]
        for choice in ("wording", "mapping"):
            if choice in found and self._supports(choice):
                return choice
        if "remediation" in found and "count" not in found and "change" not in self.where:
            first = [place for place, one in enumerate(self.mentions) if compact(one.text) == "first"]
            for place in first:  # what is to be fixed first is a list, gravest first
                self.mentions[place] = replace(self.mentions[place], kind="role", roles=("order:most",))
            ordered = bool(first) or self._has("order")
            self.reading.fix = True
            if not ordered or {"howdo", "howcan"} & {compact(one.text) for one in self.mentions}:
                return "remediation"
        if "explain" in found and "count" not in found:
            return "explain"
        for choice in ("rate", "age"):
            if choice in found:
                return choice
        return ""

    def _supports(self, choice: str) -> bool:
        if choice == "wording":
            return "requirement" in self.where
        return bool(self.where.get("check")) or self._has("noun", "framework") or self._has("noun", "requirement")

    def _query(self, follows: bool) -> FindingQuery:
        limit = self.where.pop("_limit", 0)
        where = dict(self.where)
        base = self.base.query if follows and self.base is not None else None
        if base is not None:
            kept = {name: getattr(base.where, name) for name in base.where.narrowed()}
            if "framework" in where:
                kept.pop("version", None), kept.pop("requirement", None)
            if "status" in where:
                kept.pop("change", None)
            where = {**kept, **where}
        made: dict[str, Any] = {"select": "count"}
        if base is not None:
            made = {name: getattr(base, name) for name in ("select", "of", "group_by", "order_by", "limit", "sides")}
        made |= self._shape(where, limit, base)
        if made["select"] in ("mapping", "requirement", "remediation", "explain"):
            for name in ("status", "change", "severity", "resource_type", "scan"):
                where.pop(name, None)
        if made.get("select") == "rate":
            where["status"] = []
        named = where.get("check") and self.reading.about is None and base is None
        if named and made["select"] == "list" and "status" not in where and not self._asks_for_findings():
            where["status"] = []  # what is asked for by name is told whatever its status
        without = self.without or ({} if base is None else base.without())
        for name in self.without.keys() & where.keys():  # what is not among the others cannot be taken from them
            if isinstance(where[name], list) and not set(self.without[name]) & set(where[name]):
                self.reading.unused += [f"not {value}" for value in self.without[name]]
        if self.without and made["select"] == "group" and self._says("no", "without"):  # a group that lacks something
            self.reading.unfit += [one.text for place, one in enumerate(self.mentions) if self._is_negated(place)][:1]
        made["where"] = Where.model_validate(where)
        made["exclude"] = Where.model_validate({"status": [], **without})
        return FindingQuery.model_validate(made)

    def _shape(self, where: dict[str, Any], limit: int, base: FindingQuery | None) -> dict[str, Any]:  # noqa: PLR0911
        """What is selected: the verb of the query, what of, by what, in which order."""
        orders = [value for one in self.mentions if (value := one.role("order"))]
        order = next((one for one in orders if one != "since"), orders[0] if orders else "")
        group = self._group()
        shape: dict[str, Any] = {"limit": limit} if limit else {}
        kind = self._select()
        if kind == "wording" or ("requirement" in where and not self._asks_for_findings() and base is None):
            return {**shape, "select": "requirement"}
        if kind == "mapping" and where.get("check"):
            return {**shape, "select": "mapping"}
        if kind in ("remediation", "explain") and (where.get("check") or base is not None or self.reading.about):
            self._format()
            return {**shape, "select": kind}
        if sides := self._sides(where):
            if kind == "rate":
                where["status"] = []
            return {**shape, "select": "compare", "sides": sides, "measure": "rate" if kind == "rate" else "count"}
        if kind == "rate":
            if not self._has("status"):  # the share of what, is not said
                self.reading.unfit += [one.text for one in self.mentions if "select:rate" in one.roles]
            return {**shape, "select": "rate"}
        if kind == "age" and not limit:
            return {**shape, "select": "age"}
        if order in ("oldest", "newest", "since") and not group:
            chosen = "newest" if order == "newest" else "oldest"
            single = not self._is_plural() or order == "since"
            limit = limit or (1 if single and order != "since" else 10)
            return {"select": "list", "order_by": chosen, "limit": limit, "group_by": ""}
        if kind == "age":
            return {**shape, "select": "age"}
        if self._has("select", "diff") and not group and "change" not in where:
            where.pop("scan", None)
            return {**shape, "select": "diff"}
        if "framework" in where and (self._has("noun", "requirement") and "requirement" not in where):
            return {**shape, "select": "unmet"}
        ordered = {"order_by": order} if order in ("most", "fewest") else {}
        versions = self.vocabulary.frameworks.get(where.get("framework", ""), {})
        if len(versions) > 1 and not where.get("version") and not group and "requirement" not in where:
            return {**shape, "select": "group", "group_by": "framework"}
        if group:
            trend = {"order_by": "key"} if group.startswith("first_seen") else {}
            return {**shape, **ordered, **trend, "select": "group", "group_by": group}
        if order in ("most", "fewest") and (ranked := self._ranked()):
            return {**shape, **ordered, "select": "group", "group_by": ranked}
        if base is not None and not self._has("select") and not self._asks_for_findings():
            return shape
        return {
            **shape,
            "select": "count" if self._has("select", "count") else "list",
            "of": self._of(),
            "group_by": "",
        }

    def _of(self) -> str:
        """What is counted: findings, unless resources or a kind of them stand where findings would."""
        for place, one in enumerate(self.mentions):
            noun = one.role("noun")
            if self._is_negated(place):
                continue
            if noun in ("resources", "checks"):
                passed = "pass" in self.where.get("status", [])
                return "findings" if noun == "checks" and passed else noun
            if noun == "findings":
                return "findings"
            typed = any(each.field == "resource_type" for each in one.meanings) and self.where.get("resource_type")
            if typed and self._role_before(place, "select", 3):
                return "resources"
        return "findings"

    def _asks_for_findings(self) -> bool:
        roles = {role.partition(":")[0] + ":" + role.partition(":")[2] for one in self.mentions for role in one.roles}
        return bool(roles & {"select:count", "noun:findings", "status:fail", "status:muted", "status:pass", "comply:"})

    def _group(self) -> str:
        """The field after by, per or each; or the one of "which accounts have how many"."""
        for place, one in enumerate(self.mentions):
            if one.role("select") != "group":
                continue
            if place + 1 < len(self.mentions) and self.mentions[place + 1].role("select") == "count":
                return self._ranked()  # "by number of": what stands before is ranked
            for beside in range(place + 1, min(place + 4, len(self.mentions))):
                noun = self.mentions[beside].role("noun")
                if noun in ("month", "week"):
                    self.used.add(beside)
                    return f"first_seen_{noun}"
                if noun in _GROUPS:
                    return noun
                if noun in ("resources", "checks"):
                    return noun[:-1]
                if key := self._tag_key(self.mentions[beside]):
                    self.used.add(beside)
                    return f"tag:{key}"
        wh = [place for place, one in enumerate(self.mentions) if compact(one.text) in ("which", "what", "whats")]
        for place in wh:
            for beside in range(place + 1, min(place + 3, len(self.mentions))):
                noun = self.mentions[beside].role("noun")
                if noun in ("account", "region", "service", "provider", "category", "scanner"):
                    return str(noun)
                if key := self._tag_key(self.mentions[beside]):
                    self.used.add(beside)
                    return f"tag:{key}"
        return ""

    def _ranked(self) -> str:
        """What is ranked in "the account with the most", "worst five checks", "resources with the most"."""
        for one in self.mentions:
            noun = one.role("noun")
            if noun in _GROUPS:
                return noun
            if noun in ("resources", "checks"):
                return noun[:-1]
            if key := self._tag_key(one):
                return f"tag:{key}"
        return ""

    def _tag_key(self, one: Mention) -> str:
        plain = compact(one.text)
        keys = {tag.partition(":")[0] for tag in self.vocabulary.tags}
        return next((key for key in keys if compact(key) in (plain, plain.rstrip("s"))), "")

    def _sides(self, where: dict[str, Any]) -> list[Where]:
        """What is set side by side: two or more values of one field, or the two of a kind a provider has."""
        words = {compact(one.text) for one in self.mentions}
        comparing = self._has("select", "compare") or "than" in words or "or" in words or "between" in words
        comparing |= bool(words & {"better", "worse", "agree", "who"})
        if not comparing:
            return []
        for name in ("account", "service", "provider", "region", "scanner"):
            values = where.get(name, [])
            if name == "scanner" and "agree" in words and len(values) > 1:
                pass
            if 2 <= len(values) <= 6:
                where.pop(name)
                return [Where.model_validate({name: [value]}) for value in values]
        if self._has("noun", "account") and self._has("select", "compare") and (providers := where.get("provider")):
            accounts = [one for one, of in self.vocabulary.account_providers.items() if of in providers]
            if 2 <= len(accounts) <= 6:
                return [Where(account=[one]) for one in accounts]
        return []

    def _format(self) -> None:
        for one in self.mentions:
            plain = compact(one.text)
            if plain in ("terraform", "hcl"):
                self.reading.format = "terraform"
            elif plain in ("cli", "gcloud", "command", "commands", "kubectl"):
                self.reading.format = "cli"
            elif plain == "console":
                self.reading.format = "console"

    # what stayed over

    def _follows(self) -> bool:
        """Whether the question edits the one before it: it points back, or says too little alone."""
        if self.base is None:
            return False
        pointing = any(one.role("again") or one.role("more") or one.role("ordinal") for one in self.mentions)
        first = [compact(one.text) for one in self.mentions[:2]]
        pointing |= first[:1] in (["and"], ["or"], ["only"], ["no"], ["but"]) or first == ["what", "about"]
        own = self._has("noun", "findings") or self._has("select", "count") or self.where.get("framework")
        short = len(self.mentions) <= 6 and not own
        return short or (pointing and not (own and len(self.where) > 1))

    def _left_over(self) -> None:
        """Tell each word that no field holds, and does not only join others; of a follow-up, also those before it."""
        reading = self.reading
        if reading.follows and self.base is not None:
            told = [*self.base.unused, *self.base.unfit, *self.base.open]
            reading.unused += [one for one in told if one not in reading.unused]
        held = Held(reading.query, self.vocabulary, self.mentions)
        reading.open = [text for text, _ in self.ambiguous]
        reading.unfit += beyond_flat(self.mentions)
        asked = [place for place, one in enumerate(self.mentions) if compact(one.text) == "howmany"]
        left = {*held.left(), *asked[1:], *self._unplaced()} - self._everyone()
        for place in sorted(left):
            one = self.mentions[place]
            plain = one.text.casefold()
            if one.text in reading.open or any(
                plain in told.casefold().split() for told in reading.unfit + reading.unused
            ):
                continue
            if one.kind not in ("word", "role") or self._narrows(place):
                reading.unfit.append(one.text)
            else:
                reading.unused.append(plain)
        self._tell_leaps()

    def _narrows(self, place: int) -> bool:
        """Whether a word that no field holds would be a filter: a name behind a preposition, or a time."""
        one = self.mentions[place]
        if one.role("noun") in UNITS:
            return self.reading.query.select not in ("explain", "remediation", "mapping")
        before = compact(self.mentions[place - 1].text) if place else ""
        return one.kind == "word" and one.text[:1].isupper() and before in _BEFORE_NAMES

    def _tell_leaps(self) -> None:
        """Tell what a word was taken for that is not called so: nearly so, a part of a name, a word of checks."""
        reading = self.reading
        where = {*reading.query.where.resource, *reading.query.where.tag, *reading.query.exclude.resource}
        for one in self.mentions:
            partly = [each for each in one.meanings if not each.whole and each.field in ("resource", "tag")]
            if one.kind == "name" and (one.near or (partly and where & set(partly[0].values))):
                values = one.meanings[0].values if one.near else partly[0].values
                reading.notes.append(f"“{one.text}” is read as {_several(values)}")
        if reading.about is not None and reading.query.select not in ("explain", "remediation", "mapping"):
            words = " ".join(one.text for one in self.mentions if one.text.casefold() in reading.about.words)
            checks = _several([one for one in reading.query.where.check if one in reading.about.checks])
            reading.notes.append(f"“{words}” is read as what fails {checks}" if words and checks else "")
        reading.notes = [*filter(None, dict.fromkeys(reading.notes))]

    def _unplaced(self) -> Iterator[int]:
        """The places of "the second" where nothing is in places, and of what turns a page where there is none."""
        for place, one in enumerate(self.mentions):
            if (value := one.role("ordinal")) is not None:
                self.reading.place = int(value)
                if not (self.reading.follows or self.reading.query.group_by):
                    yield place
            if one.role("more") and self.reading.follows and self.base is not None and self.base.query.select == "list":
                before = self.base.query
                self.reading.query = before.model_copy(update={"offset": before.offset + before.limit})

    def _everyone(self) -> set[int]:
        """The places of "every account" and "all regions", which leave nothing out."""
        nouns = (place for place, one in enumerate(self.mentions) if place and one.kind == "role" and one.role("noun"))
        return {place for place in nouns if self.mentions[place - 1].role("any")}

    def _choices(self) -> None:
        for text, meanings in self.ambiguous:
            options = []
            for one in meanings:
                if one.field in ("resource", "resource_type"):
                    continue
                where = self.reading.query.where.model_copy(update={one.field: list(one.values)})
                label = self._label(one)
                options.append(Choice(label, self.reading.query.model_copy(update={"where": where})))
            if len(options) == 1:
                self.reading.query = options[0].query
            else:
                self.reading.notes.append(f"“{text}” may mean several things")
                self.reading.choices += options

    def _label(self, meaning: Meaning) -> str:
        if meaning.field == "account":
            return "the account " + " and ".join(map(self.vocabulary.account_name, meaning.values))
        return f"the {meaning.field.replace('_', ' ')} {', '.join(meaning.values[:4])}"

    def _sense(self) -> None:
        """Whether the question is one on findings at all, and not of what no scan holds."""
        reading = self.reading
        told = {name for name in reading.query.where.narrowed() if name != "scan"}
        roles = {role.partition(":")[0] for one in self.mentions for role in one.roles}
        reading.document = self._has("document")
        reading.names_findings = (
            bool(told - {"status"})
            or bool(reading.choices)
            or bool(
                roles & {"severity", "status", "comply", "change"}
                or reading.query.select in ("diff", "compare")
                or self._has("noun", "findings")
                or self._has("noun", "checks")
            )
        )
        if reading.follows and self.base is not None and set(reading.unused) <= set(self.base.unused):
            reading.names_findings |= self.base.names_findings
        words = [compact(one.text) for one in self.mentions]
        for word, why in NOT_IN_SCANS.items():
            if word in words and reading.query.select != "compare" and not (word == "who" and "call" in words):
                if word in ("who", "will") and words[0] != word and not (word == "will" and "when" in words):
                    continue
                reading.reason, reading.never = reading.reason or why, True
        beyond = bool(reading.unused) and self.meanings is not None and not reading.follows
        if beyond and self.meanings is not None and self.meanings.beyond(reading.question) > _BEYOND:
            reading.reason = reading.reason or f"“{', '.join(reading.unused)}”"

    # helpers

    def _has(self, kind: str, value: str | None = None) -> bool:
        return any(
            role.partition(":")[0] == kind and (value is None or role.partition(":")[2] == value)
            for one in self.mentions
            for role in one.roles
        )

    def _says(self, *words: str) -> bool:
        return bool({compact(one.text) for one in self.mentions} & set(words))

    def _is_plural(self) -> bool:
        return any(compact(one.text) in ("findings", "ones", "resources") for one in self.mentions)

    def _role_before(self, place: int, kind: str, within: int) -> str | None:
        for before in range(place - 1, max(-1, place - 1 - within), -1):
            if (value := self.mentions[before].role(kind)) is not None:
                return value
        return None


def _several(names: Sequence[str]) -> str:
    """A few names, and how many more there are."""
    more = f" and {len(names) - _SEVERAL} more" if len(names) > _SEVERAL else ""
    return ", ".join(names[:_SEVERAL]) + more


def _kinds(one: Mention) -> set[str]:
    """The fields a mention may be of."""
    return {each.field for each in one.meanings} | {role.partition(":")[0] for role in one.roles if ":" in role}


def _leads(before: Mention | None) -> bool:
    """Whether a name may follow: after a word without content (in, for, does, the)."""
    return before is None or not content_stems(before.text) or before.role("period") is not None


def _first(before: Mention | None) -> bool:
    return before is not None and compact(before.text) in ("top", "first", "worst", "last")
