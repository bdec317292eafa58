"""What a question sets side by side: two values of one field, two scans, now and before."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from footnoted.assistants.security.query.finding_query import Where
from footnoted.assistants.security.query.grouping import Grouping
from footnoted.assistants.security.query.relations import field_of
from footnoted.assistants.security.query.words import UNITS
from footnoted.text import content_stems

_MOST_SIDES = 6  # as the query's own field holds
_GETTING = frozenset("get gets got getting gotten".split())


class Comparing(Grouping):
    """The step that finds the sides of a comparison."""

    def _of_scans(self, where: dict[str, Any]) -> str:
        """Two scans are set side by side: a day that names neither of them would filter what both found.

        What became of findings is no side: "and the fixed ones?" lists them, "and since the 9th?" only says the scan.
        """
        if where.get("change"):
            if not self.assumed_new:
                return "list"
            del where["change"]
        told = {"first_seen_from", "first_seen_before", "open_for_more_than"} & {*where}
        if not told or self._says("firstseen") or any(map(self._has, ("seen", "arose"))):
            return "diff"
        for name in told:
            del where[name]
        times = [one.text for one in self.mentions if one.kind == "date" or one.word in UNITS]
        self.reading.unfit.append(" ".join(times) or "that time")
        self.reading.notes.append(f"what is set side by side are your scans, which are of {self._scan_days()}")
        return "diff"

    def _sides(self, where: dict[str, Any]) -> list[Where]:
        """What is set side by side: two or more values of one field, or the two of a kind a provider has."""
        words = {one.word for one in self.mentions}
        comparing = self._has("select", "compare") or "than" in words or "between" in words
        comparing |= bool(words & {"better", "worse", "agree", "who"}) or self._asks_of_each()
        comparing |= "or" in words and any(map(self._has, ("more", "order")))  # "has this or that more"
        comparing |= bool(words & {"difference", "gap"}) and not (self._has("scan") or "change" in where)
        comparing |= self._is_set_against()
        if not comparing:
            return []
        editions = [one for at, one in enumerate(self.editions) if one not in self.editions[:at]]
        if (
            comparing
            and 2 <= len(editions) <= _MOST_SIDES
            and not any("?" in one.get("version", "") for one in editions)
        ):
            where.pop("framework"), where.pop("version", None)
            return [Where.model_validate(one) for one in editions]
        for name in ("account", "service", "provider", "region", "scanner", *["tag", "resource"] * comparing):
            values = where.get(name, [])
            if name == "tag" and len({value.partition(":")[0] for value in values}) > 1:
                continue  # tags of two keys are borne together
            if 2 <= len(values) <= _MOST_SIDES:
                where.pop(name)
                return [Where.model_validate({name: [value]}) for value in values]
        if self._has("noun", "account") and self._has("select", "compare") and (providers := where.get("provider")):
            accounts = [one for one, of in self.vocabulary.account_providers.items() if of in providers]
            if 2 <= len(accounts) <= _MOST_SIDES:
                return [Where(account=[one]) for one in accounts]
        return []

    def _is_set_against_before(self) -> bool:
        """Whether what is open now is set against the scan before: "than in the last scan", "compared to it"."""
        for place, one in enumerate(self.mentions):
            led = self.mentions[:place] if one.role("scan") == "previous" else ()
            if any(each.role("select") in ("compare", "diff") or each.word == "than" for each in led):
                return True
        return self.against_last

    def _came_to_be(self) -> bool:
        """Of "what got muted", "which are muted" what became of findings; "how many are muted" is counted in both."""
        states = [place for place, one in enumerate(self.mentions) if one.role("status")]
        got = any(self._at(place - 1).word in _GETTING for place in states)
        return got or not self._has("select", "count")

    def _is_set_against(self) -> bool:
        """Whether two names of one kind stand against each other: "this against that", "this next to that"."""
        named = [place for place, one in enumerate(self.mentions) if one.kind == "name"]
        for first, second in pairwise(named):
            shared = field_of(self.mentions[first]) == field_of(self.mentions[second]) != ""
            between = self.mentions[first + 1 : second]
            words = {one.word for one in between}
            if words & {"and", "or"} or any(one.apart for one in self.mentions[first + 1 : second + 1]):
                continue
            verb = any(one.kind == "word" and content_stems(one.text) for one in between)  # "does this exceed that"
            if shared and (words & {"against", "to", "beside", "alongside"} or verb):
                return True
        return False
