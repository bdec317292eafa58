"""What findings are told by (account, month, tag), set side by side and measured in, as a question says it."""

from __future__ import annotations

from itertools import dropwhile, pairwise
from typing import Any, get_args

from footnoted.assistants.security.query.draft import GROUPED, THINGS, Draft
from footnoted.assistants.security.query.finding_query import FindingQuery, Group, Where
from footnoted.assistants.security.query.relations import field_of
from footnoted.assistants.security.query.tokens import NOTHING, Mention
from footnoted.text import content_stems

PLACES = ("account", "region", "service", "provider", "category", "scanner")
_GROUPS = get_args(Group)
_NEAR, _FAR = 3, 6  # words between what parts and what is parted by
_MOST_SIDES = 6  # as the query's own field holds
_GETTING = frozenset("get gets got getting gotten".split())
_ONE_OF = ("a", "an", "per", "each", "every")


def _is_parting(one: Mention) -> bool:
    """Whether a word is of parting itself ("distribution", "split"), and does not just lead to what is parted by."""
    return one.word not in ("by", "per", "each")


class Grouping(Draft):
    """The step that finds what is grouped by and ranked, compared, and told by a share or an average."""

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
        fields = {*self.where, *(each.field for _, those in self.ambiguous for each in those)}
        return "account" if first == "where" and not (self.reading.overall or "account" in fields) else ""

    def _regrouped(self, base: FindingQuery | None) -> str:
        """Of "same but for owners", after what was told by teams, what it is told by instead."""
        named = any(one.kind == "name" for one in self.mentions)
        if base is None or not base.group_by or named or self._has("select") or self._asks_of_findings():
            return ""
        told = (self._group_at(at) for at in range(len(self.mentions)) if at not in self.keyed)
        return next(filter(None, told), "")

    def _group_at(self, place: int) -> str:
        """The field that a word names as what is grouped by; nothing where it only says of what kind a name is."""
        return "" if self._is_of_a_name(place) else self._grouped_by(self.mentions[place], GROUPED)

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
        self._untold(f"what is set side by side are your scans, which are of {self._scan_days()}")
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
        if 2 <= len(editions) <= _MOST_SIDES and not any("?" in one.get("version", "") for one in editions):
            where.pop("framework"), where.pop("version", None)
            return [Where.model_validate(one) for one in editions]
        for name in ("account", "service", "provider", "region", "scanner", "tag", "resource"):
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

    def _averaged(self, group: str) -> dict[str, Any]:
        """How many one of a kind has on average: "an account", "per bucket", "does a bucket have"."""
        for place, one in enumerate(self.mentions):
            before = self._at(place - 1)
            single = before.word in (*_ONE_OF, "one", "average")
            kinds = before.kind == "name" and self._at(place - 2).word in _ONE_OF
            group = group or ((single or kinds) and self._grouped_by(one, THINGS)) or ""
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
