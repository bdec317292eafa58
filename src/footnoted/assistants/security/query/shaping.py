"""The verb of the query and what it is of; and the query itself."""

from __future__ import annotations

from typing import Any

from footnoted.assistants.security.query.comparing import Comparing
from footnoted.assistants.security.query.finding_query import FindingQuery, Having, Where
from footnoted.assistants.security.query.grouping import PLACES
from footnoted.assistants.security.query.mentions import Mention
from footnoted.assistants.security.query.rating import Rating
from footnoted.assistants.security.query.relations import negations
from footnoted.assistants.security.query.topics import affirms, denies
from footnoted.assistants.security.query.words import FUNCTION_WORDS, WHETHER
from footnoted.text import content_stems

_NOTHING = ("nothing", "none", "free")  # what has it has no finding
_FORMATS = {"terraform": "terraform", "hcl": "terraform", "console": "console"}
_FORMATS |= dict.fromkeys(("cli", "gcloud", "command", "commands", "kubectl"), "cli")
_ADVICE = ("remediation", "explain")
_MANIFOLD = ("tag", "category")  # fields of which a finding may have several values


def _is_a_thing(one: Mention) -> bool:
    """Whether a word is of what findings are found in or by, and not of findings themselves."""
    return one.role("noun") in (*PLACES, "resources", "checks") or "resource_type" in one.fields


class Shaping(Comparing, Rating):
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
        parted = next((name for name in PLACES if len(where.get(name, ())) > 1), "") if against else ""
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

    def _bounded_groups(self, order: str) -> dict[str, Any]:
        """The groups that hold so much; requirements are of one framework."""
        versions = self.vocabulary.frameworks.get(self.where.get("framework", ""), {})
        if self.head == "requirement" and not (versions and (self.where.get("version") or len(versions) == 1)):
            self.reading.unfit += [one.text for one in self.mentions if one.role("having")]
        ordered = {"order_by": order} if order in ("most", "fewest") else {"order_by": "most"}
        made = {"select": "group", "group_by": self.head, "of": self.counted, "having": self.having}
        return {**made, **ordered}

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

    def _format(self) -> None:
        for one in self.mentions:
            self.reading.format = _FORMATS.get(one.word, self.reading.format)

    def _is_plural(self) -> bool:
        return any(one.word in ("findings", "ones", "resources") for one in self.mentions)
