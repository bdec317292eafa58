"""Closes what keeps connections, files or children until its `aclose`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Self


class Closing(ABC):
    """Gives itself to an ``async with``, at the end of which it is closed."""

    @abstractmethod
    async def aclose(self) -> None:
        """Close what is open; a second time does no harm."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()


async def close(*things: Any) -> None:
    """Close each of these once, if it can be closed."""
    for thing in {id(thing): thing for thing in things}.values():
        aclose = getattr(thing, "aclose", None)
        if aclose is not None:
            await aclose()
