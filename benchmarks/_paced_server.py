"""Answers a POST to /COUNT/PER_SECOND/v1/chat/completions with COUNT chunks of OpenAI's streamed wire at that pace.

Other paths speak Anthropic's and Gemini's protocols: `_paced_wire`.

A process of its own, so that what it costs counts for nobody, and pre-encoded, so that it is always on time:
prints its port and serves until its standard input closes. PER_SECOND 0 sends as fast as it can.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import random
import re
import subprocess
import sys
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from _texts import ANSWER

if TYPE_CHECKING:
    from collections.abc import Iterator

HEAD = (
    b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\nTransfer-Encoding: chunked\r\n"
    b"x-request-id: req_2f6c1d9a4be84a0c\r\nopenai-processing-ms: 212\r\nCache-Control: no-cache\r\n\r\n"
)
_TOKEN = re.compile(r" ?\w+| ?[^\w\s]|\s+")


def pieces(count: int, answer: str = ANSWER) -> list[str]:
    """The answer, over and over, in ``count`` pieces of about a token each: ``" ["``, ``"1"``, ``"]"``, ``"."``."""
    return list(itertools.islice(itertools.cycle(_TOKEN.findall(answer + " ")), count))


@lru_cache(maxsize=64)
def events(count: int, answer: str = ANSWER) -> list[bytes]:
    """The body's events, framed for chunked transfer: a role, ``count`` pieces of text, the end, usage, [DONE]."""
    noise = random.Random(7)
    shared = {
        "id": "chatcmpl-CfQx3vZ0sWb8uYk2nJ1mTqLr9aE5d",
        "object": "chat.completion.chunk",
        "created": 1794912345,
        "model": "gpt-5.6-luna-2026-08-06",
        "service_tier": "default",
        "system_fingerprint": "fp_cbf1785567",
    }

    def event(
        delta: dict[str, object] | None, finish: str | None = None, usage: dict[str, object] | None = None
    ) -> bytes:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
        chunk = {**shared, "choices": [] if delta is None else [choice], "usage": usage}
        chunk["obfuscation"] = "".join(
            noise.choices("abcdefghijklmnopqrstuvwxyzABCDEFGH0123456789", k=noise.randint(3, 14))
        )
        return framed(b"data: " + json.dumps(chunk, separators=(",", ":")).encode() + b"\n\n")

    usage = {
        "prompt_tokens": 1480,
        "completion_tokens": count,
        "total_tokens": 1480 + count,
        "prompt_tokens_details": {"cached_tokens": 1024, "audio_tokens": 0},
        "completion_tokens_details": {"reasoning_tokens": 0, "audio_tokens": 0},
    }
    return [
        event({"role": "assistant", "content": "", "refusal": None}),
        *(event({"content": piece}) for piece in pieces(count, answer)),
        event({}, finish="stop"),
        event(None, usage=usage) + framed(b"data: [DONE]\n\n") + b"0\r\n\r\n",
    ]


def framed(body: bytes) -> bytes:
    """One chunk of HTTP/1.1's chunked transfer coding."""
    return b"%x\r\n%b\r\n" % (len(body), body)


async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Answer requests on one kept-alive connection until the client leaves."""
    try:
        while True:
            head = await reader.readuntil(b"\r\n\r\n")
            target = head.split(b" ", 2)[1].decode()
            pace = int(target.split("/")[2])
            length = re.search(rb"content-length: *(\d+)", head, re.IGNORECASE)
            body = await reader.readexactly(int(length.group(1))) if length else b""
            await answer(writer, target, body, pace)
    except (asyncio.IncompleteReadError, ConnectionError):
        pass
    finally:
        writer.close()


async def answer(writer: asyncio.StreamWriter, target: str, body: bytes, pace: int) -> None:
    """The role and the first piece at once; each further piece when its time has come."""
    from _paced_wire import wire  # which takes its parts from here

    role, first, *rest = wire(target, body)
    writer.write(HEAD + role)
    writer.write(first)
    loop = asyncio.get_running_loop()
    started = loop.time()
    for number, event in enumerate(rest, start=1):
        if pace:
            await asyncio.sleep(started + number / pace - loop.time())
        writer.write(event)
    await writer.drain()


async def main() -> None:
    """Serve on a free port until standard input closes."""
    server = await asyncio.start_server(serve, "127.0.0.1", 0, backlog=4096)
    print(server.sockets[0].getsockname()[1], flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    server.close()


@contextmanager
def paced_server() -> Iterator[str]:
    """The server in a process of its own; its address, without a path."""
    command = [sys.executable, str(Path(__file__))]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        try:
            yield f"http://127.0.0.1:{int(process.stdout.readline())}"
        finally:
            process.stdin.close()


if __name__ == "__main__":
    asyncio.run(main())
