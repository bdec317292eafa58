"""A question and sources in; their sentences, best first, and the chance that they answer it, out."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, cast

from footnoted.assistants.insurance.meaning import in_place, nearness
from footnoted.assistants.insurance.ranking.features import Pool, Prepared, prepare
from footnoted.assistants.insurance.ranking.question import Question, understand
from footnoted.relevance.layout import Sentence, read
from footnoted.relevance.narrow import narrow
from footnoted.relevance.roots import root
from footnoted.text import STOPWORDS, content_stems, fold, words
from footnoted.types import Span

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from footnoted.relevance import Meaning
    from footnoted.types import Source

_MEASURED = 60  # sentences measured closely; the answer is among them 96 times of 100 in a long article
_LIKENED = 24  # sentences the encoder reads
_SKIPPED = frozenset({"heading", "header", "rule"})


@dataclass(frozen=True, slots=True)
class Scored:
    """A sentence ``sources[source_index].text[start:end]`` and how well it answers.

    ``score`` has no unit: of two sentences, the one ``d`` higher is the better answer with odds of e^d.
    ``features`` is what the score is made of; ``sentence`` knows the place it stands in.
    """

    source_index: int
    start: int
    end: int
    score: float
    features: Mapping[str, float]
    sentence: Sentence


def rank(question: str, sources: Sequence[Source], *, about: str = "", meaning: Meaning | None = None) -> list[Scored]:
    """The sentences that might answer, best first: all of small sources, the likeliest 60 at most.

    ``about`` holds words of the talk before the question, which count for less. ``meaning`` adds an encoder's view of
    the best. Headings and the header rows of tables lend their words to what stands under them and are no answers
    themselves.
    """
    asked = understand(question, about=about)
    pool = Pool(asked, _prepared(asked, sources))
    first = pool.first
    likeliest = sorted(range(len(first)), key=lambda i: -first[i])[:_MEASURED]
    weights = _weights()["order"]
    ranked = [_scored(pool.pool[i].sentence, pool.features(i), weights) for i in likeliest]
    ranked.sort(key=lambda one: -one.score)
    if meaning is not None and ranked:
        ranked = _likened(asked, ranked, meaning, sources)
    return ranked


def answerability(question: str, ranked: Sequence[Scored]) -> float:
    """The chance (0–1) that the best of the ranked sentences answers; 0.5 divides best on labelled data.

    Fitted where half of the questions had an answer; see ``benchmarks/extractive.py``.
    """
    if not ranked or not content_stems(question):
        return 0.0
    evidence = answer_features(ranked)
    looked = "_likened" if "whole" in ranked[0].features else ""
    weights = _weights()[answer_table(ranked) + looked]
    return 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, _weighed(evidence, weights)))))


def answer_table(ranked: Sequence[Scored]) -> str:
    """Which weights judge: words met by chance tell less where several sources were read than in one."""
    return "answer_many" if any(one.source_index != ranked[0].source_index for one in ranked) else "answer"


def answer_features(ranked: Sequence[Scored]) -> dict[str, float]:
    """What speaks for the whole ranking holding an answer: its best sentence, and the best of each measure."""
    found = {f"best_{name}": value for name, value in ranked[0].features.items()}
    for name in _TOPS:
        if name in ranked[0].features:
            found[f"top_{name}"] = max(one.features.get(name, 0.0) for one in ranked)
    found["score"] = ranked[0].score
    found["lead"] = min(3.0, ranked[0].score - ranked[1].score) if len(ranked) > 1 else 3.0
    return found


_TOPS = (
    "cover_around",
    "rest",
    "rare_abs",
    "pairs",
    "in_order",
    "offers_near",
    "dense",
    "cover_local",
    "whole",
)


def _prepared(asked: Question, sources: Sequence[Source]) -> list[Prepared]:
    prepared: list[Prepared] = []
    for part in narrow(cast("Any", asked), sources):
        source = sources[part.source_index]
        title = _roots(source.title)
        for sentence in read(source, part.source_index, within=Span(part.start, part.end)):
            if sentence.kind in _SKIPPED or not any(char.isalnum() for char in sentence.text):
                continue
            leads = " ".join(source.text[lead.start : lead.end] for lead in sentence.leads)
            around = _roots(" ".join((*part.headings, *sentence.headings)))
            prepared.append(prepare(sentence, leads=leads, around=around, title=title))
    return prepared


@lru_cache(maxsize=1024)
def _roots(text: str) -> frozenset[str]:
    return frozenset(root(word) for word, _, _ in words(text) if fold(word) not in STOPWORDS)


def _scored(sentence: Sentence, features: Mapping[str, float], weights: Mapping[str, float]) -> Scored:
    score = _weighed(features, weights)
    return Scored(sentence.source_index, sentence.start, sentence.end, score, features, sentence)


def _weighed(features: Mapping[str, float], weights: Mapping[str, float]) -> float:
    return weights.get("", 0.0) + sum(weights.get(name, 0.0) * value for name, value in features.items())


def _likened(asked: Question, ranked: Sequence[Scored], meaning: Meaning, sources: Sequence[Source]) -> list[Scored]:
    """The best again with the encoder's view, in a new order; the others stay below them."""
    weights = _weights()["order_likened"]
    near, far = ranked[:_LIKENED], ranked[_LIKENED:]
    alike = nearness(meaning, asked.text, [in_place(sources[one.source_index], one.sentence) for one in near])
    best = max(alike)
    again = [
        _scored(one.sentence, {**one.features, "whole": whole, "whole_gap": best - whole}, weights)
        for one, whole in zip(near, alike, strict=True)
    ]
    again.sort(key=lambda one: -one.score)
    floor = again[-1].score
    missing = {"whole": 0.0, "whole_gap": 0.0}
    below = [
        Scored(one.source_index, one.start, one.end, floor - 1 - place, {**one.features, **missing}, one.sentence)
        for place, one in enumerate(far)
    ]
    return [*again, *below]


@cache
def _weights() -> dict[str, dict[str, float]]:
    """The shipped weights by purpose; ``""`` is the constant. Fitted by ``benchmarks/extractive.py --fit``."""
    text = files("footnoted.assistants.insurance.ranking").joinpath("weights.json").read_text(encoding="utf-8")
    weights: dict[str, dict[str, float]] = json.loads(text)
    return weights
