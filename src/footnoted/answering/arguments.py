"""Looks at a generator's arguments when it is made, so that what is wrong is named before anything is asked."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from footnoted.errors import ConfigurationError
from footnoted.types import Deadlines, Retry


def deadlines_of(given: Any) -> Deadlines:
    """The limits a caller means, each a number of seconds above 0, or None."""
    deadlines: Deadlines = _fields(Deadlines, given, "deadlines")
    for name in Deadlines.__dataclass_fields__:
        if (value := getattr(deadlines, name)) is not None:
            number(value, f"deadlines: {name}", above=0, what="seconds above 0, or None")
    return deadlines


def retry_of(given: Any) -> Retry:
    """How often to ask again, as a caller means it."""
    retry: Retry = _fields(Retry, given, "retry")
    whole(retry.attempts, "retry: attempts")
    for name in ("base", "cap"):
        number(getattr(retry, name), f"retry: {name}", what="seconds, 0 or more")
    return retry


def number(value: Any, name: str, *, what: str, above: float | None = None) -> float:
    """The number given, if it is at least 0, or more than ``above``."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not (value >= 0 if above is None else value > above):
        raise ConfigurationError(f"{name} is a number of {what}; got {value!r}")
    return float(value)


def whole(value: Any, name: str) -> int:
    """The number given, if it is a whole one from 1 on."""
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise ConfigurationError(f"{name} is a whole number from 1 on; got {value!r}")
    return value


def one_of(value: Any, known: tuple[str, ...], name: str) -> Any:
    """The value given, if it is none or among those known."""
    if value is not None and value not in known:
        raise ConfigurationError(f"{name} is one of {', '.join(known)}; got {value!r}")
    return value


def folder(templates: str | Path | None) -> Path | None:
    """The folder of prompt templates, if there is such."""
    if templates is None:
        return None
    found = Path(templates)
    if not found.is_dir():
        raise ConfigurationError(f"templates: {found} is not a folder")
    return found


def _fields(kind: Any, given: Any, name: str) -> Any:
    if given is None:
        return kind()
    if isinstance(given, kind):
        return given
    try:
        return kind(**given)
    except TypeError:
        known = ", ".join(kind.__dataclass_fields__)
        raise ConfigurationError(f"{name} takes {known}; got {given!r}") from None
