"""One client in its own environment: what is asked of it comes as one JSON object, what came of it leaves as lines.

    cd benchmarks && PATH/python -m _peers.client '{"client": "openai", "part": "paced", …}'

Needs nothing but the peer itself and the files beside it.
"""

from __future__ import annotations

import asyncio
import gc
import importlib
import json
import resource
import statistics
import sys
import time
from contextlib import AsyncExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from _table import versions

from _peers.registry import CLIENTS

if TYPE_CHECKING:
    from _peers.asked import Read
    from _peers.registry import Client


def tell(**what: Any) -> None:
    """One line out, at once."""
    print(json.dumps(what), flush=True)


def cpu() -> float:
    """Seconds of user and system time of this process so far."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def resident() -> int:
    """Bytes of memory this process has now."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * resource.getpagesize()


async def timed(read: Read) -> tuple[int, float]:
    """One stream read to its end: its characters, and when the first came (``time.perf_counter``)."""
    length, first = 0, 0.0

    def seen(text: str) -> bool:
        nonlocal length, first
        first = first or time.perf_counter()
        length += len(text)
        return False

    await read(seen)
    return length, first


class Streams:
    """A client's readers by address: one client object for each, kept, as its documentation advises."""

    def __init__(self, stack: AsyncExitStack, client: str) -> None:
        self.chosen = CLIENTS[client]
        self.module = importlib.import_module(f"_peers.{self.chosen.module}")
        self._stack = stack
        self._reads: dict[str, Read] = {}

    async def at(self, base_url: str, *, limits: bool = False) -> Read:
        """The reader of this address."""
        if base_url not in self._reads:
            opened = self.module.opened(self._stack, base_url, limits=limits, variant=self.chosen.variant)
            self._reads[base_url] = await opened
        return self._reads[base_url]


def address(root: str, chunks: int, pace: int, client: Client) -> str:
    """The base_url at which the paced server sends so many chunks at that pace; new text each time to who weighs it."""
    varied = "/varied" if client.variant.endswith("hold") else ""
    return f"{root}/{chunks}/{pace}{varied}" + ("/v1" if client.protocol == "openai" else "")


async def paced(asked: dict[str, Any], streams: Streams) -> None:
    """CPU of many streams at once, begun apart; then the wait for the first text of short answers, one by one."""
    root, count, chosen = asked["address"], asked["streams"], streams.chosen
    chunks, pace = asked["chunks"], asked["pace"]
    for _ in range(3):
        await timed(await streams.at(address(root, chunks, 0, chosen)))
    read = await streams.at(address(root, chunks, pace, chosen))

    async def late(number: int) -> tuple[int, float]:
        await asyncio.sleep(number / pace / count)
        began = time.perf_counter()
        length, first = await timed(read)
        return length, (first - began) * 1000

    gc.collect()
    began, used = time.perf_counter(), cpu()
    done = await asyncio.gather(*map(late, range(count)))
    used, wall = cpu() - used, time.perf_counter() - began
    short = await streams.at(address(root, asked["short"], 0, chosen))
    waits = []
    for number in range(asked["shorts"] + 10):
        began = time.perf_counter()
        _, first = await timed(short)
        if number >= 10:
            waits.append((first - began) * 1000)
    tell(
        cpu_ms=used / count * 1000,
        wall_s=wall,
        shortest=min(length for length, _ in done),
        first_paced_ms=statistics.median(first for _, first in done),
        first_ms=statistics.median(waits),
        versions=versions(*streams.chosen.packages),
    )


async def many(asked: dict[str, Any], streams: Streams) -> None:
    """So many paced streams at once: how many finish, wall time, CPU, memory, the longest pause of the loop."""
    root, count, chosen = asked["address"], asked["streams"], streams.chosen
    warm = await streams.at(address(root, asked["chunks"], 0, chosen))
    await asyncio.gather(*(timed(warm) for _ in range(20)))
    read = await streams.at(address(root, asked["chunks"], asked["pace"], chosen))
    gc.collect()
    before, peak, pauses = resident(), 0, []

    async def watch() -> None:
        nonlocal peak
        while True:
            due = time.perf_counter() + 0.05
            await asyncio.sleep(0.05)
            pauses.append(time.perf_counter() - due)
            peak = max(peak, resident())

    watching = asyncio.create_task(watch())
    used, began = cpu(), time.perf_counter()
    done = await asyncio.gather(*(timed(read) for _ in range(count)), return_exceptions=True)
    wall, used = time.perf_counter() - began, cpu() - used
    watching.cancel()
    good = sorted(one[1] - began for one in done if isinstance(one, tuple) and one[0] > asked["chunks"])
    errors = sorted({type(one).__name__ for one in done if isinstance(one, BaseException)})
    tell(
        finished=len(good),
        errors=errors,
        wall_s=wall,
        cpu_s=used,
        first_p95_s=good[int(0.95 * len(good))] if good else None,
        pause_s=max(pauses, default=wall),
        kb=max(0, peak - before) / count / 1024,
    )


