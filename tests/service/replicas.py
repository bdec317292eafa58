"""`footnoted serve` in child processes, a model that says what the question asks for, and clients to talk to them."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
import signal
import sys
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass
from multiprocessing.process import BaseProcess
from pathlib import Path

import aiohttp

from footnoted.testing.script import Reply
from tests.commands import FORKS
from tests.service.schemas import as_documented
from tests.services import free_port

SOURCES = [{"id": "car", "title": "Car policy", "text": "The windscreen excess is £75 for a repair. Glass is covered."}]
_ASKED = re.compile(r"pieces=(\d+) delay=([\d.]+)(?: size=(\d+))?")


def say(request) -> Reply:
    """``pieces=40 delay=0.05`` in the question: 40 numbered pieces, 50 ms apart. Else one cited sentence.

    Asked for an object, the excess as one; "Invent" in the question makes it a wrong one.
    """
    if "response_format" in request.json:
        return Reply(json={"pounds": 980 if "Invent" in request.prompt_text else 75, "what": "windscreen repair"})
    if asked := _ASKED.search(request.prompt_text.rpartition("Question")[2] or request.prompt_text):
        count, delay = int(asked[1]), float(asked[2])
        filling = " x" * (int(asked[3] or 0) // 2)
        return Reply(pieces=[f"w{n}{filling} " for n in range(count)], delay=delay)
    return Reply(text="The windscreen excess is £75 for a repair [1].")


def slow(count: int, delay: float, **more) -> dict:
    """A request whose answer takes its time, unchecked, so that every piece is an event."""
    question = f"What is covered? pieces={count} delay={delay}"
    return {"question": question, "sources": SOURCES, "config": {"require_grounding": False}, **more}


@dataclass
class Event:
    """One event as a client reads it."""

    id: int
    name: str
    data: dict


class Replica:
    """One `footnoted serve` process. ``log`` is what it wrote to standard error."""

    def __init__(self, folder: Path, name: str, **settings) -> None:
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.log_path = folder / f"{name}-{self.port}.log"
        kept = {
            k: v
            for k, v in os.environ.items()
            if not k.startswith(("FOOTNOTED_", "OTEL_")) and not k.endswith("_API_KEY")
        }
        self.env = {
            **kept,
            "FOOTNOTED_DATABASE_URL": f"sqlite:///{folder}/{name}.db",
            "FOOTNOTED_CACHE": "off",
            "FOOTNOTED_REQUESTS_PER_MINUTE": "100000",
            "FOOTNOTED_CONCURRENT_STREAMS": "2000",
            "FOOTNOTED_CHECKING": "off",
            "FOOTNOTED_SHUTDOWN_SECONDS": "3",
            "FOOTNOTED_READING_SECONDS": "600",  # a child of a busy machine
            **{f"FOOTNOTED_{key.upper()}": str(value) for key, value in settings.items()},
        }
        self.process: BaseProcess | None = None

    @property
    def log(self) -> str:
        return self.log_path.read_text(encoding="utf-8")

    @property
    def pid(self) -> int:
        assert self.process is not None
        assert self.process.pid is not None
        return self.process.pid

    def start(self, *arguments: str) -> None:
        given = ["serve", "--port", str(self.port), *arguments]
        self.process = FORKS.Process(target=_serve, args=(given, self.env, str(self.log_path)))
        self.process.start()

    async def ready(self) -> None:
        """Wait until it serves."""
        deadline = time.monotonic() + 60
        async with aiohttp.ClientSession() as session:
            while time.monotonic() < deadline:
                assert self.process is not None
                if self.process.exitcode is not None:
                    raise AssertionError(f"the replica ended with {self.process.exitcode}:\n{self.log}")
                with contextlib.suppress(aiohttp.ClientError):
                    async with session.get(f"{self.url}/readyz") as response:
                        if response.status == 200:
                            return
                await asyncio.sleep(0.05)
        raise AssertionError(f"the replica did not get ready:\n{self.log}")

    def kill(self, how: int = signal.SIGKILL) -> None:
        if self.process is not None and self.process.is_alive():
            os.kill(self.pid, how)

    def stop(self) -> int | None:
        """End it; its exit status."""
        if self.process is None:
            return None
        self.kill(signal.SIGTERM)
        self.process.join(timeout=20)
        code = self.process.exitcode
        self.kill()
        self.process.join()
        self.process.close()
        self.process = None
        return code


def _serve(arguments: list[str], env: dict[str, str], log: str) -> None:
    """The `footnoted` command with its own environment and output."""
    from footnoted.cli import app

    os.environ.clear()
    os.environ.update(env)
    written = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.dup2(written, 1)
    os.dup2(written, 2)
    _measure_to_the_end()
    app(arguments)


def _measure_to_the_end() -> None:
    """Where coverage is measured, write it before the signal that uvicorn ends with takes effect."""
    coverage = sys.modules.get("coverage")
    measuring = coverage.Coverage.current() if coverage else None
    if measuring is None:
        return

    def end(number: int, _: object) -> None:
        measuring.stop()
        measuring.save()
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)

    signal.signal(signal.SIGTERM, end)


async def start(*replicas: Replica) -> None:
    for replica in replicas:
        replica.start()
    await asyncio.gather(*(replica.ready() for replica in replicas))


class Client:
    """What a client of the service does, with or without a key."""

    def __init__(self, url: str, *, key: str | None = None) -> None:
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        self.url = url
        connector = aiohttp.TCPConnector(limit=0, force_close=True)
        self.session = aiohttp.ClientSession(url, headers=headers, connector=connector, read_bufsize=2**25)

    async def __aenter__(self):
        return self

    async def __aexit__(self, *_):
        await self.session.close()

    async def json(self, method: str, path: str, body=None, **options):
        """The status and the JSON of one request, which is as the service's own document says."""
        async with self.session.request(method, path, json=body, **options) as response:
            text = await response.text()
            told = json.loads(text) if text else None
            as_documented(method, path, response.status, told)
            return response.status, told

    async def upload(self, text: str | bytes, name: str = "car.md", **fields):
        form = aiohttp.FormData()
        form.add_field("file", text.encode() if isinstance(text, str) else text, filename=name)
        for field, value in fields.items():
            form.add_field(field, value)
        async with self.session.post("/api/v1/documents", data=form) as response:
            told = await response.json()
            as_documented("POST", "/api/v1/documents", response.status, told)
            return response.status, told

    def ask(self, body: dict, path: str = "/api/v1/answers/stream"):
        return self.session.post(path, json=body)

    def join(self, stream_id: str, after: int | None = None):
        headers = {} if after is None else {"Last-Event-ID": str(after)}
        return self.session.get(f"/api/v1/chat/stream/{stream_id}", headers=headers)


