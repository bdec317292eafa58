"""Experiments with ways of answering: gives each customer the same variant every time, and compares variants.

The hard thing is to claim no difference that chance explains: shares of helpful answers come with their intervals.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from footnoted.assistants.insurance.citation import CitationStyle
from footnoted.assistants.insurance.desk import Manner
from footnoted.errors import ConfigurationError

_Z = 1.959964  # of a 95 % interval


@dataclass(frozen=True, slots=True)
class Variant:
    """One way of answering, under a name; ``weight`` is its share of customers against the others'."""

    name: str
    manner: Manner = field(default_factory=Manner)
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class Experiment:
    """Variants to be compared. The same customer gets the same one, on every machine, as long as the weights stay."""

    name: str
    variants: tuple[Variant, ...]

    def __post_init__(self) -> None:
        names = [variant.name for variant in self.variants]
        if not names or len(set(names)) < len(names) or not all(v.weight >= 0 for v in self.variants):
            raise ConfigurationError("an experiment needs variants with different names and weights of 0 or more")
        if not sum(variant.weight for variant in self.variants):
            raise ConfigurationError("an experiment needs a variant whose weight is above 0")

    def assign(self, customer: str) -> Variant:
        """The customer's variant: SHA-256 of experiment and customer, read as a place on the line of weights."""
        digest = hashlib.sha256(f"{self.name}\0{customer}".encode("utf-8", "surrogatepass")).digest()
        place = int.from_bytes(digest[:8], "big") / 2**64 * sum(variant.weight for variant in self.variants)
        for variant in self.variants:
            if place < variant.weight:
                return variant
            place -= variant.weight
        return next(variant for variant in reversed(self.variants) if variant.weight)


class _VariantLine(BaseModel):
    """One variant as a file has it."""

    model_config = ConfigDict(extra="forbid")

    name: Annotated[str, Field(min_length=1, max_length=100)]
    weight: Annotated[float, Field(ge=0)] = 1.0
    style: Literal["plain", "short", "formal"] = "plain"
    citation_style: CitationStyle = CitationStyle.NUMBERED
    max_response_length: Annotated[int, Field(ge=50, le=20_000)] = 1_000
    passages: Annotated[int, Field(ge=1, le=50)] = 8


class _ExperimentFile(BaseModel):
    """An experiment as a file has it."""

    model_config = ConfigDict(extra="forbid")

    name: Annotated[str, Field(min_length=1, max_length=100)]
    variants: list[_VariantLine]


def read_experiment(path: Path) -> Experiment:
    """An experiment from a JSON file.

    ``{"name": "tone", "variants": [{"name": "plain"}, {"name": "short", "style": "short", "weight": 1}]}``; a variant
    may set ``style``, ``citation_style``, ``max_response_length``, ``passages`` and its ``weight``. Raises
    `ConfigurationError` with the field that is wrong.
    """
    try:
        told = _ExperimentFile.model_validate_json(path.read_bytes())
    except OSError as error:
        raise ConfigurationError(f"the experiment {path} cannot be read: {error.strerror}") from error
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(map(str, first["loc"])) or "the file"
        raise ConfigurationError(f"the experiment {path}: {place}: {first['msg']}") from error
    return Experiment(
        told.name,
        tuple(
            Variant(line.name, Manner(**line.model_dump(exclude={"name", "weight"})), line.weight)
            for line in told.variants
        ),
    )


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one variant's answers. ``low``–``high``: 95 % interval of the helpful share."""

    variant: str
    answers: int
    refused: int
    degraded: int
    rated: int
    helpful: int
    confidence: float
    latency_ms: float

    @property
    def share(self) -> float:
        """Helpful answers among those rated; 0 when none is."""
        return self.helpful / self.rated if self.rated else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's interval of the share."""
        return wilson(self.helpful, self.rated)


def wilson(successes: int, trials: int) -> tuple[float, float]:
    """Wilson's 95 % interval of a share (Wilson 1927): honest for few trials, never outside 0–1.

    >>> tuple(round(side, 3) for side in wilson(8, 10))
    (0.49, 0.943)
    """
    if not trials:
        return 0.0, 1.0
    share, square = successes / trials, _Z * _Z
    middle = (share + square / (2 * trials)) / (1 + square / trials)
    half = _Z * math.sqrt(share * (1 - share) / trials + square / (4 * trials * trials)) / (1 + square / trials)
    return max(0.0, middle - half), min(1.0, middle + half)


def difference(one: Outcome, other: Outcome) -> tuple[float, float, float]:
    """The other's helpful share less the one's, with Newcombe's 95 % interval (Newcombe 1998, method 10)."""
    (low, high), (other_low, other_high) = one.interval, other.interval
    apart = other.share - one.share
    down = math.hypot(other.share - other_low, high - one.share)
    up = math.hypot(other_high - other.share, one.share - low)
    return apart, max(-1.0, apart - down), min(1.0, apart + up)


def as_json(outcomes: Sequence[Outcome]) -> list[dict[str, Any]]:
    """The outcomes for a machine: every count, the helpful share, its interval, and the difference to the first."""
    told = []
    for outcome in outcomes:
        line: dict[str, Any] = {**asdict(outcome), "helpful_share": outcome.share, "interval": list(outcome.interval)}
        line["against_first"] = None
        if apart := _against_first(outcome, outcomes):
            line["against_first"] = {"difference": apart[0], "interval": list(apart[1:])}
        told.append(line)
    return told


def outcome_rows(outcomes: Sequence[Outcome]) -> list[tuple[str, ...]]:
    """The outcomes for people, a row for each: its counts, the helpful share and the difference to the first."""
    rows = []
    for outcome in outcomes:
        low, high = outcome.interval
        helpful = f"{outcome.share:.0%} ({low:.0%}–{high:.0%})" if outcome.rated else ""
        against = ""
        if apart := _against_first(outcome, outcomes):
            against = "{:+.0f} points ({:+.0f} to {:+.0f})".format(*(100 * each for each in apart))
        counts = (outcome.answers, outcome.refused, outcome.degraded, outcome.rated)
        rows.append((outcome.variant, *map(str, counts), helpful, against, f"{outcome.latency_ms:.0f} ms"))
    return rows


def outcome_table(outcomes: Sequence[Outcome]) -> str:
    """The outcomes as a Markdown table; differences are against the first."""
    lines = [
        "| variant | answers | refused | degraded | rated | helpful (95 % interval) | against the first | latency |",
        "|---|---|---|---|---|---|---|---|",
        *(f"| {' | '.join(cell or '–' for cell in row)} |" for row in outcome_rows(outcomes)),
    ]
    return "\n".join(lines)


def _against_first(outcome: Outcome, outcomes: Sequence[Outcome]) -> tuple[float, float, float] | None:
    """The `difference` of another than the first to it, where both were rated."""
    first = outcomes[0]
    return difference(first, outcome) if outcome is not first and outcome.rated and first.rated else None
