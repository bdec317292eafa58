"""A question and sources in; how much of what the question turns on a reply takes up, out."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from footnoted.assistants.insurance.vocabulary import Vocabulary, word_in
from footnoted.relevance.rarity import rarity
from footnoted.text import content_stems, sentences

if TYPE_CHECKING:
    from footnoted.types import Source

# Stems of words that are asked with, not about: they tell nothing of what a section must speak of.
_ASKING = frozenset(
    content_stems(
        "cover covered coverage policy insurance insured insure plan much many long what which when where how why can "
        "could would should will need get have tell know explain please mean happen happens pay paid give gives let "
        "lets make take does anything something someone really still also yet ok good want like use count counts case "
        "must may might shall apply include allow able possible problem matter thing job kind sort type way try say"
    )
)


_SHAPES = {
    "amount": re.compile(
        r"\d|\b(?:two|three|four|five|six|seven|eight|nine|ten|no limit|none|unlimited)\b", re.IGNORECASE
    ),
    "claim_procedure": re.compile(
        r"(?:^|[;:.]\s|\band\s)(?:call|tell|speak|write|send|report|contact|ask|give|keep|take|show|visit|say)\b"
        r"|\bwithin\b|\b\d+ (?:hours|days|months)\b|\bby when\b",
        re.IGNORECASE,
    ),
}
_PERIODS = frozenset(content_stems("year years yearly annual month months monthly day days week weeks"))
_ELSEWHERE = re.compile(r"\b(?:is|are) not described here\b|\bsee (?:the|your|how)\b", re.IGNORECASE)
_TOLD = 0.3  # weight of a word that only leads up to the question ("My dog chewed the sofa. Is …?")

_BESIDE = 0.5  # weight of a word that stands in the section only, beside the sentence
_NOT_TOLD = 0.4  # what is left of a share when the thing asked for (a price, an excess) is not told at all
_ONLY_POINTS = 0.2  # of one that only says where else to look
_CORE, _COVER, _ELSE = 1.1, 5.0, -2.2  # fitted on the cases tuned on; see benchmarks/insurance.py


class Telling:
    """What a question turns on: its telling stems in the policies' words, each weighed by how rare it is."""

    def __init__(self, question: str, sources: Sequence[Source], vocabulary: Vocabulary) -> None:
        self._sources = sources
        self.question = vocabulary.in_policy_words(question, known=self._known)
        self._same = vocabulary.same_stems(self.question)
        self._wanted = vocabulary.asked_for(self.question)
        self.kind = vocabulary.kind_of(question)
        self.wants_shape = self.kind in _SHAPES
        self.weights = self._weighed(self.question)
        asked = {one for group in self._wanted for one in content_stems(" ".join(group))}
        # Whether it says only what is to be told ("… cost a year"), so that the product's name is all it is told of.
        self.only_asks = not self.weights.keys() - _PERIODS - asked

    def in_shape(self, text: str) -> bool:
        """Whether a sentence holds what this kind of question asks for: a figure, or something to do."""
        return self.kind in _SHAPES and _SHAPES[self.kind].search(text) is not None

    def _weighed(self, question: str) -> dict[str, float]:
        """Each telling stem's weight; what is told before the question itself counts for less."""
        spans = [question[span.start : span.end] for span in sentences(question)]
        asks = [one for one in spans if one.rstrip().endswith(("?", "？"))]
        weights: dict[str, float] = {}
        for one in spans:
            share = 1.0 if one in asks or not asks else _TOLD
            for found in content_stems(one):
                if found not in _ASKING:
                    weights[found] = max(weights.get(found, 0.0), share * rarity(found))
        return weights

    @cached_property
    def _known(self) -> frozenset[str]:
        return frozenset(one for source in self._sources for one in content_stems(f"{source.title} {source.text}"))

    def cover(self, text: str, source: Source) -> float:
        """The share (0–1) of the question's weight that a sentence, its section's title and its section hold."""
        total = sum(self.weights.values())
        if not total:
            return 0.0
        said = f"{source.title} {text}"
        held = set(content_stems(said))
        around = set(content_stems(source.text)) - held
        share = sum(weight * self._held(one, held, around) for one, weight in self.weights.items()) / total
        told = all(word_in(said, group) for group in self._wanted)
        return share * (1.0 if told else _NOT_TOLD) * (_ONLY_POINTS if _ELSEWHERE.search(text) else 1.0)

    def _held(self, one: str, held: set[str], around: set[str]) -> float:
        """How far a stem, or the policies' own words for it, stands in a sentence (1) or beside it."""
        ways = [{one}, *self._same.get(one, ())]
        if any(way <= held for way in ways):
            return 1.0
        return _BESIDE if any(way <= held | around for way in ways) else 0.0

    def is_missing(self, one: str, said: str, source: Source) -> bool:
        """Whether a telling stem of the question stands neither in what is said nor in its section."""
        if one not in self.weights:
            return False
        held = set(content_stems(f"{source.title} {said}"))
        return not self._held(one, held, set(content_stems(source.text)))

    def chance(self, core: float, cover: float, against: float = 0.0) -> float:
        """The chance (0–1) that a reply answers, from the core's own and the share it covers.

        ``against`` is what else speaks against it, in log-odds.
        """
        core = min(0.999, max(0.001, core))
        return 1 / (1 + math.exp(against - (_CORE * math.log(core / (1 - core)) + _COVER * cover + _ELSE)))
