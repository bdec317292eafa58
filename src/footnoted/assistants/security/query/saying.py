"""The closed words of the grammar put into their fields: severities, states, changes, scans, and bounds of groups.

How much a group must hold ("services with more than 20 open findings", "accounts without criticals") is read before
names are placed: what such a bound is of is asked for, and not taken away.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from footnoted.assistants.security.query.draft import THINGS, Draft
from footnoted.assistants.security.query.finding_query import Having
from footnoted.assistants.security.query.relations import HAVING, bounds_of, field_of
from footnoted.assistants.security.query.tokens import Mention
from footnoted.assistants.security.query.words import FUNCTION_WORDS, NOTHING_AT_ALL, UNITS
from footnoted.assistants.security.severity import Severity

_LEVEL = {"level", "levels", "rated", "ranked"}
_PRONOUNS = {"that", "those", "what", "whatever", "is", "are", "which"}
_UP = "up above higher worse over greater more upward upwards beyond".split()
_DOWN = "down below lower under less downward downwards beneath".split()
_SEVERITIES = [one.value for one in Severity]
_REACH = 8  # words between what is grouped and its bound
_DENIES = ("no", "without", "not")
_MORE = ("ormore", "more", "ormoreof", "up", "over", "above", "plus")
_LESS = ("orless", "orfewer", "less", "fewer")
_EVERY = ("severity", "service", "account", "region", "scanner")


class Saying(Draft):
    """The step that reads how grave, in which state, as of which scan, and how much each group must hold."""

    def _closed(self) -> None:
        severities: list[str] = []
        self._scans_named()
        for place, one in enumerate(self.mentions):
            measured = self._has("select", "compare") and self._role_before(place, "select", 4) == "group"
            if (severity := one.role("severity")) and not measured:
                told = self.without.setdefault("severity", []) if self._is_negated(place) else severities
                told += self._bounded(place, severity)
            if (status := one.role("status")) == "fail" and self._is_negated(place):  # what of all that does not fail?
                self.reading.unfit.append(f"not {one.text}")
            elif status and self._at(place - 1).role("ended"):
                self.where["change"] = {"fail": "fixed", "muted": "unmuted", "pass": "new"}.get(status, "gone")
            elif status:
                target = self.without if self._is_negated(place) else self.where
                if not (status == "fail" and self._role_before(place, "select", 1) == "group"):
                    added = self._role_before(place, "widen", 3) is not None and target is self.where
                    target.setdefault("status", ["fail"] if added and status != "fail" else []).append(status)
            possible = self._role_before(place, "modal", 3) is not None  # what can be fixed is not what was
            goes = self._at(place + 1)  # "gone unfixed", "gone up"
            went = one.role("change") == "gone" and (goes.role("status") or goes.word in ("up", "down", "from"))
            if (change := one.role("change")) and not went and not possible and not self._is_negated(place):
                self.where.setdefault("change", change)
            if one.role("scan") and "scan" not in self.where:
                self.where["scan"] = one.role("scan")
            joined = self._at(place - 1).word in ("or", "nor", "and") and place - 2 in self.keyed
            lacked = one.kind == "word" and (joined or self._is_negated(place))
            if lacked and (key := self._tag_key(one)) and key not in self._keys_told():
                self.keyed.add(place)
                self.where.setdefault("without_tag", []).append(key)
            keyed = {place - 1, place + 1} & self.keyed or self._tag_key(self._at(place + 1))  # "no tag owner"
            bare = one.role("noun") == "tag" and "tag" not in self.without and self._is_negated(place) and not keyed
            if bare or one.role("untagged"):
                self.where["untagged"] = True
        if severities:
            self.where["severity"] = list(dict.fromkeys(severities))
        if "muted" in self.without.get("status", []):
            del self.without["status"]
        self._scan_words()

    def _keys_told(self) -> set[str]:
        """The keys of tags that are named with a value: "except those whose owner is ana" lack no owner."""
        tags = (value for one in self.mentions for each in one.meanings if each.field == "tag" for value in each.values)
        return {tag.partition(":")[0] for tag in tags}

    def _bounded(self, place: int, severity: str) -> list[str]:
        """Of "at least high" and "worse than low" the severities that are meant; of a severity alone, itself."""
        edge, before = _SEVERITIES.index(severity), place - 1
        if before > 0 and self.mentions[before].word == "than":
            before -= 1
            less = self.mentions[before].word in ("lower", "below", "less") or self._at(before - 1).word == "less"
            roles = ("than:less" if less else "than:more",)
            self.mentions[before] = replace(self.mentions[before], kind="role", roles=roles)
        than = self._at(before).role("than")
        if (bound := self._open_end(place)) and (than is None or self._at(before).role("period")):
            than = bound
        elif (other := self._other_end(place)) is not None:
            low, high = sorted((edge, other))
            return _SEVERITIES[low : high + 1]
        meant = {
            "more": _SEVERITIES[:edge], "least": _SEVERITIES[: edge + 1],
            "less": _SEVERITIES[edge + 1 :], "most": _SEVERITIES[edge:],
        }.get(than or "", [severity])  # fmt: skip
        if not meant:
            self.reading.unfit.append(f"{self._at(before).text} {severity}")
        return meant

    def _open_end(self, place: int) -> str:
        """Of "medium and up", "medium severity or worse", "from high down" what bounds a severity from behind it."""
        behind = place + 1
        while self._at(behind).role("noun") in ("severity", "findings") or self._at(behind).word in _LEVEL:
            behind += 1
        joined = self._at(behind).word in ("and", "or")
        while joined and (self._at(behind + 1).role("any") is not None or self._at(behind + 1).word in _PRONOUNS):
            behind += 1
        at = behind + joined
        one, after = self._at(at), self._at(at + 1)
        word = one.role("or") or {**dict.fromkeys(_UP, "worse"), **dict.fromkeys(_DOWN, "lower")}.get(one.word, "")
        led = joined or one.role("or") or self._at(place - 1).word == "from" or one.word.endswith(("ward", "wards"))
        if not word or not led or one.apart or after.word == "than" or after.kind in ("number", "name", "date"):
            return ""
        self.mentions[at] = replace(one, kind="role", roles=(f"or:{word}",))
        return {"worse": "least", "lower": "most"}[word]

    def _other_end(self, place: int) -> int | None:
        """Of "low to high" and "between low and high" the severity at the other end."""
        for step in (1, -1):
            joins, other = self._at(place + step), self._at(place + 2 * step)
            first = min(place, place + 2 * step)
            spans = joins.word in ("to", "through", "upto", "until", "till") or (
                joins.word == "and" and self._at(first - 1).role("period") == "between"
            )
            if spans and (severity := other.role("severity")):
                return _SEVERITIES.index(severity)
        return None

    def _scans_named(self) -> None:
        """Of "the newest scan", which orders nothing, and "since the last scan", of what became of findings."""
        for place, one in enumerate(self.mentions):
            if one.role("order") == "newest" and self._at(place + 1).role("noun") == "scan":
                self.mentions[place] = replace(one, roles=("scan:latest",))
            if one.role("scan") == "previous" and self._is_within(place):
                self.mentions[place] = replace(one, roles=("scan:latest",))
            elif one.role("scan") == "previous":
                told = one.word.startswith("since") or self._role_before(place, "period", 3) == "since"
                self.since_last |= told and not self._has("select", "diff")

    def _is_within(self, place: int) -> bool:
        """Of "in the last scan", with nothing set against it: the last one there is, not the one before it."""
        before = [one.word for one in self.mentions[max(0, place - 2) : place] if one.word != "the"]
        against = self._says("than", "now", "today", "currently") or any(map(self._has, ("than", "change")))
        against |= self._has("select", "diff") or self._has("select", "compare")
        named = self.mentions[place].word == "lastscan" and before[-1:] in (["in"], ["of"], ["at"])
        return named and not against

    def _scan_words(self) -> None:
        """Fixed and new are of two scans; the fixed of "how do I get it fixed" is not."""
        if self._is_done():
            self.where.setdefault("change", "fixed")
        became = {"muted", "pass"} & set(self.where.get("status", ()))
        self.since_last |= bool(became) and "change" not in self.where and self._between_scans()
        arose = self._has("arose") and (self.where.get("scan") == "latest" or self._has("noun", "scan"))
        if (self.since_last or arose) and "change" not in self.where:
            self.where["change"] = "new"
            self.assumed_new = not arose
        if self.where.get("change") == "new":  # newly muted, passing since the last scan
            of = {"muted": "muted", "pass": "fixed"}
            self.where["change"] = next((of[one] for one in self.where.get("status", ()) if one in of), "new")
        change = self.where.get("change")
        done = self._says(*"did was were been got have has fixed resolved closed fix close".split())
        if change == "fixed" and not (became or done or self._has("ended")):
            del self.where["change"]
        if self.where.get("change") and self.where.get("scan") in ("latest", "previous"):
            del self.where["scan"]
        if self.where.get("change"):
            self.where.pop("status", None)
            if self.since_scan:  # a week ago is when the scan before was taken
                self.where.pop("first_seen_from", None)
        self._since_when()

    def _since_when(self) -> None:
        """A time is of what became of findings, unless it says that they were seen: two scans tell one such time."""
        change = self.where.get("change")
        became = change or {"pass", "muted", "archived"} & set(self.where.get("status", ()))
        since, until = self.where.get("first_seen_from"), self.where.get("first_seen_before")
        if not became or not (since or until):
            return
        told = change is not None and since is not None and until is None and self.vocabulary.is_previous(since)
        if change == "new" and not told:  # new in so long a time is what was first seen in it
            del self.where["change"]
            return
        if self._says("firstseen") or any(map(self._has, ("seen", "arose"))):
            return
        for name in ("first_seen_from", "first_seen_before"):
            self.where.pop(name, None)
        if not told:
            self._untold("since when a finding is as it is, your scans do not say")

    def _between_scans(self) -> bool:
        """Of "between the two scans": whether what became of findings is asked for."""
        scans = [place for place, one in enumerate(self.mentions) if one.role("noun") == "scan"]
        return any(self._role_before(place, "period", 4) == "between" for place in scans)

    def _is_done(self) -> bool:
        """Of "what did we fix", not of "what have we to fix" or "how did": whether it was put right."""
        words = [one.word for one in self.mentions]
        for place, one in enumerate(self.mentions):
            if one.role("select") == "remediation":
                before = words[max(0, place - 6) : place]
                counted = self._has("select", "count") and "have" in before
                return ("did" in before or counted) and not {"to", "how", "howdo", "howcan"} & set(before)
        return False

    def _bounds(self) -> None:
        for place, one in enumerate(self.mentions):
            low, high, places = self._numbered_bound(place) if one.kind == "number" else (None, None, [])
            if not places and (places := self._lack(place)):
                low, high = None, 0
            of = self._counted(places[-1] + 1, most=high) if places else ""
            if (low, high) == (1, None):  # what has at least one is what is found
                self._settle(places if of else (), (None, None))
                continue
            head = self._head(places[0]) if of else ""
            if head:
                self.head, self.counted = head, of
                self.having = Having(at_least=low, at_most=high)
                self._settle(places, (low or None, high))
                return
        self._every()

    def _settle(self, places: Iterable[int], bound: object) -> None:
        """The words of a bound say nothing else any more."""
        self.timed.update(places)
        for place in places:
            self.mentions[place] = replace(self.mentions[place], kind="role", roles=("having",), value=bound)

    def _numbered_bound(self, place: int) -> tuple[int | None, int | None, list[int]]:
        """The least and the most that "more than 20", "seven or more", "with exactly 3" say, and the places of it."""
        number, before, after = int(str(self.mentions[place].value)), self._at(place - 1), self._at(place + 1)
        if before.role("than"):
            low, high = bounds_of(str(before.role("than")), number)
            return (low, high, [place - 1, place]) if high is None or high >= 0 else (None, None, [])
        second = self._at(place + 2).word
        for ends, joins, (low, high) in ((_MORE, ("or", "and"), (number, None)), (_LESS, ("or",), (None, number))):
            size = 1 if after.word in ends else 2 if after.word in joins and second in ends else 0
            if size:
                return low, high, [*range(place, place + size + 1)]
        if before.word in HAVING:
            return number or None, number, [place]
        only = before.role("only") and self._at(place - 2).word in HAVING
        if only or before.word in ("exactly", "precisely"):
            return number or None, number, [place - 1, place]
        return None, None, []

    def _lack(self, place: int) -> list[int]:
        """The places of "without", "have no", "do not have any", "free of", "nothing"."""
        one, before, after = self.mentions[place], self._at(place - 1), self._at(place + 1)
        if one.word in NOTHING_AT_ALL and not (one.word == "free" and after.word != "of"):
            return [place]
        if one.role("negate") is None or one.word not in _DENIES or one.apart:
            return []
        if one.word == "not":
            return [place, place + 1] if after.word in HAVING else []
        if one.word != "without" and before.word not in HAVING:
            return []
        stressed = [after.word, self._at(place + 2).word] == ["a", "single"]
        return [place, place + 1, place + 2] if stressed else [place]

    def _counted(self, place: int, *, most: int | None) -> str:
        """What a bound counts: findings, or resources and checks; nothing where it is of something else."""
        graded = False
        for at in range(place, len(self.mentions)):
            one = self.mentions[at]
            noun = one.role("noun") or ""
            if one.word in UNITS or (one.apart and at > place):
                break
            if noun in ("findings", "resources", "checks"):
                return noun if noun != "resources" or most != 0 else "findings"
            if one.role("severity") or one.role("status") or one.role("change"):
                graded = True
                continue
            named = one.kind in ("name", "requirement") or one.role("distinct") or one.role("any")
            if not (named or one.word in FUNCTION_WORDS):
                break
        alone = most == 0 and place == len(self.mentions) and self.mentions[place - 1].word in NOTHING_AT_ALL
        return "findings" if graded or alone else ""

    def _head(self, place: int) -> str:
        """The field of what a bound is of: what stands before it, and is what the question asks for."""
        wide = ""  # "any cloud" leaves nothing out, unless it is all there is
        for at in range(place - 1, max(-1, place - 1 - _REACH), -1):
            one = self.mentions[at]
            if (field := self._grouped_by(one, THINGS)) and self._at(at - 1).role("any") is not None:
                wide = field
            elif field:
                led = self.mentions[:at]
                by = self._at(at - 1).role("select") == "group"
                inner = any(each.role("noun") == "findings" or each.role("severity") for each in led)
                return field if by or not inner else ""
            passes = one.kind in ("name", "word") or one.word in (*HAVING, *FUNCTION_WORDS)
            if not (field or passes or one.role("negate") or one.role("any")):
                break
        return wide

    def _every(self) -> None:
        """Of "resources with both a critical and a high", "checks that fail in every account": what holds all of it."""
        for place, one in enumerate(self.mentions):
            if one.role("both") is not None:
                fields = [field_of(each) for each in self.mentions if field_of(each) in _EVERY]
                field = next((name for name in fields if len({self._text(one) for one in self.mentions
                                                              if field_of(one) == name}) > 1), "")  # fmt: skip
                joined = not any(each.word == "or" for each in self.mentions)
                heads = [self._grouped_by(each, THINGS) for each in self.mentions]
                head = next((each for each in heads if each and each != field), "")
                if field and head and joined:
                    self._together(head, field, [place])
                    return
            number = self._at(place + 1)
            every = one.word in ("every", "each") or (one.word == "all" and number.kind == "number")
            reach = range(place + 1, min(place + 6, len(self.mentions)))
            noun = next((at for at in reach if self.mentions[at].role("noun") in _EVERY), 0)
            led = [self._grouped_by(each, THINGS) for each in self.mentions[:place]]
            if not (every and noun and self._at(place - 1).word == "in" and {"check", "resource"} & set(led)):
                continue
            field = str(self.mentions[noun].role("noun"))
            if number.kind == "number" and number.value != self._how_many(field):
                continue
            counted = [place + 1] if number.kind == "number" else []
            self._together(next(each for each in led if each), field, [place, *counted])
            return

    def _together(self, head: str, field: str, places: list[int]) -> None:
        self.head, self.counted, self.having = head, "findings", Having.model_validate({"every": field})
        self._settle(places, field)

    def _how_many(self, field: str) -> int:
        """How many accounts there are, of the clouds that are named."""
        clouds = {
            value for one in self.mentions for each in one.meanings if each.field == "provider" for value in each.values
        }
        of = self.vocabulary.account_providers.values() if field == "account" else ()
        return sum(not clouds or one in clouds for one in of)

    @staticmethod
    def _text(one: Mention) -> str:
        return one.role("severity") or one.word
