"""Reads clean, bounded texts, lists and times from somebody else's JSON, or says plainly what is missing."""

from __future__ import annotations

import marshal
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import lru_cache
from itertools import islice
from typing import Any

from footnoted.assistants.security.names import framework_key
from footnoted.inert import on_one_line, readable

LINE, TEXT, ID = 500, 8_000, 1_000  # code points a title, a paragraph and an id may have
_MOST = 500  # items of a list
_PLAIN = 2  # the form of `marshal` in which equal values are equal bytes

Mapped = tuple[dict[str, tuple[str, ...]], dict[str, tuple[str, ...]]]  # by the scanner's names, by canonical keys


class NotAFinding(Exception):
    """This record is of a known format and still no finding; the words say what is missing."""


def at(record: Any, *path: str | int) -> Any:
    """The value under a path of keys and positions; ``None`` where there is none."""
    for step in path:
        if isinstance(record, dict):
            record = record.get(step)
        elif isinstance(record, list) and isinstance(step, int) and len(record) > step:
            record = record[step]
        else:
            return None
    return record


def line(value: Any, *, most: int = LINE) -> str:
    """One line of text: no controls, no line breaks, cut; empty for what is no text."""
    if type(value) is str:
        return _line(value[: most * 4], most)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return ""
    return str(value)[:most]


def paragraph(value: Any, *, most: int = TEXT) -> str:
    """A text that may have lines, clean and cut."""
    return _paragraph(value[: most * 2], most) if isinstance(value, str) else ""


def lines(value: Any, *, most: int = _MOST) -> tuple[str, ...]:
    """A list of lines; one text counts as a list of one."""
    items: list[Any] = value if isinstance(value, list) else [value]
    return tuple(one for one in (line(item, most=ID) for item in items[:most]) if one)


# A file says the same words in thousands of records.
@lru_cache(maxsize=16_384)
def _line(value: str, most: int) -> str:
    return on_one_line(value)[:most]


@lru_cache(maxsize=1024)
def _paragraph(value: str, most: int) -> str:
    return readable(value)[:most].strip()


def moment(value: Any) -> datetime | None:
    """A point in time, in UTC, from an ISO text or seconds (or milliseconds) since 1970; without a zone it is UTC."""
    if isinstance(value, bool):
        return None
    try:
        if isinstance(value, int | float):
            return datetime.fromtimestamp(value / 1000 if value > 1e11 else value, UTC)
        if isinstance(value, str) and value:
            found = datetime.fromisoformat(value.strip())
            return (found if found.tzinfo else found.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError, OSError):
        return None
    return None


def mapped_as(compliance: Mapping[Any, Any], *, provider: str) -> Mapped:
    """``{"CIS-1.4": ["1.20"], …}`` as the scanner has it, and under canonical keys, several versions side by side.

    Both bounded, and worked out once for all findings of a check.
    """
    return _mapped_as(marshal.dumps(dict(compliance), _PLAIN), provider)


@lru_cache(maxsize=2048)
def _mapped_as(compliance: bytes, provider: str) -> Mapped:
    told = marshal.loads(compliance)  # noqa: S302 — bytes made above, never a file's
    named = {line(name): lines(ids) for name, ids in islice(told.items(), _MOST) if isinstance(name, str)}
    mapped = {name: ids for name, ids in named.items() if name}
    keyed: dict[str, dict[str, None]] = {}
    for name, ids in mapped.items():
        keyed.setdefault(framework_key(name, provider=provider), {}).update(dict.fromkeys(ids))
    return mapped, {key: tuple(ids)[:_MOST] for key, ids in keyed.items() if key}
