"""Words that name no value, sought in the checks that tell of them."""

from __future__ import annotations

import re
from typing import Any

from footnoted.assistants.security.query.draft import Draft
from footnoted.assistants.security.query.linking import Mention
from footnoted.assistants.security.query.topics import Topic, stems_of, topic_of
from footnoted.assistants.security.query.vocabulary import compact
from footnoted.text import content_stems


class Seeking(Draft):
    """The step that finds what a question is about: "publicly writable", "RDP open to the internet"."""

    def _about(self) -> None:
        """Words that name no value may tell of checks: "publicly writable", "RDP open to the internet"."""
        single = self._select() in ("remediation", "explain", "mapping")
        words = [
            (place, one)
            for place, one in enumerate(self.mentions)
            if (
                place not in self.used
                and one.kind in ("word", "unknown")
                and (one.value is not None or one.kind == "unknown")
            )
            or (one.role("change") and single)
        ]
        words = [(place, one) for place, one in words if not self._is_said_already(place, one)]
        if not words or self.where.get("check") or "requirement" in self.where:
            return
        reach = self._checks_in_reach(catalogue=single)
        topic = None
        for part in [words] if single else self._parts(words, r"[.?!;](?=\s)"):
            topic = topic or self._topic(part, reach, single=single)
        if topic is None:
            return
        held = [stems_of(self.vocabulary.checks[one]) for one in topic.checks]
        for part in self._parts(words, r"[.?!;](?=\s)|[,()]"):  # of several topics side by side, those not met are told
            stems = {stem for _, one in part for stem in content_stems(one.text)}
            if not single and not any(stems <= each for each in held):
                self.reading.unused += [one.text.casefold() for _, one in part]
        self.reading.about = topic
        for place, one in words:
            if one.text.casefold() in topic.words:
                self.used.add(place)
                if one.text in self.reading.unfit:
                    self.reading.unfit.remove(one.text)
        self.where["check"] = list(topic.checks)

    def _is_said_already(self, place: int, one: Mention) -> bool:
        """Whether a word only says again what a filter holds: "not findings, buckets"."""
        for meaning in self.vocabulary.lookup(compact(one.text)):
            if set(meaning.values) & set(self.where.get(meaning.field, ())):
                self.used.add(place)
                if one.text in self.reading.unfit:
                    self.reading.unfit.remove(one.text)
                return True
        return False

    def _topic(self, words: list[tuple[int, Mention]], reach: list[Any], *, single: bool = False) -> Topic | None:
        texts = [one.text for _, one in words]
        return topic_of(self.reading.question, texts, reach, self.meanings, single=single)

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
        """The checks of what else is named: of these providers, services, types and resources."""
        providers, services = self.where.get("provider", ()), set(self.where.get("service", ()))
        types = set(self.where.get("resource_type", ()))
        for name in self.where.get("resource", ()):
            types |= self.vocabulary.resource_kinds.get(name, set())
        return [
            one
            for one in self.vocabulary.checks.values()
            if (catalogue or one.types)
            and (not providers or one.provider in providers)
            and (not (services or types) or one.service in services or types & one.types)
        ]