async def one_fault(name: str, base_url: str, asked: dict[str, Any], streams: Streams) -> None:
    """One faulty answer, read as any other; what the caller saw."""
    pieces: list[str] = []

    def seen(text: str) -> bool:
        pieces.append(text)
        return False

    began = time.perf_counter()
    read = asyncio.create_task((await streams.at(base_url, limits=asked["limits"]))(seen))
    _, waiting = await asyncio.wait({read}, timeout=asked["wait"])
    told: dict[str, Any] = {"fault": name, "text": "".join(pieces), "seconds": time.perf_counter() - began}
    if waiting:
        read.cancel()
        await asyncio.wait({read}, timeout=5)
        tell(**told, ended="waits")
    elif error := read.exception():
        tell(**told, ended="raises", error=type(error).__name__, words=str(error)[:200])
    else:
        tell(**told, ended="ends", finish=read.result())


async def leaving(name: str, base_url: str, asked: dict[str, Any], streams: Streams) -> None:
    """A reader who leaves after two pieces: out of the loop, or because its task is cancelled."""
    enough, count = asyncio.Event(), 0
    by_cancelling = name.endswith("cancelled")

    def seen(_: str) -> bool:
        nonlocal count
        count += 1
        if count == 2:
            enough.set()
        return count >= 2 and not by_cancelling

    read = asyncio.create_task((await streams.at(base_url, limits=asked["limits"]))(seen))
    waits = asyncio.create_task(enough.wait())
    await asyncio.wait({read, waits}, timeout=60, return_when=asyncio.FIRST_COMPLETED)
    if by_cancelling:
        read.cancel()
    await asyncio.wait({read}, timeout=5)
    tell(fault=name, ended="leaves", seconds=0.0, text="", left=enough.is_set())
    await asyncio.sleep(asked["after_leaving"])


async def faults(asked: dict[str, Any], streams: Streams) -> None:
    """All faults at once, each at an address of its own, through clients that were opened and warmed before."""
    for warm in asked["warm"]:
        await timed(await streams.at(warm))
    for base_url in asked["faults"].values():
        await streams.at(base_url, limits=asked["limits"])
    tell(ready=True, versions=versions(*streams.chosen.packages))
    leavers = {name: url for name, url in asked["faults"].items() if name.startswith("reader")}
    broken = {name: url for name, url in asked["faults"].items() if name not in leavers}
    await asyncio.gather(*(one_fault(name, url, asked, streams) for name, url in broken.items()))
    for name, url in leavers.items():
        await leaving(name, url, asked, streams)


async def cited(asked: dict[str, Any], streams: Streams) -> None:
    """One whole answer, as the peer's seat for citations gives it, and what it logged as a warning."""
    import logging

    logged: list[str] = []
    heard = logging.Handler(logging.WARNING)
    heard.emit = lambda record: logged.append(record.getMessage())  # type: ignore[method-assign]
    logging.getLogger().addHandler(heard)
    try:
        found = await streams.module.cited(asked["address"], asked["variant"])
    except Exception as error:
        found = {"text": "", "cites": [], "flags": [], "error": f"{type(error).__name__}: {error}"[:300]}
    tell(**found, logged=logged)


async def first(asked: dict[str, Any], streams: Streams) -> None:
    """One short answer from a cold start: the parent's watch runs from before this process until this line."""
    length, _ = await timed(await streams.at(asked["address"]))
    tell(characters=length, rss_mb=resident() / 2**20)


PARTS = {"paced": paced, "many": many, "faults": faults, "cited": cited, "first": first}


async def main() -> None:
    """Do the one thing that is asked."""
    asked = json.loads(sys.argv[1])
    async with AsyncExitStack() as stack:
        await PARTS[asked["part"]](asked, Streams(stack, asked["client"]))


if __name__ == "__main__":
    asyncio.run(main())
