"""Readers that never read, read a byte a second, or leave at once: memory stays bounded, and nothing is left behind."""

import asyncio
import contextlib
import json
import re
import socket
import time
from pathlib import Path

import pytest

from tests.service.replicas import Replica, slow, start, whole

LARGE = slow(0, 0)["question"].replace("pieces=0 delay=0", "pieces=30 delay=0 size=8000")


@pytest.fixture(scope="module")
def replica(room_loop, model, tmp_path_factory):
    """A replica that cuts stalled readers soon, and lets answers be large."""
    limits = {"stall_seconds": 1.5, "cancel_grace_seconds": 1, "stream_bytes": 30_000_000}
    replica = Replica(tmp_path_factory.mktemp("hostile"), "hostile", **model, **limits)
    room_loop(start(replica))
    yield replica
    replica.stop()


def files(replica):
    return sum(1 for _ in Path(f"/proc/{replica.pid}/fd").iterdir())


def megabytes(replica):
    status = Path(f"/proc/{replica.pid}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) / 1024


async def figures(client):
    async with client.session.get("/metrics") as response:
        text = await response.text()
    return {
        name: float(re.search(rf"^footnoted_{name} (\S+)", text, re.MULTILINE)[1])
        for name in ("tasks", "streams_running", "stream_readers")
    }


async def settled(client, replica, before, open_files):
    """Wait until nothing is left of what was done to it."""
    deadline = time.monotonic() + 30
    while True:
        now = await figures(client)
        left = {name: now[name] - before[name] for name in now}
        if (
            left["streams_running"] <= 0 >= left["stream_readers"]
            and left["tasks"] <= 3
            and files(replica) <= open_files + 12
        ):
            return
        assert time.monotonic() < deadline, f"left behind: {left}, {files(replica) - open_files} files"
        await asyncio.sleep(0.3)


def raw(replica, question, *, reader="cancel"):
    """A connection that has asked and has a small window."""
    made = socket.socket()
    made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    made.connect(("127.0.0.1", replica.port))
    body = json.dumps({**slow(0, 0), "question": question, "reader": reader}).encode()
    head = f"POST /api/v1/answers/stream HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    made.sendall(head.encode() + body)
    made.settimeout(0)
    return made


@pytest.fixture
async def client(replica):
    from tests.service.replicas import Client

    async with Client(replica.url) as client:
        yield client


async def test_those_who_never_read_are_cut(replica, client):
    """Eight that take nothing of half a megabyte each: their connections are dropped, and memory holds the tapes at most."""
    before, open_files, memory = await figures(client), files(replica), megabytes(replica)
    sockets = [raw(replica, LARGE) for _ in range(8)]
    await asyncio.sleep(1)
    assert (await client.json("GET", "/healthz"))[0] == 200
    try:
        await settled(client, replica, before, open_files)
        assert megabytes(replica) - memory < 8 * 15
    finally:
        for each in sockets:
            each.close()


async def test_one_that_reads_a_byte_a_second_holds_nobody_up(replica, client):
    """Others are served meanwhile; it is cut, or left behind, and can rejoin."""
    before, open_files = await figures(client), files(replica)
    slowest = raw(replica, LARGE, reader="keep")
    try:
        for _ in range(4):
            await asyncio.sleep(1)
            with contextlib.suppress(BlockingIOError):
                slowest.recv(1)
            began = time.monotonic()
            assert (await client.json("POST", "/api/v1/answers", slow(2, 0)))[0] == 200
            assert time.monotonic() - began < 10
    finally:
        slowest.close()
    await settled(client, replica, before, open_files)


async def test_five_hundred_that_connect_and_leave(replica, client):
    """Half of them ask and leave at once, half leave in the middle of asking: no task, socket or file stays."""
    before, open_files = await figures(client), files(replica)
    question = slow(2000, 0.05)["question"]
    for _ in range(10):
        for number in range(50):
            made = raw(replica, question)
            if number % 2:
                made.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
            made.close()
        await asyncio.sleep(0.05)
    await settled(client, replica, before, open_files)


async def test_a_reader_who_was_cut_rejoins_and_misses_nothing(replica, client):
    """What a stalled reader did not take is still there."""
    stalled = raw(replica, LARGE, reader="keep")
    await asyncio.sleep(0.5)
    head = b""
    deadline = time.monotonic() + 10
    while b"stream_id" not in head and time.monotonic() < deadline:
        try:
            head += stalled.recv(2048)
        except BlockingIOError:
            await asyncio.sleep(0.05)
    stream_id = re.search(rb'"stream_id":"([^"]+)"', head)[1].decode()
    await asyncio.sleep(2.5)
    stalled.close()
    from tests.service.replicas import follow

    events = await follow([client], stream_id, [])
    whole(events)
    assert events[-1].name == "done"
