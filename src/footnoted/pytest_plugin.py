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
        from footnoted.evaluation.grounded import Ungrounded, assert_grounded

        try:
            asyncio.run(assert_grounded(answer, sources, least=least, **options))
        except Ungrounded as failed:
            # Raised anew: what a reader of the report needs is the line of the test, not how it was run.
            raise Ungrounded(str(failed), failed.claims) from None

    return check
