"""Answers questions over HTTP, so that an answer outlives its reader. `create_app` makes the application."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from footnoted.errors import ConfigurationError

if TYPE_CHECKING:
    from footnoted.service.app import create_app as create_app
    from footnoted.service.settings import Settings as Settings

__all__ = ["Settings", "create_app"]

_HOMES = {"create_app": "footnoted.service.app", "Settings": "footnoted.service.settings"}


def __getattr__(name: str) -> Any:
    """The names of this room, imported when first used; the extra is named when it is missing."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    try:
        return getattr(import_module(_HOMES[name]), name)
    except ModuleNotFoundError as error:
        if error.name and error.name.startswith("footnoted"):
            raise
        raise ConfigurationError(
            f"the service needs {error.name}, which is not installed; run: pip install 'footnoted[service]'"
        ) from error
