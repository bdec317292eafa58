"""Answers thousands of POSTs to /COUNT/PER_SECOND/v1/chat/completions with COUNT paced chunks each, in one process.

The same bytes as `_paced_server`, every protocol of it, for very many streams: one timer a millisecond serves all streams that are due,
in place of a task a stream, so that the server is not what is measured. Prints its port; serves until its standard
input closes.
"""

from __future__ import annotations

import asyncio
import re
import subprocess
import sys
from contextlib import contextmanager
from heapq import heappop, heappush
from itertools import count as counting
from pathlib import Path
from typing import TYPE_CHECKING

from _paced_server import HEAD
from _paced_wire import wire

if TYPE_CHECKING:
    from collections.abc import Iterator

_TICK = 0.001


class Schedule:
    """Streams by the time their next chunk is due."""

    def __init__(self) -> None:
        self._due: list[tuple[float, int, Connection]] = []
        self._order = counting()

    def add(self, when: float, connection: Connection) -> None:
        """Serve this stream at ``when`` (loop time)."""
        heappush(self._due, (when, next(self._order), connection))

    async def run(self) -> None:
        """Serve what is due, each millisecond."""
        loop = asyncio.get_running_loop()
        while True:
            now = loop.time()
            while self._due and self._due[0][0] <= now:
                when, _, connection = heappop(self._due)
                after = connection.send_next(when)
                if after is not None:
                    self.add(after, connection)
            await asyncio.sleep(_TICK)


class Connection(asyncio.Protocol):
    """One client's kept-alive connection."""

    def __init__(self, schedule: Schedule) -> None:
        self._schedule = schedule
        self._asked = b""
        self._rest: Iterator[bytes] = iter(())
        self._interval = 0.0

    def connection_made(self, transport: asyncio.Transport) -> None:
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._asked += data
        head, blank, body = self._asked.partition(b"\r\n\r\n")
        length = re.search(rb"content-length: *(\d+)", head, re.IGNORECASE)
        if not blank or len(body) < int(length.group(1)):
            return
        self._asked = b""
        target = head.split(b" ", 2)[1].decode()
        pace = int(target.split("/")[2])
        role, first, *rest = wire(target, body)
        self._transport.write(HEAD + role + first)
        if pace:
            self._rest, self._interval = iter(rest), 1 / pace
            self._schedule.add(asyncio.get_running_loop().time() + self._interval, self)
        else:
            self._transport.write(b"".join(rest))

    def send_next(self, when: float) -> float | None:
        """Write the chunk that is due; when the next one is, if there is one."""
        event = next(self._rest, None)
        if event is None or self._transport.is_closing():
            return None
        self._transport.write(event)
        return when + self._interval


async def main() -> None:
    """Serve on a free port until standard input closes."""
    schedule, loop = Schedule(), asyncio.get_running_loop()
    server = await loop.create_server(lambda: Connection(schedule), "127.0.0.1", 0, backlog=4096)
    print(server.sockets[0].getsockname()[1], flush=True)
    running = asyncio.create_task(schedule.run())
    await loop.run_in_executor(None, sys.stdin.read)
    running.cancel()
    server.close()


@contextmanager
def many_server() -> Iterator[str]:
    """The server in a process of its own; its address, without a path."""
    command = [sys.executable, str(Path(__file__))]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield f"http://127.0.0.1:{int(process.stdout.readline())}"
        finally:
            process.stdin.close()


if __name__ == "__main__":
    asyncio.run(main())
