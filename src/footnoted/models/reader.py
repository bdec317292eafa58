"""Reads two texts together, every piece of one beside every piece of the other.

They are a claim and its evidence, or a question and what may answer it. The network for English is made of MPNet (Song
et al. 2020, arXiv:2004.09297), the smaller one for every other language of the encoder's own backbone; all layers that
ship of either were trained on (``training/reader``).
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from footnoted.models.files import END, ENGLISH, START, Shared

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

LONGEST = 256  # pieces of claim, evidence and marks together; it was trained on no more
_CHARACTERS = 8_000  # of either side more than this is never read


@dataclass(frozen=True, slots=True)
class Reading:
    """Probabilities of the three ways; they sum to one.

    ``offsets`` (t, 2) are the places of the claim's pieces in code points, ``doubts`` (t,) how doubtful each is.
    ``whole`` is false where claim or evidence was longer than could be read.
    """

    contradicted: float
    neither: float
    carried: float
    offsets: NDArray[np.int32]
    doubts: NDArray[np.float32]
    whole: bool


class Reader:
    """Says what evidence makes of a claim, of which of its words there is doubt, and whether a text answers a question.

    ``folder`` holds the network with its tokenizer and word table: without one that for English,
    `footnoted.models.EVERY_LANGUAGE` that for any. `load` gives the process's own; safe to call from any thread.
    """

    _loaded: ClassVar[dict[Path, Reader]] = {}
    _loading: ClassVar[threading.Lock] = threading.Lock()

    def __init__(self, folder: Path | None = None) -> None:
        self._shared = Shared.of(folder or ENGLISH)
        self._session = self._shared.session("reader.onnx")

    @classmethod
    def load(cls, folder: Path | None = None) -> Reader:
        """The process's shared one, opened on the first call. Raises `ModelUnavailable`."""
        where = folder or ENGLISH
        with cls._loading:
            if where not in cls._loaded:
                cls._loaded[where] = cls(where)
            return cls._loaded[where]

    def answers(self, question: str, text: str) -> float:
        """The chance (0–1) that the text, cut at the end where it is too long, answers the question."""
        (chances,), _, _ = self._outputs(["answers"], self._pieces(question)[0], self._pieces(text)[0])
        return float(chances[0])

    def read(self, claim: str, evidence: str) -> Reading:
        """What the evidence, cut at the end where it is too long, makes of the claim."""
        from footnoted.native import numpy as np

        own, offsets = self._pieces(claim)
        (ways, doubts), read, whole = self._outputs(["ways", "doubts"], own, self._pieces(evidence)[0])
        contradicted, neither, carried = (float(p) for p in ways[0])
        return Reading(
            contradicted,
            neither,
            carried,
            np.asarray(offsets[:read], dtype=np.int32).reshape(-1, 2),
            doubts[0, 1 : 1 + read],
            whole and max(len(claim), len(evidence)) <= _CHARACTERS,
        )

    def _outputs(
        self, outputs: list[str], own: Sequence[int], theirs: Sequence[int]
    ) -> tuple[list[NDArray[np.float32]], int, bool]:
        """What the network finds of two texts in pieces; how many of the first were read, and whether all of both."""
        from footnoted.native import numpy as np

        head = [START, *own[: LONGEST // 2], END, END]
        tail = [*theirs[: LONGEST - len(head) - 1], END]
        kinds = np.asarray([[0] * len(head) + [1] * len(tail)], dtype=np.int64)
        words = self._shared.words([*head, *tail])[None]
        mask = np.ones((1, words.shape[1]), dtype=np.float32)
        found = self._session.run(outputs, {"words": words, "mask": mask, "kinds": kinds})
        read = len(head) - 3
        return found, read, read == len(own) and len(tail) == len(theirs) + 1

    def _pieces(self, text: str) -> tuple[list[int], list[tuple[int, int]]]:
        valid = text[:_CHARACTERS].encode("utf-8", "replace").decode("utf-8")
        encoded = self._shared.tokenizer.encode(valid, add_special_tokens=False)
        return encoded.ids, encoded.offsets
