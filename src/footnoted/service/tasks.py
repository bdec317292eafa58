"""Ends tasks of the event loop: at once, or when they have had a moment for what is left."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any


async def ended(task: asyncio.Task[Any] | None) -> None:
    """Cancel a task and wait until it is over."""
    if task is not None:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task


async def finished(task: asyncio.Task[Any] | None, *, patience: float) -> None:
    """Wait ``patience`` seconds for a task, then end it."""
    if task is not None and not task.done():
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(patience):
                await asyncio.shield(task)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
