"""Vectors of passages, kept small and found fast: eight bits a number, mapped from disk, compared a block at a time.

The hard thing is that many processes may write. Records are of one size, appended whole and known by a hash of what was
read; a torn or foreign record has a hash that nothing asks for, so it costs its bytes and no answer.
"""

from __future__ import annotations

import contextlib
import threading
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

DIMENSIONS = 384
_BLOCK = 16_384  # records compared at once: 25 MB as floats


def key_of(text: str) -> bytes:
    """The 16 bytes a text's vector is known by."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def mark_of(name: str) -> int:
    """A name (of a document, a conversation) as the number records keep of it."""
    return int.from_bytes(blake2b(name.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")


class Vectors:
    """The vectors of an index's passages, in memory and, with ``path``, on disk. Safe to call from any thread."""

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self._lock = threading.RLock()
        self._blocks: list[NDArray[Any]] = []
        self._rows: dict[bytes, tuple[int, int]] = {}
        if path is not None:
            with contextlib.suppress(OSError, ValueError):
                self._take(_mapped(path))

    def __len__(self) -> int:
        return len(self._rows)

    def __contains__(self, key: bytes) -> bool:
        return key in self._rows

    def add(self, entries: Sequence[tuple[bytes, str, str]], vectors: NDArray[np.float32]) -> None:
        """Keep vectors (n, 384) of length one; an entry is its key, its document and its conversation ("" for none)."""
        from footnoted.native import numpy as np

        block = np.zeros(len(entries), dtype=_record())
        scales = np.abs(vectors).max(axis=1) / 127.0 + 1e-12
        block["key"] = np.frombuffer(b"".join(key for key, _, _ in entries), dtype="V16")
        block["document"] = [mark_of(document) for _, document, _ in entries]
        block["scope"] = [mark_of(scope) for _, _, scope in entries]
        block["scale"] = scales
        block["vector"] = np.rint(vectors / scales[:, None]).astype(np.int8)
        with self._lock:
            self._take(block)
            if self._path is not None:
                with contextlib.suppress(OSError):  # a full disk: they are computed again another time
                    _append(self._path, block)

    def cosines(self, vector: NDArray[np.float32], keys: Iterable[bytes]) -> dict[bytes, float]:
        """How alike a question's vector and each of the texts are whose vectors are known."""
        with self._lock:
            places = [(key, *self._rows[key]) for key in keys if key in self._rows]
            records = [(key, self._blocks[block][row]) for key, block, row in places]
        return {key: float(record["vector"].astype("f4") @ vector) * float(record["scale"]) for key, record in records}

    def nearest(
        self, vector: NDArray[np.float32], k: int, *, documents: Sequence[str] | None, scopes: Sequence[str] | None
    ) -> list[tuple[bytes, float]]:
        """The keys of the ``k`` texts nearest to a question's vector, with their cosines, best first."""
        from footnoted.native import numpy as np

        with self._lock:
            blocks = list(self._blocks)
        best: list[tuple[float, bytes]] = []
        for block in blocks:
            for start in range(0, len(block), _BLOCK):
                part = block[start : start + _BLOCK]
                scores = np.einsum("ij,j->i", part["vector"].astype(np.float32), vector) * part["scale"]
                for field, names in (("document", documents), ("scope", scopes)):
                    if names is not None:
                        marks = np.array([mark_of(name) for name in names], dtype=np.uint64)
                        scores = np.where(np.isin(part[field], marks), scores, -2.0)
                top = np.argpartition(-scores, min(k, len(scores) - 1))[:k]
                best += [(float(scores[i]), part["key"][i].tobytes()) for i in top if scores[i] > -2.0]
        found: dict[bytes, float] = {}
        for score, key in sorted(best, reverse=True):
            found.setdefault(key, score)
        return list(found.items())[:k]

    def keep(self, wanted: Callable[[bytes], bool]) -> None:
        """Forget every vector whose key is not wanted, on disk too."""
        from footnoted.native import numpy as np

        with self._lock:
            kept = [block[[wanted(record["key"].tobytes()) for record in block]] for block in self._blocks]
            self._blocks, self._rows = [], {}
            whole = np.concatenate(kept) if kept else np.zeros(0, dtype=_record())
            self._take(whole)
            if self._path is not None:
                beside = self._path.with_suffix(".new")
                with contextlib.suppress(OSError):
                    beside.write_bytes(whole.tobytes())
                    beside.replace(self._path)

    def _take(self, block: NDArray[Any]) -> None:
        """Take the records in, each once: two processes may both have written to the file what neither found there."""
        rows: dict[bytes, int] = {}
        for row, key in enumerate(block["key"]):
            rows.setdefault(key.tobytes(), row)
        if len(rows) < len(block):
            block = block[list(rows.values())]
        if len(block):
            number = len(self._blocks)
            self._blocks.append(block)
            self._rows |= {key: (number, row) for row, key in enumerate(rows)}


def _record() -> np.dtype[Any]:
    from footnoted.native import numpy as np

    return np.dtype(
        [("key", "V16"), ("document", "<u8"), ("scope", "<u8"), ("scale", "<f4"), ("vector", "i1", (DIMENSIONS,))]
    )


def _mapped(path: Path) -> NDArray[Any]:
    from footnoted.native import numpy as np

    count = path.stat().st_size // _record().itemsize if path.exists() else 0
    return np.memmap(path, dtype=_record(), mode="r", shape=(count,)) if count else np.zeros(0, dtype=_record())


def _append(path: Path, block: NDArray[Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with path.open("ab") as file:
        torn = file.tell() % _record().itemsize
        if torn:  # a write that was cut off: what comes after it must stand at its place again
            file.write(bytes(_record().itemsize - torn))
        file.write(block.tobytes())
