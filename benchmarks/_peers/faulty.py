"""The fault table: what a client's caller saw of a broken answer, classified by a rule, not by hand.

Servers are `footnoted.testing.ScriptedLLM`, one for each fault. All faults of a client are played at once, in one process;
readers who leave, one after another in another.
"""

from __future__ import annotations

import asyncio
import statistics
import sys
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from _peers.environments import BENCHMARKS
from _peers.registry import CLIENTS
from _peers.running import command, lines, surroundings
from footnoted.testing import Reply, ScriptedLLM, faults

PIECES = [
    f"{word} " for word in "The excess for a new windscreen is seventy-five pounds , as the policy says .".split()
]
WHOLE = "".join(PIECES)
_GOOD = Reply(pieces=PIECES, delay=0.02)
_LONG = Reply(pieces=["word "] * 600, delay=0.05)
CLOSING = 5.0


@dataclass(frozen=True, slots=True)
class Play:
    """A fault by name. ``recoverable``: the right ending is the whole answer; else the caller must be told."""

    name: str
    replies: tuple[Reply, ...]
    recoverable: bool = False


def _fault(name: str, fault: faults.Fault, *, recoverable: bool = False) -> Play:
    return Play(name, (Reply(pieces=PIECES, delay=0.02, fault=fault),), recoverable)


PLAYS = (
    Play("nothing wrong", (_GOOD,), recoverable=True),
    Play("429, then well", (Reply(status=429, headers={"Retry-After": "1"}), _GOOD), recoverable=True),
    _fault("a whole reply to a streamed request", faults.not_streamed(), recoverable=True),
    _fault("comments and CRLF in a good stream, as SSE allows", faults.crlf_with_comments(), recoverable=True),
    _fault("body ends in mid-answer, no terminal signal", faults.clean_cut(after=5)),
    _fault("all text, then no terminal signal", faults.no_terminal()),
    _fault("connection closed in mid-event", faults.disconnect(after=5)),
    _fault("connection reset in mid-event", faults.reset(after=5)),
    _fault("the vendor's error event in mid-stream", faults.error_event(after=5)),
    _fault("an event that is no JSON in mid-stream", faults.garbage_event(after=5)),
    _fault("an HTML page with status 200", faults.html()),
    _fault("broken JSON with status 200", faults.broken_json()),
    _fault("status 200 and no body", faults.empty_body()),
    _fault("silence in mid-answer", faults.silence(after=5)),
    _fault("silence in mid-answer, with keep-alives", faults.silence(after=5, keep_alive=0.5)),
    _fault("no headers, ever", faults.hang_before_headers()),
    _fault("keep-alives and never a word", faults.chatter_without_text(every=0.5)),
)
# Played apart, one after another, so that no other work of the client's process delays what is timed.
LEAVING = (
    PLAYS[0],
    Play("reader breaks out of the loop", (_LONG,)),
    Play("reader's task is cancelled", (_LONG,)),
)

# What the caller saw, best first; those in GOOD leave nobody with a part taken for the whole.
WORDS = {
    "whole": "the whole answer",
    "raises": "an error is raised",
    "says so": "its finish reason says so",
    "closed": "upstream closed",
    "unsaid": "ends quietly; only a missing finish reason tells",
    "as if whole": "ends as if whole",
    "empty": "an empty answer",
    "waits": "still waiting at the limit",
    "open": "upstream kept open",
    "unclear": "the reader had no text to leave",
}
GOOD = {"whole", "raises", "says so", "closed"}


def saw(told: dict[str, Any], *, finish: str | None, recoverable: bool) -> str:
    """The class of what a caller saw. ``finish`` is the reason this client gives for a good answer.

    >>> saw({"ended": "ends", "text": "The excess", "finish": "stop"}, finish="stop", recoverable=False)
    'as if whole'
    """
    if told["ended"] in {"waits", "raises"}:
        return str(told["ended"])
    if told["ended"] == "leaves":
        if not told["left"]:
            return "unclear"
        return "open" if told.get("closing") is None else "closed"
    given, text = told.get("finish"), told["text"]
    if given is not None and given != finish:
        return "says so"
    if not text.strip():
        return "empty"
    if recoverable and text.strip() == WHOLE.strip():
        return "whole"
    return "as if whole" if given == finish else "unsaid"


