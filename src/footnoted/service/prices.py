"""Computes what a model's tokens cost, in billionths of the operator's currency."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from footnoted.contract import TokenUsage

ANY = "*"
_PARTS = 1_000  # billionths a token, at one unit of the currency a million tokens

Amount = Annotated[float, Field(ge=0)]


class Price(BaseModel):
    """What a million tokens cost. ``cached``: of those read from the provider's cache, the same as others if left out.

    >>> Price(input=0.25, output=2).of(TokenUsage(input=1_000_000, output=10)) / 1e9
    0.25002
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    input: Amount
    output: Amount
    cached: Amount | None = None

    def of(self, usage: TokenUsage) -> int:
        """Billionths, the model's own checks included."""
        cached = self.input if self.cached is None else self.cached
        read = usage.input - usage.cached + usage.judge.input
        written = usage.output + usage.judge.output
        return round((max(0, read) * self.input + usage.cached * cached + written * self.output) * _PARTS)


def price_of(prices: Mapping[str, Price], *models: str | None) -> Price | None:
    """The price of the first model that has one; ``*`` is the price of all others."""
    return next((prices[model] for model in (*models, ANY) if model is not None and model in prices), None)
