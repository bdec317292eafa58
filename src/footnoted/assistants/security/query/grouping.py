"""What findings are told by (account, month, tag) and in which order, as a question says it."""

from __future__ import annotations

from itertools import pairwise
from typing import get_args

from footnoted.assistants.security.query.draft import Draft
from footnoted.assistants.security.query.finding_query import FindingQuery, Group
from footnoted.assistants.security.query.mentions import Mention
from footnoted.text import content_stems

PLACES = ("account", "region", "service", "provider", "category", "scanner")
_GROUPS = get_args(Group)
_NEAR, _FAR = 3, 6  # words between what parts and what is parted by


def _is_parting(one: Mention) -> bool:
    """Whether a word is of parting itself ("distribution", "split"), and does not just lead to what is parted by."""
    return one.word not in ("by", "per", "each")


class Grouping(Draft):
    """The step that finds what is grouped by and ranked."""

    def _group(self) -> str:
        """The field after by, per or each; or the one of "which accounts have how many"."""
        for place, one in enumerate(self.mentions):
            if one.role("select") != "group":
                continue
            if self._at(place + 1).role("select") == "count":
                return self._ranked()  # "by number of": what stands before is ranked
            reach = range(place + 1, min(place + 1 + (_FAR if _is_parting(one) else _NEAR), len(self.mentions)))
            for beside in [*reach, *([place - 1] if place and _is_parting(one) else [])]:
                if by := self._group_at(beside):
                    return by
        for place, one in enumerate(self.mentions):  # "which accounts", "how many regions", "list all accounts"
            if one.role("select") not in ("list", "count"):
                continue
            ends = place + (2 if one.role("select") == "count" else 4)
            for beside, each in enumerate(self.mentions[place + 1 : ends], place + 1):
                if each.word in ("and", "or") or (each.kind == "word" and content_stems(each.text)):
                    break
                of = self._at(beside + 1).role("noun")  # "which scanner checks" are checks
                if of not in ("findings", "checks", "resources") and (
                    each.role("noun") in PLACES or self._tag_key(each)
                ):
                    return self._group_at(beside)
        for place, one in enumerate(self.mentions):  # "across regions", "in every account"
            if self._at(place - 1).word in ("every", "across", "among") and one.role("noun") in PLACES:
                return self._group_at(place)
        if self.over:
            return f"first_seen_{self.over}"
        if self._asks_of_each():  # "how many criticals and how many highs"
            return next((name for name in ("severity", "status") if len(self.where.get(name, ())) > 1), "")
        first = self._at(0).word
        came = any(map(self._has, ("first", "seen", "arose")))
        if first == "when" and came and not self._has("order"):
            return "first_seen_month"
        return "account" if first == "where" and not self.reading.overall and not self._narrowed_to("account") else ""

    def _regrouped(self, base: FindingQuery | None) -> str:
        """Of "same but for owners", after what was told by teams, what it is told by instead."""
        named = any(one.kind == "name" for one in self.mentions)
        if base is None or not base.group_by or named or self._has("select") or self._asks_of_findings():
            return ""
        told = (self._group_at(at) for at in range(len(self.mentions)) if at not in self.keyed)
        return next(filter(None, told), "")

    def _narrowed_to(self, name: str) -> bool:
        return bool(self.where.get(name)) or any(each.field == name for _, those in self.ambiguous for each in those)

    def _group_at(self, place: int) -> str:
        """The field that a word names as what is grouped by; nothing where it only says of what kind a name is."""
        one = self.mentions[place]
        noun = one.role("noun") or ""
        if self._is_of_a_name(place):
            return ""
        by = {"month": "first_seen_month", "week": "first_seen_week", "resources": "resource", "checks": "check"}
        if noun in _GROUPS or noun in by:
            return by.get(noun, noun)
        if one.kind == "name" and one.fields == {"resource_type"}:
            return "resource"  # "per bucket"
        key = self._tag_key(one)
        return f"tag:{key}" if key else ""

    def _is_of_a_name(self, place: int) -> bool:
        """Whether a noun only says of what kind the name beside it is: "the payments namespace", "region eu-west-1"."""
        noun = self.mentions[place].role("noun")
        beside = (self._at(place - 1), self._at(place + 1))
        return noun in PLACES and any(one.kind == "name" and not one.apart and noun in one.fields for one in beside)

    def _ranked(self) -> str:
        """What is ranked in "the account with the most", "worst five checks", "resources with the most"."""
        for place, one in enumerate(self.mentions):
            noun = one.role("noun") or ""
            before = self._at(place - 1 - (self._at(place - 1).kind == "number"))
            if "resource_type" in one.fields and (before.word == "which" or before.role("order") in ("most", "fewest")):
                return "resource"  # "which bucket has the most", "our worst buckets"
            graded = noun == "severity" and self._at(place - 1).role("severity")  # "the most high severity findings"
            if noun in _GROUPS and not (one.near or graded or self._is_of_a_name(place)):  # "most severe" only orders
                return noun
            if noun in ("resources", "checks"):
                return noun[:-1]
            if key := self._tag_key(one):
                return f"tag:{key}"
        return f"tag:{key}" if (key := self._owned_by()) else ""

    def _owned_by(self) -> str:
        """Of "who has the most criticals" the key of the tag that says whose something is, where one plainly does."""
        if self.meanings is None or not self._asks_who_is() or self.reading.about or "resource_type" in self.where:
            return ""
        return self.meanings.owning(sorted(self.vocabulary.tag_keys))

    def _order(self) -> str:
        """The order that is asked for; of "the most recent", the newest first."""
        told = [(place, value) for place, one in enumerate(self.mentions) if (value := one.role("order"))]
        for (before, most), (place, value) in pairwise(told):
            if place == before + 1 and most == "most" and value in ("newest", "oldest"):
                return value
        orders = [value for _, value in told]
        return next((one for one in orders if one != "since"), orders[0] if orders else "")

    def _asks_of_findings(self) -> bool:
        """Whether findings are named; after another question "the critical ones" are those it was of."""
        return any(one.role("noun") == "findings" and not (self.base and one.word == "ones") for one in self.mentions)

    def _asks_for_findings(self) -> bool:
        named = [one for one in self.mentions if one.role("noun") != "findings"]
        roles = {role for one in named for role in one.roles}
        if self._asks_of_findings():
            return True
        return bool(roles & {"select:count", "noun:findings", "status:fail", "status:muted", "status:pass", "comply"})

    def _asks_of_each(self) -> bool:
        """Of "how many in this and how many in that" and "for this and that, each" whether one number each is asked."""
        asked = [one.word for one in self.mentions if "select:count" in one.roles]
        return len(asked) > len({*asked}) or self._at(len(self.mentions) - 1).word == "each"
