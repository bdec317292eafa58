"""A question no cue of the rules was found in, in; the intent its meaning is nearest to, and how sure that is, out.

A linear classifier over the shipped encoder's vectors (multinomial logistic regression), fitted by
``training/fit_intents.py`` on the labelled questions. Where the encoder cannot run, the rules stand alone.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from footnoted.assistants.security.nlu.result import INTENTS
from footnoted.errors import ConfigurationError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

WEIGHTS = Path(__file__).with_name("intents.npz")
_LEAST = 0.4  # below this probability it is right less than half of the time, on parts it was not fitted on
_STATE = re.compile(r"^\W*(?:is|are|was|were|has|have|do|does)\b", re.IGNORECASE)  # asks how things stand
_SURE = 0.7  # how likely an intent must be to overrule that a question asks nothing an advisor answers
_LEFT = 0.05  # and how likely it may still be that it does not
_LONGEST = 400  # code points read; a longer question has cues


class Meant(NamedTuple):
    """An intent, its probability, and that of ``other``."""

    intent: str
    probability: float
    other: float


def meant_by(text: str) -> Meant | None:
    """The likeliest intent; nothing where the encoder cannot run."""
    try:
        from footnoted.encoder import Encoder

        vector = Encoder.load().sentences([text[:_LONGEST]])[0]
    except ConfigurationError:
        return None
    shares = _shares(vector, _weights())
    # A document is always called one: a question without that word is not about it.
    shares[INTENTS.index("document")] = 0.0
    best = int(shares.argmax())
    return Meant(INTENTS[best], float(shares[best]), float(shares[INTENTS.index("other")]))


def intent_by_meaning(text: str, guessed: str) -> str:
    """The intent of a question without a cue: by its meaning, unless that is unsure that it asks anything at all."""
    if guessed == "list" and _STATE.match(text):
        return guessed
    meant = meant_by(text)
    if meant is None or meant.probability < _LEAST:
        return guessed
    if guessed == "other" and (meant.probability < _SURE or meant.other > _LEFT):
        return guessed
    return meant.intent


def _shares(vector: NDArray[np.float32], weights: NDArray[np.float32]) -> NDArray[np.float32]:
    from footnoted.native import numpy as np

    scores = vector @ weights[:-1] + weights[-1]
    powers = np.exp(scores - scores.max())
    shares: NDArray[np.float32] = powers / powers.sum()
    return shares


@cache
def _weights() -> NDArray[np.float32]:
    """(385, 8): a column an intent in the order of `INTENTS`, the last row added to each."""
    from footnoted.native import numpy as np

    with np.load(WEIGHTS) as kept:
        weights: NDArray[np.float32] = kept["weights"].astype(np.float32)
    return weights
