"""Work on bytes that may be made to hurt in; what it told out, from a child that is ended when it takes too much."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys

from footnoted.errors import SourceError

_MEMORY = 2 * 1024**3  # bytes of address space for a child


async def apart(module: str, data: bytes, *words: str, name: str, seconds: float, behind: int = 0) -> bytes:
    """What ``python -m module seconds words`` writes with ``data`` before it. Raises `SourceError` about ``name``.

    ``behind``: how far it stands back (``nice``) for whoever waits for an answer.
    """
    child = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        module,
        str(int(seconds) + 1),
        *words,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        env={**_plain_environment(), "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )
    with contextlib.suppress(OSError, AttributeError):
        os.setpriority(os.PRIO_PROCESS, child.pid, os.getpriority(os.PRIO_PROCESS, 0) + behind)
    try:
        async with asyncio.timeout(seconds):
            told, _ = await child.communicate(data)
    except TimeoutError:
        raise SourceError(f"{name} takes longer than {seconds:g} s to read") from None
    finally:
        if child.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                child.kill()
            await child.wait()
    if child.returncode != 0:
        raise SourceError(f"{name} cannot be read: it is damaged, or takes more than this service gives it")
    return told


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
