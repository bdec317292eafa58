"""Opens what lies in ``weights/``: the tokenizer and the word table of a folder once a process, for all its networks.

``weights/`` itself holds the networks that read any language, ``weights/english`` the one that reads English alone. The
hard thing is the word table: 100,000 vectors are 150 MB as floats. They stay in 4 bits (Q4_0: blocks of 32 weights, a
half-precision scale and 16 bytes of two halves) and are read row by row from the mapped file.
"""

from __future__ import annotations

import hashlib
import json
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

from footnoted.errors import ConfigurationError
from footnoted.models.sessions import open_session

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

WEIGHTS = Path(__file__).parent / "weights"
ENGLISH = WEIGHTS / "english"
DIMENSIONS = 384  # of the vectors of `Embedder`
START, PAD, END = 0, 1, 2  # the marks that XLM-R's vocabulary and MPNet's put around a text
_BLOCK = 32  # weights that share a scale

_open: dict[Path, Shared] = {}
_opening = threading.Lock()


def encoder_mark() -> str:
    """What tells the shipped encoder from another: vectors that are kept are another's where it differs."""
    try:
        sums: dict[str, str] = json.loads((WEIGHTS / "sha256.json").read_text(encoding="utf-8"))
        return sums["encoder.onnx"][:4] + sums["words.q4"][:4]
    except (OSError, ValueError, KeyError):  # it cannot be opened either, and says so
        return "none"


class ModelUnavailable(ConfigurationError):
    """A network cannot run here: a file is missing or damaged, or its libraries are not installed."""


class Shared:
    """Tokenizer and word table of a folder. Get them with `Shared.of`; safe to use from any thread."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        try:
            from footnoted.native import numpy as np
            from footnoted.native import tokenizers
        except ImportError as error:
            raise ModelUnavailable(f"the shipped networks need onnxruntime, tokenizers and numpy: {error}") from error
        try:
            self._sums: dict[str, str] = json.loads((folder / "sha256.json").read_text(encoding="utf-8"))
            self.checked("words.q4")
            block = np.dtype([("scale", "<f2"), ("halves", "u1", _BLOCK // 2)])
            table = np.memmap(folder / "words.q4", dtype=block, mode="r")
            self.tokenizer = tokenizers.Tokenizer.from_file(str(self.checked("tokenizer.json")))
            self.tokenizer.no_truncation()
            self.tokenizer.no_padding()
            self._table = table.reshape(self.tokenizer.get_vocab_size(), -1)
        except ModelUnavailable:
            raise
        except Exception as error:  # tokenizers raises bare classes of its own
            raise ModelUnavailable(f"the networks' files in {folder.name}/ cannot be read: {error}") from error

    @classmethod
    def of(cls, folder: Path | None = None) -> Shared:
        """Those of the folder (default: the shipped ones), opened at the first call. Raises `ModelUnavailable`."""
        where = folder or WEIGHTS
        with _opening:
            if where not in _open:
                _open[where] = cls(where)
            return _open[where]

    def checked(self, name: str) -> Path:
        """The file's path, its bytes being those that were shipped. Raises `ModelUnavailable`."""
        path = self.folder / name
        try:
            with path.open("rb") as file:
                found = hashlib.file_digest(file, "sha256").hexdigest()
        except OSError as error:
            raise ModelUnavailable(f"{name} of the shipped networks cannot be read: {error}") from error
        if found != self._sums.get(name):
            raise ModelUnavailable(f"{name} of the shipped networks is damaged; install footnoted again")
        return path

    def session(self, name: str) -> Any:
        """An onnxruntime session of the network. Raises `ModelUnavailable`."""
        try:
            return open_session(self.checked(name), optimised=True)
        except ModelUnavailable:
            raise
        except Exception as error:  # onnxruntime raises bare classes of its own
            raise ModelUnavailable(f"{name} of the shipped networks cannot be opened: {error}") from error

    def words(self, ids: Sequence[int]) -> NDArray[np.float32]:
        """The word vectors of so many pieces, (n, the networks' width)."""
        from footnoted.native import numpy as np

        rows = self._table[np.asarray(ids, dtype=np.int64)]
        halves, scales = rows["halves"], rows["scale"].astype(np.float32)
        both = np.concatenate([halves & 15, halves >> 4], axis=-1).astype(np.float32) - 8.0
        made: NDArray[np.float32] = (both * scales[..., None]).reshape(len(ids), -1)
        return made
