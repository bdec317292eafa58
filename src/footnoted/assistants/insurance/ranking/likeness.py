"""A question and sentences in; how alike their meanings are, by a small encoder's vectors, out.

The optional second look of `rank`: words that differ and mean the same ("windshield", "windscreen") meet
here. Needs the encoder's libraries; `rank` works without.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from footnoted.encoder import EncoderUnavailable, products
from footnoted.relevance.roots import root
from footnoted.text import words

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from footnoted.assistants.insurance.ranking.question import Question
    from footnoted.encoder import Encoder

_log = logging.getLogger(__name__)


class Likeness(Protocol):
    """How alike a question and texts are.

    ``whole`` is the cosine of both; ``by_word`` the mean, by weight, over the question's words of the nearest
    word's cosine; ``least`` the same for the word that finds the least.
    """

    def __call__(self, question: Question, texts: Sequence[str]) -> list[Mapping[str, float]]:
        """One mapping a text, in order."""
        ...


@runtime_checkable
class Holding(Protocol):
    """A likeness that also holds a question against one sentence, as a claim is held against its evidence.

    ``carried`` and ``against`` are the log-odds that the sentence carries what the question takes for granted, and
    that it says otherwise; ``doubt_most`` and ``doubt_mean`` how doubtful the question's words are beside it, the most
    doubtful one and all of them by weight.
    """

    def held(self, question: Question, text: str) -> Mapping[str, float]:
        """These four numbers; none where they cannot be had."""
        ...


class EncoderLikeness:
    """Likeness by the shipped encoder, opened at the first use.

    With ``reading`` the network beside the encoder holds the question against the best sentence, too: it was taught on
    statements alone, yet tells a question whose every word is met from one that is answered.
    """

    def __init__(self, encoder: Encoder | None = None, *, reading: bool = True) -> None:
        self._encoder = encoder
        self._reading = reading

    def __call__(self, question: Question, texts: Sequence[str]) -> list[Mapping[str, float]]:
        """One mapping a text, in order. Raises `EncoderUnavailable` where the encoder cannot run."""
        from footnoted.native import numpy as np

        asked, *read = self._opened().encode([question.text, *texts])
        shares = np.zeros(len(asked.offsets), dtype=np.float32)
        for weight, inside in _words(question, asked.offsets):
            shares[inside] = weight / inside.sum()
        shares /= shares.sum() or 1.0
        vectors = asked.vectors.astype(np.float32)
        views: list[Mapping[str, float]] = []
        for one in read:
            if len(one.vectors) and len(vectors):
                nearest = products(vectors, one.vectors.astype(np.float32)).max(axis=1)
            else:
                nearest = np.zeros(len(vectors), dtype=np.float32)
            weighty = nearest[shares > 0]
            views.append(
                {
                    "whole": float(asked.whole @ one.whole),
                    "by_word": float(shares @ nearest),
                    "least": float(weighty.min()) if len(weighty) else 0.0,
                }
            )
        return views

    def held(self, question: Question, text: str) -> Mapping[str, float]:
        """The question against one sentence. Empty without the network, which the log tells once."""
        from footnoted.native import numpy as np

        if not self._reading:
            return {}
        from footnoted.encoder import entailment

        try:
            network = entailment.Comparing.load(entailment.QUESTIONS)
        except EncoderUnavailable as error:
            _log.warning("whether the sources answer is judged without the network: %s", error)
            self._reading = False
            return {}
        asked, evidence = self._opened().encode([question.text, text])
        told = network.read(asked, [evidence])
        found = [(weight, told.doubts[inside].max()) for weight, inside in _words(question, asked.offsets) if weight]
        weights, doubts = np.array(found or [(1.0, 0.0)]).T
        return {
            "carried": float(told.carried - np.logaddexp(told.contradicted, told.neither)),
            "against": float(told.contradicted - np.logaddexp(told.carried, told.neither)),
            "doubt_most": float(doubts.max()),
            "doubt_mean": float(weights @ doubts / weights.sum()),
        }

    def _opened(self) -> Encoder:
        if self._encoder is None:
            from footnoted.encoder import Encoder

            self._encoder = Encoder.load()
        return self._encoder


def _words(question: Question, offsets: NDArray[np.int32]) -> list[tuple[float, NDArray[np.bool_]]]:
    """Each word of the question that has tokens: its weight, and which tokens (t,) those are."""
    found = [
        (question.weights.get(root(word), 0.0), (offsets[:, 0] >= start) & (offsets[:, 1] <= end))
        for word, start, end in words(question.text)
    ]
    return [(weight, inside) for weight, inside in found if inside.any()]
