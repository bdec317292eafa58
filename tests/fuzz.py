"""Every endpoint of a real service, bent byte by byte over a socket: ``make fuzz``, for an hour before a release.

``python -m tests.fuzz [--minutes 60] [--seed N] [--cases N]`` sends until the time is over (or so many requests to each
operation), and stops at the first thing that must not be: a 500, an error without words, a traceback in the service's log,
or a service that does not say that it is well afterwards. What was sent then lies in ``fuzz-found.bin``.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import itertools
import json
import random
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from tests.service import bytewise
from tests.service.bytewise import Sent
from tests.service.replicas import Client, Replica, start
from tests.service.schemas import document

FOUND = Path("fuzz-found.bin")
AT_ONCE = 6
SECONDS = 90.0  # for one response; it is a stream's whole, on a busy machine
_talks = itertools.count()
PATIENCE = 1.0  # for a first word to a request whose length is a lie
ROUND = 12  # requests to an operation before the next one's turn
_NO_TROUBLE = frozenset({502, 504})  # of 500 and more: a web address that cannot be had


class Found(AssertionError):
    """What must not be, and what was sent before it."""

    def __init__(self, what: str, sent: Sent) -> None:
        words = f"{what}\n{sent.operation} {' '.join(sent.trail)}\n{sent.wire()[:2_000]!r}"
        super().__init__(words)
        self.sent = sent


def replica(folder: Path) -> Replica:
    """A service with everything in it but a model; a request has some seconds, so that nothing holds up the rest."""
    hosts = {"url_hosts": "example.org", "url_seconds": 1}
    return Replica(folder, "fuzzed", provider="extractive", checking="hold", **{**hosts, "reading_seconds": 30})


async def known(client: Client) -> dict[str, str]:
    """Ids of things that are there, by the names that paths have for them."""
    _, added = await client.upload("# Car policy\n\nThe windscreen excess is £75 for a repair.\n")
    talk = f"fuzz-{next(_talks)}"  # the name of a deleted one cannot be used again
    body = {"message": "What is the windscreen excess?", "conversation_id": talk}
    async with client.ask(body, "/api/v1/chat/stream") as response:
        assert response.status == 200, await response.text()
        told = [line async for line in response.content if line.startswith(b"data: ")]
    begun = json.loads(told[0].removeprefix(b"data: "))
    return {
        "document_id": added["id"],
        "answer_id": begun["answer_id"],
        "stream_id": begun["stream_id"],
        "chunk_id": begun["sources"][0]["chunk_id"],
        "conversation_id": talk,
        "index": "0",
        "page": "1",
        "source_id": "S1",
    }


async def send(port: int, sent: Sent) -> tuple[int, bytes]:
    """The status, 0 where the connection ended without one, and the body."""
    async with asyncio.timeout(SECONDS):
        reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=2**26)
        told = b""
        try:
            writer.write(sent.wire())
            if sent.leaves:
                await writer.drain()
                return 0, b""
            if not sent.framed:  # who was told of more than comes may wait for it for ever
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(PATIENCE):
                        told += await reader.read(2**20)
                writer.write_eof()
            while piece := await reader.read(2**20):
                told += piece
        except OSError:
            pass
        finally:
            writer.transport.abort()
    if told.startswith(b"HTTP/1.1 100 "):
        told = told.partition(b"\r\n\r\n")[2]
    head, _, body = told.partition(b"\r\n\r\n")
    words = head.split(b" ", 2)
    return (int(words[1]) if len(words) > 1 and words[1].isdigit() else 0), body


def judged(sent: Sent, status: int, body: bytes) -> None:
    """Raise `Found` for an answer that is no answer."""
    if status >= 500 and status not in _NO_TROUBLE:
        raise Found(f"{status} {body[:500]!r}", sent)
    if b'"code":"internal"' in body or b'"code": "internal"' in body:
        raise Found(f"a stream that broke: {body[-500:]!r}", sent)
    if status >= 400 and body.startswith(b"{") and not json.loads(body)["error"]["message"]:
        raise Found("an error without words", sent)


class Fuzz:
    """One service under fire; ``statuses`` is what it answered."""

    def __init__(self, served: Replica, *, seed: int) -> None:
        self.statuses: Counter[int] = Counter()
        self.sent = 0
        self._served = served
        self._seed = seed
        self._read = 0

    async def round(self, number: int, cases: int, *, dear: bool = False) -> None:
        """So many requests to each operation, a few at once; what deletes comes last."""
        async with Client(self._served.url) as client:
            there = await known(client)
            for method, path in bytewise.operations(document()):
                sends = []
                for case in range(cases):
                    dice = random.Random(f"{self._seed} {number} {method} {path} {case}")
                    fits = bytewise.right(document(), method, path, there, dice, dear=dear)
                    sends.append(bytewise.wronged(fits, dice) if case else fits)
                await self.all(sends)
            await self.well(client)

    async def large(self, paths: list[str]) -> None:
        """The dear bodies, to these paths."""
        dice = random.Random(self._seed)
        async with Client(self._served.url) as client:
            there = await known(client)
            for path in paths:
                await self.all(list(bytewise.large(bytewise.right(document(), "POST", path, there, dice))))
            await self.well(client)

    async def all(self, sends: list[Sent]) -> None:
        """Send these, a few at once, and judge the answers and the log."""
        places = asyncio.Semaphore(AT_ONCE)

        async def one(sent: Sent) -> None:
            async with places:
                status, body = await send(self._served.port, sent)
            self.statuses[status] += 1
            self.sent += 1
            judged(sent, status, body)

        for ended in await asyncio.gather(*map(one, sends), return_exceptions=True):
            if ended is not None:
                raise ended
        log = self._served.log
        new, self._read = log[self._read :], len(log)
        if "Traceback" in new or '"event": "broke"' in new or "Exception in ASGI" in new:
            at = max(0, new.find("Traceback") - 500)
            raise Found(f"the log has\n{new[at : at + 4_000]}", sends[-1])

    async def well(self, client: Client) -> None:
        """It lives, and answers a question."""
        assert (await client.json("GET", "/healthz"))[0] == 200
        body = {"question": "What is the windscreen excess?", "sources": bytewise.SOURCES}
        status, told = await client.json("POST", "/api/v1/answers", body)
        assert status == 200
        assert "75" in told["response"]["response"]


async def run(minutes: float, seed: int, cases: int) -> Found | None:
    """Fire until the time is over, or until something is found."""
    until = time.monotonic() + 60 * minutes
    with tempfile.TemporaryDirectory() as folder:
        served = replica(Path(folder))
        await start(served)
        fuzz = Fuzz(served, seed=seed)
        number = 0
        try:
            while time.monotonic() < until:
                await fuzz.round(number, cases, dear=True)
                if number % 10 == 0:
                    await fuzz.large([path for path in bytewise.BODIES if path in document()["paths"]])
                number += 1
                print(f"{fuzz.sent} sent, {number} rounds: {dict(sorted(fuzz.statuses.items()))}", flush=True)
        except Found as found:
            print(f"round {number} of seed {seed}: {found}")
            return found
        except AssertionError:
            print(served.log[-4_000:])
            raise
        finally:
            served.stop()
    return None


def main() -> int:
    """Read the arguments, fire, tell."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--cases", type=int, default=ROUND)
    arguments = parser.parse_args()
    seed = random.randrange(2**32) if arguments.seed is None else arguments.seed
    print(f"seed {seed}", flush=True)
    found = asyncio.run(run(arguments.minutes, seed, arguments.cases))
    if found is None:
        return 0
    FOUND.write_bytes(found.sent.wire())
    return 1


if __name__ == "__main__":
    sys.exit(main())
