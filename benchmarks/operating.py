"""What an operator would try on a service, each row with what it must reach.

    python benchmarks/operating.py [--only burst] [--report]

A real `footnoted serve` on a real Redis and PostgreSQL, a scripted model over HTTP, and clients, all on this machine.

burst     400, then 1,000 streams asked for in the same moment: every one answered, none refused, every event there once.
limits    300 requests at 60 a minute over two replicas: exactly what the bucket holds gets through.
left      400 streams whose readers leave at once: how long until the last of them is stopped.
frozen    Redis, then PostgreSQL, stop answering without closing: how long until `/readyz` and a request say so.

What one tenant does to another is `fairness.py`'s matter.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import aiohttp

sys.path.insert(0, str(Path(__file__).parents[1]))

from _table import goals, heading, versions
from tests import services as real
from tests.service.replicas import Client, Line, Replica, collect, say, slow, start

from footnoted.testing import ScriptedLLM


async def burst(shared: dict, folder: Path, count: int) -> tuple:
    """So many streams at once on one process: the statuses, the endings, and when the last began and ended."""
    replica = Replica(folder, f"burst{count}", **shared)
    await start(replica)
    statuses: Counter[str] = Counter()
    firsts: list[float] = []
    try:
        async with Client(replica.url) as client:
            await client.json("POST", "/api/v1/answers", slow(1, 0))
            began = time.perf_counter()

            async def one() -> None:
                try:
                    async with client.ask(slow(20, 0.1)) as response:
                        firsts.append(time.perf_counter() - began)
                        if response.status != 200:
                            statuses[f"{response.status} {await response.text()}"] += 1
                            return
                        events = await collect(response)
                except aiohttp.ClientError as error:
                    statuses[type(error).__name__] += 1
                    return
                ids = [each.id for each in events]
                kept = ids == list(range(1, len(ids) + 1)) and events[-1].name == "done"
                statuses["whole" if kept else f"ended {events[-1].data.get('code') if events else 'empty'}"] += 1

            await asyncio.gather(*(one() for _ in range(count)))
            took = time.perf_counter() - began
    finally:
        print("".join(f"    {each}\n" for each in replica.log.splitlines() if '"level": "warning"' in each), end="")
        replica.stop()
    return statuses["whole"], dict(statuses), max(firsts), took


async def limits(shared: dict, folder: Path) -> tuple[int, int]:
    """How many of 300 requests get through two replicas at 60 a minute within a moment."""
    replicas = [Replica(folder, f"limit{n}", **shared, requests_per_minute=60) for n in (1, 2)]
    await start(*replicas)
    try:
        async with Client(replicas[0].url) as first, Client(replicas[1].url) as second:
            began = time.perf_counter()
            got = await asyncio.gather(
                *((first, second)[n % 2].json("GET", "/api/v1/session") for n in range(300)),
            )
            filled = time.perf_counter() - began
    finally:
        for replica in replicas:
            replica.stop()
    print("   statuses", dict(Counter(status for status, _ in got)), f"in {filled:.1f} s")
    return sum(status == 200 for status, _ in got), 60 + int(filled)


async def left(shared: dict, folder: Path, count: int = 400) -> float:
    """Seconds from when all readers left until the last stream was stopped."""
    replica = Replica(folder, "left", **shared)
    await start(replica)
    try:
        async with Client(replica.url) as client:

            async def begin() -> aiohttp.ClientResponse:
                response = await client.ask(slow(200, 0.5, reader="cancel"))
                assert response.status == 200, response.status
                await response.content.readline()
                return response

            open_ones = await asyncio.gather(*(begin() for _ in range(count)))
            for response in open_ones:
                response.close()
            began = time.perf_counter()
            while time.perf_counter() - began < 30:
                async with client.session.get("/metrics") as response:
                    told = await response.text()
                running = next(line for line in told.splitlines() if line.startswith("footnoted_streams_running "))
                if float(running.split()[1]) == 0:
                    break
                await asyncio.sleep(0.05)
            return time.perf_counter() - began
    finally:
        replica.stop()


async def frozen(shared: dict, folder: Path, what: str) -> tuple[float, float, float]:
    """Seconds until `/readyz` says so, until a request says so, and until all is well again once it thaws."""
    address = shared[what]
    port = int(address.rpartition(":")[2].partition("/")[0])
    line = Line(port)
    await line.mend()
    replica = Replica(folder, f"frozen-{what}", **{**shared, what: address.replace(f":{port}", f":{line.port}")})
    await start(replica)
    try:
        async with Client(replica.url) as client:
            await client.json("POST", "/api/v1/answers", slow(1, 0))
            line.hang()
            began = time.perf_counter()

            async def ready() -> float:
                while time.perf_counter() - began < 30:
                    status, _ = await client.json("GET", "/readyz")
                    if status == 503:
                        break
                    await asyncio.sleep(0.05)
                return time.perf_counter() - began

            async def asked() -> float:
                path = "/api/v1/feedback" if what == "database_url" else "/api/v1/session"
                status, told = await client.json("GET", path)
                print("   a request meanwhile:", status, told.get("error") if status != 200 else "")
                return time.perf_counter() - began

            seconds = await asyncio.gather(ready(), asked())
            line.flow()
            began = time.perf_counter()
            while time.perf_counter() - began < 30:
                if (await client.json("GET", "/readyz"))[0] == 200:
                    break
                await asyncio.sleep(0.05)
            return (*seconds, time.perf_counter() - began)
    finally:
        line.flow()
        replica.stop()
        await line.cut()


async def measure(only: str) -> list[tuple[str, str, bool]]:
    """Everything asked for, in turn."""
    reached: list[tuple[str, str, bool]] = []
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        async with ScriptedLLM(say) as llm, real.postgres_database() as database:
            with real.redis_server() as redis:
                model = {"provider": "compatible", "base_url": llm.url("openai"), "model": "scripted"}
                shared = {**model, "redis_url": redis.url, "database_url": database}
                if not only or "burst" in only:
                    for count in (400, 1000):
                        whole, statuses, first, took = await burst(shared, folder, count)
                        print(
                            f"  {count} at once: {statuses}; the last headers after {first:.1f} s, all in {took:.1f} s",
                            flush=True,
                        )
                        reached.append((f"{count} streams at once, all whole", f"{whole}", whole == count))
                if not only or "limits" in only:
                    through, most = await limits(shared, folder)
                    words = f"{through} through, 60 + refill is {most} at most"
                    reached.append(("300 requests at 60 a minute over two replicas", words, 60 <= through <= most))
                if not only or "left" in only:
                    seconds = await left(shared, folder)
                    reached.append(("400 abandoned streams stopped within 2 s", f"{seconds:.2f} s", seconds <= 2))
                if not only or "frozen" in only:
                    for what in ("redis_url", "database_url"):
                        told = await frozen(shared, folder, what)
                        words = f"readyz {told[0]:.1f} s, a request {told[1]:.1f} s, well again {told[2]:.1f} s"
                        reached.append((f"{what} frozen, told within 3 s", words, max(told[:2]) <= 3))
    return reached


def main() -> int:
    """Measure, print, judge."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="one of: burst, limits, left, frozen")
    parser.add_argument("--report", action="store_true", help="exit 0 even when a goal is missed")
    args = parser.parse_args()
    heading("What an operator would try", versions("footnoted", "fastapi", "redis", "sqlalchemy"))
    real.begin()
    try:
        reached = asyncio.run(measure(args.only))
    finally:
        real.end()
    return goals(reached, report=args.report)


if __name__ == "__main__":
    sys.exit(main())
