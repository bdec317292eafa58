"""The one clock of a reply, which every call asks how much time is left."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Clock:
    """A moment of the event loop's time by which all must be done."""

    until: float

    @classmethod
    def of(cls, seconds: float) -> Clock:
        """A clock that runs out in so many seconds."""
        return cls(asyncio.get_running_loop().time() + seconds)

    @property
    def left(self) -> float:
        """Seconds left, never negative."""
        return max(0.0, self.until - asyncio.get_running_loop().time())
