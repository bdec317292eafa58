"""A question and prepared sentences in; what speaks for each sentence as the answer, as named numbers, out."""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from footnoted.assistants.insurance.ranking.offers import offered
from footnoted.assistants.insurance.ranking.opposites import has_opposite
from footnoted.relevance.rarity import rarity
from footnoted.relevance.roots import root
from footnoted.text import STOPWORDS, fold, words

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from footnoted.assistants.insurance.ranking.question import Question
    from footnoted.relevance.layout import Sentence

_K1, _B = 1.2, 0.75
_REACH = 8.0  # words; how fast nearness fades
_POINTING = frozenset("he she it they this these those such his her its their that there".split())
_NEGATIONS = frozenset("not no never none nor without cannot neither except excluding unless".split())
_NEARBY = 3  # sentences on either side that still belong to the passage
_DEFINING = frozenset("is are was were refers means describes denotes".split())
_TERM = re.compile(r"\W*[\w'’ -]{2,50}[*_]*\s?[:：]")  # "- **Excess**: the part of a claim …"
_UNSPACED = re.compile(r"[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")
_USUAL_SMALL = 0.3  # the share of small words in plain English, for rows and scripts where it tells nothing
_MATCHED = 200  # places of question words that are looked at in one sentence
_PREFIX = 5  # letters two words share at their start to count as kin ("marri", "marriag")


@dataclass(frozen=True, slots=True)
class Prepared:
    """A sentence cut into words once, its leads before it: roots with their places, content roots counted.

    ``around`` holds the roots of its headings, ``title`` those of its source's title.
    """

    sentence: Sentence
    text: str
    tokens: list[tuple[str, int, int]]
    lows: list[str]
    roots: list[str]
    bag: Counter[str]
    around: frozenset[str]
    title: frozenset[str]


def prepare(sentence: Sentence, *, leads: str, around: frozenset[str], title: frozenset[str]) -> Prepared:
    """One sentence ready to be measured. A table row means little without its header, an item without its lead."""
    text = f"{leads} {sentence.text}" if leads else sentence.text
    tokens = words(text)
    lows = [fold(word) for word, _, _ in tokens]
    roots = [root(word) for word, _, _ in tokens]
    bag = Counter(one for one, low in zip(roots, lows, strict=True) if low not in STOPWORDS)
    return Prepared(sentence, text, tokens, lows, roots, bag, around, title)


