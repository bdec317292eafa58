"""What every command shares: two consoles, exit statuses, files read with progress, errors in one line."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from rich.console import Console
from rich.text import Text

from footnoted.errors import ConfigurationError, FootnotedError, SourceError

if TYPE_CHECKING:
    from footnoted.retrieval.index import Index

MARKER = "bold cyan"
ANSWERED, FAILED, USAGE, REFUSED, INTERRUPTED = 0, 1, 2, 3, 130

out = Console(highlight=False, soft_wrap=True)
err = Console(stderr=True, highlight=False, soft_wrap=True)


def open_index(paths: list[Path]) -> Index:
    """The index over files, from the cache when unchanged; progress on a terminal when it takes long."""
    from footnoted.retrieval.index import Index

    missing = [str(path) for path in paths if not path.exists()]
    if missing:
        raise SourceError(f"no such file or folder: {', '.join(missing)}")
    index = _open_with_progress(Index, paths) if err.is_terminal else Index.open(paths)
    for problem in index.problems:
        err.print(Text(f"left out: {problem.path}: {problem.reason}", style="yellow"))
    return index


def _open_with_progress(kind: type[Index], paths: list[Path]) -> Index:
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("reading"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[file]}"),
    )
    with Progress(*columns, console=err, transient=True) as progress:
        task = progress.add_task("reading", total=None, file="")

        def advance(done: int, total: int, path: Path | str) -> None:
            progress.update(task, completed=done, total=total, file=Path(path).name)

        return kind.open(paths, progress=advance)


def run(work: Coroutine[Any, Any, int]) -> None:
    """Run a command to its exit status; one clear line for what went wrong, never a traceback."""
    try:
        status = asyncio.run(work)
    except KeyboardInterrupt:
        status = INTERRUPTED
    except (ConfigurationError, SourceError) as error:
        err.print(Text(f"error: {error}", style="bold red"))
        status = USAGE
    except FootnotedError as error:
        err.print(Text(f"error: {error}", style="bold red"))
        status = FAILED
    raise typer.Exit(status)
