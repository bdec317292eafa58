"""The closed words of the grammar put into their fields: severities, states, changes, scans."""

from __future__ import annotations

from dataclasses import replace

from footnoted.assistants.security.query.draft import Draft
from footnoted.assistants.security.query.words import UNITS
from footnoted.assistants.security.severity import Severity

_LEVEL = {"level", "levels", "rated", "ranked"}
_PRONOUNS = {"that", "those", "what", "whatever", "is", "are", "which"}
_UP = "up above higher worse over greater more upward upwards beyond".split()
_DOWN = "down below lower under less downward downwards beneath".split()
_SEVERITIES = [one.value for one in Severity]


class Saying(Draft):
    """The step that reads how grave, in which state, and as of which scan."""

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
            times = [one.text for one in self.mentions if one.kind == "date" or one.word in UNITS]
            self.reading.unfit.append(" ".join(times) or "that time")
            self.reading.notes.append("since when a finding is as it is, your scans do not say")

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
