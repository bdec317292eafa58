"""Numbers, days and years as texts write them."""

from __future__ import annotations

_CENTURIES = ("19", "20")


def is_year(word: str) -> bool:
    """Whether a word is a year that people speak of.

    >>> is_year("2026"), is_year("3026"), is_year("20th")
    (True, False, False)
    """
    return len(word) == len("2026") and word.isdecimal() and word.startswith(_CENTURIES)


def is_day(word: str) -> bool:
    """Whether a word is a day as ISO 8601 writes it; the calendar need not have it.

    >>> is_day("2026-11-09"), is_day("2026-W45-1")
    (True, False)
    """
    year, month, day = word.split("-") if word.count("-") == 2 else ("", "", "")
    return (len(year), len(month), len(day)) == (4, 2, 2) and (year + month + day).isdecimal()
