"""Joins a provider's many small deltas into a few larger ones a second, the first at once.

A fast model says more pieces a second than anybody can see, and each costs its way through decoding, numbering,
keeping and sending. What comes within a twentieth of a second goes that way together, and where a process writes
hundreds of answers at once, within a little longer, so that each of them keeps up with its model.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from typing import Any, ClassVar

from footnoted.closing import close
from footnoted.providers import Fallback
from footnoted.service.tasks import ended
from footnoted.types import Delta, Prompt, Provider

_EARLY = 3  # deltas that are passed on at once, so that nobody waits for the first words
_CALM = 100  # answers that one process writes at once before each waits longer
_LONGEST = 4.0  # times the pace, however many
_MOST = 1_000  # deltas that may wait; a provider that is faster waits for the reader


class Paced:
    """A provider whose deltas are gathered for ``seconds``; everything else about it is the provider's own."""

    _open: ClassVar[int] = 0  # answers under way in this process

    def __init__(self, provider: Provider, *, seconds: float) -> None:
        self._provider = provider
        self._seconds = seconds

    def __getattr__(self, name: str) -> Any:
        return getattr(self._provider, name)

    @property
    def pace(self) -> float:
        """Seconds between two pieces of one answer, now."""
        return self._seconds * min(_LONGEST, max(1.0, Paced._open / _CALM))

    async def stream(self, prompt: Prompt) -> AsyncGenerator[Delta]:
        """The provider's deltas, what is waiting joined into one each time."""
        waiting: _Waiting = asyncio.Queue(_MOST)
        reading = asyncio.create_task(self._read(prompt, waiting), name="footnoted-provider")
        told = 0
        Paced._open += 1
        try:
            item = await waiting.get()
            while not isinstance(item, _End):
                delta, following = _joined(item, waiting)
                told += 1
                yield delta
                if told >= _EARLY and following is None and waiting.empty() and not reading.done():
                    await asyncio.sleep(self.pace)
                item = following or await waiting.get()
            if item.error is not None:
                raise item.error
        finally:
            Paced._open -= 1
            await ended(reading)

    async def _read(self, prompt: Prompt, waiting: _Waiting) -> None:
        """Read the provider to its end; an error waits its turn behind what came before it."""
        stream: Any = None
        end = _End()
        try:
            try:
                stream = self._provider.stream(prompt)
                if inspect.isawaitable(stream):
                    stream = await stream
                async for delta in stream:
                    await waiting.put(Delta(delta) if isinstance(delta, str) else delta)
            except Exception as error:  # noqa: BLE001 — raised where the deltas are read
                end = _End(error)
            await waiting.put(end)
        finally:
            await close(stream)


@dataclass(frozen=True, slots=True)
class _End:
    """What stands behind the last delta: the error that ended the provider, if one did."""

    error: Exception | None = None


_Waiting = asyncio.Queue[Delta | _End]


def _joined(delta: Delta, waiting: _Waiting) -> tuple[Delta, _End | None]:
    """A delta with those that wait behind it, up to the first that says more than text; and the end, if it is next."""
    texts, end = [delta.text], None
    while end is None and not _says_more(delta) and not waiting.empty():
        item = waiting.get_nowait()
        if isinstance(item, _End):
            end = item
        else:
            delta = item
            texts.append(delta.text)
    return Delta("".join(texts), delta.pointers, delta.usage, delta.finish_reason, delta.detail), end


def _says_more(delta: Delta) -> bool:
    return bool(delta.pointers) or delta.usage is not None or delta.finish_reason is not None


def paced(provider: Provider, *, seconds: float) -> Provider:
    """A provider at a reader's pace, each of a `Fallback`; the provider itself where ``seconds`` is 0."""
    if not seconds:
        return provider
    if isinstance(provider, Fallback):
        return Fallback([Paced(other, seconds=seconds) for other in provider.providers])
    return Paced(provider, seconds=seconds)
