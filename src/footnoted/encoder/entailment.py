"""The token states of a claim and of its evidence in; whether they carry it, and how doubtful each token is, out.

A small network sets each token of the claim beside what is nearest to it in the evidence, compares, and reads the
comparison once more in order (cf. Parikh et al. 2016; Chen et al. 2017). Its states are those the encoder keeps, so
a source is read once for all claims. Trained on pairs of sentences by ``training/train_network.py`` it holds questions
against sentences; tuned on labelled claims by ``training/tune_network.py`` it weighs claims.
"""

from __future__ import annotations

import hashlib
import json
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from footnoted.encoder.encoder import EncoderUnavailable
from footnoted.encoder.sessions import open_session

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from footnoted.encoder.encoder import Encoded

NETWORK = Path(__file__).parent / "network" / "claims"
QUESTIONS = Path(__file__).parent / "network" / "questions"
MARKS = 3  # what a token is known by beside its state, see `marks`


@dataclass(frozen=True, slots=True)
class Entailment:
    """Logits of carried · contradicted · neither, and for every token of the claim how doubtful it is."""

    carried: float
    contradicted: float
    neither: float
    doubts: NDArray[np.float32]


class Comparing:
    """The network in memory; get the process's own with `Comparing.load`. Safe to call from any thread."""

    _loaded: ClassVar[dict[Path, Comparing]] = {}
    _loading: ClassVar[threading.Lock] = threading.Lock()

    def __init__(self, folder: Path = NETWORK) -> None:
        self._session = _open(folder)

    @classmethod
    def load(cls, folder: Path | None = None) -> Comparing:
        """The process's shared network, that for claims unless told otherwise, opened on the first call.

        Raises `EncoderUnavailable`.
        """
        where = folder or NETWORK
        with cls._loading:
            if where not in cls._loaded:
                cls._loaded[where] = cls(where)
            return cls._loaded[where]

    def read(self, claim: Encoded, evidence: Sequence[Encoded]) -> Entailment:
        """What the evidence, best first, makes of the claim. Without evidence: neither."""
        from footnoted.native import numpy as np

        if not evidence or len(claim.ids) <= 2:
            return Entailment(-9.0, -9.0, 9.0, np.full(len(claim.offsets), 9.0, dtype=np.float32))
        ids = np.concatenate([one.ids for one in evidence])
        logits, doubts = self._session.run(
            None,
            {
                "claim": claim.states.astype(np.float32)[None],
                "evidence": np.concatenate([one.states for one in evidence]).astype(np.float32)[None],
                "claim_marks": marks(claim.ids, ids)[None],
                "evidence_marks": marks(ids, claim.ids)[None],
            },
        )
        told = logits[0]
        return Entailment(float(told[0]), float(told[1]), float(told[2]), doubts[0, 1:-1])


def marks(mine: NDArray[np.int32], theirs: NDArray[np.int32]) -> NDArray[np.float32]:
    """For each token (t, 3): it stands on the other side; so does it with the next one; with the one before."""
    from footnoted.native import numpy as np

    found = np.zeros((len(mine), MARKS), dtype=np.float32)
    same = mine[:, None] == theirs[None, :]
    found[:, 0] = same.any(axis=1)
    together = (same[:-1, :-1] & same[1:, 1:]).any(axis=1)
    found[:-1, 1] = together
    found[1:, 2] = together
    return found


def _open(folder: Path) -> Any:
    try:
        weights = (folder / "network.onnx").read_bytes()
        expected = json.loads((folder / "sha256.json").read_text(encoding="utf-8"))["network.onnx"]
        if hashlib.sha256(weights).hexdigest() != expected:
            raise EncoderUnavailable("network.onnx of the encoder is damaged; install footnoted again")
        return open_session(weights)
    except EncoderUnavailable:
        raise
    except Exception as error:  # onnxruntime raises bare classes of its own
        raise EncoderUnavailable(f"the network beside the encoder cannot be opened: {error}") from error