async def events_of(response: aiohttp.ClientResponse) -> AsyncIterator[Event]:
    """The events of a response as they come; ends when the connection does."""
    assert response.status == 200, await response.text()
    fields: dict[str, str] = {}
    while True:
        try:
            line = (await response.content.readline()).decode()
        except (aiohttp.ClientError, ConnectionError):
            return
        if not line:
            return
        line = line.rstrip("\n")
        if not line:
            if "data" in fields:
                yield Event(int(fields["id"]), fields["event"], json.loads(fields["data"]))
            fields = {}
        elif not line.startswith(":"):
            name, _, value = line.partition(": ")
            fields[name] = value


async def collect(response: aiohttp.ClientResponse, *, until: int | None = None) -> list[Event]:
    """All events, or those up to a number."""
    found = []
    async for event in events_of(response):
        found.append(event)
        if until is not None and event.id >= until:
            break
    return found


async def follow(clients: list[Client], stream_id: str, events: list[Event], *, seconds: float = 20) -> list[Event]:
    """Rejoin, on whichever replica answers, until the stream's last event is there."""
    deadline = time.monotonic() + seconds
    turn = 0
    while time.monotonic() < deadline:
        client = clients[turn % len(clients)]
        turn += 1
        after = events[-1].id if events else 0
        with contextlib.suppress(aiohttp.ClientError, ConnectionError, AssertionError):
            async with client.join(stream_id, after) as response:
                if response.status == 204:
                    return events
                async for event in events_of(response):
                    events.append(event)
        if events and events[-1].name in ("done", "error"):
            return events
        await asyncio.sleep(0.1)
    raise AssertionError(f"no end within {seconds} s; {len(events)} events, the last {events[-1:]}")


def whole(events: list[Event]) -> None:
    """No event lost, none doubled, in order, and exactly one ending, at the end."""
    assert [event.id for event in events] == list(range(1, len(events) + 1))
    assert events[0].name == "start"
    assert [event.name for event in events if event.name in ("done", "error")] == [events[-1].name]


def text_of(events: list[Event]) -> str:
    return "".join(event.data["content"] for event in events if event.name == "chunk")


def numbered(count: int) -> str:
    """What the model says to ``pieces=count``, as told."""
    return "".join(f"w{n} " for n in range(count))


class Line:
    """A TCP line to a server that can be cut, made to hang, and mended."""

    def __init__(self, port: int) -> None:
        self._to = port
        self.port = free_port()
        self._server: asyncio.Server | None = None
        self._open: set[asyncio.StreamWriter] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._flows = asyncio.Event()

    async def mend(self) -> None:
        self._flows.set()
        self._server = await asyncio.start_server(self._connected, "127.0.0.1", self.port)

    def hang(self) -> None:
        self._flows.clear()

    def flow(self) -> None:
        self._flows.set()

    async def cut(self) -> None:
        if self._server is not None:
            self._server.close()
            self._server = None
        for writer in list(self._open):
            writer.transport.abort()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there, back = await asyncio.open_connection("127.0.0.1", self._to)
        for source, sink in ((reader, back), (there, writer)):
            self._open.add(sink)
            task = asyncio.create_task(self._pass_on(source, sink))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _pass_on(self, source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError):
            while data := await source.read(65536):
                await self._flows.wait()
                sink.write(data)
                await sink.drain()
        self._open.discard(sink)
        sink.close()
