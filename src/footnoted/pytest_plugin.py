"""A pytest plugin, there as soon as footnoted is installed: the fixture ``assert_grounded`` for tests without async."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

import pytest


@pytest.fixture(name="assert_grounded")
def _assert_grounded() -> Callable[..., None]:
    """``assert_grounded(answer, sources, least=1.0)``: fails the test and lists what the sources do not carry."""

    def check(answer: Any, sources: Sequence[Any], *, least: float = 1.0, **options: Any) -> None:
        __tracebackhide__ = True
        from footnoted.evaluation.grounded import assert_grounded

        asyncio.run(assert_grounded(answer, sources, least=least, **options))

    return check
