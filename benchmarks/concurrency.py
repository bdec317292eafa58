"""A thousand paced streamed answers at once, in one process: do all finish, how late, and at what memory?

    python benchmarks/concurrency.py [--streams 1000] [--rounds 3] [--bare] [--alone]

A server of its own process sends each stream 200 chunks at 50 a second; the ideal is 4 s. Each round is a fresh
process that asks through `GroundedGenerator`, five sources of 200 words, citations decoded, checking off; with
``--bare`` a bare aiohttp loop as well, which is what the machine can do at all. Memory is the resident set's growth
over a warmed-up process, at its highest while all streams are open, divided by the streams. A thousand such streams
take most of a core, so on a machine with other work wall time says how busy that was: ``--alone`` takes the cores
for the seconds of a round (real-time scheduling, as root).
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import os
import resource
import statistics
import subprocess
import sys
import time
from contextlib import AsyncExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import aiohttp
from _many_server import many_server
from _stream_clients import MESSAGES, MODEL, footnoted
from _table import goals, heading, table, versions

if TYPE_CHECKING:
    from _stream_clients import Read

CHUNKS, PACE = 200, 50
IDEAL = CHUNKS / PACE


def resident() -> int:
    """Bytes of memory this process has now."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * resource.getpagesize()


async def bare(stack: AsyncExitStack) -> Read:
    """What any client must do: read, split lines, parse, take the text; as many connections as streams."""
    session = await stack.enter_async_context(aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)))
    body = {"model": MODEL, "messages": MESSAGES, "stream": True, "stream_options": {"include_usage": True}}

    async def read(base_url: str) -> tuple[int, float]:
        characters, first, rest = 0, 0.0, b""
        async with session.post(f"{base_url}/chat/completions", json=body) as response:
            async for piece in response.content.iter_any():
                *lines, rest = (rest + piece).split(b"\n")
                for line in lines:
                    if line.startswith(b"data: ") and line != b"data: [DONE]":
                        choices = json.loads(line[6:])["choices"]
                        if choices and (text := choices[0]["delta"].get("content")):
                            first = first or time.perf_counter()
                            characters += len(text)
        return characters, first

    return read


CLIENTS = {"bare": bare, "footnoted": footnoted}


async def one_round(client: str, address: str, streams: int) -> dict[str, float]:
    """All streams at once; wall time, CPU, memory, and how late streams were."""
    async with AsyncExitStack() as stack:
        read = await CLIENTS[client](stack)
        url = f"{address}/{CHUNKS}/{PACE}/v1"
        await asyncio.gather(*(read(f"{address}/{CHUNKS}/0/v1") for _ in range(20)))
        gc.collect()
        before, peak, lags = resident(), 0, []

        async def watch() -> None:
            nonlocal peak
            while True:
                due = time.perf_counter() + 0.05
                await asyncio.sleep(0.05)
                lags.append(time.perf_counter() - due)
                peak = max(peak, resident())

        watching = asyncio.create_task(watch())
        used, began = resource.getrusage(resource.RUSAGE_SELF), time.perf_counter()
        done = await asyncio.gather(*(read(url) for _ in range(streams)), return_exceptions=True)
        wall = time.perf_counter() - began
        spent = resource.getrusage(resource.RUSAGE_SELF)
        watching.cancel()
    failed = [result for result in done if isinstance(result, BaseException) or result[0] < CHUNKS]
    if failed:
        print(failed[0], file=sys.stderr)
    return {
        "finished": streams - len(failed),
        "wall": wall,
        "cpu": spent.ru_utime + spent.ru_stime - used.ru_utime - used.ru_stime,
        "kb": (peak - before) / streams / 1024,
        "lag": max(lags),
        "first": statistics.median(result[1] - began for result in done if isinstance(result, tuple)),
    }


def in_own_process(client: str, address: str, streams: int) -> dict[str, float]:
    """One round in a fresh process."""
    command = [sys.executable, __file__, "--one", client, "--address", address, "--streams", str(streams)]
    done = subprocess.run(command, check=False, stdout=subprocess.PIPE, text=True)
    if done.returncode:
        raise SystemExit(f"the client {client!r} failed")
    return json.loads(done.stdout.splitlines()[-1])


def main() -> int:
    """Measure, print, judge."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--streams", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--bare", action="store_true", help="a bare aiohttp loop as well")
    parser.add_argument("--alone", action="store_true", help="before all other work of the machine (root)")
    parser.add_argument("--report", action="store_true", help="exit 0 even when a goal is missed")
    parser.add_argument("--one", choices=CLIENTS, help=argparse.SUPPRESS)
    parser.add_argument("--address", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.one:
        print(json.dumps(asyncio.run(one_round(args.one, args.address, args.streams))))
        return 0
    if args.alone:
        os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))  # the server and the clients inherit it
    heading(f"{args.streams} paced streams at once in one process", versions("footnoted", "aiohttp"))
    clients = ["bare", "footnoted"] if args.bare else ["footnoted"]
    rows = []
    with many_server() as address:
        for number in range(args.rounds):
            for client in clients:
                found = in_own_process(client, address, args.streams)
                rows.append((client, number, found))
    columns = (
        "client",
        "round",
        "finished",
        "wall s",
        "× ideal",
        "CPU s",
        "first text s",
        "longest pause s",
        "KB/stream",
    )
    table(
        columns,
        [
            (
                client,
                str(number + 1),
                f"{found['finished']:.0f}",
                f"{found['wall']:.2f}",
                f"{found['wall'] / IDEAL:.2f}",
                f"{found['cpu']:.2f}",
                f"{found['first']:.2f}",
                f"{found['lag']:.2f}",
                f"{found['kb']:.0f}",
            )
            for client, number, found in rows
        ],
    )
    ours = [found for client, _, found in rows if client == "footnoted"]
    least = min(found["finished"] for found in ours)
    over = min(found["wall"] for found in ours) / IDEAL
    size = statistics.median(found["kb"] for found in ours)
    reached = [
        ("all finish", f"{least:.0f} of {args.streams}", least == args.streams),
        ("wall time: at most 1.5 × the ideal (best round)", f"{over:.2f} ×", over <= 1.5),
        ("memory: at most 100 KB a stream", f"{size:.0f} KB", size <= 100),
    ]
    return goals(reached, report=args.report)


if __name__ == "__main__":
    sys.exit(main())
