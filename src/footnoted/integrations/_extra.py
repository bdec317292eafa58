"""Raises the error that names the extra which installs a missing library."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def needed(extra: str) -> Iterator[None]:
    """Around the imports of the library that ``footnoted[extra]`` brings."""
    try:
        yield
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            f"this needs {error.name}, which is not installed; run: pip install 'footnoted[{extra}]'", name=error.name
        ) from error
