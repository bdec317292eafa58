"""Asks several providers in turn and gives the deltas of the first that finds a word."""

from __future__ import annotations

from typing import TYPE_CHECKING

from footnoted.closing import close
from footnoted.errors import ConfigurationError
from footnoted.providers.patience import name_of, patient
from footnoted.types import Deadlines, Retry

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Iterable

    from footnoted.types import Delta, Prompt, Provider


class Fallback:
    """Providers in the order they are asked; the next one takes over when one fails before its first word.

    Under `patient` each is retried on its own and all share one total deadline, a part of which is kept for
    those still to come; asked bare, each gets one try and no deadline.
    """

    def __init__(self, providers: Iterable[Provider]) -> None:
        self.providers: list[Provider] = []
        for provider in providers:
            self.providers += getattr(provider, "providers", None) or [provider]
        if not self.providers:
            raise ConfigurationError("Fallback needs at least one provider")
        self.name = "+".join(map(name_of, self.providers))

    @property
    def model(self) -> str | None:
        """The first provider's model."""
        return getattr(self.providers[0], "model", None)

    def stream(self, prompt: Prompt) -> AsyncGenerator[Delta]:
        """The reply of the first provider that gives one; `ProviderError` of the last when none does."""
        return patient(self, prompt, deadlines=Deadlines(None, None, None), retry=Retry(attempts=1))

    async def aclose(self) -> None:
        """Close every provider that can be closed."""
        await close(*self.providers)

    def __repr__(self) -> str:
        return f"Fallback({self.providers!r})"
