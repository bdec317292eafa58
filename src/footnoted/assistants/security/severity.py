"""Ranks a scanner's word for how grave a finding is, with its mark and the time it leaves you."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum


class Severity(StrEnum):
    """How grave a finding is, gravest first."""

    CRITICAL = "critical"
    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"
    INFORMATIONAL = "informational"

    @property
    def rank(self) -> int:
        """0 for the gravest, so that an ascending order shows it first."""
        return _ORDER.index(self)

    @property
    def mark(self) -> str:
        """The coloured circle a reader sees."""
        return MARKS[self]

    @property
    def label(self) -> str:
        """``CRITICAL``."""
        return self.value.upper()

    @property
    def within(self) -> str:
        """The time in which to act."""
        return TIMES[self]


_ORDER = list(Severity)
MARKS = dict(zip(Severity, "🔴🟠🟡🟢⚪", strict=True))
_TIMES = ("now", "within 24–48 hours", "within 1–2 weeks", "at the next review", "for information")
TIMES = dict(zip(Severity, _TIMES, strict=True))
_WORDS = {severity.value: severity for severity in Severity} | {
    "fatal": Severity.CRITICAL, "moderate": Severity.MEDIUM, "info": Severity.INFORMATIONAL,
}  # fmt: skip


def read_severity(word: object) -> Severity | None:
    """The severity a scanner's word names; ``None`` for a word that names none.

    >>> read_severity("HIGH"), read_severity("Unknown")
    (<Severity.HIGH: 'high'>, None)
    """
    return _WORDS.get(str(word).strip().casefold())


def of_rank(rank: int) -> Severity:
    """The severity of a rank: 0 critical … 4 informational."""
    return _ORDER[min(max(rank, 0), len(_ORDER) - 1)]


def counts_in_words(counts: Mapping[str, int]) -> str:
    """Counts as a reader sees them.

    >>> counts_in_words({"critical": 1, "low": 2})
    '🔴 1 critical, 🟢 2 low'
    """
    return ", ".join(f"{Severity(name).mark} {count} {name}" for name, count in counts.items() if count)
