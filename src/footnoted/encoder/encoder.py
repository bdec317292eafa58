"""Texts go in; for each its tokens' offsets, their vectors, and one vector for the whole come out.

The weights are MiniLM-L6 (22 M parameters, int8 by channel), shipped in ``weights/`` and made by
``training/export_encoder.py``. Each text runs alone: dynamic int8 scales its activations over a whole
batch, so in a batch a text's vectors would depend on its neighbours, and a batch gains only 5–10 %.
"""

from __future__ import annotations

import hashlib
import json
import os
import threading
from collections import OrderedDict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from footnoted.encoder.sessions import open_session
from footnoted.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

WEIGHTS = Path(__file__).parent / "weights"
DIMENSIONS = 384
_WINDOW = 254  # tokens a window holds, its two marks not counted
_OVERLAP = 64  # tokens two windows share; each token's vector comes from where it stands more inside
_KEPT_BYTES = 32 * 1024 * 1024


class EncoderUnavailable(ConfigurationError):
    """The encoder cannot run here: a file is missing or damaged, or its libraries are not installed."""


@dataclass(frozen=True, slots=True)
class Encoded:
    """One text read: its tokens' places and states, and one vector of length one for the whole.

    ``offsets`` (t, 2) are code points; ``states`` (t + 2, 384) the tokens' contextual vectors after layer 3,
    between those of the opening and the closing mark; ``ids`` (t + 2,) the vocabulary's numbers; ``whole`` (384,).
    """

    offsets: NDArray[np.int32]
    ids: NDArray[np.int32]
    states: NDArray[np.float16]
    whole: NDArray[np.float32]

    @property
    def vectors(self) -> NDArray[np.float16]:
        """The tokens' own states (t, 384), without the marks."""
        return self.states[1:-1]

    @property
    def nbytes(self) -> int:
        """Bytes the arrays hold."""
        return self.offsets.nbytes + self.ids.nbytes + self.states.nbytes + self.whole.nbytes


