"""A question and sources in; their sentences out, best first, and the chance that they answer at all."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from footnoted.text import content_stems, sentences

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from footnoted.types import Source

_K1, _B = 1.2, 0.75


@dataclass(frozen=True, slots=True)
class Scored:
    """A sentence ``sources[source_index].text[start:end]``, its score, and what the score is made of."""

    source_index: int
    start: int
    end: int
    score: float
    features: Mapping[str, float] = field(default_factory=dict)


def rank(question: str, sources: Sequence[Source]) -> list[Scored]:
    """All sentences of all sources, best first (BM25; ties keep the order of the sources)."""
    found = [(index, span) for index, source in enumerate(sources) for span in sentences(source.text)]
    bags = [Counter(content_stems(sources[index].text[span.start : span.end])) for index, span in found]
    titles = [frozenset(content_stems(source.title)) for source in sources]
    asked = frozenset(content_stems(question))
    spread = Counter(stem for bag in bags for stem in bag)
    mean = sum(bag.total() for bag in bags) / max(1, len(bags)) or 1.0
    weight = {stem: math.log(1 + (len(bags) - spread[stem] + 0.5) / (spread[stem] + 0.5)) for stem in asked}
    whole = sum(weight.values()) or 1.0
    scored = []
    for (index, span), bag in zip(found, bags, strict=True):
        length = _K1 * (1 - _B + _B * bag.total() / mean)
        bm25 = sum(weight[stem] * bag[stem] * (_K1 + 1) / (bag[stem] + length) for stem in asked if bag[stem])
        covered = sum(weight[stem] for stem in asked if bag[stem] or stem in titles[index]) / whole
        features = {"bm25": bm25, "covered": covered}
        scored.append(Scored(index, span.start, span.end, bm25 * (0.5 + covered), features))
    return sorted(scored, key=lambda one: -one.score)


def answerability(question: str, ranked: Sequence[Scored]) -> float:
    """The chance (0–1) that the ranked sentences answer the question."""
    if not ranked or not content_stems(question):
        return 0.0
    return ranked[0].features["covered"]
