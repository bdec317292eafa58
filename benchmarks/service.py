"""How many streams one worker of the service carries, next to a bare `StreamingResponse` on the same machine.

    python benchmarks/service.py [--most 1200] [--seconds 4]

A model inside the server's process sends 50 chunks a second to each stream; connections begin evenly over two seconds.
A number of streams is carried when every event of every stream arrives, the wait for the first chunk is under 500 ms
for 95 of 100, and no stream takes more than half as long again as its model. The largest such number is searched for
both servers, to 5 %. Then CPU a stream with half of it, and 1,000 streams of one chunk a second, with their memory.
The service is the whole of it: FastAPI, tenant, limits, citations decoded, events kept for rejoining, the answer saved
to SQLite; claims are not checked, since that is a model's time and not the service's. Everything runs at real-time
priority where the system permits it.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import uvloop
from _paced_server import pieces
from _priority import ahead_of_others
from _table import goals, heading, table, versions

PACE = 50
SOURCE = "The windscreen excess is £75 for a repair. A replacement costs you £115. Racing on any track is not covered. "
_WORDS = re.compile(r"[A-Za-z]+")  # markers are renumbered on their way
_CHUNKS = re.compile(rb"^event: chunk\ndata: (.*)$", re.MULTILINE)
_NUMBERS = re.compile(rb"^id: (\d+)$", re.MULTILINE)


@dataclass
class Trial:
    """What came of so many streams at once."""

    streams: int
    p95_ms: float
    lost: int
    late: float
    cpu_ms: float
    kilobytes: float

    @property
    def carried(self) -> bool:
        """Whether that was not too much."""
        return self.lost == 0 and self.p95_ms < 500 and self.late <= 1.5


class Reader(asyncio.Protocol):
    """One connection: asks once, keeps what comes, and notes when the first chunk and the end came."""

    def __init__(self, request: bytes) -> None:
        self.request = request
        self.data = bytearray()
        self.began = self.first = self.ended = 0.0
        self.over = asyncio.get_running_loop().create_future()

    def connection_made(self, transport) -> None:
        self.transport = transport
        self.began = time.perf_counter()
        transport.write(self.request)

    def data_received(self, data: bytes) -> None:
        self.data += data
        if not self.first and b"event: chunk" in self.data:
            self.first = time.perf_counter()
        if b"event: done" in data or b"event: error" in data or data.endswith(b"0\r\n\r\n"):
            self.ended = time.perf_counter()
        if data.endswith(b"0\r\n\r\n"):
            self.transport.close()

    def connection_lost(self, _) -> None:
        if not self.over.done():
            self.over.set_result(None)

    def lost(self, text: str) -> int:
        """1 when an event did not come, came twice or out of order, or the text is not all the model said."""
        body = re.sub(rb"\r\n[0-9a-f]+\r\n", b"", b"\r\n" + bytes(self.data).partition(b"\r\n\r\n")[2])
        numbers = [int(number) for number in _NUMBERS.findall(body)]
        told = "".join(json.loads(data)["content"] for data in _CHUNKS.findall(body))
        whole = numbers == list(range(1, len(numbers) + 1)) and body.count(b"event: done\n") == 1
        return 0 if whole and _WORDS.findall(told) == _WORDS.findall(text) else 1


def request_of(port: int, count: int, pace: float) -> bytes:
    """The request that asks for so many chunks."""
    body = json.dumps(
        {
            "question": f"What is the excess? {count} chunks at {pace}",
            "sources": [{"id": str(n), "title": f"Part {n}", "text": SOURCE * 5 + str(n)} for n in range(5)],
            "config": {"require_grounding": False, "max_tokens": 30_000},
        }
    ).encode()
    head = f"POST /api/v1/answers/stream HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\n"
    return f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body


async def trial(port: int, pid: int, streams: int, *, seconds: float, pace: float = PACE, ramp: float = 2) -> Trial:
    """So many streams at once, begun evenly over ``ramp`` seconds."""
    loop = asyncio.get_running_loop()
    count = max(3, int(seconds * pace))
    request = request_of(port, count, pace)
    cpu, memory, peak = cpu_seconds(pid), resident(pid), 0.0
    readers: list[Reader] = []
    began = loop.time()
    for number in range(streams):
        wait = began + ramp * number / streams - loop.time()
        if wait > 0:
            await asyncio.sleep(wait)
        _, reader = await loop.create_connection(lambda: Reader(request), "127.0.0.1", port)
        readers.append(reader)
    waiting = asyncio.gather(*(reader.over for reader in readers))
    limit = began + ramp + 4 * seconds + 5
    while not waiting.done() and loop.time() < limit:
        peak = max(peak, resident(pid))
        await asyncio.wait([waiting], timeout=0.25)
    for reader in readers:
        reader.transport.abort()
    waits = sorted((reader.first or time.perf_counter()) - reader.began for reader in readers)
    lasted = [(reader.ended or time.perf_counter()) - reader.began for reader in readers]
    return Trial(
        streams,
        p95_ms=waits[int(len(waits) * 0.95) - 1] * 1000,
        lost=sum(reader.lost("".join(pieces(count))) for reader in readers),
        late=max(lasted) / ((count - 1) / pace),
        cpu_ms=(cpu_seconds(pid) - cpu) / streams * 1000,
        kilobytes=max(0.0, peak - memory) / streams / 1024,
    )


def cpu_seconds(pid: int) -> float:
    """User and system time of a process."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / 100


