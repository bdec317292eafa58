"""Lets a package list its public names and open the module behind one only when that name is first used."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from types import FrameType
from typing import Any


def _helps() -> bool:
    """Whether it is `pydoc` that wants to know the names."""
    asking: FrameType | None = sys._getframe(2)  # noqa: SLF001 - pydoc → inspect → __dir__ → here
    while asking is not None and asking.f_globals.get("__name__") == "inspect":
        asking = asking.f_back
    return asking is not None and asking.f_globals.get("__name__") == "pydoc"


def lazily(
    package: str, modules: Mapping[str, tuple[str, ...]]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """``__getattr__`` and ``__dir__`` (PEP 562) for a package, given each module's public names.

    Modules are named from the package on: ``{"answering.risk": ("Risk",)}``. Importing the package stays light, and
    an extra that a module needs is asked for only by who uses that module.
    """
    home = {name: f"{package}.{module}" for module, names in modules.items() for name in names}

    def get(name: str) -> Any:
        if name not in home:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(home[name]), name)
        setattr(sys.modules[package], name, value)
        return value

    def names() -> list[str]:
        own = set(vars(sys.modules[package]))
        # help() writes out every member of every class it is shown, 5,700 lines for footnoted: it is shown the
        # package's docstring, which names them, and the class when that is asked for.
        return sorted(own - set(home) if _helps() else own | set(home))

    return get, names
