"""Work of many answers in; each done off the event loop: claims first, reading ahead when none of them waits.

Those on whose behalf claims are weighed take turns, so that whoever brings two hundred waits for himself.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from contextvars import ContextVar
from typing import Any, TypeVar

ON_BEHALF_OF: ContextVar[str] = ContextVar("on_behalf_of", default="")  # a tenant, where one service has many
_PATIENCE = 2.0  # seconds reading ahead stands back; by then the claims have read what they needed themselves
_T = TypeVar("_T")


class Lanes:
    """A few threads for claims, one for reading ahead. Opened at the first use, anew after a fork."""

    def __init__(self, workers: int) -> None:
        self._workers = workers
        self._lock = threading.Lock()
        self._quiet = threading.Condition(self._lock)
        self._waiting = 0
        self._claims: ThreadPoolExecutor | None = None
        self._ahead: ThreadPoolExecutor | None = None
        self._pid = 0
        self._lines: dict[str, deque[tuple[Future[Any], Callable[[], Any]]]] = {}  # the next in turn first

    async def claim(self, work: Callable[[], _T], *, begun: Callable[[], None] | None = None) -> _T:
        """What ``work`` returns. Claims of concurrent answers queue for the same few threads.

        ``begun`` is called on this event loop when a thread takes the work up.
        """
        claims, _ = self._open()
        loop = asyncio.get_running_loop()

        def taken_up() -> _T:
            if begun is not None:
                with suppress(RuntimeError):  # the loop that asked is closed: nobody waits
                    loop.call_soon_threadsafe(begun)
            return work()

        future: Future[_T] = Future()
        with self._lock:
            self._waiting += 1
            self._lines.setdefault(ON_BEHALF_OF.get(), deque()).append((future, taken_up))
        try:
            claims.submit(self._next)
        except RuntimeError:
            self._done()
            raise
        future.add_done_callback(self._done)
        return await asyncio.wrap_future(future)

    def _next(self) -> None:
        """The first claim of whoever is next."""
        with self._lock:
            whom, line = next(iter(self._lines.items()))
            future, work = line.popleft()
            del self._lines[whom]
            if line:
                self._lines[whom] = line
        if not future.set_running_or_notify_cancel():
            return
        try:
            future.set_result(work())
        except BaseException as error:  # noqa: BLE001 — it is whoever waits for the claim that is told
            future.set_exception(error)

    async def ahead(self, work: Callable[[], None]) -> None:
        """Do ``work`` once no claim waits; not at all if they do not stop coming."""
        _, ahead = self._open()

        def patiently() -> None:
            with self._quiet:
                quiet = self._quiet.wait_for(lambda: not self._waiting, timeout=_PATIENCE)
            if quiet:
                work()

        await asyncio.wrap_future(ahead.submit(patiently))

    def _done(self, _: Future[_T] | None = None) -> None:
        with self._quiet:
            self._waiting -= 1
            if not self._waiting:
                self._quiet.notify()

    def _open(self) -> tuple[ThreadPoolExecutor, ThreadPoolExecutor]:
        with self._lock:
            if self._claims is None or self._ahead is None or self._pid != os.getpid():  # threads survive no fork
                self._claims = ThreadPoolExecutor(self._workers, thread_name_prefix="footnoted-check")
                self._ahead = ThreadPoolExecutor(1, thread_name_prefix="footnoted-ahead")
                self._pid, self._waiting, self._lines = os.getpid(), 0, {}
            return self._claims, self._ahead
