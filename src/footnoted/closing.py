"""What is closed at the end of an ``async with``: whatever keeps connections, files or children until `aclose`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Self


class Closing(ABC):
    """Gives itself to an ``async with``, at the end of which it is closed."""

    @abstractmethod
    async def aclose(self) -> None:
        """Close what is open; a second time does no harm."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()
