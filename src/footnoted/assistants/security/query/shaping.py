"""The verb of the query, what it is of, by what, in which order; and the query itself."""

from __future__ import annotations

from itertools import dropwhile, pairwise
from typing import Any, get_args

from footnoted.assistants.security.query.draft import Draft
from footnoted.assistants.security.query.finding_query import FindingQuery, Group, Having, Where
from footnoted.assistants.security.query.linking import NOTHING, Mention
from footnoted.assistants.security.query.relations import field_of, negations
from footnoted.assistants.security.query.topics import affirms, denies
from footnoted.assistants.security.query.words import FUNCTION_WORDS, UNITS, WHETHER
from footnoted.text import content_stems

_GROUPS = get_args(Group)
_PLACES = ("account", "region", "service", "provider", "category", "scanner")
_NOTHING = ("nothing", "none", "free")  # what has it has no finding
_FORMATS = {"terraform": "terraform", "hcl": "terraform", "console": "console"}
_FORMATS |= dict.fromkeys(("cli", "gcloud", "command", "commands", "kubectl"), "cli")
_ADVICE = ("remediation", "explain")
_MANIFOLD = ("tag", "category")  # fields of which a finding may have several values
_MOST_SIDES = 6  # as the query's own field holds
_GETTING = frozenset("get gets got getting gotten".split())
_NEAR, _FAR = 3, 6  # words between what parts and what is parted by


def _is_a_thing(one: Mention) -> bool:
    """Whether a word is of what findings are found in or by, and not of findings themselves."""
    return one.role("noun") in (*_PLACES, "resources", "checks") or "resource_type" in one.fields


def _is_parting(one: Mention) -> bool:
    """Whether a word is of parting itself ("distribution", "split"), and does not just lead to what is parted by."""
    return one.word not in ("by", "per", "each")


_ONE_OF = ("a", "an", "per", "each", "every")


