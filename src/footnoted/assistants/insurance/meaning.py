"""Measures how near sentences of policies come to a question in meaning, whatever their words.

A customer says "hotel", the policy "overnight stay": their vectors meet where their words do not.
"""

from __future__ import annotations

import logging
import threading
from typing import TYPE_CHECKING

from footnoted.models import ModelUnavailable
from footnoted.retrieval.relevance import read

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from footnoted.retrieval.relevance import Meaning, Sentence
    from footnoted.types import Source

_READ_AHEAD = 150_000  # code points of policies that are read for their meaning at the first question, in some 5 s
_UNREAD = frozenset({"heading", "header", "rule"})  # these lend their words to what stands under them
_UNRELATED = 0.75  # the cosine of a question and what has nothing to do with it


log = logging.getLogger(__name__)


def nearness(meaning: Meaning, question: str, texts: Sequence[str]) -> list[float]:
    """How near each text comes to a question: 0 is unrelated, 1 the same. Raises `ModelUnavailable`."""
    return _near(meaning.passages(texts), meaning.queries([question])[0])


def _near(vectors: NDArray[np.float32], asked: NDArray[np.float32]) -> list[float]:
    near: list[float] = ((vectors @ asked - _UNRELATED) / (1 - _UNRELATED)).tolist()
    return near


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
        """By id, how near the nearest sentence of a section comes.

        Of sections not read ahead only those ``worded`` are heard. Nothing where the encoder cannot run, which the
        log tells once.
        """
        if not (self._can_read and question and self._sources):
            return {}
        try:
            own, vectors = self._all() if self._whole else self._vectors(worded)
            near = _near(vectors, self._meaning.queries([question])[0])
        except ModelUnavailable as error:
            log.warning("sections are found by words alone: %s", error)
            self._can_read = False
            return {}
        found: dict[str, float] = {}
        for id_, one in zip(own, near, strict=True):
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
        return [id_ for id_, _ in told], self._meaning.passages([text for _, text in told])


def in_place(source: Source, sentence: Sentence) -> str:
    """A sentence as it is read for its meaning: its headings, what leads to it, then its words."""
    data = source.metadata
    above = " › ".join(map(str, data.get("section_hierarchy") or (data.get("product_name") or source.title,)))
    leads = " ".join(source.text[lead.start : lead.end] for lead in sentence.leads)
    return f"{above}: {f'{leads} {sentence.text}'.strip()}"


def read_in_place(source: Source) -> list[str]:
    """Every sentence of a section as it is read for its meaning."""
    return [in_place(source, one) for one in read(source) if one.kind not in _UNREAD]
