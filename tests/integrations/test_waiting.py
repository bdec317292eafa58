"""Asynchronous work for callers that cannot await: on one loop, closed when the reader leaves."""

import asyncio
import threading

import pytest

from footnoted.errors import ConfigurationError
from footnoted.integrations._waiting import pieces_of, result_of


async def numbers(count, closed):
    try:
        for number in range(count):
            await asyncio.sleep(0)
            yield number
    finally:
        closed.set()


def test_every_call_runs_on_one_loop():
    """Clients that keep connections would break on a second one."""

    async def where():
        return asyncio.get_running_loop()

    assert result_of(where()) is result_of(where())


def test_pieces_come_in_order_and_errors_after_them():
    """As they would to somebody who awaits."""

    async def breaks():
        yield 1
        yield 2
        raise KeyError("three")

    got = []
    with pytest.raises(KeyError, match="three"):
        got.extend(iter_into(got, pieces_of(breaks())))
    assert got == [1, 2]


def iter_into(got, pieces):
    for piece in pieces:
        got.append(piece)
    return []


def test_leaving_early_closes_the_work():
    """A reader who breaks off leaves nothing running."""
    closed = threading.Event()
    for number in pieces_of(numbers(10**9, closed)):
        if number == 3:
            break
    assert closed.wait(5)


async def test_it_blocks_in_async_code_without_harm():
    """Called under a running loop, it works on its own: a notebook is such a place."""

    async def answer():
        await asyncio.sleep(0)
        return 42

    assert result_of(answer()) == 42
    assert list(pieces_of(numbers(3, threading.Event()))) == [0, 1, 2]


def test_waiting_inside_the_work_itself_is_an_error_not_a_deadlock():
    """The loop cannot wait for itself."""

    async def inner():
        return 1

    async def outer():
        return result_of(inner())

    with pytest.raises(ConfigurationError, match="await"):
        result_of(outer())


def test_many_threads_at_once():
    """Thirty blocking calls from thirty threads, each its own answer."""

    async def slow(number):
        await asyncio.sleep(0.01)
        return number

    got = {}
    threads = [threading.Thread(target=lambda n=n: got.update({n: result_of(slow(n))})) for n in range(30)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert got == {n: n for n in range(30)}
