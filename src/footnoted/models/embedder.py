"""One vector a text, alike for texts about the same thing in any of a hundred languages: multilingual-e5-small.

12 layers, 384 wide (Wang et al. 2024, arXiv:2402.05672), vocabulary pruned to 100,000 pieces. It was trained with a
word before each text that says whether it asks or is asked for; hence `Embedder.queries` and `Embedder.passages`. Each
text runs alone: dynamic int8 scales its activations over a whole batch, in which a text's vector would depend on its
neighbours.
"""

from __future__ import annotations

import hashlib
import os
import threading
from collections import OrderedDict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from footnoted.models.files import DIMENSIONS, END, START, Shared

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

_WINDOW = 254  # pieces read at once, the two marks not counted
_WINDOWS = 4  # of a longer text so many windows are read, evenly spread
_KEPT = 20_000  # vectors kept, 1.5 kB each


class Embedder:
    """One model in memory. Get the process's own with `Embedder.load`; safe to call from any thread."""

    _loaded: ClassVar[dict[Path | None, Embedder]] = {}
    _loading: ClassVar[threading.Lock] = threading.Lock()

    def __init__(self, folder: Path | None = None, *, threads: int = 2) -> None:
        self._shared = Shared.of(folder)
        self._session = self._shared.session("encoder.onnx")
        self._threads = max(1, threads)
        self._pool: ThreadPoolExecutor | None = None
        self._pool_pid = 0
        self._kept: OrderedDict[bytes, NDArray[np.float32]] = OrderedDict()
        self._lock = threading.Lock()

    @classmethod
    def load(cls, folder: Path | None = None) -> Embedder:
        """The process's shared encoder, opened on the first call. Raises `ModelUnavailable`."""
        with cls._loading:
            if folder not in cls._loaded:
                cls._loaded[folder] = cls(folder)
            return cls._loaded[folder]

    def queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Questions, or texts to be compared with one another, as vectors of length one, (n, 384)."""
        return self._vectors([f"query: {text}" for text in texts])

    def passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Texts that may answer, as vectors of length one, (n, 384); the dot product with a query is its likeness."""
        return self._vectors([f"passage: {text}" for text in texts])

    def _vectors(self, texts: list[str]) -> NDArray[np.float32]:
        from footnoted.native import numpy as np

        if not texts:
            return np.zeros((0, DIMENSIONS), dtype=np.float32)
        keys = [hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest() for text in texts]
        found: dict[bytes, NDArray[np.float32]] = {}
        with self._lock:
            for key in keys:
                if key in self._kept:
                    self._kept.move_to_end(key)
                    found[key] = self._kept[key]
        wanted = {key: text for key, text in zip(keys, texts, strict=True) if key not in found}
        if len(wanted) > 1 and self._threads > 1:
            made = list(self._workers().map(self._vector, wanted.values()))
        else:
            made = [self._vector(text) for text in wanted.values()]
        with self._lock:
            for key, vector in zip(wanted, made, strict=True):
                found[key] = self._kept[key] = vector
            while len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        return np.stack([found[key] for key in keys])

    def _workers(self) -> ThreadPoolExecutor:
        with self._lock:
            if self._pool is None or self._pool_pid != os.getpid():  # threads do not survive a fork
                self._pool = ThreadPoolExecutor(self._threads, thread_name_prefix="footnoted-embedder")
                self._pool_pid = os.getpid()
            return self._pool

    def _vector(self, text: str) -> NDArray[np.float32]:
        from footnoted.native import numpy as np

        most = 12 * _WINDOW * _WINDOWS  # characters beyond which no piece would be read
        head = text if len(text) <= most else text[:most]
        ids = self._shared.tokenizer.encode(
            head.encode("utf-8", "replace").decode("utf-8"), add_special_tokens=False
        ).ids
        total = np.zeros(DIMENSIONS, dtype=np.float32)
        for start in _starts(len(ids)):
            piece = [START, *ids[start : start + _WINDOW], END]
            words = self._shared.words(piece)[None]
            mask = np.ones((1, len(piece)), dtype=np.float32)
            total += self._session.run(None, {"words": words, "mask": mask})[0][0] * len(piece)
        return total / max(float(np.linalg.norm(total)), 1e-9)


def _starts(count: int) -> list[int]:
    """Where windows begin: one after another, or evenly spread where a text is longer than all of them."""
    needed = max(1, -(-count // _WINDOW))
    if needed <= _WINDOWS:
        return [i * _WINDOW for i in range(needed)]
    return [i * (count - _WINDOW) // (_WINDOWS - 1) for i in range(_WINDOWS)]
