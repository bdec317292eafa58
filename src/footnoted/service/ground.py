"""Whether what the service stands on has fallen silent: Redis, PostgreSQL.

A server that is gone refuses whoever comes. One that froze closes nothing, so whoever waits for it waits for as long as
its own clock says; here a thread of its own asks every half second. The hard thing is to tell a frozen server from a
process that is merely busy: the thread's patience is counted in turns of its own event loop, so that where the thread
itself gets no turn, no time passes.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import TypeVar

import structlog

from footnoted.service.faults import unavailable

log = structlog.get_logger("footnoted.ground")

EVERY = 0.5  # seconds between two questions
PATIENCE = 2.0  # seconds an answer may take
_TURN = 0.1  # seconds of a turn
Given = TypeVar("Given")
Ask = Callable[[], Awaitable[object]]
Line = Callable[[], AbstractAsyncContextManager[Ask]]  # opens a connection and gives the question to ask on it


class Ground:
    """One server the service stands on. ``what`` is its name for people.

    ``line`` opens a connection of its own, in the thread's event loop. ``when_silent`` is called once each time the
    server falls silent, in the service's event loop.
    """

    def __init__(self, what: str, line: Line, *, when_silent: Callable[[], object] | None = None) -> None:
        self.what = what
        self.silent = False
        self._line = line
        self._when_silent = when_silent
        self._waiting: set[asyncio.Timeout] = set()
        self._over = threading.Event()
        self._thread: threading.Thread | None = None

    def open(self) -> None:
        """Begin to ask; called in the service's event loop."""
        self._loop = asyncio.get_running_loop()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._watch()), name="footnoted-ground", daemon=True)
        self._thread.start()

    async def aclose(self) -> None:
        """Ask no more."""
        self._over.set()
        if self._thread is not None:
            await asyncio.to_thread(self._thread.join, PATIENCE + EVERY)

    def check(self) -> None:
        """Raise `Fault` 503 while it is silent."""
        if self.silent:
            raise unavailable(self.what)

    @asynccontextmanager
    async def upon(self) -> AsyncIterator[None]:
        """What is done here needs it: `Fault` 503 as soon as it is silent, now or meanwhile."""
        self.check()
        limit = asyncio.timeout(None)
        try:
            async with limit:
                self._waiting.add(limit)
                yield
        except TimeoutError:
            if limit.expired():
                raise unavailable(self.what) from None
            raise
        finally:
            self._waiting.discard(limit)

    async def _watch(self) -> None:
        while not self._over.is_set():
            line = self._line()
            try:
                ask = await _patiently(line.__aenter__())
                await _patiently(ask())
            except TimeoutError:
                self._tell(silent=True)
                continue
            except Exception:  # noqa: BLE001 — refused: whoever comes is told so, and at once
                self._tell(silent=False)
                await asyncio.sleep(EVERY)
                continue
            self._tell(silent=False)
            with contextlib.suppress(Exception):
                await self._until_silent(ask)
            with contextlib.suppress(Exception):
                await _patiently(line.__aexit__(None, None, None))

    async def _until_silent(self, ask: Ask) -> None:
        """Ask until an answer does not come, and tell so at once when the server is silent, not gone."""
        while not self._over.is_set():
            await asyncio.sleep(EVERY)
            try:
                await _patiently(ask())
            except TimeoutError:
                self._tell(silent=True)
                return

    def _tell(self, *, silent: bool) -> None:
        if silent == self.silent:
            return
        self.silent = silent
        log.warning("silent" if silent else "heard again", what=self.what)
        with contextlib.suppress(RuntimeError):  # the service's loop has ended
            self._loop.call_soon_threadsafe(self._told, silent)

    def _told(self, silent: bool) -> None:
        if not silent:
            return
        now = self._loop.time()
        for limit in list(self._waiting):
            with contextlib.suppress(RuntimeError):  # it has just ended
                limit.reschedule(now)
        if self._when_silent is not None:
            self._when_silent()


async def _patiently(work: Awaitable[Given]) -> Given:
    """What ``work`` gives; `TimeoutError` when it gives nothing for as many turns as make up the patience."""
    doing = asyncio.ensure_future(work)
    for _ in range(round(PATIENCE / _TURN)):
        await asyncio.wait({doing}, timeout=_TURN)
        if doing.done():
            return doing.result()
    doing.cancel()
    raise TimeoutError
