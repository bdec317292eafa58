"""Keeps what was worked out last: a source is cut into sentences once for all its claims, a claim weighed once."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Hashable
from typing import Generic, TypeVar

from footnoted.grounding.evidence import Passage, passage
from footnoted.types import Source

_T = TypeVar("_T")


class Kept(Generic[_T]):
    """Things by key, within a budget; those not asked for the longest go. Safe to use from any thread."""

    def __init__(self, room: int) -> None:
        self._kept: OrderedDict[Hashable, tuple[_T, int]] = OrderedDict()
        self._room = room
        self._lock = threading.Lock()

    def get(self, key: Hashable) -> _T | None:
        """The thing, if it is kept."""
        with self._lock:
            if key not in self._kept:
                return None
            self._kept.move_to_end(key)
            return self._kept[key][0]

    def keep(self, key: Hashable, thing: _T, size: int = 1) -> None:
        """Keep a thing that takes this much of the budget."""
        with self._lock:
            if key not in self._kept:
                self._kept[key] = thing, size
                self._room -= size
            while self._room < 0 and len(self._kept) > 1:
                _, (_, gone) = self._kept.popitem(last=False)
                self._room += gone


class Shelf:
    """Passages by hash of their text, within a budget of characters."""

    def __init__(self, characters: int = 4_000_000) -> None:
        self._kept: Kept[Passage] = Kept(characters)

    def take(self, source: Source) -> Passage:
        """The passage of a source, cut now or before."""
        made = self._kept.get(source.sha256)
        if made is None:
            made = passage(source)
            self._kept.keep(source.sha256, made, len(source.text))
        return made
