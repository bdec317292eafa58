"""What the multilingual encoder knows of a question: which texts are near it, and what no scan can answer."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

_NEAREST = 3  # examples a question is compared by


class Meanings:
    """The encoder as questions are read with it. Texts are encoded once and remembered."""

    def __init__(self, embedder: Any) -> None:
        self._embedder = embedder
        self._passage = lru_cache(maxsize=8192)(lambda text: embedder.passages([text])[0])
        self._query = lru_cache(maxsize=1024)(lambda text: embedder.queries([text])[0])

    def near(self, question: str, texts: Sequence[str]) -> list[float]:
        """How near each text is to the question: cosines, of use only beside one another."""
        asked = self._query(question)
        return [float(self._passage(text) @ asked) for text in texts]

    def beyond(self, question: str) -> float:
        """How much nearer a question is to those no scan can answer than to those it can; above 0 it is one of them."""
        asked = self._query(question)
        near = {
            kind: sorted((float(self._query(one) @ asked) for one in texts), reverse=True)[:_NEAREST]
            for kind, texts in examples().items()
        }
        return sum(near["beyond"]) / _NEAREST - sum(near["within"]) / _NEAREST


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
