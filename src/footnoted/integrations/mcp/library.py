"""Keeps the index over the server's paths true, in the background, so that no client waits to connect."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from footnoted.errors import SourceError

if TYPE_CHECKING:
    from footnoted.retrieval.index import Index

_FRESH = 5.0  # seconds in which files are taken to be as they were
_TELLING = 0.25  # seconds between two words about progress

Report = Callable[[str], Awaitable[None]]


class Library:
    """The index over paths, opened once for all who ask at a time; changed files are read anew."""

    def __init__(self, paths: Sequence[Path]) -> None:
        self._paths = list(paths)
        self._opening: asyncio.Task[Index] | None = None
        self._opened = 0.0
        self._reading = ""
        self._closed = False

    def open(self) -> asyncio.Task[Index]:
        """The index as it is being read, or as it was read a moment ago."""
        task = self._opening
        stale = task is not None and task.done() and time.monotonic() - self._opened > _FRESH
        if task is None or stale or (task.done() and (task.cancelled() or task.exception() is not None)):
            self._closed = False
            task = self._opening = asyncio.create_task(asyncio.to_thread(self._read))
            task.add_done_callback(lambda done: done.cancelled() or done.exception())  # whoever asks is told
        return task

    async def index(self, report: Report) -> Index:
        """The index; ``report`` is told how far the reading is. Raises `SourceError` when nothing can be read."""
        task = self.open()
        while not task.done():
            await asyncio.wait({task}, timeout=_TELLING)
            if not task.done():
                await report(self._reading or "reading")
        return task.result()

    async def close(self) -> None:
        """Stop reading at the next file."""
        self._closed = True
        if self._opening is not None and not self._opening.done():
            self._opening.cancel()

    def _read(self) -> Index:
        from footnoted.retrieval.index import Index

        found = Index.open(self._paths, progress=self._advance)
        self._opened = time.monotonic()
        return found

    def _advance(self, done: int, total: int, path: Path | str) -> None:
        if self._closed:
            raise SourceError("the server is stopping")
        self._reading = f"reading {done} of {total}: {Path(path).name}"
