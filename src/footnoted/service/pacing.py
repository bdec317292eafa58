"""Joins a provider's many small deltas into a few larger ones a second, the first at once.

A fast model says more pieces a second than anybody can see, and each costs its way through decoding, numbering,
keeping and sending. What comes within a twentieth of a second goes that way together, and where a process writes
hundreds of answers at once, within a little longer, so that each of them keeps up with its model.
"""

from __future__ import annotations

import asyncio
import inspect
from collections import deque
from typing import TYPE_CHECKING, Any, ClassVar

from footnoted.providers import Fallback
from footnoted.service.tasks import ended
from footnoted.types import Delta

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from footnoted.types import Prompt, Provider

_EARLY = 3  # deltas that are passed on at once, so that nobody waits for the first words
_CALM = 100  # answers that one process writes at once before each waits longer
_LONGEST = 4.0  # times the pace, however many
_MOST = 1_000  # deltas that may wait; a provider that is faster waits for the reader


class Paced:
    """A provider whose deltas are gathered for ``seconds``; everything else about it is the provider's own."""

    def __init__(self, provider: Provider, *, seconds: float) -> None:
        self._provider = provider
        self._seconds = seconds

    def __getattr__(self, name: str) -> Any:
        return getattr(self._provider, name)

    @property
    def pace(self) -> float:
        """Seconds between two pieces of one answer, now."""
        return self._seconds * min(_LONGEST, max(1.0, _Waiting.open / _CALM))

    async def stream(self, prompt: Prompt) -> AsyncGenerator[Delta]:
        """The provider's deltas, what is waiting joined into one each time."""
        waiting = _Waiting()
        reading = asyncio.create_task(waiting.fill(self._provider, prompt), name="footnoted-provider")
        told = 0
        _Waiting.open += 1
        try:
            while True:
                if told >= _EARLY and not waiting.over:
                    await asyncio.sleep(self.pace)
                if not waiting.deltas and not waiting.over:
                    await waiting.something()
                while waiting.deltas:
                    told += 1
                    yield waiting.take()
                if waiting.over and not waiting.deltas:
                    if waiting.error is not None:
                        raise waiting.error
                    return
        finally:
            _Waiting.open -= 1
            await ended(reading)


class _Waiting:
    """Deltas between the task that reads them and the one that wants them."""

    open: ClassVar[int] = 0  # answers under way in this process

    def __init__(self) -> None:
        self.deltas: deque[Delta] = deque()
        self.over = False
        self.error: BaseException | None = None
        self._wanted: asyncio.Future[None] | None = None
        self._room: asyncio.Future[None] | None = None

    async def fill(self, provider: Provider, prompt: Prompt) -> None:
        """Read the provider to its end; an error waits its turn behind what came before it."""
        stream: Any = None
        try:
            stream = provider.stream(prompt)
            if inspect.isawaitable(stream):
                stream = await stream
            async for delta in stream:
                self.deltas.append(Delta(delta) if isinstance(delta, str) else delta)
                if self._wanted is not None:
                    self._wake()
                if len(self.deltas) >= _MOST:
                    self._room = asyncio.get_running_loop().create_future()
                    await self._room
        except Exception as error:  # noqa: BLE001 — raised where the deltas are read
            self.error = error
        finally:
            self.over = True
            self._wake()
            close = getattr(stream, "aclose", None)
            if close is not None:
                await close()

    async def something(self) -> None:
        """Wait for a delta, or for the end."""
        self._wanted = asyncio.get_running_loop().create_future()
        await self._wanted

    def take(self) -> Delta:
        """What waits, as one: text up to and with the first delta that says more than text."""
        if self._room is not None and not self._room.done():
            self._room.set_result(None)
        delta = self.deltas.popleft()
        if not self.deltas or _says_more(delta):
            return delta
        texts = [delta.text]
        while self.deltas:
            delta = self.deltas.popleft()
            texts.append(delta.text)
            if _says_more(delta):
                break
        return Delta("".join(texts), delta.pointers, delta.usage, delta.finish_reason, delta.detail)

    def _wake(self) -> None:
        wanted, self._wanted = self._wanted, None
        if wanted is not None and not wanted.done():
            wanted.set_result(None)


def _says_more(delta: Delta) -> bool:
    return bool(delta.pointers) or delta.usage is not None or delta.finish_reason is not None


def paced(provider: Provider, *, seconds: float) -> Provider:
    """A provider at a reader's pace, each of a `Fallback`; the provider itself where ``seconds`` is 0."""
    if not seconds:
        return provider
    if isinstance(provider, Fallback):
        return Fallback([Paced(each, seconds=seconds) for each in provider.providers])
    return Paced(provider, seconds=seconds)
