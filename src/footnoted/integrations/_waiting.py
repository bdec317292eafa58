"""Runs asynchronous work for callers that cannot await, and gives its result or its pieces.

All of it runs on one event loop in a thread of its own: clients of other libraries keep connections that must not
outlive their loop, so a loop a call would break the second call.
"""

from __future__ import annotations

import asyncio
import atexit
import os
import queue
import threading
from collections.abc import AsyncGenerator, Coroutine, Iterator
from contextlib import aclosing, suppress
from typing import Any, TypeVar

from footnoted.errors import ConfigurationError

T = TypeVar("T")

_CLOSING = 5.0  # seconds what is left on the loop may take to close when the program ends


def result_of(work: Coroutine[Any, Any, T]) -> T:
    """What the coroutine returns; blocks until then. Inside async code of your own, await it instead."""
    loop = _loop(work)
    future = asyncio.run_coroutine_threadsafe(work, loop)
    try:
        return future.result()
    except BaseException:
        future.cancel()  # Ctrl-C here stops the work there
        raise


def pieces_of(stream: AsyncGenerator[T]) -> Iterator[T]:
    """What the generator yields, as it comes. Leaving early closes it, and with it whatever it holds upstream."""
    arrived: queue.SimpleQueue[tuple[str, Any]] = queue.SimpleQueue()

    async def read() -> None:
        try:
            async with aclosing(stream):
                async for piece in stream:
                    arrived.put(("piece", piece))
        except BaseException as error:
            arrived.put(("error", error))
            raise
        else:
            arrived.put(("end", None))

    work = read()
    future = asyncio.run_coroutine_threadsafe(work, _loop(work))
    try:
        while True:
            kind, value = arrived.get()
            if kind == "end":
                return
            if kind == "error":
                raise value
            yield value
    finally:
        future.cancel()
        with suppress(BaseException):
            future.result()


_lock = threading.Lock()
_running: tuple[int, asyncio.AbstractEventLoop, threading.Thread] | None = None


def _loop(work: Coroutine[Any, Any, Any]) -> asyncio.AbstractEventLoop:
    global _running  # noqa: PLW0603 - one loop for the process, as the module says
    with _lock:
        if _running is None or _running[0] != os.getpid():  # threads do not survive a fork
            loop = asyncio.new_event_loop()
            thread = threading.Thread(target=loop.run_forever, name="footnoted-adapters", daemon=True)
            thread.start()
            _running = (os.getpid(), loop, thread)
            atexit.register(_stop, os.getpid(), loop, thread)
        _, loop, thread = _running
    if thread is threading.current_thread():
        work.close()
        raise ConfigurationError("a blocking call inside a running answer would wait for itself; await the async one")
    return loop


def _stop(pid: int, loop: asyncio.AbstractEventLoop, thread: threading.Thread) -> None:
    """Close what is open, then the loop: connections say goodbye rather than vanish."""
    if pid != os.getpid():
        return
    with suppress(Exception):
        asyncio.run_coroutine_threadsafe(loop.shutdown_asyncgens(), loop).result(_CLOSING)
    loop.call_soon_threadsafe(loop.stop)
    thread.join(_CLOSING)
    if not thread.is_alive():
        loop.close()
