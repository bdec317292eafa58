"""The parameters by which the responder decides without a model, and what they make of numbers.

They lie in ``fitted.json``, which ``training/fit_threads.py`` writes from labelled threads; none is set by hand.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from footnoted.retrieval.relevance.logistic import chance_of, log_odds

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

ACTS = ("ask", "person", "done", "tell", "attack")


@dataclass(frozen=True)
class Fitted:
    """The weights of four logistic regressions.

    ``acts`` (384 + 1, 5): the speech acts over a text's vector. By feature, the constant under ``""``: ``gate`` whether
    a message asks everybody, ``match`` whether a passage answers, ``reply`` whether what would be quoted does.
    """

    acts: tuple[tuple[float, ...], ...]
    gate: Mapping[str, float]
    match: Mapping[str, float]
    reply: Mapping[str, float]

    @classmethod
    def read(cls, path: Path | None = None) -> Fitted:
        """The parameters of a file, or those that ship."""
        return _shipped() if path is None else cls(**json.loads(path.read_text("utf-8")))

    @cached_property
    def _table(self) -> NDArray[np.float32]:
        from footnoted.native import numpy as np

        return np.asarray(self.acts, dtype=np.float32)

    def act_of(self, vector: NDArray[np.float32]) -> dict[str, float]:
        """The log of the chance of each speech act of a text, by its vector (384,)."""
        from footnoted.native import numpy as np

        odds = vector @ self._table[:-1] + self._table[-1]
        odds = odds - odds.max()
        odds = odds - np.log(np.exp(odds).sum())
        return dict(zip(ACTS, map(float, odds), strict=True))


def chance(weights: Mapping[str, float], features: Mapping[str, float]) -> float:
    """The chance (0-1) that some features speak for."""
    return chance_of(log_odds(features, weights))


def gate_features(shape: Mapping[str, float], acts: Sequence[Mapping[str, float]]) -> dict[str, Any]:
    """What the gate weighs: the thread's shape, and the speech acts of its latest message, its turn, its sentences."""
    latest, turn, *sentences = acts
    return {
        **shape,
        **{f"latest_{act}": max(-6.0, value) for act, value in latest.items()},
        **{f"turn_{act}": max(-6.0, value) for act, value in turn.items()},
        **{f"some_{act}": max(-6.0, *(text[act] for text in [latest, *sentences])) for act in ACTS},
    }


@lru_cache(maxsize=1)
def _shipped() -> Fitted:
    text = files("footnoted.assistants.community").joinpath("fitted.json").read_text("utf-8")
    return Fitted(**json.loads(text))
