"""The checks that plain words tell of, the verb of the query and what it is of; and the query itself."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import takewhile
from typing import Any

from footnoted.assistants.security.query.finding_query import FindingQuery, Having, Where
from footnoted.assistants.security.query.grouping import PLACES, Grouping
from footnoted.assistants.security.query.meaning import (
    Topic,
    affirms,
    alike,
    denies,
    examples,
    has_number,
    stems_of,
    tells,
    topic_of,
)
from footnoted.assistants.security.query.relations import negations
from footnoted.assistants.security.query.tokens import Mention, at
from footnoted.assistants.security.query.vocabulary import parts_of
from footnoted.assistants.security.query.words import FUNCTION_WORDS, NOTHING_AT_ALL, WHETHER
from footnoted.text import content_stems

_FORMATS = {"terraform": "terraform", "hcl": "terraform", "console": "console"}
_FORMATS |= dict.fromkeys(("cli", "gcloud", "command", "commands", "kubectl"), "cli")
_ADVICE = ("remediation", "explain")
_MANIFOLD = ("tag", "category")  # fields of which a finding may have several values
_FEW = 4  # words that a question of how things are may have of its own
_ASKERS = {"i", "we", "you", "they"}  # of whom a verb may be right behind them
_OVERALL = 0.01  # fitted: how much nearer to such questions it must be


def _is_a_thing(one: Mention) -> bool:
    """Whether a word is of what findings are found in or by, and not of findings themselves."""
    return one.role("noun") in (*PLACES, "resources", "checks") or "resource_type" in one.fields


class Shaping(Grouping):
    """The step that finds the checks a question tells of, and makes the query."""

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
        of_one = "requirement" in where and base is None and not (group or self._asks_for_findings())
        if kind == "wording" or of_one:
            return {**shape, "select": "requirement"}
        asked = self._has("noun", "framework") or (self._has("noun", "requirement") and "requirement" not in where)
        named = asked and self.reading.about is None and self._says("which", "what", "whats")
        if (kind == "mapping" or (named and not self._has("status"))) and where.get("check"):
            return {**shape, "select": "mapping"}
        if kind in ("remediation", "explain") and (where.get("check") or base is not None or self.reading.about):
            self._format()
            return {**shape, "select": kind}
        if self.compared and base is None:
            where.pop("scan", None)
            sides = [Where.model_validate({"scan": one}) for one in self.compared]
            return {**shape, "select": "compare", "sides": sides}
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
            single = order == "since" or not self._says("findings", "ones", "resources", "recently", "lately")
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
            ranked = {**ordered, "select": "group", "group_by": "requirement"}
            return {**shape, **(ranked if ordered else {"select": "unmet"})}
        if group := group or ("severity" if self.reading.overall and not order else ""):
            trend = {"order_by": "key"} if group.startswith("first_seen") else {}
            things = self._has("select", "count") and self._of() == "resources"
            of = {"of": "resources"} if things and group not in ("resource", "framework", "requirement") else {}
            return {**shape, **ordered, **trend, **of, "select": "group", "group_by": group}
        if order in ("most", "fewest") and (by := self._ranked()):
            return {**shape, **ordered, "select": "group", "group_by": by}
        if base is not None and not self._has("select") and not self._asks_for_findings():
            return {**shape, **ordered} if base.select == "group" and base.measure == "count" else shape
        select = "count" if self._has("select", "count") else "list"
        return {**shape, "select": select, "of": self._of(), "group_by": ""}

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
        nothing = [at for at, one in enumerate(self.mentions) if one.word in NOTHING_AT_ALL and not one.role("having")]
        return found + [self.mentions[place].text for place in nothing if things and things[0] < place]

    def _format(self) -> None:
        for one in self.mentions:
            self.reading.format = _FORMATS.get(one.word, self.reading.format)

    def _about(self) -> None:
        """Words that name no value may tell of checks: "publicly writable", "RDP open to the internet"."""
        single = self._select() in ("remediation", "explain", "mapping")
        words = []
        for place, one in enumerate(self.mentions):
            port = one.kind == "number" and self._at(place - 1).word == "port"
            plain = one.kind == "unknown" or (one.value is not None and (one.kind == "word" or port))
            meant = (plain or (one.role("change") and single)) and place not in self.keyed
            if meant and not (self._is_said_already(place, one) or self._is_grouped_by(place)):
                words.append((place, one))
        if not words or self.where.get("check") or "requirement" in self.where:
            return
        if not single and self._is_overall([one.text for _, one in words]):
            return
        reach = self._checks_in_reach(catalogue=single)
        plainly = self._select() != "mapping"  # of several that are near, one that is mapped is told
        topic = None
        for part in [words] if single else self._parts(words, r"[.?!;](?=\s)"):
            texts, question = [one.text for _, one in part], self.reading.question
            topic = topic or topic_of(question, texts, reach, self.meanings, single=single, plainly=plainly)
        if topic is None or (len(topic.words) == 1 and self._is_done_by_a_name(topic, words)):
            return
        if not single and self._is_of_tags(topic):
            return
        topic = topic if single else self._of_the_kind(topic)
        held = [stems_of(self.vocabulary.checks[one]) for one in topic.checks]
        for part in self._parts(words, r"[.?!;](?=\s)|[,()]"):  # of several topics side by side, those not met are told
            stems = {stem for _, one in part for stem in content_stems(one.text)}
            if not single and not any(stems <= each for each in held):
                told = (one.text.casefold() for _, one in part)
                self.reading.unused += [word for word in told if word not in topic.words]
        self.reading.about = topic
        for _, one in words:
            if one.text.casefold() in topic.words and one.text in self.reading.unfit:
                self.reading.unfit.remove(one.text)
        self.where["check"] = list(topic.checks)
        age = self.where.get("open_for_more_than")
        if age is not None and all(has_number(self.vocabulary.checks[one], age) for one in topic.checks):
            del self.where["open_for_more_than"]  # "keys older than 90 days" is what the check looks for

    def _of_the_kind(self, topic: Topic) -> Topic:
        """Of "which users lack a factor", "buckets encrypted with KMS" the checks that say "user", "KMS"."""
        checks, services = self.vocabulary.checks, self.where.get("service", [])
        strange = [one for one in services if all(checks[each].service != one for each in topic.checks)]
        speak = [one for one in topic.checks if all(tells(word, checks[one]) for word in strange)]
        if strange and speak:
            self.where["service"] = [one for one in services if one not in strange]
            topic = replace(topic, checks=tuple(speak))
        kinds = [one.text for one in self.mentions if "resource_type" in one.fields]
        words = {one.split()[-1] for one in kinds}
        called = {one for one in topic.checks if any(tells(word, checks[one]) for word in words)}
        clouds = {checks[one].provider for one in called}  # in which those of the kind are called so
        kept = [one for one in topic.checks if one in called or checks[one].provider not in clouds]
        return replace(topic, checks=tuple(kept))

    def _is_overall(self, words: list[str]) -> bool:
        """Whether a question asks how things are ("are we secure?"): by its meaning, and by few words of its own."""
        if self.meanings is None or len(words) > _FEW or self._select() or self._has("select", "count"):
            return False
        if self.where.keys() & {"resource_type", "category"} or self.meanings.overall(self.reading.question) < _OVERALL:
            return False
        known = {stem for one in examples()["overall"] for stem in content_stems(one)}
        told = [one for one in words if known & set(content_stems(one))]
        self.reading.overall = 2 * len(told) >= len(words)
        if self.reading.overall:
            self.overall = told
            self.reading.notes.append(f"“{' '.join(told)}” is read as what is open, by severity")
        return self.reading.overall

    def _is_done_by_a_name(self, topic: Topic, words: list[tuple[int, Mention]]) -> bool:
        """Of "how does this stack up against that", "how many do we run": what names and askers do is no topic.

        Nor is where something is, "in dev".
        """
        place = next((at for at, one in words if one.text.casefold() in topic.words), 0)
        if self._heads_a_name(place) or self._heads_findings(place):
            return True
        led_by = self._at(place - 1).word
        if led_by == "which" and self._at(place + 1).role("change"):
            return True  # "which engineer fixed it"
        if self._at(place - 1).role("status") not in (None, "fail"):
            return True  # "archived records", which are findings
        if led_by in ("in", "who") or (led_by in _ASKERS and self.mentions[0].word not in WHETHER):
            return True
        before = [one for one in self.mentions[:place] if not one.role("negate")]
        asked = any(one.word in ("do", "does", "did") for one in before)
        names = [one for one in before[-1:] if one.kind == "name"]
        if self.over and not names:
            return True
        scanner = any("scanner" in one.fields for one in names)
        return asked and bool(names) and (scanner or bool(self._sides(dict(self.where))))

    def _heads_a_name(self, place: int) -> bool:
        """Of "the Security Hub side," the word that only carries the name: what it would be of follows nowhere."""
        named = self._at(place - 1).fields & {"provider", "scanner", "account"}
        last = place + 1 == len(self.mentions) or self.mentions[place + 1].apart
        return bool(named) and self._at(place - 2).word == "the" and last

    def _heads_findings(self, place: int) -> bool:
        """Of "a table of open findings" the word that findings are told in: they are not about it."""
        of = [one for one in self.mentions[place + 2 : place + 6] if content_stems(one.text)]
        graded = takewhile(lambda one: one.kind in ("role", "name") and one.role("noun") != "findings", of)
        findings = at(of, len(list(graded))).role("noun") == "findings"
        return self._at(place + 1).word == "of" and findings

    def _is_said_already(self, place: int, one: Mention) -> bool:
        """Whether a word only says again what a filter holds: "not findings, buckets"."""
        if self._is_of_a_team(place) or self._at(place + 1).role("noun") in ("severity", "status"):
            return True  # "unknown severity" is said of no check
        if beside := self._kinds_beside(place):
            stems = {stem for kind in beside for part in parts_of(kind) for stem in content_stems(part)}
            if (own := set(content_stems(one.text))) and own <= stems:  # "the web-1 instance"
                return True
        for meaning in self.vocabulary.lookup(one.text):
            if set(meaning.values) & set(self.where.get(meaning.field, ())):
                if one.text in self.reading.unfit:
                    self.reading.unfit.remove(one.text)
                return True
        return False

    def _is_grouped_by(self, place: int) -> bool:
        """Of "findings per owner, worst owner first" the tag's key, which tells of no check."""
        key = self._tag_key(self.mentions[place])
        return bool(key) and self._group() == f"tag:{key}"

    def _is_of_tags(self, topic: Topic) -> bool:
        """Whether all that tells of checks are forms of the tags' keys: "owned" and "owners" speak of who owns what."""
        keys = {key.casefold() for key in self.vocabulary.tag_keys}
        return all(any(alike(word, key) for key in keys) for word in topic.words)

    def _is_of_a_team(self, place: int) -> bool:
        """Of "owned by the web team" the verb, which says no more than the tag."""
        reach = self.mentions[place + 1 : place + 4]
        behind = [one for one in reach if content_stems(one.text) or one.role("select")]
        return at(behind, 0).word == "by" and "tag" in at(behind, 1).fields

    def _kinds_beside(self, place: int) -> set[str]:
        """The types of the resource that is named right beside a word."""
        beside = [one for one in (self._at(place - 1), self._at(place + 1)) if one.kind == "name"]
        named = [each for one in beside for each in one.meanings if each.field == "resource"]
        resources = (self.vocabulary.resource_name(value) for each in named for value in each.values)
        return {kind for each in resources for kind in self.vocabulary.resource_kinds.get(each, ())}

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
        """The checks of what else is named: of these providers, scanners, services, types and resources."""
        scanners = set(self.where.get("scanner", ()))
        providers, services = self.where.get("provider", ()), set(self.where.get("service", ()))
        types, categories = set(self.where.get("resource_type", ())), set(self.where.get("category", ()))
        for name in self.where.get("resource", ()):
            types |= self.vocabulary.resource_kinds.get(name, set())
        found = [
            one
            for one in self.vocabulary.checks.values()
            if (catalogue or one.types)
            and (not providers or one.provider in providers)
            and (not (scanners and one.scanners) or one.scanners & scanners)
            and (not (services or types) or one.service in services or types & one.types)
        ]
        return [one for one in found if categories & one.categories] or found