class Shaping(Draft):
    """The step that makes the query."""

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
            where = {**kept, **(self._widened(where, kept) if self.edited == "widen" else where)}
        made: dict[str, Any] = {"select": "count"}
        if base is not None:
            kept_too = ("select", "of", "group_by", "order_by", "limit", "sides", "having", "measure")
            made = {name: getattr(base, name) for name in kept_too}
        shape = self._shape(where, limit, base)
        if "select" in shape:  # another question has bounds and measures of its own
            made.pop("having", None), made.pop("measure", None)
            if base is not None and base.group_by and shape["select"] != base.select:
                made.pop("limit", None)  # so many groups
        made |= shape
        if made["select"] in ("mapping", "requirement") or (made["select"] in _ADVICE and where.get("check")):
            for name in ("status", "change", "severity", "resource_type", "scan"):
                where.pop(name, None)
        if made.get("select") == "rate" or made.get("measure") == "rate":
            where["status"] = []
        made["select"] = self._of_scans(where) if made["select"] == "diff" else made["select"]
        named = where.get("check") and self.reading.about is None and base is None
        if named and made["select"] == "list" and "status" not in where and not self._asks_for_findings():
            where["status"] = []  # what is asked for by name is told whatever its status
        things = made.get("of") == "resources" or (self._says("which") and made["select"] in ("list", "group"))
        if things and self._is_met(where):
            where["status"] = ["pass"]
        if self._asks_whether(where):
            where["status"] = []
        before: dict[str, Any] = {} if base is None else base.without()
        without = {**before, **self.without} if self.edited == "negate" else self.without or before
        for name in before.keys() & self.without.keys() if self.edited == "negate" else ():
            without[name] = [*before[name], *self.without[name]]
        for name in self.without.keys() & where.keys():  # what is not among the others cannot be taken from them
            if name in _MANIFOLD:  # what bears the one may bear the other too
                continue
            if isinstance(where[name], list) and not set(self.without[name]) & set(where[name]):
                self.reading.unused += [f"not {value}" for value in self.without[name]]
        self.reading.unfit += self._lacking()[:1]
        made["where"] = Where.model_validate(where)
        made["exclude"] = Where.model_validate({"status": [], **without})
        return FindingQuery.model_validate(made)

    def _widened(self, where: dict[str, Any], kept: dict[str, Any]) -> dict[str, Any]:
        """Of "add the highs" these beside those asked for before; what is of another field cannot stand beside them."""
        added = {name: value for name, value in where.items() if name != "scan"}
        for name, value in added.items():
            if isinstance(value, list) and len(added) == 1 and (name in kept or name == "status"):
                added[name] = list(dict.fromkeys([*kept.get(name, ()), *value]))
            else:
                self.reading.unfit.append(self.edit)
                break
        return added

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

    def _asks_whether(self, where: dict[str, Any]) -> bool:
        """Whether it is asked how one thing stands: "does web-1 have backups enabled", "does web-1 pass everything"."""
        if self._at(0).word not in WHETHER or not where.get("resource"):
            return False
        passes = next(
            (place for place, one in enumerate(self.mentions) if one.role("status") == "pass"), len(self.mentions)
        )
        if any(one.role("any") for one in self.mentions[passes + 1 :]):
            return True
        stated = {"status", "change"} & {*where} or self._has("noun", "findings") or self._has("severity")
        return bool(where.get("check")) and not stated

    def _is_met(self, where: dict[str, Any]) -> bool:
        """Whether what is asked for is as checks want it: "which buckets are encrypted", "are not public"."""
        about = self.reading.about
        own = {one.text.casefold() for one in self.mentions if one.kind == "word" and content_stems(one.text)}
        others = (("severity",), ("modal",), ("order",), ("noun", "findings"), ("noun", "checks"))
        stated = {"status", "change"} & {*where} or any(self._has(*one) for one in others) or self._says("off")
        if about is None or stated or not own - FUNCTION_WORDS <= about.words:
            return False
        checks = [self.vocabulary.checks[one] for one in about.checks]
        if denied := {self.mentions[at].text.casefold() for at in negations(self.mentions)} & about.words:
            return all(any(denies(word, each) for word in denied) for each in checks)
        return all(affirms(about.words, each) for each in checks)

    def _shape(self, where: dict[str, Any], limit: int, base: FindingQuery | None) -> dict[str, Any]:  # noqa: PLR0911, PLR0912
        """What is selected: the verb of the query, what of, by what, in which order."""
        order = self._order()
        group = self._group() or self._regrouped(base)
        shape: dict[str, Any] = {"limit": limit} if limit else {}
        if self.having != Having():
            return {**shape, **self._bounded_groups(order)}
        kind = self._select()
        if self._has("select", "average"):
            return {**shape, **self._averaged(group)}
        if kind == "wording" or (
            "requirement" in where and not group and not self._asks_for_findings() and base is None
        ):
            return {**shape, "select": "requirement"}
        asked = self._has("noun", "framework") or (self._has("noun", "requirement") and "requirement" not in where)
        named = (
            asked and self.reading.about is None and not self._has("status") and self._says("which", "what", "whats")
        )
        if (kind == "mapping" or named) and where.get("check"):
            return {**shape, "select": "mapping"}
        if kind in ("remediation", "explain") and (where.get("check") or base is not None or self.reading.about):
            self._format()
            return {**shape, "select": kind}
        if self.compared and base is None:
            where.pop("scan", None)
            return {
                **shape,
                "select": "compare",
                "sides": [Where.model_validate({"scan": one}) for one in self.compared],
            }
        against = self._is_set_against_before()
        parted = next((name for name in _PLACES if len(where.get(name, ())) > 1), "") if against else ""
        if sides := [] if parted else self._sides(where):
            if kind == "rate":
                where["status"] = []
            return {**shape, "select": "compare", "sides": sides, "measure": "rate" if kind == "rate" else "count"}
        if kind == "rate":
            return {**shape, **self._rated(where)}
        if kind == "age" and not limit:
            return {**shape, "select": "age"}
        if order in ("oldest", "newest", "since") and not group:
            chosen = "newest" if order == "newest" else "oldest"
            single = order == "since" or not (self._is_plural() or self._says("recently", "lately"))
            limit = limit or (1 if single and order != "since" else 10)
            return {"select": "list", "order_by": chosen, "limit": limit, "group_by": ""}
        ordered = {"order_by": order} if order in ("most", "fewest") else {}
        differs = self._has("select", "diff") or against
        became = {"muted": "muted", "pass": "fixed"}.get(next(iter(where.get("status", ())), ""))
        if differs and became and "change" not in where and self._came_to_be():
            where["change"] = became
            where.pop("status"), where.pop("scan", None)
        if differs and "change" not in where and not group.startswith("first_seen"):
            where.pop("scan", None)
            by = group or (self._ranked() if ordered else "") or parted
            ways = {way for one in self.mentions if (way := one.role("went"))} if by else set()
            order_by = "severity" if len(ways) != 1 else "most" if "up" in ways else "fewest"
            return {"select": "diff", "group_by": by, "order_by": order_by}
        versions = self.vocabulary.frameworks.get(where.get("framework", ""), {})
        if len(versions) > 1 and not where.get("version") and not group and "requirement" not in where:
            return {**shape, "select": "group", "group_by": "framework"}
        if "framework" in where and (self._has("noun", "requirement") and "requirement" not in where):
            return {
                **shape,
                **({**ordered, "select": "group", "group_by": "requirement"} if ordered else {"select": "unmet"}),
            }
        if group := group or ("severity" if self.reading.overall and not order else ""):
            trend = {"order_by": "key"} if group.startswith("first_seen") else {}
            things = self._has("select", "count") and self._of() == "resources"
            of = {"of": "resources"} if things and group not in ("resource", "framework", "requirement") else {}
            return {**shape, **ordered, **trend, **of, "select": "group", "group_by": group}
        if order in ("most", "fewest") and (ranked := self._ranked()):
            return {**shape, **ordered, "select": "group", "group_by": ranked}
        if base is not None and not self._has("select") and not self._asks_for_findings():
            return {**shape, **ordered} if base.select == "group" and base.measure == "count" else shape
        return {
            **shape,
            "select": "count" if self._has("select", "count") else "list",
            "of": self._of(),
            "group_by": "",
        }

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

    def _bounded_groups(self, order: str) -> dict[str, Any]:
        """The groups that hold so much; requirements are of one framework."""
        versions = self.vocabulary.frameworks.get(self.where.get("framework", ""), {})
        if self.head == "requirement" and not (versions and (self.where.get("version") or len(versions) == 1)):
            self.reading.unfit += [one.text for one in self.mentions if one.role("having")]
        ordered = {"order_by": order} if order in ("most", "fewest") else {"order_by": "most"}
        made = {"select": "group", "group_by": self.head, "of": self.counted, "having": self.having}
        return {**made, **ordered}

    def _order(self) -> str:
        """The order that is asked for; of "the most recent", the newest first."""
        told = [(place, value) for place, one in enumerate(self.mentions) if (value := one.role("order"))]
        for (before, most), (place, value) in pairwise(told):
            if place == before + 1 and most == "most" and value in ("newest", "oldest"):
                return value
        orders = [value for _, value in told]
        return next((one for one in orders if one != "since"), orders[0] if orders else "")

    def _of(self) -> str:
        """What is counted: findings, unless resources or a kind of them stand where findings would."""
        for place, one in enumerate(self.mentions):
            noun = one.role("noun")
            if self._is_negated(place):
                continue
            if noun in ("resources", "checks"):
                passed = "pass" in self.where.get("status", [])
                return "findings" if noun == "checks" and passed else noun
            if noun == "findings" and not one.near:
                return "findings"
            typed = "resource_type" in one.fields and self.where.get("resource_type")
            if typed and self._role_before(place, "select", 3):
                return "resources"
        return "findings"

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
        parts = [(place, name) for place, name in told if name in (*_PLACES, "severity", "tag") and where.get(name)]
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

    def _asks_of_findings(self) -> bool:
        """Whether findings are named; after another question "the critical ones" are those it was of."""
        return any(one.role("noun") == "findings" and not (self.base and one.word == "ones") for one in self.mentions)

    def _asks_for_findings(self) -> bool:
        named = [one for one in self.mentions if one.role("noun") != "findings"]
        roles = {role for one in named for role in one.roles}
        if self._asks_of_findings():
            return True
        return bool(roles & {"select:count", "noun:findings", "status:fail", "status:muted", "status:pass", "comply"})

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
                    each.role("noun") in _PLACES or self._tag_key(each)
                ):
                    return self._group_at(beside)
        for place, one in enumerate(self.mentions):  # "across regions", "in every account"
            if self._at(place - 1).word in ("every", "across", "among") and one.role("noun") in _PLACES:
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

    def _lacking(self) -> list[str]:
        """Of "accounts without criticals", "services that have nothing open": what something lacks."""
        found = []
        things = [place for place, one in enumerate(self.mentions) if _is_a_thing(one)]
        for place, by in negations(self.mentions).items():
            lacked = self.mentions[place]
            if lacked.role("any") is not None or self.mentions[by].apart or not things or things[0] >= by:
                continue
            words = {one.word for one in self.mentions[by:place]}  # "have no", "do not have"
            if words & {"no", "without", "have", "has"} and (self.without or lacked.role("noun") == "findings"):
                found.append(" ".join(one.text for one in self.mentions[by : place + 1]))
        nothing = [at for at, one in enumerate(self.mentions) if one.word in _NOTHING and not one.role("having")]
        return found + [self.mentions[place].text for place in nothing if things and things[0] < place]

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
        return noun in _PLACES and any(one.kind == "name" and not one.apart and noun in one.fields for one in beside)

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

    def _asks_of_each(self) -> bool:
        """Of "how many in this and how many in that" and "for this and that, each" whether one number each is asked."""
        asked = [one.word for one in self.mentions if "select:count" in one.roles]
        return len(asked) > len({*asked}) or self._at(len(self.mentions) - 1).word == "each"

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

    def _format(self) -> None:
        for one in self.mentions:
            self.reading.format = _FORMATS.get(one.word, self.reading.format)

    def _is_plural(self) -> bool:
        return any(one.word in ("findings", "ones", "resources") for one in self.mentions)
