"""Bounds of milliseconds on a machine that does other work: late once is the machine's, late thrice is ours."""

from __future__ import annotations

import functools
from collections.abc import Awaitable, Callable

from footnoted.testing import ScriptedLLM

PROMPTLY = 0.1  # seconds
NEVER = 5.0  # seconds


class Late(AssertionError):
    """What was asked for came, but not in time."""


async def closed_promptly(llm: ScriptedLLM) -> None:
    """Upstream saw its reader leave within 100 ms."""
    took = await llm.closed_within(NEVER)
    if took > PROMPTLY:
        raise Late(f"upstream was open for {took * 1000:.0f} ms after its reader had left")


def in_time(test: Callable[..., Awaitable[None]]) -> Callable[..., Awaitable[None]]:
    """Run a test again, at most twice, when it was `Late`; any other failure stands at once."""

    @functools.wraps(test)
    async def tried(*arguments: object, **named: object) -> None:
        for last in (False, False, True):
            try:
                return await test(*arguments, **named)
            except Late:
                if last:
                    raise
        return None

    return tried
