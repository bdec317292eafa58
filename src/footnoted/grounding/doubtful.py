"""A claim beside its evidence in; the words of it that the evidence does not carry out, in runs.

A word is rarely wrong alone: what stands between two words that no source has is usually made up with them. So each
word is weighed with its neighbours, by a logistic regression over a few features (``fitted/doubtful.json``, made by
``training/fit_doubtful.py`` from labelled tokens).
"""

from __future__ import annotations

import json
import math
from functools import lru_cache
from typing import TYPE_CHECKING

from footnoted.grounding.reading import FITTED
from footnoted.types import Span

if TYPE_CHECKING:
    from footnoted.grounding.alignment import Alignment
    from footnoted.grounding.reading import Reading

NAMES = ("number", "stands", "meant", "uncovered", "around", "next", "share")
_AROUND = 2  # words on either side


def measures(claim: Reading, alignment: Alignment) -> list[tuple[float, ...]]:
    """For each word the values of ``NAMES``.

    Is it a number that stands nowhere; does its stem stand in the evidence; how like is the likest word there; does
    it carry and stand nowhere; what share of the words around it, whether the next one, and what share of all do.
    """
    bare = [word.carries and not alignment.exact[i] for i, word in enumerate(claim.words)]
    share = sum(bare) / max(1, len(bare))
    found: list[tuple[float, ...]] = []
    for i, word in enumerate(claim.words):
        beside = bare[max(0, i - _AROUND) : i] + bare[i + 1 : i + _AROUND + 1]
        found.append(
            (
                float(word.number and not alignment.exact[i]),
                float(alignment.exact[i]),
                alignment.meant[i],
                float(bare[i]),
                sum(beside) / max(1, len(beside)),
                float(bare[i + 1 : i + 2] == [True]),
                share,
            )
        )
    return found


def doubtful(claim: Reading, alignment: Alignment) -> tuple[Span, ...]:
    """The runs of words that a reader should doubt; empty where every word is carried."""
    weights, bias, least = _fitted()
    runs: list[Span] = []
    before = -2
    for i, row in enumerate(measures(claim, alignment)):
        chance = 1 / (1 + math.exp(-bias - sum(w * x for w, x in zip(weights, row, strict=True))))
        if chance < least:
            continue
        word = claim.words[i]
        if before == i - 1:
            runs[-1] = Span(runs[-1].start, word.end)
        else:
            runs.append(Span(word.start, word.end))
        before = i
    return tuple(runs)


@lru_cache(maxsize=1)
def _fitted() -> tuple[tuple[float, ...], float, float]:
    fitted = json.loads((FITTED / "doubtful.json").read_text(encoding="utf-8"))
    return tuple(fitted["weights"][name] for name in NAMES), fitted["bias"], fitted["threshold"]
