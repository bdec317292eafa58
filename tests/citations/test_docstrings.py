from __future__ import annotations

import doctest
import importlib

from tests.tables import every

MODULES = [
    "blocks",
    "context",
    "gaps",
    "groups",
    "markers",
    "numbers",
    "quotes",
    "spans",
    "stream",
    "styles",
    "trail",
]


@every("name", MODULES)
def test_what_docstrings_show_is_true(name: str):
    """Each example in a docstring gives what it says."""
    failures, _ = doctest.testmod(importlib.import_module(f"footnoted.citations.{name}"))
    assert failures == 0
