"""How alike a question and texts are in meaning, and whether a text answers: networks, opened when first asked for."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from footnoted.text.language import language

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray


@runtime_checkable
class Meaning(Protocol):
    """Vectors of length one whose dot product says how alike two texts are; `footnoted.models.Embedder` is one."""

    def queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One row a question, (n, d)."""
        ...

    def passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One row a text that may answer, (n, d)."""
        ...


@runtime_checkable
class Reads(Protocol):
    """A `Meaning` that also reads a question and a text together; `ShippedMeaning` is one."""

    def answers(self, question: str, texts: Sequence[str]) -> list[float]:
        """The chance (0–1) of each text that it answers."""
        ...


def in_english(question: str, texts: Sequence[str]) -> bool:
    """Whether a question and all of these texts are in English, as far as their languages are sure."""
    return all(language(text) in ("", "en") for text in (question, *texts))


class ShippedMeaning:
    """The package's own networks, opened at the first use. Raises `ModelUnavailable` where they cannot run."""

    def queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One row a question, (n, 384)."""
        from footnoted.models import Embedder

        return Embedder.load().queries(texts)

    def passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One row a text that may answer, (n, 384)."""
        from footnoted.models import Embedder

        return Embedder.load().passages(texts)

    def answers(self, question: str, texts: Sequence[str]) -> list[float]:
        """The chance (0–1) of each text that it answers: by the network for English where all is (`in_english`)."""
        english = in_english(question, texts)
        return [_answers(question, text, english=english) for text in texts]


@lru_cache(maxsize=4_096)  # a refusal, a follow-up and a second part ask again
def _answers(question: str, text: str, *, english: bool) -> float:
    from footnoted.models import EVERY_LANGUAGE, Reader

    return Reader.load(None if english else EVERY_LANGUAGE).answers(question, text)
