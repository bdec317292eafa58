"""A question and sentences in; how alike their meanings are, by a small encoder's vectors, out.

The optional second look of `rank`: words that differ and mean the same ("windshield", "windscreen") meet
here. Needs the encoder's libraries; `rank` works without.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from footnoted.encoder import products
from footnoted.relevance.roots import root
from footnoted.text import words

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from footnoted.encoder import Encoder
    from footnoted.relevance.question import Question


class Likeness(Protocol):
    """How alike a question and texts are.

    ``whole`` is the cosine of both; ``by_word`` the mean, by weight, over the question's words of the nearest
    word's cosine; ``least`` the same for the word that finds the least.
    """

    def __call__(self, question: Question, texts: Sequence[str]) -> list[Mapping[str, float]]:
        """One mapping a text, in order."""
        ...


class EncoderLikeness:
    """Likeness by the shipped encoder, opened at the first use."""

    def __init__(self, encoder: Encoder | None = None) -> None:
        self._encoder = encoder

    def __call__(self, question: Question, texts: Sequence[str]) -> list[Mapping[str, float]]:
        """One mapping a text, in order. Raises `EncoderUnavailable` where the encoder cannot run."""
        import numpy as np

        if self._encoder is None:
            from footnoted.encoder import Encoder

            self._encoder = Encoder.load()
        asked, *read = self._encoder.encode([question.text, *texts])
        shares = np.zeros(len(asked.offsets), dtype=np.float32)
        for word, start, end in words(question.text):
            inside = (asked.offsets[:, 0] >= start) & (asked.offsets[:, 1] <= end)
            if inside.any():
                shares[inside] = question.weights.get(root(word), 0.0) / inside.sum()
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
