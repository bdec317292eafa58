"""The real services tests talk to, and how they come to be: each is the tests' own, in a temporary folder, on a free port.

One PostgreSQL cluster serves a whole run, all of its workers included; it is made when a test first asks for it and is
gone when the run ends, however that ends. No server or file of the machine's own is touched.

``python -m tests.services`` installs the programs that are missing where it may (Debian, as root), and elsewhere says
the one line to type.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import pwd
import secrets
import shlex
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from functools import cache
from pathlib import Path
from typing import Any
from uuid import uuid4

FOLDER = "FOOTNOTED_TEST_SERVICES"  # where this run keeps what its workers share
BROWSERS = ("chromium", "chromium-browser", "google-chrome")


def free_port() -> int:
    """A port for a server in another process, kept for it: bound here, never listening, as long as this process lives.

    Linux gives a port that is bound to nobody who asks for any port, but lets a server that names it (and sets
    SO_REUSEADDR, as all of ours do) listen on it. Elsewhere it is let go. A server of this process binds port 0 itself.
    """
    holder = socket.socket()
    holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    holder.bind(("127.0.0.1", 0))
    port = int(holder.getsockname()[1])
    if sys.platform != "linux" or holder.detach() < 0:
        holder.close()
    return port


def chromium_program() -> str | None:
    """The path of this machine's Chromium."""
    return next(filter(None, map(shutil.which, BROWSERS)), None)


def postgres_programs() -> Path | None:
    """The folder with ``initdb`` and ``pg_ctl``; Debian keeps one a version, none of them on the path."""
    versions = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda each: each.parent.name, reverse=True)
    folders = [*map(Path, os.get_exec_path()), *versions]
    return next((each for each in folders if (each / "initdb").is_file() and (each / "pg_ctl").is_file()), None)


def missing() -> list[str]:
    """What the tests need and this machine lacks, as Debian and Homebrew name it."""
    found = {
        "redis-server": shutil.which("redis-server"),
        "postgresql": postgres_programs(),
        "chromium": chromium_program(),
        "curl": shutil.which("curl"),
    }
    if sys.platform == "linux":
        found["strace"] = shutil.which("strace")
    return [name for name, place in found.items() if place is None]


