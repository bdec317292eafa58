from __future__ import annotations

import json

import aiohttp
import pytest

from footnoted.testing.script import ProtocolName
from footnoted.testing.trials import Told, Trial, trials, undergo
from footnoted.types import FinishReason

NAIVE_MISSES = {
    "clean cut, no terminal signal": "ended complete, not truncated",
    "HTML with status 200": "raised None, not BadProviderReply",
    "empty reply": "raised None, not BadProviderReply",
    "429 once": "asked 1 times, not 2",
    "length": "ended complete, not length",
    "error event": "ended complete, not error",
    "silence mid-stream": "TimeoutError",
    "reset mid-event": "ClientPayloadError",
}


async def naive(_: ProtocolName, base_url: str, told: Told) -> None:
    """A reader as many are written: any end is the end, what is not understood is passed over."""
    body = {"model": "m", "messages": [{"role": "user", "content": "?"}], "stream": True}
    timeout = aiohttp.ClientTimeout(sock_read=0.2)
    async with (
        aiohttp.ClientSession(timeout=timeout) as session,
        session.post(f"{base_url}/chat/completions", json=body) as response,
    ):
        async for line in response.content:
            try:
                event = json.loads(line.removeprefix(b"data: "))
                told.text += event["choices"][0]["delta"]["content"]
            except (ValueError, LookupError, TypeError):
                continue
    told.finish = FinishReason.COMPLETE


@pytest.mark.parametrize("name", NAIVE_MISSES)
async def test_the_table_finds_a_naive_reader_out(name: str) -> None:
    """A reader that takes every end for the end is told what it got wrong."""
    trial = next(trial for trial in trials() if trial.name == name)
    outcome = await undergo(trial, "openai", naive)
    assert NAIVE_MISSES[name] in "; ".join(outcome.wrong)


async def test_a_reader_that_does_not_leave_is_found_out() -> None:
    """A connection left open behind an answer counts as wrong."""
    left_open = []

    async def leaves_open(_: ProtocolName, base_url: str, told: Told) -> None:
        session = aiohttp.ClientSession()
        body = {"model": "m", "messages": [{"role": "user", "content": "?"}], "stream": True}
        response = await session.post(f"{base_url}/chat/completions", json=body)
        await response.content.readany()
        left_open.extend((response, session))
        told.finish = FinishReason.TRUNCATED

    trial = next(trial for trial in trials() if trial.name == "silence mid-stream")
    outcome = await undergo(trial, "openai", leaves_open)
    assert any("still open" in wrong for wrong in outcome.wrong)
    response, session = left_open
    response.close()
    await session.close()


def test_each_trial_has_one_right_outcome() -> None:
    """Names differ, and each trial ends or raises, never both."""
    table = trials()
    assert len({trial.name for trial in table}) == len(table) >= 40
    assert all((trial.finish is None) != (trial.error is None) for trial in table)
    assert all(isinstance(trial, Trial) and trial.replies for trial in table)
