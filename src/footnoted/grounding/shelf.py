"""Keeps the passages of the sources seen last, so that a source is cut into sentences once for all its claims."""

from __future__ import annotations

import threading
from collections import OrderedDict

from footnoted.grounding.evidence import Passage, passage
from footnoted.types import Source


class Shelf:
    """Passages by hash of their text, within a budget of characters. Safe to use from any thread."""

    def __init__(self, characters: int = 4_000_000) -> None:
        self._kept: OrderedDict[str, Passage] = OrderedDict()
        self._room = characters
        self._lock = threading.Lock()

    def take(self, source: Source) -> Passage:
        """The passage of a source, cut now or before."""
        with self._lock:
            known = self._kept.get(source.sha256)
            if known is not None:
                self._kept.move_to_end(source.sha256)
                return known
        made = passage(source)
        with self._lock:
            if source.sha256 not in self._kept:
                self._kept[source.sha256] = made
                self._room -= len(source.text)
            while self._room < 0 and len(self._kept) > 1:
                _, dropped = self._kept.popitem(last=False)
                self._room += len(dropped.source.text)
        return made
