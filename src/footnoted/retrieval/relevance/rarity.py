"""Tells how much a stem says in English (its inverse document frequency)."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

UNSEEN = 11.0  # a word that half a million English sentences do not hold
_FIGURE = 7.0  # any number: each is rare, yet they are easily met by chance


@cache
def _table() -> dict[str, float]:
    """The shipped table: a line for each weight, ``weight stem stem …``, natural logarithms."""
    table: dict[str, float] = {}
    text = files("footnoted.retrieval.relevance").joinpath("rarity.txt").read_text(encoding="utf-8")
    for line in text.splitlines():
        weight, *stems = line.split()
        table.update(dict.fromkeys(stems, float(weight)))
    return table


def rarity(stem: str) -> float:
    """Inverse document frequency of a stem, about 1 (everywhere) to 11 (never seen)."""
    if stem[:1].isdigit():
        return _FIGURE
    return _table().get(stem, UNSEEN)
