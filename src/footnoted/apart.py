"""Work for a child process: on bytes that may be made to hurt, or on so many that they would keep everybody waiting.

The hard thing is to start a child without a pause for everybody else: an event loop's own way copies the page tables of
this process, which takes a fifth of a second where it has grown. `subprocess` borrows them (vfork) for a millisecond.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import pickle
import subprocess
import sys
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from threading import Thread
from typing import TYPE_CHECKING, Any, cast

from footnoted.errors import SourceError

if TYPE_CHECKING:
    from io import BufferedReader
    from typing import BinaryIO

_MEMORY = 2 * 1024**3  # bytes of address space for a child
_WAITING = ThreadPoolExecutor(16, thread_name_prefix="footnoted-apart")  # one waits for each child


async def apart(module: str, data: bytes, *words: str, name: str, seconds: float, behind: int = 0) -> bytes:
    """What ``python -m module seconds words`` writes with ``data`` before it. Raises `SourceError` about ``name``.

    ``behind``: how far it stands back (``nice``) for whoever waits for an answer.
    """
    child = _Child([module, str(int(seconds) + 1), *words], behind)
    try:
        async with asyncio.timeout(seconds):
            told = await asyncio.get_running_loop().run_in_executor(_WAITING, child.run, data)
    except TimeoutError:
        raise SourceError(f"{name} takes longer than {seconds:g} s to read") from None
    finally:
        child.end()
    if told is None:
        raise SourceError(f"{name} cannot be read: it is damaged, or takes more than this service gives it")
    return told


def streamed(module: str, pieces: Iterable[bytes], given: Any, *, name: str, behind: int = 0) -> Iterator[Any]:
    """What ``python -m module`` tells, object by object (`tell`), while it is given JSON and ``pieces`` of bytes.

    For threads: each step waits for the child. What ``pieces`` raises is raised here; a child that fails raises
    `SourceError` about ``name``. Whoever stops early closes this, and the child has ended then.
    """
    failed: list[BaseException] = []
    with _started(module) as child:
        _stand_back(child.pid, behind)

        def feed() -> None:
            into = cast("BinaryIO", child.stdin)
            try:
                for piece in chain([json.dumps(given).encode() + b"\n"], pieces):
                    into.write(piece)
            except BrokenPipeError:
                pass  # a child that has ended wants no more
            except BaseException as error:  # noqa: BLE001 — raised again below
                failed.append(error)
                child.kill()
            with contextlib.suppress(OSError):
                into.close()

        feeding = Thread(target=feed, name="footnoted-apart-feeding", daemon=True)
        feeding.start()
        try:
            while child.stdout is not None:
                try:
                    told = pickle.load(child.stdout)  # noqa: S301 — written by the module named above
                except (EOFError, pickle.UnpicklingError):
                    break  # it is done, or was ended while it wrote
                yield told
            feeding.join()
            if failed:
                raise failed[0]
            if child.wait() != 0:
                raise SourceError(f"{name} cannot be read: it takes more memory than this service gives it")
        finally:
            child.kill()
            feeding.join()


def tell(value: object) -> None:
    """In a child of `streamed`: tell the parent."""
    pickle.dump(value, sys.stdout.buffer, pickle.HIGHEST_PROTOCOL)
    sys.stdout.buffer.flush()


def given_to_stream(size: int) -> tuple[Any, Iterator[bytes]]:
    """In a child of `streamed`: what it was given, and pieces of up to ``size`` bytes; from here on within bounds."""
    _bound()
    stdin = cast("BufferedReader", sys.stdin.buffer)
    return json.loads(stdin.readline()), iter(lambda: stdin.read1(size), b"")


def _started(*words: str) -> subprocess.Popen[bytes]:
    """A module of ours with its words, run by this interpreter."""
    return subprocess.Popen(  # noqa: S603
        [sys.executable, "-m", *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=_environment(),
    )


class _Child:
    """One child: run in a thread, ended from any other, whether it has begun or not."""

    def __init__(self, words: list[str], behind: int) -> None:
        self._words, self._behind = words, behind
        self._over = False
        self._process: subprocess.Popen[bytes] | None = None

    def run(self, data: bytes) -> bytes | None:
        """What it told; nothing where it failed."""
        with _started(*self._words) as self._process:
            if self._over:
                self._process.kill()
            _stand_back(self._process.pid, self._behind)
            told, _ = self._process.communicate(data)
        return told if self._process.returncode == 0 else None

    def end(self) -> None:
        """Let it end now, where it has not."""
        self._over = True
        if self._process is not None:
            self._process.kill()


def given() -> tuple[bytes, list[str]]:
    """In the child: the bytes and the words it was given, from here on within its bounds."""
    _bound(int(sys.argv[1]))
    return sys.stdin.buffer.read(), sys.argv[2:]


def _bound(seconds: int | None = None) -> None:
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        if seconds is not None:
            resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))


def _stand_back(child: int, behind: int) -> None:
    with contextlib.suppress(OSError, AttributeError):
        os.setpriority(os.PRIO_PROCESS, child, os.getpriority(os.PRIO_PROCESS, 0) + behind)


def _environment() -> dict[str, str]:
    """What a child needs of the environment; no key, no address of a database."""
    needed = ("PATH", "LANG", "LC_ALL", "TMPDIR", "SYSTEMROOT")
    plain = {name: os.environ[name] for name in needed if name in os.environ}
    return {**plain, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
