"""Words that name no value, sought in the checks that tell of them."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import takewhile
from typing import Any

from footnoted.assistants.security.query.meaning import examples
from footnoted.assistants.security.query.mentions import Mention, at
from footnoted.assistants.security.query.shaping import Shaping
from footnoted.assistants.security.query.topics import Topic, alike, has_number, stems_of, tells, topic_of
from footnoted.assistants.security.query.vocabulary import parts_of
from footnoted.assistants.security.query.words import WHETHER
from footnoted.text import content_stems

_FEW = 4  # words that a question of how things are may have of its own
_ASKERS = {"i", "we", "you", "they"}  # of whom a verb may be right behind them
_OVERALL = 0.01  # fitted: how much nearer to such questions it must be


class Seeking(Shaping):
    """The step that finds what a question is about: "publicly writable", "RDP open to the internet"."""

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
        topic = None
        for part in [words] if single else self._parts(words, r"[.?!;](?=\s)"):
            topic = topic or self._topic(part, reach, single=single)
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

    def _topic(self, words: list[tuple[int, Mention]], reach: list[Any], *, single: bool = False) -> Topic | None:
        texts = [one.text for _, one in words]
        plainly = self._select() != "mapping"  # of several that are near, one that is mapped is told
        return topic_of(self.reading.question, texts, reach, self.meanings, single=single, plainly=plainly)

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
