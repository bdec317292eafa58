"""Work on bytes that may be made to hurt in; what it told out, from a child that is ended when it takes too much.

The hard thing is to start a child without a pause for everybody else: an event loop's own way copies the page tables of
this process, which takes a fifth of a second where it has grown. `subprocess` borrows them (vfork) for a millisecond.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

from footnoted.errors import SourceError

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


class _Child:
    """One child: run in a thread, ended from any other, whether it has begun or not."""

    def __init__(self, words: list[str], behind: int) -> None:
        self._words, self._behind = words, behind
        self._over = False
        self._process: subprocess.Popen[bytes] | None = None

    def run(self, data: bytes) -> bytes | None:
        """What it told; nothing where it failed."""
        with subprocess.Popen(  # noqa: S603 — a module of ours, read by this interpreter
            [sys.executable, "-m", *self._words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**_plain_environment(), "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        ) as self._process:
            if self._over:
                self._process.kill()
            with contextlib.suppress(OSError, AttributeError):
                own = os.getpriority(os.PRIO_PROCESS, 0)
                os.setpriority(os.PRIO_PROCESS, self._process.pid, own + self._behind)
            told, _ = self._process.communicate(data)
        return told if self._process.returncode == 0 else None

    def end(self) -> None:
        """Let it end now, where it has not."""
        self._over = True
        if self._process is not None:
            self._process.kill()


def given() -> tuple[bytes, list[str]]:
    """In the child: the bytes and the words it was given, from here on within its bounds."""
    seconds, words = int(sys.argv[1]), sys.argv[2:]
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    return sys.stdin.buffer.read(), words


def _plain_environment() -> dict[str, str]:
    """What a child needs of the environment; no key, no address of a database."""
    return {name: os.environ[name] for name in ("PATH", "LANG", "LC_ALL", "TMPDIR", "SYSTEMROOT") if name in os.environ}