def prepare() -> int:
    """Install what is missing, or say what to type; the exit status."""
    wanted = missing()
    if not wanted:
        return 0
    if shutil.which("apt-get") is None:
        names = " ".join(name.removesuffix("-server") for name in wanted)
        print(f"The tests need {', '.join(wanted)}. Install them, on a Mac with: brew install {names}", file=sys.stderr)
        return 1
    install = f"apt-get update && apt-get install -y {' '.join(wanted)}"
    if os.geteuid() != 0:
        print(f"The tests need {', '.join(wanted)}. Type: sudo sh -c {shlex.quote(install)}", file=sys.stderr)
        return 1
    print(f"The tests need {', '.join(wanted)}: {install}", flush=True)
    quiet = install.replace("apt-get", "apt-get -qq")
    done = subprocess.run(
        ["sh", "-c", quiet],
        env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        print(done.stdout[-3_000:], file=sys.stderr)
    return done.returncode or (1 if missing() else 0)


def begin() -> None:
    """Make the folder in which the workers of this run find what they share."""
    folder = Path(tempfile.mkdtemp(prefix="footnoted-tests-", dir="/tmp" if os.geteuid() == 0 else None))
    folder.chmod(0o711)  # the user that PostgreSQL runs as passes through
    (folder / "run").write_text(str(os.getpid()))
    os.environ[FOLDER] = str(folder)


def end() -> None:
    """Stop what was started, and leave nothing."""
    folder = Path(os.environ.pop(FOLDER))
    if (told := folder / "end").exists():
        subprocess.run(["sh", "-c", told.read_text()], check=False)
    shutil.rmtree(folder, ignore_errors=True)


@cache
def postgres_server() -> str:
    """A URL, without a database's name, of this run's PostgreSQL; whoever asks first starts it."""
    folder = Path(os.environ[FOLDER])
    told = folder / "postgres"
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not told.exists():
            told.touch(mode=0o600)
            told.write_text(_start_postgres(folder))
        return told.read_text()


def _start_postgres(folder: Path) -> str:
    """A new cluster that keeps nothing for longer than the run, so nothing waits for a disk; its URL."""
    programs = postgres_programs()
    if programs is None:
        raise RuntimeError("no PostgreSQL on this machine; `make check` installs it or says how")
    place, password = folder / "cluster", secrets.token_urlsafe()
    place.mkdir(mode=0o700)
    (place / "password").write_text(password)
    whom: dict[str, Any] = {}
    if os.geteuid() == 0:  # which PostgreSQL refuses to run as
        names = {each.pw_name: each for each in pwd.getpwall()}
        user = names.get("postgres") or names["nobody"]
        whom = {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
        for each in (place, place / "password"):
            os.chown(each, user.pw_uid, user.pw_gid)
    control = [str(programs / "pg_ctl"), "--silent", "-D", str(place / "data")]
    _run(
        [str(programs / "initdb"), "-D", str(place / "data"), "-U", "footnoted", "--auth=password", "--no-sync",
         f"--pwfile={place / 'password'}", "--encoding=UTF8", "--locale=C"], place, whom,
    )  # fmt: skip
    settings = (
        "listen_addresses=127.0.0.1 unix_socket_directories= max_connections=200 shared_buffers=32MB fsync=off "
        "synchronous_commit=off full_page_writes=off autovacuum=off jit=off"
    ).split()
    for _ in range(3):  # a port that was free may be somebody's by now
        port = free_port()
        options = " ".join(["-F", f"-p {port}", *(f"-c {each}" for each in settings)])
        started = _run(
            [*control, "-w", "-t", "60", "-l", str(place / "log"), "-o", options, "start"], place, whom, check=False
        )
        if started:
            break
    else:
        raise RuntimeError(f"PostgreSQL did not start:\n{(place / 'log').read_text()}")
    stop = f"kill -QUIT $(head -1 {shlex.quote(str(place / 'data' / 'postmaster.pid'))}) 2>/dev/null"
    (folder / "end").write_text(stop)
    alive = f"kill -0 {(folder / 'run').read_text()} 2>/dev/null"
    guard = f"(while {alive}; do sleep 2; done; {stop}; rm -rf {shlex.quote(str(folder))}) </dev/null >/dev/null 2>&1 &"
    subprocess.run(["sh", "-c", guard], start_new_session=True, check=True)  # no server outlives its run
    return f"postgresql://footnoted:{password}@127.0.0.1:{port}"


def _run(command: list[str], folder: Path, whom: dict[str, Any], *, check: bool = True) -> bool:
    """Whether it ended well; what it says goes to a file, since a server it starts keeps its outputs open."""
    with (folder / "said").open("w+") as said:
        done = subprocess.run(
            command, cwd=folder, stdin=subprocess.DEVNULL, stdout=said, stderr=said, check=False, timeout=90, **whom
        )
        if check and done.returncode != 0:
            said.seek(0)
            raise RuntimeError(f"{command[0]} ended with {done.returncode}:\n{said.read()}")
    return done.returncode == 0


@contextlib.asynccontextmanager
async def postgres_database() -> AsyncIterator[str]:
    """The URL of a new, empty database on this run's PostgreSQL, dropped afterwards."""
    import asyncio

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
            raise RuntimeError("no redis-server on this machine; `make check` installs it or says how")
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
        while time.monotonic() < deadline and self.process.poll() is None:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), timeout=1) as probe:
                probe.sendall(b"PING\r\n")
                if probe.recv(16).startswith(b"+PONG"):
                    return
            time.sleep(0.05)
        self.kill()
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
        try:
            (server := RedisServer(Path(folder))).start()
        except RuntimeError:  # a port that was free may be somebody's by now
            (server := RedisServer(Path(folder))).start()
        try:
            yield server
        finally:
            server.kill()


if __name__ == "__main__":
    sys.exit(prepare())
