"""Measures what one client's streams from a paced server cost, in a process of its own; prints one line of JSON.

    python _stream_clients.py CLIENT ADDRESS --streams 50 --chunks 200 --pace 50 --shorts 200

CPU is this process's own, user and system, around the streams alone: imports, the first connection and the
first, slower pass over the code are paid before.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import itertools
import json
import resource
import statistics
import time
from contextlib import AsyncExitStack, aclosing
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import UUID

from _table import versions
from _texts import QUESTION, SOURCES

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    # Reads the stream at a base_url to its end: how many characters came, and when the first did.
    Read = Callable[[str], Awaitable[tuple[int, float]]]

MODEL = "gpt-5.6-luna"
_SYSTEM = (
    "Answer from the numbered sources alone, in the question's language. End every sentence that states a fact with "
    "the number of its source in brackets, like [2]. If they hold no answer, say so. Be brief."
)
MESSAGES = [
    {"role": "system", "content": _SYSTEM},
    {
        "role": "user",
        "content": "".join(f"Source {n}: {title}\n{text}\n\n" for n, (title, text) in enumerate(SOURCES, 1)) + QUESTION,
    },
]


async def bare(stack: AsyncExitStack) -> Read:
    """What must be done, and no more: read, split lines, parse, take the text."""
    import aiohttp

    session = await stack.enter_async_context(aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)))
    body = {"model": MODEL, "messages": MESSAGES, "stream": True, "stream_options": {"include_usage": True}}
    headers = {"Authorization": "Bearer none"}

    async def read(base_url: str) -> tuple[int, float]:
        characters, first = 0, 0.0
        async with session.post(f"{base_url}/chat/completions", json=body, headers=headers) as response:
            rest = b""
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


async def footnoted(stack: AsyncExitStack, *, new_sources: bool = False) -> Read:
    """The whole library: prompt, deadlines, retries, citations decoded and pointed, the response at the end.

    With ``new_sources`` each stream has texts that no stream had before.
    """
    from footnoted import GenerationRequest, GroundedGenerator, SourceContext
    from footnoted.events import CitationFound, TextDelta

    generators: dict[str, GroundedGenerator] = {}
    asked = itertools.count()

    def request() -> GenerationRequest:
        ending = f" Policy {next(asked)}." if new_sources else ""
        chunks = [
            SourceContext(
                chunk_id=UUID(int=n),
                document_id=UUID(int=100 + n),
                content=text + ending,
                metadata={"title": title},
            )
            for n, (title, text) in enumerate(SOURCES, 1)
        ]
        return GenerationRequest(query=QUESTION, context=chunks)

    async def read(base_url: str) -> tuple[int, float]:
        generator = generators.get(base_url)
        if generator is None:
            generator = GroundedGenerator("openai", api_key="none", base_url=base_url, model=MODEL, checking="off")
            generators[base_url] = await stack.enter_async_context(generator)
        characters, first, cited = 0, 0.0, 0
        async with aclosing(generator.stream(request())) as events:
            async for event in events:
                if isinstance(event, TextDelta):
                    first = first or time.perf_counter()
                    characters += len(event.text)
                elif isinstance(event, CitationFound):
                    cited += 1
        response = event.response
        assert response.finish_reason == "complete", response.error
        assert cited == len(response.citations)
        assert characters < 100 or cited > 5
        return characters, first

    return read


async def openai(stack: AsyncExitStack) -> Read:
    """The vendor's own SDK."""
    from openai import AsyncOpenAI

    clients: dict[str, AsyncOpenAI] = {}
    body = {"model": MODEL, "messages": MESSAGES, "stream": True, "stream_options": {"include_usage": True}}

    async def read(base_url: str) -> tuple[int, float]:
        client = clients.get(base_url)
        if client is None:
            client = clients[base_url] = await stack.enter_async_context(AsyncOpenAI(api_key="none", base_url=base_url))
        characters, first = 0, 0.0
        async for chunk in await client.chat.completions.create(**body):
            if chunk.choices and (text := chunk.choices[0].delta.content):
                first = first or time.perf_counter()
                characters += len(text)
        return characters, first

    return read


CLIENTS: dict[str, tuple[Callable[[AsyncExitStack], Awaitable[Read]], tuple[str, ...]]] = {
    "bare": (bare, ("aiohttp",)),
    "footnoted": (footnoted, ("footnoted", "aiohttp", "pydantic")),
    "footnoted-new": (partial(footnoted, new_sources=True), ("footnoted", "aiohttp", "pydantic")),
    "openai": (openai, ("openai", "httpx", "pydantic")),
}


def cpu() -> float:
    """Seconds of user and system time of this process so far."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def resident() -> int:
    """Bytes of memory this process has now."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * resource.getpagesize()


async def paced(read: Read, base_url: str, *, streams: int, chunks: int, pace: int, together: bool) -> dict[str, float]:
    """CPU and memory of ``streams`` at once.

    They are begun evenly over one interval, so that each chunk is a wake-up of its own, unless ``together``.
    """
    peak = 0

    async def late(number: int) -> int:
        await asyncio.sleep(0.0 if together else number / pace / streams)
        return (await read(base_url))[0]

    async def watch() -> None:
        nonlocal peak
        while True:
            peak = max(peak, resident())
            await asyncio.sleep(0.25)

    gc.collect()
    begun = resident()
    watching = asyncio.create_task(watch())
    started, before = time.perf_counter(), cpu()
    lengths = await asyncio.gather(*map(late, range(streams)))
    used, wall = cpu() - before, time.perf_counter() - started
    watching.cancel()
    assert min(lengths) > 2 * chunks, lengths
    return {"cpu_ms": used / streams * 1000, "wall_s": wall, "kb": (peak - begun) / streams / 1024}


async def first(read: Read, base_url: str, shorts: int) -> list[float]:
    """Milliseconds from asking to the first text, of ``shorts`` one-piece answers after one another."""
    waits = []
    for _ in range(shorts):
        started = time.perf_counter()
        _, came = await read(base_url)
        waits.append((came - started) * 1000)
    return waits


async def main() -> None:
    """Measure one client."""
    parser = argparse.ArgumentParser()
    parser.add_argument("client", choices=CLIENTS)
    parser.add_argument("address")
    parser.add_argument("--streams", type=int, default=50)
    parser.add_argument("--chunks", type=int, default=200)
    parser.add_argument("--pace", type=int, default=50)
    parser.add_argument("--shorts", type=int, default=200)
    parser.add_argument("--together", action="store_true")
    args = parser.parse_args()
    opener, packages = CLIENTS[args.client]
    async with AsyncExitStack() as stack:
        read = await opener(stack)
        await read(f"{args.address}/{args.chunks}/0/v1")
        await asyncio.gather(*(read(f"{args.address}/{args.chunks}/0/v1") for _ in range(20)))
        figures: dict[str, object] = {}
        if args.streams:
            paced_at = f"{args.address}/{args.chunks}/{args.pace}/v1"
            figures |= await paced(
                read, paced_at, streams=args.streams, chunks=args.chunks, pace=args.pace, together=args.together
            )
        if args.shorts:
            short = f"{args.address}/1/0/v1"
            await first(read, short, 20)
            waits = await first(read, short, args.shorts)
            figures |= {"first_ms": statistics.median(waits), "first_least_ms": min(waits)}
        print(json.dumps({**figures, "versions": versions(*packages)}))


if __name__ == "__main__":
    asyncio.run(main())
