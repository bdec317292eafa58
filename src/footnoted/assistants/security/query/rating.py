"""Shares, rates and averages: what part of the findings something is, how much passes, how many one of a kind has."""

from __future__ import annotations

from itertools import dropwhile
from typing import Any

from footnoted.assistants.security.query.finding_query import Where
from footnoted.assistants.security.query.grouping import PLACES, Grouping
from footnoted.assistants.security.query.mentions import NOTHING
from footnoted.assistants.security.query.relations import field_of

_ONE_OF = ("a", "an", "per", "each", "every")


class Rating(Grouping):
    """The step that finds what is measured by a share."""

    def _averaged(self, group: str) -> dict[str, Any]:
        """How many one of a kind has on average: "an account", "per bucket", "does a bucket have"."""
        for place, one in enumerate(self.mentions):
            before = self._at(place - 1)
            single = before.word in (*_ONE_OF, "one", "average")
            kinds = before.kind == "name" and self._at(place - 2).word in _ONE_OF
            group = group or ((single or kinds) and self._thing(one)) or ""
        if not group or group.startswith("first_seen") or group in ("severity", "status"):
            self.reading.unfit += [one.text for one in self.mentions if "select:average" in one.roles]
        return {"select": "group", "group_by": group, "measure": "average"}

    def _rated(self, where: dict[str, Any]) -> dict[str, Any]:
        """How much of what passes, or how large a part of the findings something is."""
        if self._passes() and (by := self._group() or (self._ranked() if self._has("order") else "")):
            return {"select": "group", "group_by": by, "measure": "rate", "order_by": self._rate_order()}
        if self._passes():
            return {"select": "rate"}
        ranked = self._ranked() if self._has("order") else ""
        if not ranked and (part := self._part(where)):
            asked = Where.model_validate({part: where.pop(part)})
            by = f"tag:{asked.tag[0].partition(':')[0]}" if part == "tag" else part
            shape = {"select": "group", "group_by": by, "measure": "share", "order_by": "most", "limit": 50}
            return {**shape, "sides": [asked]}
        if by := self._group() or ranked:  # "of the highs in each account", "which account has the highest share"
            return {"select": "group", "group_by": by, "measure": "share", "order_by": self._order() or "most"}
        if self.ambiguous:  # each choice has a part of its own
            return {"select": "rate"}
        self.reading.unfit += [one.text for one in self.mentions if "select:rate" in one.roles]  # the share of what?
        return {"select": "rate"}

    def _rate_order(self) -> str:
        """Which comes first: the lowest pass rate and the highest of failures are worst, which "worst" says itself."""
        told = next((one for one in self.mentions if one.role("order") in ("most", "fewest")), None)
        if told is None:
            return "most"
        order = str(told.role("order"))
        if self._says("worst") or told.text.casefold() in self.leanings or self._states() == ["fail"]:
            return order
        return {"most": "fewest", "fewest": "most"}[order]

    def _part(self, where: dict[str, Any]) -> str:
        """The field whose values are parts: in "what share of the findings in AWS is critical" the severity."""
        noun = next((at for at, one in enumerate(self.mentions) if one.role("noun") == "findings"), None)
        if noun is None:  # "of the open criticals"
            plural = (at for at, one in enumerate(self.mentions) if one.role("severity") and one.word.endswith("s"))
            noun = next(plural, None)
        if noun is None:
            return ""
        rate = next((at for at, one in enumerate(self.mentions) if "select:rate" in one.roles), 0)
        led = [*dropwhile(lambda one: one.role("or"), reversed(self.mentions[:rate]))]  # "high or above share of"
        if led and where.get(field_of(led[0])):
            return field_of(led[0])
        told = [(place, field_of(one)) for place, one in enumerate(self.mentions)]
        parts = [(place, name) for place, name in told if name in (*PLACES, "severity", "tag") and where.get(name)]
        verb = (place for place in range(noun, len(told)) if self.mentions[place].word in ("is", "are"))
        at = next(verb, None)
        if at is not None:
            return next((name for place, name in parts if place > at), "")
        return parts[-1][1] if parts else ""

    def _passes(self) -> bool:
        """Whether a rate is asked of what passes, or fails: "what percentage of the open ones is critical" is not."""
        told = {value for one in self.mentions if (value := one.role("status"))}
        shared = any(  # "what share of the open findings is of X" is asked of a part, not of what passes
            one.role("status") == "fail"
            and next(dropwhile(field_of, self.mentions[place + 1 :]), NOTHING).role("noun") == "findings"
            and "of" in {each.word for each in self.mentions[max(0, place - 3) : place]}
            for place, one in enumerate(self.mentions)
        )
        fails = told == {"fail"} and not (shared or self.where.get("severity"))
        return self._has("comply") or "pass" in told or fails