def resident(pid: int) -> float:
    """Bytes of memory of a process."""
    return int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1]) * 4096


@contextmanager
def server(kind: str):
    """A server of that kind in a process of its own: its port and its process id."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, str(Path(__file__).with_name("_service_server.py")), kind, folder]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
            try:
                yield int(process.stdout.readline()), process.pid
            finally:
                process.stdin.close()


async def largest(port: int, pid: int, *, most: int, seconds: float, start: int) -> list[Trial]:
    """Every trial of the search for the largest number that is carried; twice refused is too many."""
    trials = [await trial(port, pid, 30, seconds=1)]  # the first of everything is not counted
    low, high = 0, most
    at = start
    while high - low > max(10, low * 0.05):
        found = await trial(port, pid, at, seconds=seconds)
        if not found.carried:
            found = await trial(port, pid, at, seconds=seconds)
        trials.append(found)
        print(
            f"  {at:5} streams: p95 {found.p95_ms:7.1f} ms, {found.lost} lost, {found.late:.2f} × as long", flush=True
        )
        low, high = (at, high) if found.carried else (low, at)
        at = min(most, int(at * 1.4)) if high == most and low < most else (low + high) // 2
        if low >= most:
            break
        await asyncio.sleep(0.5)
    return trials


def best(trials: list[Trial]) -> int:
    """The largest number carried."""
    return max((each.streams for each in trials[1:] if each.carried), default=0)


async def measure(args: argparse.Namespace) -> dict[str, object]:
    """Both servers, in turn."""
    found: dict[str, object] = {}
    for kind in ("bare", "footnoted"):
        print(kind, flush=True)
        with server(kind) as (port, pid):
            trials = await largest(port, pid, most=args.most, seconds=args.seconds, start=args.start)
            found[kind] = best(trials)
            half = max(20, int(found[kind]) // 2)
            found[f"{kind}-half"] = await trial(port, pid, half, seconds=args.seconds)
        with server(kind) as (port, pid):
            await trial(port, pid, 30, seconds=1)
            found[f"{kind}-slow"] = await trial(port, pid, 1000, seconds=12, pace=1, ramp=8)
    return found


def main() -> int:
    """Measure, print, judge."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--most", type=int, default=1500)
    parser.add_argument("--start", type=int, default=250)
    parser.add_argument("--seconds", type=float, default=4.0)
    parser.add_argument("--ordinary", action="store_true", help="keep the ordinary priority")
    parser.add_argument("--report", action="store_true", help="exit 0 even when a goal is missed")
    args = parser.parse_args()
    priority = "ordinary" if args.ordinary else ahead_of_others()
    used = versions("footnoted", "fastapi", "starlette", "uvicorn", "uvloop", "httptools")
    heading(f"Streams at {PACE} chunks a second carried by one worker, {priority} priority", used)
    found = uvloop.run(measure(args))
    print()
    rows = []
    for kind, name in (("bare", "bare StreamingResponse"), ("footnoted", "footnoted serve")):
        half, slow = found[f"{kind}-half"], found[f"{kind}-slow"]
        per_chunk = half.cpu_ms / (args.seconds * PACE) * 1000
        rows.append(
            (
                name,
                str(found[kind]),
                f"{half.streams}",
                f"{half.p95_ms:.1f}",
                f"{half.cpu_ms:.1f}",
                f"{per_chunk:.0f}",
                f"{slow.streams - slow.lost}",
                f"{slow.p95_ms:.0f}",
                f"{slow.kilobytes:.0f}",
            )
        )
    columns = ("server", "streams", "at half:", "p95 ms", "CPU ms", "µs/chunk")
    table((*columns, "1/s held", "p95 ms", "KB"), rows)
    share = found["footnoted"] / max(1, found["bare"])
    slow = found["footnoted-slow"]
    reached = [
        ("70 % of a bare StreamingResponse", f"{share:.0%}", share >= 0.7),
        ("300 streams at 50 chunks/s", str(found["footnoted"]), found["footnoted"] >= 300),
        ("1,000 slow streams held, none lost", str(1000 - slow.lost), slow.lost == 0),
    ]
    return goals(reached, report=args.report)


if __name__ == "__main__":
    sys.exit(main())
