"""Tapes of one process, kept for a while after they end."""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Any

from footnoted.service.replay.base import Kept, Record, Tape
from footnoted.service.tasks import ended

_REMEMBERED = 10_000  # expired streams whose owner is still told that they expired


class MemoryReplay:
    """Streams of this process only: a restart forgets them."""

    def __init__(self, *, keep_seconds: float) -> None:
        self._keep = keep_seconds
        self._tapes: dict[str, Kept] = {}
        self._expired: OrderedDict[str, Record] = OrderedDict()
        self._sweeping: asyncio.Task[None] | None = None

    async def open(self) -> None:
        """Begin to sweep."""
        self._sweeping = asyncio.create_task(self._sweep(), name="footnoted-sweep")

    async def aclose(self) -> None:
        """Stop sweeping."""
        await ended(self._sweeping)

    async def check(self) -> None:
        """Memory is always there."""

    async def create(self, record: Record, *, stop: Callable[[str], Any]) -> Tape:
        """A new tape; ``stop(code)`` ends its production."""
        tape = Tape(record)
        self._tapes[record.stream_id] = Kept(tape, stop)
        return tape

    async def find(self, stream_id: str) -> Record | None:
        """What is known of a stream, expired ones included for a while."""
        kept = self._tapes.get(stream_id)
        return kept.tape.record if kept else self._expired.get(stream_id)

    async def borrow(self, record: Record) -> Tape | None:
        """The tape to read from; nothing when it has expired."""
        kept = self._tapes.get(record.stream_id)
        if kept is None:
            return None
        kept.readers += 1
        return kept.tape

    def give_back(self, tape: Tape) -> None:
        """A reader is done with a borrowed tape."""
        kept = self._tapes.get(tape.record.stream_id)
        if kept is not None:
            kept.readers -= 1

    async def read_elsewhere(self, records: Sequence[Record]) -> set[str]:  # noqa: ARG002
        """The ids of those that another process has a reader on: there is none."""
        return set()

    async def stop(self, record: Record, code: str) -> None:
        """Stop it here."""
        kept = self._tapes.get(record.stream_id)
        if kept is not None:
            kept.stop(code)

    async def forget(self, record: Record) -> None:
        """Keep nothing of an ended stream."""
        self._tapes.pop(record.stream_id, None)
        self._expired.pop(record.stream_id, None)

    def sweep(self, now: float) -> None:
        """Let go of tapes that ended long enough ago and that nobody reads."""
        for stream_id, kept in list(self._tapes.items()):
            if not kept.tape.ended:
                continue
            if kept.until is None:
                kept.until = now + self._keep
            elif kept.until <= now and kept.readers <= 0:
                del self._tapes[stream_id]
                self._expired[stream_id] = kept.tape.record
                while len(self._expired) > _REMEMBERED:
                    self._expired.popitem(last=False)

    async def _sweep(self) -> None:
        while True:
            await asyncio.sleep(min(1.0, self._keep / 2))
            self.sweep(time.monotonic())