class Pool:
    """All sentences a question is held against, with what is common to them (spread, mean length)."""

    def __init__(self, question: Question, pool: Sequence[Prepared]) -> None:
        self.question = question
        self.pool = pool
        count = len(pool)
        spread = Counter(one for prepared in pool for one in prepared.bag if one in question.weights)
        held = {
            key for one in pool for key in (*one.around, *one.title, *(k for k in question.weights if k in one.bag))
        }
        self.absent = [key for key in question.weights if key not in held]
        self.begin: dict[int, int] = {}
        for i, prepared in enumerate(pool):
            self.begin.setdefault(prepared.sentence.source_index, i)
        self.mean = sum(prepared.bag.total() for prepared in pool) / max(1, count) or 1.0
        self.idf = {one: math.log(1 + (count - spread[one] + 0.5) / (spread[one] + 0.5)) for one in question.weights}
        # Rare in English and rare here: "excess" tells little among policies, "pet" much.
        self.local = {one: weight * self.idf[one] for one, weight in question.weights.items()}
        self.local_total = sum(self.local.values()) or 1.0
        self.bm25 = [self._bm25(prepared, self.idf) for prepared in pool]
        self.rare = [self._bm25(prepared, question.weights) for prepared in pool]
        self.cover = [self._cover(prepared) for prepared in pool]
        self.top_bm25 = max(self.bm25, default=0.0) or 1.0
        self.top_rare = max(self.rare, default=0.0) or 1.0
        self.top_cover = max(self.cover, default=0.0) or 1.0
        total = sum(self.idf.values()) or 1.0
        # A blend of both kinds of rarity, with a breath of the neighbours: who goes on to be measured.
        self.first = [
            self.bm25[i] / total
            + self.rare[i] / question.total
            + 0.2 * self.covered_around(i)
            + 0.1 * (self._neighbour(self.cover, i, -1) + self._neighbour(self.cover, i, 1))
            for i in range(count)
        ]

    def _bm25(self, prepared: Prepared, weights: Mapping[str, float]) -> float:
        bag = prepared.bag
        length = _K1 * (1 - _B + _B * bag.total() / self.mean)
        return sum(weight * bag[one] * (_K1 + 1) / (bag[one] + length) for one, weight in weights.items() if one in bag)

    def _cover(self, prepared: Prepared) -> float:
        weights = self.question.weights
        return sum(weight for one, weight in weights.items() if one in prepared.bag) / self.question.total

    def covered_around(self, i: int) -> float:
        """Share of the question held by the sentence, its headings, its lead and its source's title."""
        one = self.pool[i]
        weights = self.question.weights
        held = (weight for key, weight in weights.items() if key in one.bag or key in one.around or key in one.title)
        return sum(held) / self.question.total

    def _rest(self, one: Prepared) -> float:
        """Share of what the question says beyond the source's title, headings lending their words."""
        rest = {key: weight for key, weight in self.question.weights.items() if key not in one.title}
        held = sum(weight for key, weight in rest.items() if key in one.bag or key in one.around)
        return held / (sum(rest.values()) or 1.0)

    def _neighbour(self, values: Sequence[float], i: int, step: int) -> float:
        j = i + step
        if 0 <= j < len(values) and self.pool[j].sentence.source_index == self.pool[i].sentence.source_index:
            return values[j]
        return 0.0

    def features(self, i: int) -> dict[str, float]:
        """What speaks for sentence ``i``; every name is always there."""
        question, one = self.question, self.pool[i]
        matched = [p for p, key in enumerate(one.roots) if key in question.weights][:_MATCHED]
        found: dict[str, float] = {
            "bm25": self.bm25[i] / self.top_bm25,
            "bm25_gap": (self.top_bm25 - self.bm25[i]) / (sum(self.idf.values()) or 1.0),
            "rare": self.rare[i] / self.top_rare,
            "rare_abs": self.rare[i] / question.total,
            "cover": self.cover[i],
            "cover_rel": self.cover[i] / self.top_cover,
            "cover_around": self.covered_around(i),
            "cover_title": sum(w for k, w in question.weights.items() if k in one.title) / question.total,
            "rest": self._rest(one),
            "before": self._neighbour(self.cover, i, -1),
            "after": self._neighbour(self.cover, i, 1),
            "before2": self._neighbour(self.cover, i, -2),
        }
        found.update(_wording(question, one, matched))
        found.update(_answering(question, one, matched))
        found.update(self._shape(i))
        found.update(self._nearby(i))
        return found

    def _nearby(self, i: int) -> dict[str, float]:
        """What of the question is nowhere near: not in the sentence, those around it, headings or title."""
        question, one = self.question, self.pool[i]
        held = set(one.around | one.title)
        for j in range(max(0, i - _NEARBY), min(len(self.pool), i + _NEARBY + 1)):
            if self.pool[j].sentence.source_index == one.sentence.source_index:
                held.update(key for key in question.weights if key in self.pool[j].bag)
        missing = [key for key in question.weights if key not in held]
        return {
            "cover_local": sum(w for k, w in self.local.items() if k in one.bag) / self.local_total,
            "far_local": sum(self.local[key] for key in missing) / self.local_total,
            "far_local_top": max((self.local[key] for key in missing), default=0.0) / self.local_total,
            "far": sum(question.weights[key] for key in missing) / question.total,
            "far_top": max((question.weights[key] for key in missing), default=0.0) / 11.0,
            "absent": sum(question.weights[key] for key in self.absent) / question.total,
            "absent_top": max((question.weights[key] for key in self.absent), default=0.0) / 11.0,
            "far_names": sum(key not in held for key in question.names) / max(1, len(question.names)),
            "far_numbers": float(any(key not in held for key in question.numbers)),
            "opposite": float(any(has_opposite(key, one.bag) for key in question.weights if key not in one.bag)),
            "asked_not": float(question.negated),
            "asked_words": math.log(1 + len(question.weights)),
        }

    def _shape(self, i: int) -> dict[str, float]:
        one = self.pool[i]
        length = max(1, len(one.tokens))
        small = sum(low in STOPWORDS for low in one.lows) / length
        if one.sentence.kind != "prose":
            small = max(small, _USUAL_SMALL)
        if _UNSPACED.search(one.text):
            small = _USUAL_SMALL
        return {
            "length": math.log(length + 1),
            "small_words": small,
            "figures": sum(low[0].isdigit() for low in one.lows) / length,
            "pointing": float(bool(one.lows) and one.lows[0] in _POINTING),
            "asks": float(one.sentence.text.rstrip("*_ )\"'").endswith(("?", "？"))),
            "early": 1.0 / (1.0 + i - self.begin[one.sentence.source_index]),
            "negated": float(any(low in _NEGATIONS or low.endswith("n't") for low in one.lows)),
            "negation_differs": float(
                self.question.negated != any(low in _NEGATIONS or low.endswith("n't") for low in one.lows)
            ),
        }


