"""What is kept of a stream: a tape of frames that readers follow."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from footnoted.service import sse

State = Literal["running", "done", "error"]


@dataclass(frozen=True, slots=True)
class Record:
    """What is known of a stream besides its events. ``created_at`` in seconds since 1970."""

    stream_id: str
    tenant: str
    kind: str
    created_at: float
    replica: str = ""


class Tape:
    """The frames of one stream, 1…n, growing until the last. Any number of readers follow it, each at its own pace.

    ``told`` frames may be read. Without ``keeper`` a frame is told as soon as it is there; with one, the keeper is
    called for each and tells them (`confirm`) once they are safe. ``broken`` means that what follows cannot be known
    here any more.
    """

    __slots__ = ("_keeper", "_waiting", "broken", "bytes", "ended", "frames", "record", "told")

    def __init__(self, record: Record, *, keeper: Callable[[Tape], None] | None = None) -> None:
        self.record = record
        self.frames: list[bytes] = []
        self.told = 0
        self.bytes = 0
        self.ended = False  # the last frame has been told
        self.broken = False
        self._keeper = keeper
        self._waiting: list[asyncio.Future[bool]] = []

    @property
    def state(self) -> State:
        """How far it is; what it ended with."""
        if not self.ended:
            return "running"
        return "done" if sse.name_of(self.frames[-1]) == "done" else "error"

    def none_follow(self, after: int) -> bool:
        """Whether nothing comes after this number any more.

        Of a stream whose writer was lost, a reader may have seen more than was kept: its ending comes after that.
        """
        if not self.ended or after < self.told:
            return False
        return after == self.told or sse.data_of(self.frames[-1]).get("code") != "replica_lost"

    def append(self, framed: bytes) -> None:
        """Add the next frame."""
        self.frames.append(framed)
        self.bytes += len(framed)
        if self._keeper is None:
            self.confirm(len(self.frames))
        else:
            self._keeper(self)

    def confirm(self, upto: int) -> None:
        """Let readers see the frames up to this number."""
        if upto <= self.told:
            return
        self.told = upto
        self.ended = sse.is_last(self.frames[upto - 1])
        self.wake(news=True)

    def break_off(self) -> None:
        """Let readers go: whatever follows, it will not come from here."""
        self.broken = True
        self.wake(news=True)

    def wake(self, *, news: bool) -> None:
        """Wake everybody who waits: there is news, or only the need to show that the line is alive."""
        waiting, self._waiting = self._waiting, []
        for reader in waiting:
            if not reader.done():
                reader.set_result(news)

    def wait(self) -> asyncio.Future[bool]:
        """A future for the next waking; whoever no longer waits for it leaves it to be forgotten then."""
        waits: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._waiting.append(waits)
        return waits

    def between(self, after: int, most: int) -> tuple[bytes, int]:
        """The told frames after a number as one piece, ``most`` bytes or one frame at most; the last's number."""
        if self.told == after + 1:
            return self.frames[after], self.told
        size = 0
        upto = after
        for framed in self.frames[after : self.told]:
            size += len(framed)
            if size > most and upto > after:
                break
            upto += 1
        return b"".join(self.frames[after:upto]), upto


@dataclass(slots=True)
class Kept:
    """A tape this process holds, its readers, and when it goes."""

    tape: Tape
    stop: Callable[[str], Any]
    readers: int = 0
    until: float | None = None
