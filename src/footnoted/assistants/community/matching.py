"""A question and the passages nearest to it in words in; the chance that each answers it, best first, out."""

from __future__ import annotations

import json
import math
import threading
from collections import Counter, OrderedDict
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING

from footnoted.orders import is_order
from footnoted.relevance.question import understand
from footnoted.relevance.roots import root
from footnoted.text import STOPWORDS, fold, sentences, words

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from footnoted.types import Source

_SENTENCES = 40  # of a passage that are looked at
_LIKENED = 6  # of them that the encoder reads, those with most of the question's words
_LONGEST = 400  # code points of a sentence that is read
_KEPT = 20_000  # vectors, 1.5 KB each


class Vocabulary:
    """How many of a knowledge base's passages hold each root; what tells passages apart here, and what is unknown."""

    def __init__(self, passages: Iterable[Source]) -> None:
        self.spread: Counter[str] = Counter()
        self.words: set[str] = set()
        self.count = 0
        for passage in passages:
            self.count += 1
            self.spread.update(roots(passage.text) | roots(head_of(passage)))
            self.words.update(fold(word) for word, _, _ in words(f"{head_of(passage)} {passage.text}"))

    def share_known(self, text: str) -> float:
        """The share of a text's words, small ones too, that stand anywhere here: little for another language."""
        said = {fold(word) for word, _, _ in words(text)}
        return len(said & (self.words | STOPWORDS)) / len(said) if said else 0.0

    def weight(self, one: str, rarity: float) -> float:
        """What a root of a question tells here: its rarity in English times its rarity in these passages."""
        return rarity * math.log(1 + (self.count + 1) / (self.spread[one] + 0.5))


class Vectors:
    """The meaning of headings and sentences met before, so that each is read by the encoder once. Thread-safe."""

    def __init__(self, kept: int = _KEPT) -> None:
        self._kept: OrderedDict[str, NDArray[np.float32]] = OrderedDict()
        self._most = kept
        self._lock = threading.Lock()

    def of(self, texts: Sequence[str]) -> list[NDArray[np.float32]] | None:
        """One vector of length one a text; ``None`` where the encoder cannot run."""
        from footnoted.encoder import Encoder, EncoderUnavailable

        with self._lock:
            known = {text: self._kept[text] for text in texts if text in self._kept}
        new = list(dict.fromkeys(text for text in texts if text not in known))
        if new:
            try:
                known |= dict(zip(new, Encoder.load().sentences(new), strict=True))
            except EncoderUnavailable:
                return None
            with self._lock:
                self._kept.update((text, known[text]) for text in new)
                while len(self._kept) > self._most:
                    self._kept.popitem(last=False)
        return [known[text] for text in texts]


@dataclass(frozen=True, slots=True)
class Match:
    """A passage, and the chance (0–1) that it answers; ``features`` are what the chance is made of."""

    passage: Source
    chance: float
    features: Mapping[str, float]


def match(question: str, passages: Sequence[Source], vocabulary: Vocabulary, vectors: Vectors) -> list[Match]:
    """Each passage with its chance, best first. The encoder is used where it runs."""
    weights = _weights()
    found = []
    for passage, features in zip(passages, measured(question, passages, vocabulary, vectors), strict=True):
        logit = weights[""] + sum(weights.get(name, 0.0) * value for name, value in features.items())
        found.append(Match(passage, 1 / (1 + math.exp(-max(-30.0, min(30.0, logit)))), features))
    return sorted(found, key=lambda one: -one.chance)


