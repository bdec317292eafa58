"""What speaks for each sentence as the answer, as named numbers: its words, its place, its meaning.

The hard thing is that words tell in one language only and meaning tells in all of them but roughly. Every measure is
therefore there for every sentence, and fitted weights decide (`rank`).
"""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from footnoted.text import STOPWORDS, UNSPACED, fold, stem, words

if TYPE_CHECKING:
    from collections.abc import Container, Mapping, Sequence

    from footnoted.retrieval.relevance.layout import Sentence
    from footnoted.retrieval.relevance.question import Question

_K1, _B = 1.2, 0.75
_NEARBY = 3  # sentences on either side that still belong to the passage
_MATCHED = 200  # places of question words that are looked at in one sentence
_KIN, _KIN_LEAST = 0.75, 4  # share of the shorter word, and letters, that two words share at their start to be kin
_LINK = re.compile(r"\]\(|https?://|[#@]\w")


@dataclass(frozen=True, slots=True)
class Prepared:
    """A sentence cut into words once, its leads before it: stems with their places, those of content counted.

    ``around`` holds the stems of its headings and title. ``said`` is what the encoder reads: heading, lead, sentence.
    """

    sentence: Sentence
    text: str
    said: str
    tokens: list[tuple[str, int, int]]
    stems: list[str]
    bag: Counter[str]
    around: frozenset[str]


def prepare(sentence: Sentence, *, leads: str, title: str, around: frozenset[str]) -> Prepared:
    """One sentence ready to be measured. A table row means little without its header, an item without its lead."""
    text = f"{leads} {sentence.text}" if leads else sentence.text
    tokens = words(text)
    stems = [stem(word) for word, _, _ in tokens]
    bag = Counter(key for key, (word, _, _) in zip(stems, tokens, strict=True) if fold(word) not in STOPWORDS)
    heading = sentence.heading(title)
    said = f"{heading}: {text}" if heading and heading not in text else text
    return Prepared(sentence, text, said, tokens, stems, bag, around)


@dataclass(frozen=True, slots=True)
class Likeness:
    """Cosines of the question with each sentence and with each sentence's passage, and what kind of answer it wants.

    ``figure`` and ``name`` are the log-odds that a number, a name answers.
    """

    sentences: Sequence[float]
    passages: Mapping[int, float]
    figure: float
    name: float