def _wording(question: Question, one: Prepared, matched: Sequence[int]) -> dict[str, float]:
    """How the question's words stand in the sentence: together, in order, as kin, and which are missing."""
    weights = question.weights
    missing = [key for key in weights if key not in one.bag]
    kin = sum(weights[key] for key in missing if _kin(key, one.bag)) / question.total
    pairs = list(zip(question.content, question.content[1:], strict=False))
    places: dict[str, list[int]] = {}
    for p in matched:
        places.setdefault(one.roots[p], []).append(p)
    close = sum(
        any(0 < abs(a - b) <= 3 for a in places.get(left, ()) for b in places.get(right, ())) for left, right in pairs
    )
    # the densest stretch of ten words
    best = 0.0
    for p in matched:
        inside = {one.roots[r] for r in matched if p <= r < p + 10}
        best = max(best, sum(weights[key] for key in inside))
    names = [key for key in question.names if key in weights]
    return {
        "kin": kin,
        "pairs": close / len(pairs) if pairs else 0.0,
        "dense": best / question.total,
        "in_order": _common_run(question.order, one.roots) / max(1, len(question.order)),
        "run": _longest_run(question.order, one.roots) / max(1, len(question.order)),
        "missing_top": max((weights[key] for key in missing), default=0.0) / 11.0,
        "missing_names": sum(key not in one.bag for key in names) / max(1, len(names)),
        "missing_numbers": float(any(key not in one.bag for key in question.numbers)),
        "last_word": float(bool(question.content) and question.content[-1] in one.bag),
        "first_word": float(bool(question.content) and question.content[0] in one.bag),
    }


def _answering(question: Question, one: Prepared, matched: Sequence[int]) -> dict[str, float]:
    """Whether the sentence holds words of the wanted kind that the question did not, and how near its words."""
    wanted = question.wanted
    asked = set(question.order)
    spots = [p for p in offered(wanted, one.text, one.tokens, one.lows) if one.roots[p] not in asked]
    typed = wanted not in ("thing", "definition", "confirmation")
    near = 0.0
    for spot in spots:
        nearness: dict[str, float] = {}
        for p in matched:
            key = one.roots[p]
            nearness[key] = max(nearness.get(key, 0.0), math.exp(-abs(p - spot) / _REACH))
        near = max(near, sum(question.weights[key] * value for key, value in nearness.items()))
    focus = question.focus
    subject = [key for key, low in zip(one.roots[:6], one.lows[:6], strict=True) if low not in STOPWORDS]
    fresh = sum(rarity(key) for key in one.bag if key not in question.weights)
    defines = _defines(question, one)
    return {
        "typed": float(typed),
        "offers": float(bool(spots)),
        "offers_not": float(typed and not spots),
        "offers_near": near / question.total,
        "focus": float(bool(focus) and focus in one.bag),
        "focus_not": float(bool(focus) and focus not in one.bag),
        "subject": sum(question.weights.get(key, 0.0) for key in set(subject)) / question.total,
        "defines": defines,
        "defines_asked": defines if wanted == "definition" else 0.0,
        "fresh": math.log(1 + fresh),
        "open": float(wanted in ("reason", "manner", "definition", "thing")),
    }


def _defines(question: Question, one: Prepared) -> float:
    """How much of the question stands before ``is a``, ``refers to``, ``means`` or a colon near the beginning."""
    colon = _TERM.match(one.text)
    for p, low in enumerate(one.lows[:14]):
        if low in _DEFINING or (colon and one.tokens[p][1] >= colon.end()):
            return sum(question.weights.get(key, 0.0) for key in set(one.roots[:p])) / question.total
    return 0.0


def _kin(key: str, bag: Mapping[str, int]) -> bool:
    return len(key) >= _PREFIX and any(other[:_PREFIX] == key[:_PREFIX] and len(other) >= _PREFIX for other in bag)


def _common_run(asked: Sequence[str], stems: Sequence[str]) -> int:
    """Length of the longest common subsequence."""
    if not stems:
        return 0
    row = [0] * (len(stems) + 1)
    for one in asked:
        last = 0
        for j, other in enumerate(stems, 1):
            kept = row[j]
            if one == other:
                row[j] = last + 1
            elif row[j - 1] > row[j]:
                row[j] = row[j - 1]
            last = kept
    return row[-1]


def _longest_run(asked: Sequence[str], stems: Sequence[str]) -> int:
    """Length of the longest stretch of words that stands in both."""
    places: dict[str, list[int]] = {}
    for j, other in enumerate(stems):
        places.setdefault(other, []).append(j)
    best = 0
    last: dict[int, int] = {}
    for one in asked:
        now: dict[int, int] = {}
        for j in places.get(one, ()):
            now[j] = last.get(j - 1, 0) + 1
            best = max(best, now[j])
        last = now
    return best