class Encoder:
    """One model in memory. Get the process's own with `Encoder.load`; safe to call from any thread."""

    _loaded: ClassVar[dict[Path, Encoder]] = {}
    _loading: ClassVar[threading.Lock] = threading.Lock()

    def __init__(self, folder: Path = WEIGHTS, *, threads: int = 2, kept_bytes: int = _KEPT_BYTES) -> None:
        self._session, self._tokenizer = _open(folder)
        self._threads = max(1, threads)
        self._pool: ThreadPoolExecutor | None = None
        self._pool_pid = 0
        self._kept: OrderedDict[str, Encoded] = OrderedDict()
        self._kept_bytes = 0
        self._most_bytes = kept_bytes
        self._lock = threading.Lock()

    @classmethod
    def load(cls, folder: Path | None = None) -> Encoder:
        """The process's shared encoder, opened on the first call. Raises `EncoderUnavailable`."""
        where = folder or WEIGHTS
        with cls._loading:
            if where not in cls._loaded:
                cls._loaded[where] = cls(where)
            return cls._loaded[where]

    def encode(self, texts: Sequence[str]) -> list[Encoded]:
        """Every text's tokens and vectors, in order. Long texts are read in windows, never cut."""
        keys = [hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest() for text in texts]
        found: dict[str, Encoded] = {}
        with self._lock:
            for key in keys:
                if key in self._kept:
                    self._kept.move_to_end(key)
                    found[key] = self._kept[key]
        wanted = {key: text for key, text in zip(keys, texts, strict=True) if key not in found}
        if len(wanted) > 1 and self._threads > 1:
            made = list(self._workers().map(self._run, wanted.values()))
        else:
            made = [self._run(text) for text in wanted.values()]
        for key, encoded in zip(wanted, made, strict=True):
            found[key] = encoded
            self._keep(key, encoded)
        return [found[key] for key in keys]

    def tokens(self, texts: Sequence[str]) -> list[tuple[NDArray[np.int32], NDArray[np.float16]]]:
        """Offsets (t, 2) and contextual vectors (t, 384) of each text's tokens."""
        return [(encoded.offsets, encoded.vectors) for encoded in self.encode(texts)]

    def sentences(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One vector of length one a text, (n, 384); their dot product is their likeness."""
        from footnoted.native import numpy as np

        if not texts:
            return np.zeros((0, DIMENSIONS), dtype=np.float32)
        return np.stack([encoded.whole for encoded in self.encode(texts)])

    def _workers(self) -> ThreadPoolExecutor:
        with self._lock:
            if self._pool is None or self._pool_pid != os.getpid():  # threads do not survive a fork
                self._pool = ThreadPoolExecutor(self._threads, thread_name_prefix="footnoted-encoder")
                self._pool_pid = os.getpid()
            return self._pool

    def _keep(self, key: str, encoded: Encoded) -> None:
        with self._lock:
            if encoded.nbytes > self._most_bytes or key in self._kept:
                return
            self._kept[key] = encoded
            self._kept_bytes += encoded.nbytes
            while self._kept_bytes > self._most_bytes:
                _, oldest = self._kept.popitem(last=False)
                self._kept_bytes -= oldest.nbytes

    def _run(self, text: str) -> Encoded:
        from footnoted.native import numpy as np

        encoding = self._tokenizer.encode(text, add_special_tokens=False)
        offsets = np.asarray(encoding.offsets, dtype=np.int32).reshape(-1, 2)
        ids = np.asarray([_CLS, *encoding.ids, _SEP], dtype=np.int32)
        count = len(encoding.ids)
        states = np.empty((count + 2, DIMENSIONS), dtype=np.float16)
        total = np.zeros(DIMENSIONS, dtype=np.float32)
        for start, end, first, last in _windows(count):
            inner, whole = self._forward(encoding.ids[start:end])
            total += whole * (end - start + 2)
            low = first if start else first - 1  # the first window keeps its opening mark,
            high = last if end < count else last + 1  # the last one its closing mark
            states[1 + low : 1 + high] = inner[1 + low - start : 1 + high - start]
        return Encoded(offsets, ids, states, total / max(float(np.linalg.norm(total)), 1e-9))

    def _forward(self, ids: list[int]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        from footnoted.native import numpy as np

        row = np.asarray([[_CLS, *ids, _SEP]], dtype=np.int64)
        states, whole = self._session.run(None, {"input_ids": row, "attention_mask": np.ones_like(row)})
        return states[0], whole[0]


def products(one: NDArray[np.float32], other: NDArray[np.float32]) -> NDArray[np.float32]:
    """The dot product of every row of one (n, d) with every row of the other (m, d): (n, m).

    Not by BLAS: its threads spin for a while after each product, which costs more than all the products do, and
    takes the cores from what else runs.
    """
    from footnoted.native import numpy as np

    made: NDArray[np.float32] = np.einsum("ij,kj->ik", one, other)
    return made


_CLS, _SEP = 101, 102  # the marks BERT's vocabulary puts around a text


def _windows(count: int) -> list[tuple[int, int, int, int]]:
    """``(start, end, first, last)``: read tokens start to end, keep the vectors of first to last."""
    if count <= _WINDOW:
        return [(0, count, 0, count)]
    step = _WINDOW - _OVERLAP
    starts = list(range(0, count - _OVERLAP, step))
    spans = []
    for start in starts:
        end = min(start + _WINDOW, count)
        first = 0 if start == 0 else start + _OVERLAP // 2
        last = count if end == count else end - _OVERLAP // 2
        spans.append((start, end, first, last))
    return spans


def _open(folder: Path) -> tuple[Any, Any]:
    try:
        from footnoted.native import onnxruntime, tokenizers  # noqa: F401
    except ImportError as error:
        raise EncoderUnavailable(f"checking by model needs onnxruntime, tokenizers and numpy: {error}") from error
    try:
        sums = json.loads((folder / "sha256.json").read_text(encoding="utf-8"))
        for name, expected in sums.items():
            if hashlib.sha256((folder / name).read_bytes()).hexdigest() != expected:
                raise EncoderUnavailable(f"{name} of the encoder is damaged; install footnoted again")
        session = open_session(folder / "model.onnx")
        tokenizer = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
    except (OSError, ValueError) as error:
        raise EncoderUnavailable(f"the encoder's files in {folder.name}/ cannot be read: {error}") from error
    except EncoderUnavailable:
        raise
    except Exception as error:  # onnxruntime and tokenizers raise bare classes of their own
        raise EncoderUnavailable(f"the encoder cannot be opened: {error}") from error
    return session, tokenizer
