"""The `footnoted` command and service as processes of their own, forked from one that has imported what they need.

Each has its own arguments, environment, folder, input and outputs, and none of the seconds that importing takes; that
the program starts from nothing is `tests/test_cli.py`'s matter.
"""

from __future__ import annotations

import asyncio
import io
import multiprocessing
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

FORKS = multiprocessing.get_context("forkserver")
# Not the command's own modules: they look at the environment as they are imported, and each process has another.
FORKS.set_forkserver_preload(
    """footnoted.service.app footnoted.service.wire footnoted.service.replay.redis asyncpg aiosqlite
    footnoted.service.counting footnoted.providers.compatible footnoted.providers._http uvicorn.server uvloop
    alembic.config alembic.runtime.environment alembic.script alembic.op aiohttp asyncpg tantivy jwt
    footnoted.grounding.check footnoted.grounding.detector sqlalchemy.dialects.postgresql.asyncpg
    sqlalchemy.dialects.sqlite.aiosqlite footnoted.retrieval.index footnoted.retrieval.load.markdown
    footnoted.retrieval.load footnoted.answering.generator footnoted.evaluation footnoted.assistants.security
    footnoted.assistants.insurance typer rich.console rich.markdown rich.progress rich.table pyarrow.parquet
    langgraph.graph""".split()
)


def run(
    *arguments: object,
    env: Mapping[str, str],
    given: str | None = None,
    cwd: str | Path | None = None,
    timeout: float = 100,
) -> subprocess.CompletedProcess[str]:
    """What `footnoted` with these arguments prints, and how it ends."""
    words = [str(each) for each in arguments]
    with tempfile.TemporaryDirectory() as place:
        streams = [Path(place, name) for name in ("in", "out", "err")]
        for stream, text in zip(streams, (given or "", "", ""), strict=True):
            stream.write_text(text, encoding="utf-8")
        where = str(cwd or Path.cwd())
        process = FORKS.Process(target=_command, args=(words, dict(env), where, [str(each) for each in streams]))
        process.start()
        process.join(timeout)
        if process.exitcode is None:
            process.kill()
            process.join()
            raise subprocess.TimeoutExpired(
                words, timeout, streams[1].read_text("utf-8"), streams[2].read_text("utf-8")
            )
        code = process.exitcode
        process.close()
        return subprocess.CompletedProcess(words, code, streams[1].read_text("utf-8"), streams[2].read_text("utf-8"))


def _command(arguments: list[str], env: dict[str, str], folder: str, streams: list[str]) -> None:
    """The program's own entry point, with its own environment, folder and streams."""
    os.environ.clear()
    os.environ.update(env)
    os.chdir(folder)
    for number, stream in enumerate(streams):
        opened = os.open(stream, os.O_WRONLY | os.O_APPEND if number else os.O_RDONLY)
        os.dup2(opened, number)
        os.close(opened)
    sys.stdin, sys.stdout, sys.stderr = (
        io.TextIOWrapper(open(number, mode, closefd=False), encoding="utf-8", write_through=number == 2)  # noqa: SIM115
        for number, mode in enumerate(("rb", "wb", "wb"))
    )
    sys.argv = ["footnoted", *arguments]
    from footnoted.cli import main

    try:
        main()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()


async def printed(program: object, *arguments: object, **how: Any) -> str:
    """What a program that is no `footnoted` prints; how it failed where it does."""
    pipes = {"stdout": asyncio.subprocess.PIPE, "stderr": asyncio.subprocess.PIPE}
    child = await asyncio.create_subprocess_exec(str(program), *map(str, arguments), **pipes, **how)
    try:
        out, err = await child.communicate()
    finally:
        if child.returncode is None:
            child.kill()
            await child.wait()
    assert child.returncode == 0, err.decode()[-3000:]
    return out.decode()
