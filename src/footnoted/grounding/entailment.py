"""The states of a claim and of its evidence in; whether they carry it, and how doubtful each token is, out.

A small network reads the claim with the evidence beside it: the claim's token states (layer 3 of the encoder) pass
three more layers that attend to the claim itself and to the evidence's states, which stay as they were encoded, so
that a source is read once for all claims (cf. MacAvaney et al. 2020, PreTTR). Made by ``training/fit_reader.py``.
"""

from __future__ import annotations

import hashlib
import json
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from footnoted.encoder import EncoderUnavailable
from footnoted.grounding.reading import FITTED

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from footnoted.encoder import Encoded

_SLOTS = 5  # evidence sentences that are told apart by rank
_FIRST_WORD = 200  # vocabulary numbers below are marks and single characters


@dataclass(frozen=True, slots=True)
class Entailment:
    """Logits of carried · contradicted · neither, and for every token of the claim a logit that it is unsupported."""

    carried: float
    contradicted: float
    neither: float
    doubts: NDArray[np.float32]


class Reader:
    """The network in memory; get the process's own with `Reader.load`. Safe to call from any thread."""

    _loaded: ClassVar[dict[Path, Reader]] = {}
    _loading: ClassVar[threading.Lock] = threading.Lock()

    def __init__(self, folder: Path = FITTED) -> None:
        self._session = _open(folder)

    @classmethod
    def load(cls, folder: Path | None = None) -> Reader:
        """The process's shared network, opened on the first call. Raises `EncoderUnavailable`."""
        where = folder or FITTED
        with cls._loading:
            if where not in cls._loaded:
                cls._loaded[where] = cls(where)
            return cls._loaded[where]

    def read(self, claim: Encoded, evidence: Sequence[Encoded]) -> Entailment:
        """What the evidence, best first, makes of the claim. Without evidence: neither."""
        import numpy as np

        if not evidence or len(claim.ids) <= 2:
            return Entailment(-9.0, -9.0, 9.0, np.full(len(claim.offsets), 9.0, dtype=np.float32))
        ids = np.concatenate([one.ids for one in evidence])
        slots = [np.full(len(one.ids), min(place, _SLOTS)) for place, one in enumerate(evidence, 1)]
        match = (claim.ids[:, None] == ids[None, :]) & (claim.ids[:, None] > _FIRST_WORD)
        logits, doubts = self._session.run(
            None,
            {
                "claim": claim.states.astype(np.float32),
                "evidence": np.concatenate([one.states for one in evidence]).astype(np.float32),
                "slots": np.concatenate(slots).astype(np.int64),
                "match": match.astype(np.float32),
            },
        )
        return Entailment(float(logits[0]), float(logits[1]), float(logits[2]), doubts[1:-1])


def _open(folder: Path) -> Any:
    try:
        import onnxruntime

        weights = (folder / "reader.onnx").read_bytes()
        expected = json.loads((folder / "sha256.json").read_text(encoding="utf-8"))["reader.onnx"]
        if hashlib.sha256(weights).hexdigest() != expected:
            raise EncoderUnavailable("reader.onnx of the check is damaged; install footnoted again")
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        options.enable_cpu_mem_arena = False
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        return onnxruntime.InferenceSession(weights, options, providers=["CPUExecutionProvider"])
    except EncoderUnavailable:
        raise
    except Exception as error:  # onnxruntime raises bare classes of its own
        raise EncoderUnavailable(f"the network of the check cannot be opened: {error}") from error
