"""Garbage is looked for by the clock, and by Python's own count again afterwards."""

import asyncio
import gc
import weakref

from footnoted.service.garbage import by_the_clock


class Node:
    """Something that holds itself, as an error holds the frame that holds it."""

    def __init__(self):
        self.itself = self


async def test_a_cycle_of_a_finished_request_goes_soon():
    """Far fewer objects are made than the collector counts to, and it goes all the same."""
    async with by_the_clock():
        gone = asyncio.Event()
        weakref.finalize(Node(), gone.set)
        assert not gone.is_set()
        async with asyncio.timeout(10):
            await gone.wait()


async def test_the_collector_is_left_as_it_was():
    """Whoever opens the application inside another program gets its own thresholds back."""
    before = gc.get_threshold()
    async with by_the_clock():
        assert gc.get_threshold()[0] > before[0]
    assert gc.get_threshold() == before
