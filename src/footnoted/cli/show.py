"""What every command shares: two consoles, exit statuses, files read with progress, errors in one line."""

from __future__ import annotations

import asyncio
import contextlib
import re
import sys
from collections.abc import Callable, Coroutine, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from rich.console import Console
from rich.text import Text

from footnoted.errors import ConfigurationError, FootnotedError, SourceError
from footnoted.inert import on_one_line, readable

if TYPE_CHECKING:
    from footnoted.retrieval.index import Index

MARKER = "bold cyan"
_NAMED = 8  # files of one reason that are told by name
ANSWERED, FAILED, USAGE, REFUSED, INTERRUPTED = 0, 1, 2, 3, 130

out = Console(highlight=False, soft_wrap=True)
err = Console(stderr=True, highlight=False, soft_wrap=True)
# Modules of extras, and the extra that brings them.
_EXTRAS = {
    **dict.fromkeys(("sqlalchemy", "alembic", "aiosqlite", "asyncpg"), "store"),
    **dict.fromkeys(("fastapi", "uvicorn", "redis", "jwt", "pydantic_settings"), "service"),
    **dict.fromkeys(("langgraph", "discord", "yaml", "structlog", "prometheus_client"), "community"),
    **dict.fromkeys(("pyarrow",), "batch"),
    **dict.fromkeys(("ray",), "ray"),
    **dict.fromkeys(("mcp", "mcp_types"), "mcp"),
}
_STEERING = re.compile("[\x7f-\x9f\u2028-\u202e\u2066-\u2069]")  # JSON escapes C0 itself


def words(text: object, style: str = "") -> Text:
    """Text of any origin for a terminal: nothing in it steers the terminal, nor is read as Rich's own markup."""
    return Text(readable(str(text)), style=style)


def write_json(text: str) -> None:
    """JSON to standard output; what could steer a terminal stands escaped, so the value is the same."""
    sys.stdout.write(_STEERING.sub(lambda found: f"\\u{ord(found.group()):04x}", text) + "\n")


def save(path: Path, text: str) -> None:
    """Text to a file, said on standard error."""
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise ConfigurationError(f"{path} cannot be written: {error.strerror}") from error
    err.print(words(f"saved {path}", "dim"))


def open_index(paths: list[Path]) -> Index:
    """The index over files, from the cache when unchanged; progress on a terminal when it takes long."""
    from footnoted.retrieval.index import Index

    missing = [str(path) for path in paths if not path.exists()]
    if missing:
        raise SourceError(f"no such file or folder: {', '.join(missing)}")
    index = _open_with_progress(Index, paths) if err.is_terminal else Index.open(paths)
    if err.is_terminal:
        index.progress = _understanding
    tell_unread({problem.path: problem.reason for problem in index.unread})
    return index


def tell_unread(unread: Mapping[str, str]) -> None:
    """Name the files that were not read and why, on standard error: those of one reason in one line, and counted."""
    alike: dict[str, list[str]] = {}
    for path, reason in unread.items():
        alike.setdefault(reason, []).append(on_one_line(path))
    for reason, paths in alike.items():
        more = f" and {len(paths) - _NAMED} more" if len(paths) > _NAMED else ""
        count = f" ({len(paths)} files)" if len(paths) > 1 else ""
        err.print(words(f"not read{count}: {', '.join(paths[:_NAMED])}{more} {reason}", "yellow"))
    if len(alike) > 1:
        err.print(words(f"{len(unread)} files were not read", "yellow"))


@contextlib.contextmanager
def _understanding() -> Iterator[Callable[[int, int], None]]:
    """A bar that shows how many passages are still to be read for their meaning."""
    from rich.progress import Progress

    with Progress(console=err, transient=True) as progress:
        task = progress.add_task("reading for meaning", total=None)
        yield lambda done, total: progress.update(task, completed=done, total=total)


def _open_with_progress(kind: type[Index], paths: list[Path]) -> Index:
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("reading"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[file]}", markup=False),
    )
    with Progress(*columns, console=err, transient=True) as progress:
        task = progress.add_task("reading", total=None, file="")

        def advance(done: int, total: int, path: Path | str) -> None:
            progress.update(task, completed=done, total=total, file=on_one_line(Path(path).name))

        return kind.open(paths, progress=advance)


def run(work: Coroutine[Any, Any, int]) -> None:
    """Run a command to its exit status; one clear line for what went wrong, never a traceback."""
    try:
        status = asyncio.run(work)
    except KeyboardInterrupt:
        status = INTERRUPTED
    except (ConfigurationError, SourceError) as error:
        err.print(words(f"error: {error}", "bold red"))
        status = USAGE
    except FootnotedError as error:
        err.print(words(f"error: {error}", "bold red"))
        status = FAILED
    raise typer.Exit(status)


def missing(error: ModuleNotFoundError) -> int:
    """Say which extra brings what is not installed; anything else that is missing is a fault of ours, and raised."""
    extra = _EXTRAS.get((error.name or "").partition(".")[0])
    if extra is None:
        raise error
    err.print(words(f"error: this needs {error.name}; run: pip install 'footnoted[{extra}]'", "bold red"))
    return USAGE
