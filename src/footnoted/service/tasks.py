"""Ends tasks of the event loop: at once, or when they have had a moment for what is left."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any

AFTER_FAILURES = (0.5, 1.0, 2.0, 5.0, 10.0, 20.0)  # seconds between tries to keep something while its store is away


async def ended(task: asyncio.Task[Any] | None) -> None:
    """Cancel a task and wait until it is over."""
    if task is not None:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task


async def finished(*tasks: asyncio.Task[Any] | None, patience: float) -> None:
    """Wait ``patience`` seconds for tasks, then end those that are left."""
    running = [task for task in tasks if task is not None]
    if running:
        _, late = await asyncio.wait(running, timeout=patience)
        for task in late:
            task.cancel()
        await asyncio.gather(*late, return_exceptions=True)
