"""A text's words as evidence is found by them: where each stands, its stem, and how much it tells."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from footnoted.text import STOPWORDS, fold, stem, words

FITTED = Path(__file__).parent / "fitted"
_LIGHT = frozenset(  # they turn a sentence, they are not its matter
    """not no never none nothing nobody neither nor without cannot can't won't don't doesn't didn't isn't aren't wasn't
    weren't hasn't haven't hadn't wouldn't shouldn't couldn't mustn't needn't must shall may might ought""".split()
)


@dataclass(frozen=True, slots=True)
class Word:
    """One word at ``text[start:end]``; ``carries`` says that it is no stop word, ``weight`` is its idf in nats."""

    text: str
    start: int
    end: int
    stem: str
    weight: float
    carries: bool


@dataclass(frozen=True, slots=True)
class Words:
    """A text with its words; ``stems`` are those that carry."""

    text: str
    words: tuple[Word, ...]
    stems: frozenset[str]


@lru_cache(maxsize=1)
def _weights() -> tuple[dict[str, float], float]:
    fitted = json.loads((FITTED / "words.json").read_text(encoding="utf-8"))
    return fitted["weights"], fitted["rare"]


@lru_cache(maxsize=65536)
def weight_of(stemmed: str) -> float:
    """How much a stem tells, in nats: 1.4 for "the", 11.8 for a word never seen."""
    table, rare = _weights()
    return table.get(stemmed, rare if not stemmed[:1].isdigit() else max(6.0, rare - 3))


@lru_cache(maxsize=4096)
def read(text: str) -> Words:
    """The words of a text; kept for the texts read last."""
    made = []
    for word, start, end in words(text):
        stemmed = stem(word)
        made.append(Word(word, start, end, stemmed, weight_of(stemmed), _carries(word)))
    return Words(text, tuple(made), frozenset(word.stem for word in made if word.carries))


def _carries(word: str) -> bool:
    folded = fold(word).replace("’", "'")
    return word[0].isdigit() or (len(word) > 1 and folded not in STOPWORDS and folded not in _LIGHT)
