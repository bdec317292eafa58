"""Work of many answers: claims first, reading ahead when none waits."""

import asyncio
import threading

import pytest

from footnoted.grounding.lanes import Lanes


async def test_reading_ahead_stands_back_while_a_claim_waits():
    lanes, order, gate = Lanes(1), [], threading.Event()

    def claim() -> str:
        gate.wait(5)
        order.append("claim")
        return "verdict"

    weighed = asyncio.create_task(lanes.claim(claim))
    await asyncio.sleep(0)
    ahead = asyncio.create_task(lanes.ahead(lambda: order.append("ahead")))
    await asyncio.sleep(0.05)
    assert order == []
    gate.set()
    assert await weighed == "verdict"
    await ahead
    assert order == ["claim", "ahead"]


async def test_a_claim_that_fails_or_is_given_up_keeps_nothing_waiting():
    lanes, gate, read = Lanes(1), threading.Event(), []
    with pytest.raises(ZeroDivisionError):
        await lanes.claim(lambda: 1 // 0)
    running = asyncio.create_task(lanes.claim(lambda: gate.wait(5)))
    queued = asyncio.create_task(lanes.claim(lambda: read.append("never")))
    await asyncio.sleep(0.02)
    queued.cancel()
    await asyncio.sleep(0)
    gate.set()
    await running
    await lanes.ahead(lambda: read.append("ahead"))
    assert read == ["ahead"]