def measured(
    question: str, passages: Sequence[Source], vocabulary: Vocabulary, vectors: Vectors
) -> list[dict[str, float]]:
    """What speaks for each passage as the answer, as named numbers from 0 to about 1.

    ``cover``: the share of what the question tells that stands in the passage or over it. ``head_asked``: the share
    of its headings that was asked for. ``score``, ``lead``: its BM25 score, and how far it stands before the best
    of another source. ``like_head``, ``like_best``: how near its headings, its best sentence are in meaning.
    """
    telling = {one: vocabulary.weight(one, rarity) for one, rarity in understand(question).weights.items()}
    total = sum(telling.values()) or 1.0
    alike = _likeness(question, passages, telling, vectors)
    found = []
    for place, passage in enumerate(passages):
        head = roots(head_of(passage))
        held = roots(passage.text) | head
        features = {
            "cover": sum(weight for one, weight in telling.items() if one in held) / total,
            "head_asked": _share(head, telling, vocabulary),
            "score": passage.score or 0.0,
            "lead": _lead(place, passages),
        }
        found.append(features | alike[place])
    return found


def head_of(passage: Source) -> str:
    """The title and headings over a passage."""
    return f"{passage.metadata.get('title', '')} › {passage.metadata.get('section', '')}"


@lru_cache(maxsize=8192)
def roots(text: str) -> frozenset[str]:
    """The roots of a text's words, small ones aside."""
    return frozenset(root(word) for word, _, _ in words(text) if fold(word) not in STOPWORDS)


def _share(head: frozenset[str], telling: Mapping[str, float], vocabulary: Vocabulary) -> float:
    """How much of a heading was asked for."""
    whole = {one: math.log(1 + (vocabulary.count + 1) / (vocabulary.spread[one] + 0.5)) for one in head}
    return sum(weight for one, weight in whole.items() if one in telling) / (sum(whole.values()) or 1.0)


def meant(passages: Iterable[Source]) -> list[str]:
    """All that the encoder may have to read of some passages: the headings, always read, and the sentences."""
    every = list(passages)
    sentences_of = (one for passage in every for one, _ in _told(passage.text))
    return list(dict.fromkeys([*map(head_of, every), *sentences_of]))


def _read(passage: Source, telling: Mapping[str, float]) -> list[str]:
    """The sentences of a passage that hold most of what a question tells, the first among equals."""
    told = _told(passage.text)
    cover = [sum(telling.get(one, 0.0) for one in held) for _, held in told]
    best = sorted(range(len(told)), key=lambda i: -cover[i])[:_LIKENED]
    return [told[i][0] for i in best]


@lru_cache(maxsize=4096)
def _told(text: str) -> tuple[tuple[str, frozenset[str]], ...]:
    """The sentences of a passage that give no orders, each with its roots."""
    spans = sentences(text)[:_SENTENCES]
    told = (text[span.start : span.end][:_LONGEST] for span in spans)
    return tuple((one, roots(one)) for one in told if not is_order(one))


def _lead(place: int, passages: Sequence[Source]) -> float:
    """How far a passage stands before the best of another source, in words."""
    own = passages[place].metadata.get("source_id")
    others = [one.score or 0.0 for one in passages if one.metadata.get("source_id") != own]
    return (passages[place].score or 0.0) - max(others, default=0.0)


def _likeness(
    question: str, passages: Sequence[Source], telling: Mapping[str, float], vectors: Vectors
) -> list[dict[str, float]]:
    """How near a question is in meaning to each passage's headings and to the nearest of its sentences."""
    told = [[head_of(passage), *_read(passage, telling)] for passage in passages]
    read = vectors.of([question, *(text for texts in told for text in texts)])
    if read is None:
        return [{"like_head": 0.0, "like_best": 0.0} for _ in passages]
    found = []
    at = 1
    for texts in told:
        near = [float(vector @ read[0]) for vector in read[at : at + len(texts)]]
        found.append({"like_head": near[0], "like_best": max(near[1:], default=0.0)})
        at += len(texts)
    return found


@cache
def _weights() -> dict[str, float]:
    """The shipped weights; ``""`` is the constant. Fitted by ``benchmarks/community.py --fit``."""
    text = files("footnoted.assistants.community").joinpath("weights.json").read_text("utf-8")
    weights: dict[str, float] = json.loads(text)
    return weights
