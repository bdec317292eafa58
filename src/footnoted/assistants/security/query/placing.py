"""Names put into their fields, by the one meaning that stands where the name does; days, spans and numbers too."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta
from typing import Any

from footnoted.assistants.security.names import requirement_key
from footnoted.assistants.security.query.draft import Draft, as_word, several
from footnoted.assistants.security.query.linking import is_word
from footnoted.assistants.security.query.meaning import tells
from footnoted.assistants.security.query.relations import HAVING, negations
from footnoted.assistants.security.query.tokens import Mention
from footnoted.assistants.security.query.vocabulary import PROVIDERS, Meaning, compact, singulars
from footnoted.assistants.security.query.words import UNITS, WHETHER, span
from footnoted.text import content_stems
from footnoted.text.numbers import is_year

_ADJACENT = {"account", "region", "service", "tag", "category"}
_EDGES = {"by": "until", "through": "until", "from": "since"}  # what these are before a day
_MOST_SCANS = 6  # that are set side by side
_LONGEST = 36_500  # days a question may reach back


class Placing(Draft):
    """The step that reads which, when, how long, and how many."""

    def _names(self) -> None:
        self._agree()
        for place, one in enumerate(self.mentions):
            if one.kind == "requirement":
                self._put(place, "requirement", str(one.value))
            elif one.kind == "version":
                self._put(place, "version", str(one.value))
            elif one.kind == "name":
                self._name(place, one)
        self._versions()

    def _agree(self) -> None:
        """A part of an account's name beside the whole of it, or beside another part, means the account both are of."""
        denied = negations(self.mentions)
        told = [(place, one) for place, one in enumerate(self.mentions) if one.kind == "name"]
        parts = [(place, one, accounts) for place, one in told if (accounts := _accounts(one, whole=False))]
        for place, one, accounts in parts:
            own = accounts
            for other, beside in told:
                whole = _accounts(beside, whole=True)
                near = abs(place - other) == 1 and not self.mentions[max(place, other)].apart
                theirs = whole or (_accounts(beside, whole=False) if near else [])
                shared = tuple(value for value in own if value in theirs)
                if other != place and shared and (place in denied) == (other in denied):
                    self.mentions[place] = replace(one, meanings=(Meaning("account", shared),))
                    own = list(shared)

    def _name(self, place: int, one: Mention) -> None:
        meanings = self._fitting(place, one)
        if not meanings or self._is_state(place, meanings):
            if is_word(one.text.casefold()) or not content_stems(one.text):
                self.mentions[place] = as_word(one)
            else:
                self.mentions[place] = replace(one, kind="unknown", meanings=())
            return
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
            self.reading.notes.append(f"no resource of your scans is in {one.text} ({several(values)})")
            return
        for value in values:
            self._put(place, meaning.field, value)
        if meaning.field == "framework":  # "CIS Azure" is of one cloud
            words = [each for word in one.text.split() for each in self.vocabulary.lookup(word)]
            for value in (each.values[0] for each in words if each.field == "provider"):
                if value in self.vocabulary.providers:
                    self._put(place, "provider", value)

    def _providers(self) -> str:
        return ", ".join(sorted(PROVIDERS.get(one, (one,))[0] for one in self.vocabulary.providers))

    def _fitting(self, place: int, one: Mention) -> list[Meaning]:
        """The meanings that stand: the one its neighbour names, else whole names before parts of names."""
        meanings = list(one.meanings)
        for beside in (place + 1, place - 1, *self._shared(place)):
            noun = self._at(beside).role("noun")
            if noun in _ADJACENT and (fits := [each for each in meanings if each.field == noun]):
                return fits[:1]
        whole = [each for each in meanings if each.whole]
        order = ("check", "framework", "account", "provider", "scanner", "region", "service", "category", "tag",
                 "resource_type", "resource")  # fmt: skip
        if whole:
            return sorted(whole, key=lambda each: order.index(each.field))[:1]
        meanings = [each for each in meanings if self._is_meant(place, one, each)]
        if one.start and self.base is not None:  # a part of a name goes on with what was asked before
            before = self.base.query.where.narrowed()
            if fits := [each for each in meanings if each.field in before and each.field != "resource"]:
                return fits[:1]
        if fits := [each for each in meanings if each.field == self.preferred]:
            return fits[:1]
        return [each for each in meanings if each.field not in ("resource", "resource_type")] or meanings[:1]

    def _shared(self, place: int) -> list[int]:
        """Where the noun stands that two names share: in "core vs customs subscriptions", behind "customs"."""
        joined = self._at(place + 1)
        joins = joined.word in ("and", "or", "nor") or joined.role("select") == "compare"
        return [place + 3] if joins and self._at(place + 2).kind == "name" else []

    def _is_meant(self, place: int, one: Mention, meaning: Meaning) -> bool:
        """Whether a part of a name stands for it: a plain word only where a name would stand."""
        before = self._at(place - 1)
        if meaning.field == "resource_type":
            if self._is_of_another_kind(place, meaning):
                return False
            before = self._at(place - 1 - (before.kind == "number"))  # "top 3 buckets"
            if self._select() in ("remediation", "explain"):  # of what a check is run on
                return True
            plural = bool(singulars(one.word)) and one.word not in self.vocabulary.names
            alone = self._at(place + 1).role("only") is not None
            led = before.role("order") is not None or self._role_before(place, "select", 3) is not None
            return (plural or before.word in ("which", "per", "each")) and (led or alone or _leads(before))
        if meaning.field == "resource":
            acts = before.role("modal") is not None or before.word == "to"
            return not (acts or is_word(one.text.casefold())) and len(one.text) > 3
        if meaning.field == "tag" and self._has("noun", "tag"):
            return True
        if meaning.field == "tag" and self._describes(place):
            return False
        dropped = self.edited == "negate" and before.role("negate") is not None  # "drop lab"
        return not is_word(one.text.casefold()) or _leads(before) or dropped

    def _is_of_another_kind(self, place: int, meaning: Meaning) -> bool:
        """Of "access keys", where keys are KMS keys, whether checks that have both words are run on something else."""
        before = self._at(place - 1)
        if before.kind != "word" or before.value is None:
            return False
        pair = compact(before.text) + next(iter(singulars(self.mentions[place].word)), self.mentions[place].word)
        held = [check for check in self.vocabulary.checks.values() if check.types and pair in compact(check.title)]
        return bool(held) and not any(check.types & {*meaning.values} for check in held)

    def _is_state(self, place: int, meanings: list[Meaning]) -> bool:
        """Of "does db-1 have encryption turned on", "buckets without logging" what checks tell of, and no category."""
        if {one.field for one in meanings} != {"category"} or self._at(place + 1).role("noun") == "findings":
            return False
        of_one = any("resource" in one.fields for one in self.mentions)
        led = {one.word for one in self.mentions[max(0, place - 2) : place]}
        kinds = any("resource_type" in one.fields for one in self.mentions[:place])
        return (of_one and self._at(0).word in WHETHER) or (kinds and bool(led & {*HAVING, "without", "no", "lack"}))

    def _describes(self, place: int) -> bool:
        """Whether a word says how a kind of thing is, of which checks tell: "public buckets" are no tag's value."""
        of = {value for one in self._at(place + 1).meanings for value in one.values}
        kinds = (check for check in self.vocabulary.checks.values() if of & {check.service, *check.types})
        word = self.mentions[place].text
        return is_word(word.casefold()) and any(tells(word, check) for check in kinds)

    def _versions(self) -> None:
        version, family = self.where.get("version", ""), self.where.get("framework", "")
        if version.startswith("?"):
            known = ", ".join(sorted(self.vocabulary.frameworks.get(family, {}))) or "none"
            self.reading.unfit.append(f"{family} {version[1:]}")
            self.reading.notes.append(f"of {family} your scans are mapped to: {known}")
            self.where["version"] = ""

    def _times(self) -> None:
        self._scans_compared()
        for place, one in enumerate(self.mentions):
            if one.kind == "date" and not self.compared:
                self._date(place, one)
            if one.word in UNITS and not self._between(place):
                self._period(place, UNITS[one.word])

    def _scans_compared(self) -> None:
        """Of "criticals on 12 October versus 23 November" both scans, where there are scans of both days."""
        days: list[Any] = [one.value for one in self.mentions if one.kind == "date"]
        scans = self.vocabulary.scans
        apart = self._has("select", "compare") or self._says("than", "against")
        if days and not self._has("change") and any(one.role("scan") == "latest" for one in self.mentions):
            days.append((self.vocabulary.today,) * 2)  # "more now than on 9 November"
        each = [place for place, one in enumerate(self.mentions) if one.role("noun") == "scan"
                and self._at(place - 1).word in ("each", "every", "per", "by")]  # fmt: skip
        if each and 2 <= len(scans) <= _MOST_SCANS and not self._has("change"):
            self.compared = [self._scan_of(day) for day in reversed(scans)]
            return
        listed = [place for place, one in enumerate(self.mentions) if one.kind == "number"
                  and self._at(place + 1).role("noun") == "scan" and self._has("select", "diff")]  # fmt: skip
        for place in listed[:1]:  # "over our last three scans"
            count = int(str(self.mentions[place].value))
            if 2 < count <= min(len(scans), _MOST_SCANS) and self._at(place - 1).role("period") == "last":
                self.compared = [self._scan_of(day) for day in reversed(scans[:count])]
                self.timed.add(place)
                return
        if apart and len(days) == 1 and days[0][0] not in (self.vocabulary.previous, self.vocabulary.today):
            days.append((self.vocabulary.today,) * 2)  # "better than three weeks ago"
        if apart and len(days) > 1 and all(first == last and first in scans for first, last in days):
            told = sorted({first for first, _ in days})
            self.compared = [self._scan_of(day) for day in told] if len(told) > 1 else []

    def _scan_of(self, day: date) -> Any:
        return {self.vocabulary.previous: "previous", self.vocabulary.today: "latest"}.get(day, day)

    def _date(self, place: int, one: Mention) -> None:
        days_of: Any = one.value
        first, last = days_of
        before = self._bound(place)
        others = [each for each in self.mentions[place + 1 :] if each.kind == "date"]
        spanned = before == "between" or self._at(place - 1).word == "from"
        if spanned and others:
            days_of = others[0].value
            became = self._has("change") or {"muted", "pass"} & set(self._states())
            compared = self._has("select", "diff") and not self._has("change")
            if (became or compared) and {first, days_of[1]} == {self.vocabulary.today, self.vocabulary.previous}:
                self.since_last, self.against_last = not compared, compared  # between the last two scans
                return
            self.where["first_seen_from"], self.where["first_seen_before"] = first, days_of[1] + timedelta(days=1)
            if self.where["first_seen_before"] <= first:
                self.reading.unfit.append(f"{one.text} … {others[0].text}")
            return
        of_two_scans = self.since_last or self.against_last
        if "first_seen_before" in self.where or (of_two_scans and first == self.vocabulary.today):
            return
        days = self.vocabulary.scans
        dated = self._says("firstseen") and not self._has("change")
        if first == last and first in days and before not in ("before", "until") and not dated:
            if before in ("since", "after") or any(each.role("change") for each in self.mentions):
                if first == self.vocabulary.today and before not in ("since", "after"):
                    return
                if first == self.vocabulary.previous:
                    self._became()
                    return
            if self._has("change") or self._negated_past():
                self._became()
                return
            self.where["scan"] = self._scan_of(first)
            now = next((each.text for each in self.mentions if each.role("scan") == "latest"), "")
            if now and first != days[0] and not (self._has("select", "diff") or self._says("than")):
                self.reading.unfit.append(f"{one.text} and {now}")
                self.reading.notes.append("a question is asked of one scan, or of what became of findings between two")
            return
        if before in ("since", "after"):
            self.where["first_seen_from"] = first if before == "since" else last + timedelta(days=1)
        elif before in ("before", "until") and self._states_before(place):
            self.reading.unfit.append(f"{before} {one.text}")
            self.reading.notes.append("since when a finding is as it is, your scans do not say")
        elif before in ("before", "until"):
            whole = before == "until" and (first == last or self._says("through"))  # until a month is before it
            self.where["first_seen_before"] = last + timedelta(days=1) if whole else first
        elif self._has("seen") or self._has("arose") or self._says("came", "started", "reported", "found", "opened"):
            self.where["first_seen_from"], self.where["first_seen_before"] = first, last + timedelta(days=1)
        else:
            self.reading.unfit.append(one.text)
            of = self._scan_days()
            self.reading.notes.append(f"your scans are of {of}; how things stood on another day is not known")

    def _bound(self, place: int) -> str:
        """How a day bounds: since it, after, before, until; "on or before" is until, and "after" without its day."""
        for at in range(place - 1, max(-1, place - 4), -1):
            one, word = self.mentions[at], self.mentions[at].word
            if word in _EDGES and (word != "from" or self._has("seen") or self._has("arose")):
                self.mentions[at] = one = replace(one, kind="role", roles=(f"period:{_EDGES[word]}",))
            if (told := one.role("period")) not in (None, "last", "this"):
                whole = word in (*_EDGES, "since") or self._at(at - 1).word == "or"
                return {("since", False): "after", ("before", True): "until"}.get((str(told), whole), str(told))
            if content_stems(one.text) and told is None:
                break
        return ""

    def _states_before(self, place: int) -> bool:
        """Whether a date is of what became of findings: "muted before the 9th", not "first seen before the 9th"."""
        told = [one for one in self.mentions[max(0, place - 3) : place] if not one.role("period")]
        last = next((one for one in reversed(told) if content_stems(one.text)), None)
        return last is not None and (last.role("change") or last.role("status")) not in (None, "fail", "new")

    def _became(self) -> None:
        """What became of findings since the scan before: as it is said, or what is new."""
        if self._has("select", "diff") and not self._has("change"):
            self.against_last = True
            return
        told = next((value for one in self.mentions if (value := one.role("change"))), "new")
        self.assumed_new |= told == "new" and not self._has("change") and not self._negated_past()
        self.where.setdefault("change", told)

    def _negated_past(self) -> bool:
        """Of "What was not there on the 9th" is what is new since."""
        words = {one.word for one in self.mentions}
        denied = words & {"wasnt", "werent", "not", "didnt"}
        return bool(denied and words & {"there", "was", "were", "exist", "wasnt"})

    def _period(self, place: int, days: int) -> None:
        number = self._at(place - 1)
        if not days:
            counted = self.mentions[place - (number.kind == "number") : place + 1]
            self.timed.add(place - 1)
            self.reading.unfit.append(" ".join(one.text for one in counted))
            return
        if number.word == "a" and self._role_before(place - 1, "than", 1):
            number = self.mentions[place - 1] = replace(number, kind="number", value=1)  # "older than a month"
        if number.kind == "number":
            self.timed.add(place - 1)
            count = span(int(str(number.value)), self.mentions[place].word, self.vocabulary.today)
            if count > _LONGEST or is_year(number.text):
                self.reading.unfit.append(f"{number.text} {self.mentions[place].text}")
                return
            than = self._role_before(place - 1, "than", 2)
            if of := self._aged_itself(place - 2):  # "keys older than": of the key, not of what was found
                words = [one.text for one in self.mentions[place - 2 : place + 1]]
                self.reading.unfit.append(" ".join([of, *words]))
                return
            last = self._role_before(place - 1, "period", 2)
            least = than == "least" or self._says("ormore", "orlonger", "orolder")
            if than in ("less", "most") or last in ("last", "this", "in"):
                self.where["first_seen_from"] = self.vocabulary.today - timedelta(days=count - (than == "less"))
            elif least or than == "more" or last == "since" or self._says("for", "old", "older"):
                self.where["open_for_more_than"] = count - least  # at least ninety is more than eighty-nine
            else:
                self.reading.unfit.append(f"{number.text} {self.mentions[place].text}")
            return
        told = number.role("period")
        if told in ("last", "this") and number.role("select") != "group":
            if told == "last" and self.mentions[place].text.casefold() in ("weeks", "months"):  # how it went, over them
                self.over = self.mentions[place].text.casefold()[:-1]
                return
            if self._has("select", "remediation") and not self._says("did"):  # when it is to be done
                self.reading.unused.append(f"{self.mentions[place - 1].text} {self.mentions[place].text}")
                return
            since, until = self._calendar(place, told) or (self.vocabulary.today - timedelta(days=days), None)
            near = self.vocabulary.is_previous(since)
            dated = any(map(self._has, ("seen", "arose", "change"))) or self._role_before(place, "period", 3) == "since"
            self.against_last |= near and self._at(place - 2).word == "than"  # "more than last week"
            if near and (self.against_last or self._has("select", "diff")):
                return
            if not dated and not self._says("fix", "remediate", "resolve", "close"):
                self.reading.unfit.append(f"{self.mentions[place - 1].text} {self.mentions[place].text}")
                self.reading.notes.append(f"it can be asked as “first seen since {since}”, or of one day's scan")
                return
            self.where["first_seen_from"] = since
            if until is not None:
                self.where["first_seen_before"] = until
            self.since_scan = near

    def _between(self, place: int) -> bool:
        """Of "between 30 and 60 days" both ages, where they are of findings and not of the thing itself."""
        led, low, to, high, unit = (self._at(place - back) for back in (4, 3, 2, 1, 0))
        if {low.kind, high.kind} != {"number"} or to.word not in ("and", "to"):
            return False
        ages = sorted(span(int(str(one.value)), unit.word, self.vocabulary.today) for one in (low, high))
        spans = led.role("period") == "between" or led.word == "for"
        if not spans or ages[1] > _LONGEST or self._aged_itself(place - 4):
            return False
        self.timed |= {place - 3, place - 1}
        for name, age in (("first_seen_from", ages[1]), ("first_seen_before", ages[0] - 1)):
            self.where[name] = self.vocabulary.today - timedelta(days=age)
        return True

    def _calendar(self, place: int, told: str) -> tuple[date, date | None] | None:
        """The days of "this month" and "last year", which the calendar has; "the last month" is that long up to now."""
        unit, today = self.mentions[place].text.casefold(), self.vocabulary.today
        led = self._at(place - 2).word in ("the", "our")
        if unit not in ("month", "year") or led or self.mentions[place - 1].word not in ("this", "last"):
            return None
        begun = today.replace(day=1) if unit == "month" else today.replace(month=1, day=1)
        if told == "this":
            return begun, None
        before = begun - timedelta(days=1)
        return (before.replace(day=1) if unit == "month" else before.replace(month=1, day=1)), begun

    def _aged_itself(self, place: int) -> str:
        """What is said to be older than something, where that is no finding."""
        if place < 1 or self.mentions[place].word not in ("olderthan", "newerthan", "youngerthan", "between"):
            return ""
        of = self.mentions[place - 1]
        typed = of.kind == "name" and of.fields <= {"resource_type", "resource"}
        return of.text if typed or (of.kind == "word" and content_stems(of.text)) else ""

    def _numbers(self) -> None:
        for place, one in enumerate(self.mentions):
            following, before = self._at(place + 1), self._at(place - 1)
            if one.kind == "number" and place not in self.timed and before.word != "port":
                if before.role("noun") == "requirement":
                    self._numbered(place, requirement_key(f"{before.text} {one.text}"))
                    continue
                if following.role("noun") in ("scan", "text"):
                    continue
                if int(str(one.value)) > 1 and self._role_before(place, "than", 2):  # no field holds how many there are
                    self.reading.unfit.append(f"{before.text} {one.text}")
                    continue
                counted = self._has("order") or before.word in ("top", "first", "worst", "last")
                for each in (following, before):
                    counted |= bool(each.meanings) or any(map(each.role, ("order", "noun", "severity")))
                least = 1 if self._has("order") else 2
                if counted and isinstance(one.value, int) and least <= one.value <= 200:
                    self.where["_limit"] = one.value
            elif one.kind == "unknown":
                self.reading.unfit.append(one.text)

    def _numbered(self, place: int, key: str) -> None:
        """Of "article 32": the requirement that is called so, if one is."""
        versions = self.vocabulary.frameworks.get(self.where.get("framework", ""), {})
        if any(key in keys for keys in versions.values()):
            self.mentions[place] = replace(self.mentions[place], kind="requirement", value=key)
            self.where["requirement"] = key
        else:
            self.reading.unfit.append(f"{self.mentions[place - 1].text} {self.mentions[place].text}")


def _accounts(one: Mention, *, whole: bool) -> list[str]:
    """The accounts that a name is the whole of, or only a part of."""
    if not whole and any(each.whole for each in one.meanings):
        return []
    return [value for each in one.meanings if each.field == "account" and each.whole is whole for value in each.values]


def _leads(before: Mention) -> bool:
    """Whether a name may follow: after a word without content (in, for, does, the)."""
    return not content_stems(before.text) or before.role("period") is not None
