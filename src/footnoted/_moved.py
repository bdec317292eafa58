"""Packages under the names they had before, for one version: each import of one warns and opens the package of today.

The hard thing is that both names must give the same modules, or an `isinstance` across them would be false.
"""

from __future__ import annotations

import sys
import warnings
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_loader
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def moved(old: str, new: str) -> None:
    """In the ``__init__`` of the package ``old``: whatever is imported from it is ``new``'s."""
    told = f"{old} is {new} now; the old name goes with the next version"
    warnings.warn(told, DeprecationWarning, stacklevel=3)  # at whoever imports it; `warnings` passes importlib over
    today = import_module(new)
    vars(sys.modules[old])["__getattr__"] = lambda name: getattr(today, name)
    sys.meta_path.insert(0, _Moved(f"{old}.", f"{new}."))


class _Moved(MetaPathFinder, Loader):
    """Finds ``old.x`` as ``new.x``, the very module."""

    def __init__(self, old: str, new: str) -> None:
        self._old, self._new = old, new
        self._own: dict[str, ModuleSpec | None] = {}

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """A spec for names under the old one."""
        del path, target
        return spec_from_loader(fullname, self) if fullname.startswith(self._old) else None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """The module of today, which the import system is about to give another spec."""
        module = import_module(self._new + spec.name.removeprefix(self._old))
        self._own[spec.name] = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        """It has run already; its own spec comes back."""
        if module.__spec__ is not None:
            module.__spec__ = self._own.pop(module.__spec__.name, module.__spec__)
