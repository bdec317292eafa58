"""Reads a claim and its evidence together, every piece of one beside every piece of the other, and says what holds.

The encoder's network, all its layers trained on claims and questions (``training/reader``), with three heads: carried,
contradicted or neither; whether a passage answers a question; and how doubtful each piece of the claim is.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from footnoted.models.files import END, START, Shared

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

LONGEST = 256  # pieces of claim, evidence and marks together; it was trained on no more
_CHARACTERS = 8_000  # of either side more than this is never read


@dataclass(frozen=True, slots=True)
class Reading:
    """Probabilities of the three ways (they sum to one), and of the evidence answering the claim as a question.

    ``offsets`` (t, 2) are the places of the claim's pieces in code points, ``doubts`` (t,) how doubtful each is.
    ``whole`` is false where claim or evidence was longer than could be read.
    """

    contradicted: float
    neither: float
    carried: float
    answers: float
    offsets: NDArray[np.int32]
    doubts: NDArray[np.float32]
    whole: bool


class Reader:
    """One model in memory. Get the process's own with `Reader.load`; safe to call from any thread."""

    _loaded: ClassVar[dict[Path | None, Reader]] = {}
    _loading: ClassVar[threading.Lock] = threading.Lock()

    def __init__(self, folder: Path | None = None) -> None:
        self._shared = Shared.of(folder)
        self._session = self._shared.session("reader.onnx")

    @classmethod
    def load(cls, folder: Path | None = None) -> Reader:
        """The process's shared reader, opened on the first call. Raises `ModelUnavailable`."""
        with cls._loading:
            if folder not in cls._loaded:
                cls._loaded[folder] = cls(folder)
            return cls._loaded[folder]

    def length(self, text: str) -> int:
        """How many pieces the text has, to fill `LONGEST` with."""
        return len(self._pieces(text)[0])

    def read(self, claim: str, evidence: str) -> Reading:
        """What the evidence, cut at the end where it is too long, makes of the claim or question."""
        from footnoted.native import numpy as np

        own, offsets = self._pieces(claim)
        theirs, _ = self._pieces(evidence)
        head = [START, *own[: LONGEST // 2], END, END]
        tail = [*theirs[: LONGEST - len(head) - 1], END]
        kinds = np.asarray([[0] * len(head) + [1] * len(tail)], dtype=np.int64)
        words = self._shared.words([*head, *tail])[None]
        mask = np.ones((1, words.shape[1]), dtype=np.float32)
        ways, answers, doubts = self._session.run(None, {"words": words, "mask": mask, "kinds": kinds})
        read = len(head) - 3
        contradicted, neither, carried = (float(p) for p in ways[0])
        return Reading(
            contradicted,
            neither,
            carried,
            float(answers[0]),
            np.asarray(offsets[:read], dtype=np.int32).reshape(-1, 2),
            doubts[0, 1 : 1 + read],
            read == len(own) and len(tail) == len(theirs) + 1 and max(len(claim), len(evidence)) <= _CHARACTERS,
        )

    def _pieces(self, text: str) -> tuple[list[int], list[tuple[int, int]]]:
        valid = text[:_CHARACTERS].encode("utf-8", "replace").decode("utf-8")
        encoded = self._shared.tokenizer.encode(valid, add_special_tokens=False)
        return encoded.ids, encoded.offsets