class Pool:
    """All sentences a question is held against, with what is common to them (spread, mean length)."""

    def __init__(self, question: Question, pool: Sequence[Prepared]) -> None:
        self.question, self.pool = question, pool
        count = len(pool)
        spread = Counter(key for prepared in pool for key in prepared.bag if key in question.weights)
        self.begin: dict[int, int] = {}
        for i, prepared in enumerate(pool):
            self.begin.setdefault(prepared.sentence.source_index, i)
        self.mean = sum(prepared.bag.total() for prepared in pool) / max(1, count) or 1.0
        self.idf = {key: math.log(1 + (count - spread[key] + 0.5) / (spread[key] + 0.5)) for key in question.weights}
        # Rare in English and rare here: "excess" tells little among policies, "pet" much.
        self.weights = {key: weight * (0.5 + self.idf[key]) for key, weight in question.weights.items()}
        self.total = sum(self.weights.values()) or 1.0
        self.kin = self._kin()
        self.bm25 = [self._bm25(prepared) for prepared in pool]
        self.cover = [self._cover(prepared.bag.keys()) for prepared in pool]
        self.soft = [self._soft(prepared.bag.keys()) for prepared in pool]
        self.near = [self._near(i) for i in range(count)]
        self.top_bm25 = max(self.bm25, default=0.0) or 1.0
        held = set().union(*(prepared.bag.keys() | prepared.around for prepared in pool)) if pool else set()
        self.absent = [key for key in question.weights if key not in held and not self.kin.get(key, frozenset()) & held]
        self.whole = self._whole()
        # Whose small words, too, stand nowhere is asked in another language than the sources'.
        stems = set().union(*(prepared.stems for prepared in pool)) if pool else set()
        self.foreign = sum(key not in stems for key in question.order) / max(1, len(question.order))

    def first(self, i: int) -> float:
        """By words alone, which sentences go on to be measured."""
        around = self._soft(self.pool[i].bag.keys() | self.pool[i].around)
        return self.bm25[i] / self.top_bm25 + self.cover[i] + 0.5 * around + 0.3 * self.near[i]

    def features(self, i: int, alike: Likeness | None) -> dict[str, float]:
        """What speaks for sentence ``i``; every name is always there, those of meaning where it is known."""
        prepared = self.pool[i]
        source = prepared.sentence.source_index
        found = {
            "bm25": self.bm25[i] / self.top_bm25,
            "cover": self.cover[i],
            "soft": self.soft[i],
            "cover_around": self._soft(prepared.bag.keys() | prepared.around),
            "near": self.near[i],
            "passage": self.whole[source],
            "before": self._neighbour(self.soft, i, -1),
            "after": self._neighbour(self.soft, i, 1),
            "rank": 1.0 / (1.0 + source),
            **self._wording(prepared),
            **self._shape(i),
        }
        if alike is not None:
            found.update(self._meant(i, alike))
        return found

    def _meant(self, i: int, alike: Likeness) -> dict[str, float]:
        prepared, near = self.pool[i], alike.passages[self.pool[i].sentence.source_index]
        asked = set(self.question.order)
        fresh = [word for (word, _, _), key in zip(prepared.tokens, prepared.stems, strict=True) if key not in asked]
        figure, name = any(word[0].isdigit() for word in fresh), any(word[0].isupper() for word in fresh[1:])
        best, best_passage = max(alike.sentences), max(alike.passages.values())
        return {
            "like": alike.sentences[i],
            "like_gap": best - alike.sentences[i],
            "like_before": self._neighbour(alike.sentences, i, -1) or alike.sentences[i] - 0.05,
            "like_after": self._neighbour(alike.sentences, i, 1) or alike.sentences[i] - 0.05,
            "like_passage": near,
            "like_passage_gap": best_passage - near,
            "figure": alike.figure * figure,
            "figure_not": alike.figure * (not figure),
            "name": alike.name * name,
            "name_not": alike.name * (not name),
            "foreign": self.foreign,
            "foreign_soft": self.foreign * self.soft[i],
            "foreign_gap": self.foreign * (best - alike.sentences[i]),
        }

    def _kin(self) -> dict[str, frozenset[str]]:
        """For each word of the question that some sentence lacks, the pool's words of the same beginning."""
        by_start: dict[str, set[str]] = {}
        for key in {key for prepared in self.pool for key in (*prepared.bag, *prepared.around)}:
            if len(key) >= _KIN_LEAST:
                by_start.setdefault(key[:_KIN_LEAST], set()).add(key)
        return {
            key: frozenset(kin for kin in by_start.get(key[:_KIN_LEAST], ()) if kin != key and _are_kin(key, kin))
            for key in self.question.weights
            if len(key) >= _KIN_LEAST and not key[0].isdigit()
        }

    def _bm25(self, prepared: Prepared) -> float:
        bag = prepared.bag
        length = _K1 * (1 - _B + _B * bag.total() / self.mean)
        held = ((weight, bag[key]) for key, weight in self.weights.items() if key in bag)
        return sum(weight * count * (_K1 + 1) / (count + length) for weight, count in held)

    def _cover(self, held: Container[str]) -> float:
        return sum(weight for key, weight in self.weights.items() if key in held) / self.total

    def _soft(self, held: Container[str]) -> float:
        """The share of the question held, a word of the same beginning counting for most of it."""
        return (
            sum(
                weight * (1.0 if key in held else 0.7 if any(kin in held for kin in self.kin.get(key, ())) else 0.0)
                for key, weight in self.weights.items()
            )
            / self.total
        )

    def _near(self, i: int) -> float:
        """The share of the question that stands in the sentence, in those around it or over it."""
        prepared = self.pool[i]
        held = set(prepared.around)
        for j in range(max(0, i - _NEARBY), min(len(self.pool), i + _NEARBY + 1)):
            if self.pool[j].sentence.source_index == prepared.sentence.source_index:
                held.update(self.pool[j].bag)
        return self._soft(held)

    def _whole(self) -> dict[int, float]:
        held: dict[int, set[str]] = {}
        for prepared in self.pool:
            held.setdefault(prepared.sentence.source_index, set()).update(prepared.bag, prepared.around)
        return {source: self._soft(those) for source, those in held.items()}

    def _neighbour(self, values: Sequence[float], i: int, step: int) -> float:
        j = i + step
        if 0 <= j < len(values) and self.pool[j].sentence.source_index == self.pool[i].sentence.source_index:
            return values[j]
        return 0.0

    def _wording(self, prepared: Prepared) -> dict[str, float]:
        """How the question's words stand in the sentence: together, in order, and which are nowhere."""
        question, weights = self.question, self.weights
        matched = [p for p, key in enumerate(prepared.stems) if key in weights][:_MATCHED]
        places: dict[str, list[int]] = {}
        for p in matched:
            places.setdefault(prepared.stems[p], []).append(p)
        pairs = list(zip(question.content, question.content[1:], strict=False))
        close = sum(
            any(0 < abs(a - b) <= 3 for a in places.get(left, ()) for b in places.get(right, ()))
            for left, right in pairs
        )
        dense = max(
            (sum(weights[key] for key in {prepared.stems[r] for r in matched if p <= r < p + 10}) for p in matched),
            default=0.0,
        )
        lacking = {
            key for key in (*weights, *question.numbers) if key not in prepared.bag and key not in prepared.around
        }
        names = [key for key in question.names if key in weights]
        return {
            "pairs": close / len(pairs) if pairs else 0.0,
            "dense": dense / self.total,
            "missing_top": max((weights[key] for key in lacking & weights.keys()), default=0.0) / self.total,
            "missing_names": sum(key in lacking for key in names) / max(1, len(names)),
            "missing_numbers": float(not lacking.isdisjoint(question.numbers)),
            "absent": sum(weights[key] for key in self.absent) / self.total,
            "absent_top": max((question.weights[key] for key in self.absent), default=0.0) / 11.0,
            "absent_names": float(any(key in self.absent for key in names)),
            "absent_numbers": float(any(key in self.absent for key in question.numbers)),
        }

    def _shape(self, i: int) -> dict[str, float]:
        prepared = self.pool[i]
        length = max(1, len(prepared.tokens))
        if UNSPACED.search(prepared.sentence.text):
            length = max(1, length // 2)
        text = prepared.sentence.text
        return {
            "length": math.log(length + 1),
            "short": float(length < 4),
            "links": min(1.0, len(_LINK.findall(text)) / 3),
            "asks": float(text.rstrip("*_ )\"'”’").endswith(("?", "？", "؟", ";"))),
            "leads_on": float(text.rstrip("*_ ").endswith((":", "："))),
            "early": 1.0 / (1.0 + i - self.begin[prepared.sentence.source_index]),
            "item": float(prepared.sentence.kind == "item"),
            "row": float(prepared.sentence.kind == "row"),
            "code": float(prepared.sentence.kind == "code"),
            "asked_words": math.log(1 + len(self.question.weights)),
        }


def _are_kin(word: str, other: str) -> bool:
    least = max(_KIN_LEAST, math.ceil(_KIN * min(len(word), len(other))))
    return word[:least] == other[:least]
