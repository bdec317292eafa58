"""How long one tenant keeps another waiting, whatever it sends: bodies, uploads, questions to a huge document.

    python benchmarks/fairness.py [--only WORDS] [--seconds 20] [--report]

A real `footnoted serve` (one process, SQLite, no model, every sentence checked). The hostile tenant sends from a process of
its own, four at once, again and again; meanwhile another asks for `/healthz` and for the first words of an answer. Each
row's figure is the worst single wait of the row's whole time, and what was the worst while nobody else asked.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import io
import json
import sys
import tempfile
import time
import zipfile
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from _table import goals, heading, table, versions
from tests.service.replicas import SOURCES, Client, Replica, start

from footnoted.service.store import Store
from footnoted.service.store.keys import Keys

WORST = 0.25  # seconds another tenant may be kept waiting
CALM, LONG = 2.0, 20.0  # seconds of watching before an attack, and of an attack
LIKE = 4  # requests at once
CALM_QUESTION = {"question": "What is the windscreen excess?", "sources": SOURCES}


def bodies() -> dict[str, Callable[[], bytes]]:
    """What is dear to read; each within the 8 MB a body may have."""
    long = "The excess is £75. " * 50_000
    sources = [{"id": str(n), "text": long[:340_000] + str(n)} for n in range(20)]
    many = [{"id": str(n), "text": f"Clause {n}: the excess is £{n}. " * 900} for n in range(200)]
    huge = [{"id": str(n), "text": f"Of {n}: the windscreen excess is £75. " * 26_000} for n in range(7)]
    keys = {f"k{n}": n for n in range(300_000)}
    return {
        "400,000 unknown fields": lambda: json.dumps({f"k{n}": n for n in range(400_000)}).encode(),
        "nested 100,000 deep": lambda: b'{"question":' + b"[" * 100_000 + b"]" * 100_000 + b"}",
        "a list of 2,000,000 numbers": lambda: b'{"question":"q","sources":[' + b"1," * 2_000_000 + b"1]}",
        "metadata of 300,000 keys": lambda: json.dumps(
            {"question": "q", "sources": [{"text": "x", "metadata": keys}]}
        ).encode(),
        "900 kB of escapes": lambda: b'{"question":"q","sources":[{"text":"' + b"\\u00e9" * 150_000 + b'"}]}',
        "20 sources of 340 kB": lambda: json.dumps({"question": "What is the excess?", "sources": sources}).encode(),
        "200 sources of 30 kB": lambda: json.dumps({"question": "The excess of clause 77?", "sources": many}).encode(),
        "7 sources of 1 MB": lambda: json.dumps({"question": "The windscreen excess?", "sources": huge}).encode(),
    }


def files() -> dict[str, Callable[[], tuple[str, bytes]]]:
    """What is dear to take in."""
    return {
        "Markdown of 120,000 headings": lambda: (
            "a.md",
            b"".join(b"# H%d\n\ntext %d\n\n" % (n, n) for n in range(120_000)),
        ),
        "HTML nested 900,000 deep": lambda: ("a.html", b"<div>" * 900_000 + b"x"),
        "40 MB of plain text": lambda: ("a.txt", b"The windscreen excess is 75 pounds for a repair. " * 800_000),
        "a 10 MB table": lambda: ("b.html", b"<table>" + b"<tr><td>a<td>b<td>c</tr>" * 400_000 + b"</table>"),
        "a DOCX that unpacks to 2 GB": lambda: ("b.docx", _bomb()),
    }


def _bomb() -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive, archive.open("word/document.xml", "w") as part:
        for _ in range(2_000):
            part.write(bytes(1_000_000))
    return packed.getvalue()


HUGE = b"".join(
    b"## Clause %d\n\nThe windscreen excess of clause %d is %d pounds.\n\n" % (n, n, n) for n in range(60_000)
)


class Hostile:
    """What the hostile tenant does, by name: ``prepare`` once, then ``send`` again and again."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self._numbers: Iterator[int] = iter(range(1_000_000))
        self._body = b""
        self._file = ("", b"")
        self._document = ""

    def kinds(self) -> dict[str, tuple[Callable[[], Awaitable[None]] | None, Callable[[], Awaitable[int]]]]:
        """Everything it can do."""
        found: dict[str, tuple] = {}
        for name, body in bodies().items():
            found[f"body: {name}"] = (lambda body=body: self._take_body(body), lambda: self._post("/api/v1/answers"))
        for name, file in files().items():
            found[f"upload: {name}"] = (lambda file=file: self._take_file(file), self._upload)
        found["upload: 4 small files, again and again"] = (
            lambda: self._take_file(lambda: ("a.md", b"# A\n\nb ")),
            self._upload,
        )
        say = json.dumps({"answer": "The excess is £75. The moon is made of cheese. " * 170, "sources": SOURCES})
        found["verify: 8,000 characters"] = (
            lambda: self._take_body(say.encode),
            lambda: self._post("/api/v1/verify"),
        )
        message = json.dumps({"message": "windscreen " * 700})
        asked = lambda: self._post("/api/v1/chat/message")
        found["huge document: first questions to it"] = (lambda: self._take_body(message.encode), asked)
        found["huge document: questions to it"] = (lambda: self._take_body(message.encode), asked)
        overview = json.dumps({"message": "What are these documents about?"})
        found["huge document: what is it about"] = (lambda: self._take_body(overview.encode), asked)
        found["huge document: its overview"] = (None, lambda: self._get("/api/v1/overview"))
        found["huge document: its text"] = (None, lambda: self._get(f"/api/v1/documents/{self._document}/text"))
        found["huge document: places in it"] = (
            None,
            lambda: self._get(f"/api/v1/documents/{self._document}/places?start=0&end=9000000"),
        )
        return found

    async def begin(self, name: str) -> None:
        """Make what will be sent."""
        prepare, _ = self.kinds()[name]
        if name.startswith("huge document"):
            self._document = await self._huge()
        if prepare is not None:
            await prepare()

    async def go_on(self, name: str, seconds: float) -> Counter[str]:
        """Send it, so many at once, until the time is over; what came back."""
        _, send = self.kinds()[name]
        told: Counter[str] = Counter()

        async def one() -> None:
            while True:
                try:
                    told[str(await send())] += 1
                except OSError as error:
                    told[type(error).__name__] += 1

        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await asyncio.gather(*(one() for _ in range(LIKE)))
        return told

    async def _huge(self) -> str:
        status, told = await self.client.upload(HUGE, "huge.md")
        assert status in (200, 201), told
        return told["id"]

    async def _take_body(self, body: Callable[[], bytes]) -> None:
        self._body = body()

    async def _take_file(self, file: Callable[[], tuple[str, bytes]]) -> None:
        self._file = file()

    async def _post(self, path: str) -> int:
        headers = {"Content-Type": "application/json"}
        async with self.client.session.post(path, data=self._body, headers=headers) as response:
            await response.read()
            return response.status

    async def _get(self, path: str) -> int:
        async with self.client.session.get(path) as response:
            await response.read()
            return response.status

    async def _upload(self) -> int:
        name, data = self._file
        status, _ = await self.client.upload(data + b"%d" % next(self._numbers), name)
        return status