async def played(
    pythons: dict[str, Path], client: str, *, limits: bool, wait: float, plays: Sequence[Play] = PLAYS
) -> dict[str, Any]:
    """The plays through one client, the first of them with nothing wrong: ``{"rows": {play: {...}}, "versions": …}``; ``saw`` is each row's class."""
    protocol: Any = CLIENTS[client].protocol
    rows: dict[str, dict[str, Any]] = {}
    async with AsyncExitStack() as stack:
        servers = {play.name: await stack.enter_async_context(ScriptedLLM(*play.replies)) for play in plays}
        warm = await stack.enter_async_context(ScriptedLLM(_GOOD))
        asked = {
            "part": "faults",
            "faults": {name: server.url(protocol) for name, server in servers.items()},
            "warm": [warm.url(protocol)],
            "limits": limits,
            "wait": wait,
            "after_leaving": CLOSING + 1,
        }
        process = await asyncio.create_subprocess_exec(
            *command(pythons, client, **asked),
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            cwd=BENCHMARKS,
            env=surroundings(),
            limit=2**20,
        )
        errors = asyncio.create_task(_drained(process.stderr))
        versions: dict[str, str] = {}
        pending = []
        assert process.stdout
        async for line in process.stdout:
            for told in lines(line.decode(errors="replace")):
                versions = told.get("versions", versions)
                if "fault" in told:
                    rows[told["fault"]] = told
                if told.get("ended") == "leaves":
                    pending.append(asyncio.create_task(_closing(servers[told["fault"]], told)))
        await asyncio.gather(*pending)
        if await process.wait():
            print(f"{client}: {(await errors)[-500:]}", file=sys.stderr)
        for play in plays:
            if play.name in rows:
                rows[play.name]["tries"] = len(servers[play.name].requests)
    return {"versions": versions, "rows": classified(rows, plays)}


def classified(rows: dict[str, dict[str, Any]], plays: Sequence[Play]) -> dict[str, dict[str, Any]]:
    """The rows with what the caller saw, and of their texts the length alone."""
    finish = rows.get(PLAYS[0].name, {}).get("finish")
    kept = {}
    for play in plays:
        told = rows.get(play.name)
        if told is None:
            continue
        kept[play.name] = {
            "saw": saw(told, finish=finish, recoverable=play.recoverable),
            "seconds": round(told["seconds"], 2),
            "characters": len(told["text"]),
            **{key: told[key] for key in ("error", "finish", "tries") if told.get(key) is not None},
            **({"closing_ms": round(1000 * told["closing"])} if told.get("closing") is not None else {}),
        }
    return kept


async def _closing(server: ScriptedLLM, told: dict[str, Any]) -> None:
    """Seconds until the server sees that the reader is gone."""
    try:
        told["closing"] = await server.closed_within(CLOSING)
    except AssertionError:
        told["closing"] = None


async def _drained(stream: asyncio.StreamReader | None) -> str:
    return (await stream.read()).decode(errors="replace") if stream else ""


async def table(pythons: dict[str, Path], clients: list[str], *, limits: bool, wait: float) -> dict[str, Any]:
    """All clients, a few at a time: they mostly wait."""
    gate = asyncio.Semaphore(3)

    async def one(client: str) -> dict[str, Any]:
        async with gate:
            for _ in range(3):  # a busy machine can starve a client until its limits pass on a good answer, too
                found = await played(pythons, client, limits=limits, wait=wait)
                if found["rows"].get(PLAYS[0].name, {}).get("saw") == "whole":
                    break
            print(f"faults: {client} done", file=sys.stderr, flush=True)
            return found

    return dict(zip(clients, await asyncio.gather(*map(one, clients)), strict=True))


def left(pythons: dict[str, Path], client: str, *, rounds: int) -> dict[str, dict[str, Any]]:
    """A reader leaves, some times over: what most of the rounds saw, and each round's milliseconds (none: open)."""
    found: dict[str, list[dict[str, Any]]] = {}
    for _ in range(rounds):
        rows = asyncio.run(played(pythons, client, limits=False, wait=60, plays=LEAVING))["rows"]
        for play in LEAVING[1:]:
            found.setdefault(play.name, []).append(rows.get(play.name, {"saw": "unclear"}))
    print(f"leaving: {client} done", file=sys.stderr, flush=True)
    return {
        name: {
            "saw": statistics.mode(row["saw"] for row in rows),
            "closing_ms": [row.get("closing_ms") for row in rows],
            "seconds": 0.0,
        }
        for name, rows in found.items()
    }
