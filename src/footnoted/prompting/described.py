"""Writes what a source tells of itself besides its words (date, author, page) on one bounded line."""

from __future__ import annotations

from datetime import date, time
from decimal import Decimal
from typing import Any
from uuid import UUID

from footnoted.inert import on_one_line
from footnoted.types import Source

_MOST = 12  # fields
_LONGEST_NAME, _LONGEST_VALUE = 40, 120  # code points
_UUID_DIGITS = 32
_READ = 1_000  # code points of a value that are looked at
# Where our own readers of files found a passage, and how it was ranked: places for programs, not for a model.
_OF_OUR_READERS = frozenset({"document_id", "start", "end", "lead", "kind", "format", "continued", "bm25", "line"})


def described(source: Source) -> str:
    """The scalar fields of a source's metadata that its title does not say already, in their order.

    >>> from footnoted.types import Source
    >>> described(Source("a", "…", title="Terms", metadata={"title": "Terms", "year": 2019, "superseded": True}))
    'year: 2019; superseded: true'
    """
    passed_over = _OF_OUR_READERS if "section_hierarchy" in source.metadata else frozenset()
    title = on_one_line(source.title).casefold()
    told: list[str] = []
    for name, value in source.metadata.items():
        words = on_one_line(_in_words(value)[:_READ])
        if not words or name in passed_over or words.casefold() in title:
            continue
        told.append(f"{on_one_line(str(name)[:_READ])[:_LONGEST_NAME]}: {words[:_LONGEST_VALUE]}")
        if len(told) == _MOST:
            break
    return "; ".join(told)


def _in_words(value: Any) -> str:
    """A scalar as a reader writes it; nothing for what is none, or is a mere identifier."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, date | time):
        return value.isoformat()
    if not isinstance(value, str | int | float | Decimal):
        return ""
    words = str(value)
    if len(words) < _UUID_DIGITS:
        return words
    try:
        UUID(words)
    except ValueError:
        return words
    return ""
