"""A service, or a bare `StreamingResponse`, with a model in its own process that is always on time.

    python benchmarks/_service_server.py footnoted|bare FOLDER

The question says what is wanted: ``COUNT chunks at PACE``. Prints its port; serves until its standard input closes.
"""

from __future__ import annotations

import asyncio
import json
import re
import socket
import sys
from pathlib import Path

import uvicorn
import uvloop
from _paced_server import pieces
from fastapi import FastAPI, Request
from fastapi.responses import StreamingResponse

ASKED = re.compile(r"(\d+) chunks at ([\d.]+)")


async def paced(count: int, pace: float):
    """The pieces, the first at once, each next when its time has come."""
    loop = asyncio.get_running_loop()
    began = loop.time()
    for number, piece in enumerate(pieces(count)):
        wait = began + number / pace - loop.time()
        if wait > 0:
            await asyncio.sleep(wait)
        yield piece


async def model(prompt):
    """The same as a provider."""
    asked = ASKED.search(prompt.question)
    async for piece in paced(int(asked[1]), float(asked[2])):
        yield piece


def bare():
    """What FastAPI can do at all: a generator, its pieces encoded, and `StreamingResponse`."""
    app = FastAPI()

    async def told(count: int, pace: float):
        number = 1
        yield b'id: 1\nevent: start\ndata: {"stream_id":"s"}\n\n'
        async for piece in paced(count, pace):
            number += 1
            yield f"id: {number}\nevent: chunk\ndata: {json.dumps({'content': piece})}\n\n".encode()
        yield f"id: {number + 1}\nevent: done\ndata: {{}}\n\n".encode()

    @app.post("/api/v1/answers/stream")
    async def stream(request: Request) -> StreamingResponse:
        asked = ASKED.search((await request.json())["question"])
        return StreamingResponse(told(int(asked[1]), float(asked[2])), media_type="text/event-stream")

    return app


def footnoted(folder: str):
    """The service as `footnoted serve` runs it, on SQLite and memory, with that model; claims are not checked."""
    from footnoted import GroundedGenerator
    from footnoted.providers import build
    from footnoted.service.app import create_app
    from footnoted.service.observe import logs
    from footnoted.service.pacing import paced
    from footnoted.service.settings import Settings

    settings = Settings(
        database_url=f"sqlite:///{folder}/service.db",
        requests_per_minute=10_000_000,
        concurrent_streams=100_000,
        generations=100_000,
        log_level="warning",
    )
    logs.set_up(settings)
    return create_app(
        settings, generator=GroundedGenerator(paced(build(model), seconds=settings.pace_seconds), checking="off")
    )


def _answers(port: int) -> None:
    """Wait for its first answer, whatever it is."""
    with socket.create_connection(("127.0.0.1", port)) as connection:
        connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
        connection.recv(100)


def main() -> None:
    """Serve one of the two."""
    from footnoted.service.wire import Protocol

    kind, folder = sys.argv[1:3]
    app, protocol = (bare(), "httptools") if kind == "bare" else (footnoted(folder), Protocol)
    listener = socket.create_server(("127.0.0.1", 0), backlog=4096)
    config = uvicorn.Config(app, http=protocol, loop="uvloop", log_config=None, access_log=False, log_level="warning")
    server = uvicorn.Server(config)

    async def serve() -> None:
        serving = asyncio.create_task(server.serve(sockets=[listener]))
        await asyncio.to_thread(_answers, listener.getsockname()[1])
        print(listener.getsockname()[1], flush=True)
        await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
        server.should_exit = server.force_exit = True
        await serving

    uvloop.run(serve()) if Path(folder).is_dir() else sys.exit("no such folder")


if __name__ == "__main__":
    main()