async def attack(url: str, key: str, name: str, seconds: float) -> None:
    """In the process of the hostile tenant: a line when it is ready, one read, and what came back."""
    async with Client(url, key=key) as client:
        hostile = Hostile(client)
        await hostile.begin(name)
        print("ready", flush=True)
        await asyncio.to_thread(sys.stdin.readline)
        print(json.dumps(await hostile.go_on(name, seconds)), flush=True)


class Watch:
    """Another tenant: how long each of its requests took, one after another."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self.health: list[float] = []
        self.first: list[float] = []

    async def run(self) -> None:
        """Until it is cancelled."""
        await asyncio.gather(self._asks_health(), self._asks())

    async def _asks_health(self) -> None:
        while True:
            began = time.perf_counter()
            async with self._client.session.get("/healthz") as response:
                assert response.status == 200
                await response.read()
            self.health.append(time.perf_counter() - began)
            await asyncio.sleep(0.02)

    async def _asks(self) -> None:
        while True:
            began = time.perf_counter()
            async with self._client.ask(CALM_QUESTION) as response:
                async for line in response.content:
                    if b"event: chunk" in line:
                        self.first.append(time.perf_counter() - began)
                        break
            await asyncio.sleep(0.05)

    def take(self) -> tuple[list[float], list[float]]:
        """What was measured since the last time."""
        health, first = self.health[:], self.first[:]
        self.health.clear()
        self.first.clear()
        return health, first


async def row(url: str, keys: dict[str, str], name: str, seconds: float) -> tuple[str, ...]:
    """One attack: how often it got what, and the other's waits, calm and meanwhile, in milliseconds."""
    child = await asyncio.create_subprocess_exec(
        sys.executable,
        __file__,
        "--attack",
        url,
        keys["eve"],
        name,
        f"--seconds={seconds}",
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    assert child.stdin is not None
    assert child.stdout is not None
    line = await child.stdout.readline()
    assert line == b"ready\n", line
    async with Client(url, key=keys["ada"]) as ada:
        watch = Watch(ada)
        running = asyncio.create_task(watch.run())
        await asyncio.sleep(CALM)
        calm = watch.take()
        child.stdin.write(b"\n")
        told = json.loads(await child.stdout.readline())
        await asyncio.sleep(0.3)
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        worst = watch.take()
    await child.wait()
    got = ", ".join(f"{count} × {status}" for status, count in sorted(told.items())) or "none ended"
    figures = [max(each, default=seconds) * 1000 for each in (calm[0], worst[0], calm[1], worst[1])]
    median = sorted(worst[1])[len(worst[1]) // 2] * 1000 if worst[1] else seconds * 1000
    found = (name, got, *(f"{each:.0f}" for each in figures), f"{median:.0f}")
    print("  " + " | ".join(found), flush=True)
    return found


async def measure(only: str, seconds: float = LONG) -> list[tuple[str, ...]]:
    """Every attack whose name holds the words, one after another, on one service."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        url = f"sqlite:///{folder}/fairness.db"
        store = Store(url)
        await store.open()
        keys = {tenant: await Keys(store).add(tenant) for tenant in ("eve", "ada")}
        await store.aclose()
        replica = Replica(
            folder, "fairness", database_url=url, checking="hold", provider="extractive", reading_seconds=60
        )
        await start(replica)
        try:
            async with Client(replica.url, key=keys["ada"]) as ada:
                for _ in range(5):
                    await ada.json("POST", "/api/v1/answers", CALM_QUESTION)
                names = [name for name in Hostile(ada).kinds() if only in name]
            print(f"  (service: process {replica.pid})", flush=True)
            return [await row(replica.url, keys, name, seconds) for name in names]
        finally:
            replica.stop()


def main() -> int:
    """Measure, print, judge."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="words in the name of what the hostile tenant does")
    parser.add_argument("--seconds", type=float, default=LONG, help="of each attack")
    parser.add_argument("--report", action="store_true", help="exit 0 even when the goal is missed")
    parser.add_argument("--attack", nargs=3, metavar=("URL", "KEY", "NAME"), help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.attack:
        asyncio.run(attack(*args.attack, args.seconds))
        return 0
    heading("How long one tenant keeps another waiting", versions("footnoted", "fastapi", "uvicorn", "sqlalchemy"))
    rows = asyncio.run(measure(args.only, args.seconds))
    columns = (
        "what one tenant sends",
        "answered",
        "healthz calm",
        "worst ms",
        "first words calm",
        "worst ms",
        "median ms",
    )
    table(columns, rows)
    worst = max(float(each) for row in rows for each in (row[3], row[5]))
    reached = [(f"another tenant waits {WORST * 1000:.0f} ms at most", f"{worst:.0f} ms", worst <= WORST * 1000)]
    return goals(reached, report=args.report)


if __name__ == "__main__":
    sys.exit(main())
