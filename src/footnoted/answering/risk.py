"""Finds the score a sentence must reach so that at most a given share of the sentences shown is wrong."""

from __future__ import annotations

from dataclasses import dataclass

from footnoted.errors import ConfigurationError


@dataclass(frozen=True, slots=True)
class Risk:
    """At most this ``share`` (0–1) of the sentences shown may be ones the sources do not carry.

    The score that keeps to it is read off the shipped risk–coverage curve, measured on natural claims of which half are
    false; `docs/checking.md` says how far to trust it. Raises `ConfigurationError` for a share that no score on it
    keeps to, and says which is the least that can be kept.
    """

    share: float

    def __post_init__(self) -> None:
        if not 0 < self.share < 1:
            raise ConfigurationError(f"Risk takes a share between 0 and 1, such as Risk(0.2); got {self.share}")
        kept = min(risk for _, risk, _ in _curve())
        if self.share < kept:
            raise ConfigurationError(
                f"Risk({self.share:g}) cannot be kept: on the claims the check was measured on, no score leaves fewer "
                f"wrong sentences than Risk({kept:g})"
            )

    @property
    def least(self) -> float:
        """The lowest score whose risk is within ``share``."""
        return next(score for score, risk, _ in _curve() if risk <= self.share)

    @property
    def coverage(self) -> float:
        """The share of labelled claims that reach that score."""
        least = self.least
        return next(coverage for score, _, coverage in _curve() if score >= least)


def _curve() -> tuple[tuple[float, float, float], ...]:
    from footnoted.grounding.gate import Gate

    return Gate.load().curve
