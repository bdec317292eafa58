"""Lets Python search for garbage at times that keep none of hundreds of answers waiting.

Reference counting frees nearly everything here; what is left to the collector are cycles. It looks for them whenever so
many objects have been made, and the answers under way are what it then walks over, again and again: with 400 streams
that took a quarter of the process's time, in pauses of up to 160 ms. So it counts to far more here, and a clock sees to
it that no cycle of a request that has ended stays for long (https://docs.python.org/3/library/gc.html).
"""

from __future__ import annotations

import asyncio
import gc
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from footnoted.service.tasks import ended

_EVERY = 1.0  # seconds between two searches among what was made since the last
_THRESHOLDS = (50_000, 20, 10)


@asynccontextmanager
async def by_the_clock() -> AsyncIterator[None]:
    """Within it, garbage is looked for by the clock; what there is when it begins is not looked at again."""
    before = gc.get_threshold()
    gc.collect()
    gc.freeze()
    gc.set_threshold(*_THRESHOLDS)
    looking = asyncio.create_task(_look(), name="footnoted-garbage")
    try:
        yield
    finally:
        gc.set_threshold(*before)
        await ended(looking)


async def _look() -> None:
    while True:
        await asyncio.sleep(_EVERY)
        gc.collect(0)
