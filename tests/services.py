"""The real services tests talk to: the PostgreSQL of this machine, and Redis servers of a test's own."""

from __future__ import annotations

import asyncio
import contextlib
import getpass
import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from functools import cache
from pathlib import Path
from uuid import uuid4


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


@cache
def postgres_server() -> str:
    """A URL, without a database's name, of a PostgreSQL one may make databases on."""
    if given := os.environ.get("FOOTNOTED_TEST_POSTGRES"):
        return given.rstrip("/")
    user = getpass.getuser()
    local = f"postgresql://{user}@127.0.0.1:5432"
    if asyncio.run(_postgres_answers(local)):
        return local
    raise RuntimeError(
        "no PostgreSQL on 127.0.0.1:5432; install and start one, or set FOOTNOTED_TEST_POSTGRES=postgresql://user@host:port"
    )


async def _postgres_answers(server: str) -> bool:
    import asyncpg

    try:
        connection = await asyncpg.connect(f"{server}/postgres", timeout=5)
    except (OSError, asyncpg.PostgresError, TimeoutError):
        return False
    await connection.close()
    return True


@contextlib.asynccontextmanager
async def postgres_database() -> AsyncIterator[str]:
    """The URL of a new, empty database on a real PostgreSQL, dropped afterwards."""
    import asyncpg

    server = await asyncio.to_thread(postgres_server)
    name = f"footnoted_{uuid4().hex[:12]}"
    admin = await asyncpg.connect(f"{server}/postgres")
    try:
        await admin.execute(f"CREATE DATABASE {name}")
        try:
            yield f"{server}/{name}"
        finally:
            await admin.execute(f"DROP DATABASE {name} WITH (FORCE)")
    finally:
        await admin.close()


class RedisServer:
    """A Redis of this test's own, on a free port, that it may kill and start again."""

    def __init__(self, folder: Path) -> None:
        binary = shutil.which("redis-server")
        if binary is None:
            raise RuntimeError("no redis-server on this machine; install it (Debian: apt-get install redis-server)")
        self.binary, self.folder, self.port = binary, folder, free_port()
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    def start(self) -> None:
        """Start, with everything written to disk before it is acknowledged, and wait until it answers."""
        self.process = subprocess.Popen(
            [
                self.binary,
                *f"--port {self.port} --bind 127.0.0.1 --appendonly yes --appendfsync always".split(),
                *("--dir", str(self.folder), "--save", ""),
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), timeout=1) as probe:
                probe.sendall(b"PING\r\n")
                if probe.recv(16).startswith(b"+PONG"):
                    return
            time.sleep(0.05)
        raise RuntimeError("redis-server did not start within 20 s")

    def kill(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None


@contextlib.contextmanager
def redis_server() -> Iterator[RedisServer]:
    """A real Redis of one's own; ``server.kill()`` and ``server.start()`` make it come back with what it had."""
    with tempfile.TemporaryDirectory() as folder:
        server = RedisServer(Path(folder))
        server.start()
        try:
            yield server
        finally:
            server.kill()
