"""How alike a question and texts are in meaning, and whether a text answers: networks, opened when first asked for."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import TYPE_CHECKING, ClassVar, Protocol, runtime_checkable

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


_KEPT = 4_096  # readings kept in the process: a refusal, a follow-up and a second part ask again


class ShippedMeaning:
    """The package's own networks, opened at the first use. Raises `ModelUnavailable` where they cannot run."""

    _kept: ClassVar[OrderedDict[tuple[bool, str, str], float]] = OrderedDict()
    _lock: ClassVar[threading.Lock] = threading.Lock()

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
        from footnoted.models import EVERY_LANGUAGE, Reader

        english = in_english(question, texts)
        with self._lock:
            kept = {text: self._kept.get((english, question, text)) for text in texts}
        known = {text: chance for text, chance in kept.items() if chance is not None}
        missing = [text for text in dict.fromkeys(texts) if text not in known]
        if missing:
            reader = Reader.load(None if english else EVERY_LANGUAGE)
            known |= {text: reader.answers(question, text) for text in missing}
            with self._lock:
                self._kept.update({(english, question, text): known[text] for text in missing})
                while len(self._kept) > _KEPT:
                    self._kept.popitem(last=False)
        return [known[text] for text in texts]
