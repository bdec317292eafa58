"""A question and sentences of policies in; how near each comes to it in meaning, whatever its words, out.

A customer says "hotel", the policy "overnight stay": their vectors meet where their words do not.
"""

from __future__ import annotations

import hashlib
import logging
import threading
from collections import OrderedDict
from functools import cache
from typing import TYPE_CHECKING

from footnoted.encoder import Encoder, EncoderUnavailable, products
from footnoted.relevance import read

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from footnoted.relevance import Sentence
    from footnoted.types import Source

_KEPT = 20_000  # sentences remembered, 15 MB of vectors
_READ_AHEAD = 150_000  # code points of policies that are read for their meaning at the first question, in some 5 s
_UNREAD = frozenset({"heading", "header", "rule"})  # these lend their words to what stands under them


log = logging.getLogger(__name__)


class Meaning:
    """The vectors of sentences, each read once; safe to call from any thread.

    ``encoder`` is the package's own unless given.
    """

    def __init__(self, encoder: Encoder | None = None) -> None:
        self._encoder = encoder
        self._kept: OrderedDict[bytes, NDArray[np.float16]] = OrderedDict()
        self._lock = threading.Lock()

    def nearness(self, question: str, texts: Sequence[str]) -> NDArray[np.float32]:
        """The cosine of a question and each text, (n,). Raises `EncoderUnavailable` where the encoder cannot run."""
        near: NDArray[np.float32] = products(self.vectors(texts), self.vectors([question]))[:, 0]
        return near

    def vectors(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One vector of length one a text, (n, 384). Raises `EncoderUnavailable` where the encoder cannot run."""
        from footnoted.native import numpy as np

        keys = [hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest() for text in texts]
        with self._lock:
            found = {key: self._kept[key] for key in keys if key in self._kept}
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in found}
        if missing:
            encoder = self._encoder or Encoder.load()
            made = encoder.sentences(list(missing.values())).astype(np.float16)
            found.update(zip(missing, made, strict=True))
        with self._lock:
            for key in keys:
                self._kept[key] = found[key]
                self._kept.move_to_end(key)
            while len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        return np.array([found[key] for key in keys], dtype=np.float32).reshape(len(keys), -1)


class Shelf:
    """Sections, found by the meaning of their sentences; these are read at the first question.

    ``sources`` that hold more than ``read_ahead`` code points are not all read: words choose among them first.
    """

    def __init__(self, sources: Sequence[Source], meaning: Meaning, *, read_ahead: int = _READ_AHEAD) -> None:
        self._sources = {source.id: source for source in sources}
        self._meaning = meaning
        self._can_read = True
        self._whole = sum(len(source.text) for source in sources) <= read_ahead
        self._read: tuple[list[str], NDArray[np.float32]] | None = None
        self._lock = threading.Lock()

    def nearness(self, question: str, worded: Iterable[str]) -> dict[str, float]:
        """By id, how near the nearest sentence of a section comes: a cosine.

        Of sections not read ahead only those ``worded`` are heard. Nothing where the encoder cannot run, which the
        log tells once.
        """
        if not (self._can_read and question and self._sources):
            return {}
        try:
            own, vectors = self._all() if self._whole else self._vectors(worded)
            near = products(vectors, self._meaning.vectors([question]))[:, 0]
        except EncoderUnavailable as error:
            log.warning("sections are found by words alone: %s", error)
            self._can_read = False
            return {}
        found: dict[str, float] = {}
        for id_, one in zip(own, near.tolist(), strict=True):
            found[id_] = max(found.get(id_, 0.0), one)
        return found

    def _all(self) -> tuple[list[str], NDArray[np.float32]]:
        with self._lock:
            if self._read is None:
                self._read = self._vectors(self._sources)
            return self._read

    def _vectors(self, ids: Iterable[str]) -> tuple[list[str], NDArray[np.float32]]:
        """The vector of every sentence of these sections, and whose it is."""
        told = [(id_, text) for id_ in ids for text in read_in_place(self._sources[id_])]
        return [id_ for id_, _ in told], self._meaning.vectors([text for _, text in told])


def in_place(source: Source, sentence: Sentence) -> str:
    """A sentence as it is read for its meaning: its product and headings, what leads to it, then its words."""
    data = source.metadata
    product = str(data.get("product_name") or data.get("title") or source.title)
    above = " › ".join(filter(None, (product, *map(str, data.get("section_hierarchy") or ()))))
    leads = " ".join(source.text[lead.start : lead.end] for lead in sentence.leads)
    return f"{above}: {f'{leads} {sentence.text}'.strip()}"


def read_in_place(source: Source) -> list[str]:
    """Every sentence of a section as it is read for its meaning."""
    return [in_place(source, one) for one in read(source) if one.kind not in _UNREAD]


@cache
def shipped() -> Meaning:
    """The process's own, with the package's encoder, opened at the first question."""
    return Meaning()
