"""What the multilingual encoder knows of a question: which texts are near it, and what no scan can answer."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

_NEAREST = 3  # examples a question is compared by
_FORM, _APART = 0.935, 0.025  # fitted: how near a form of a word is to it, and how much nearer than another's
_EXTREMES = (("worst", "riskiest", "most vulnerable", "most dangerous"), ("best", "safest", "most secure", "cleanest"))
_EDITS = {  # what a verb may do to what was asked before, as the grammar calls it
    "negate": ("remove", "exclude", "leave out"), "widen": ("add", "include", "bring in", "restore"),
    "only": ("keep", "limit it to"), "": ("filter", "fix", "sort", "close", "send", "explain"),
}  # fmt: skip
_BORNE = (
    ("findings that they {}", "findings that they have"),
    ("How many findings does the team {}?", "How many findings does the team have?"),
)
_FOUND = (
    ("findings {} there", "findings there"), ("findings {} in production", "findings in production"),
    ("How many findings are {} in the account?", "How many findings are in the account?"),
)  # fmt: skip
_BORNE_LIKE, _FOUND_LIKE = 0.972, 0.958  # fitted: how near it must be to what says no more than that there are some
_OWNERS, _OWNING = ("the owner of a resource", "the team responsible for it"), 0.85  # fitted: how near a tag's key is
_DECIDED = 0.01  # fitted: how much nearer a verb must be to one of them than to any other
_BAD, _GOOD = 0.015, 0.04  # fitted: how much nearer one extreme is than the other where a word leans


class Meanings:
    """The encoder as questions are read with it. Texts are encoded once and remembered."""

    def __init__(self, embedder: Any) -> None:
        self._passage = lru_cache(maxsize=8192)(lambda text: embedder.passages([text])[0])
        self._query = lru_cache(maxsize=1024)(lambda text: embedder.queries([text])[0])

    def near(self, question: str, texts: Sequence[str]) -> list[float]:
        """How near each text is to the question: cosines, of use only beside one another."""
        asked = self._query(question)
        return [float(self._passage(text) @ asked) for text in texts]

    def said(self, word: str) -> str:
        """The word of the grammar that another is a form of: "categorised" is "category"; nothing where it is none."""
        from footnoted.assistants.security.query.words import ROLES

        asked = self._query(word)
        near = sorted(((float(self._query(one) @ asked), one) for one in ROLES), reverse=True)
        best, role = near[0][0], ROLES[near[0][1]]
        second = next(likeness for likeness, one in near if ROLES[one] != role)
        formed = best >= _FORM and best - second >= _APART
        return near[0][1] if formed and role[0].partition(":")[0] in ("noun", "select") else ""

    def leaning(self, superlative: str) -> str:
        """Whether "the riskiest one" is the one with the most findings or with the fewest, where that is plain."""
        asked = self._query(f"the {superlative} one")
        bad, good = (max(float(self._query(f"the {one} one") @ asked) for one in those) for those in _EXTREMES)
        return "most" if bad - good > _BAD else "fewest" if good - bad > _GOOD else ""

    def edit(self, verb: str) -> str:
        """Whether "drop the red ones" takes away, adds or leaves only these, where that is plain."""
        asked = self._query(f"{verb} the red ones")
        near = {does: max(float(self._query(f"{one} the red ones") @ asked) for one in those)
                for does, those in _EDITS.items()}  # fmt: skip
        first, second = sorted(near, key=near.__getitem__, reverse=True)[:2]
        return first if near[first] - near[second] >= _DECIDED else ""

    def adds_nothing(self, verb: str, *, active: bool) -> bool:
        """Whether "findings that they carry" are those they have, and "findings seen there" those that are there."""
        pairs, least = (_BORNE, _BORNE_LIKE) if active else (_FOUND, _FOUND_LIKE)
        near = [float(self._query(said.format(verb)) @ self._query(plain)) for said, plain in pairs]
        return sum(near) / len(near) >= least

    def owning(self, keys: Sequence[str]) -> str:
        """The key of tags that says whose something is: "owner", or "squad" where there is no owner."""
        near = {
            key: max(float(self._query(key.replace("-", " ")) @ self._query(one)) for one in _OWNERS) for key in keys
        }
        first = max(near, key=near.__getitem__, default="")
        return first if first and near[first] >= _OWNING else ""

    def beyond(self, question: str) -> float:
        """How much nearer a question is to those no scan can answer than to those it can; above 0 it is one of them."""
        near = self._kinds(question)
        return near["beyond"] - near["within"]

    def overall(self, question: str) -> float:
        """How much nearer a question is to those that ask how things are than to any other."""
        near = self._kinds(question)
        return near["overall"] - max(near["within"], near["beyond"])

    def _kinds(self, question: str) -> dict[str, float]:
        asked = self._query(question)
        near = {kind: sorted(float(self._query(one) @ asked) for one in texts) for kind, texts in examples().items()}
        return {kind: sum(those[-_NEAREST:]) / _NEAREST for kind, those in near.items()}


@lru_cache(maxsize=1)
def examples() -> dict[str, list[str]]:
    """Questions that findings can answer (``within``) and that they cannot (``beyond``)."""
    return tomllib.loads(Path(__file__).with_name("examples.toml").read_text(encoding="utf-8"))


@lru_cache(maxsize=1)
def shipped_meanings() -> Meanings | None:
    """The shipped encoder; nothing where it cannot be opened."""
    from footnoted.models import Embedder, ModelUnavailable

    try:
        return Meanings(Embedder.load())
    except ModelUnavailable:
        return None
