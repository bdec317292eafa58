"""What every command shares: two consoles, exit statuses, files read with progress, errors in one line."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import json
import os
import sys
from collections.abc import Callable, Coroutine, Iterable, Iterator, Mapping
from functools import partial, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec

import typer
from rich.console import Console
from rich.text import Text

from footnoted.errors import ConfigurationError, FootnotedError, SourceError
from footnoted.inert import on_one_line, readable

if TYPE_CHECKING:
    from rich.progress import ProgressColumn

    from footnoted.retrieval.index import Index

_Options = ParamSpec("_Options")
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
# JSON escapes C0 itself.
_ESCAPED = {code: f"\\u{code:04x}" for code in (*range(0x7F, 0xA0), *range(0x2028, 0x202F), *range(0x2066, 0x206A))}


def words(text: object, style: str = "") -> Text:
    """Text of any origin for a terminal: nothing in it steers the terminal, nor is read as Rich's own markup."""
    return Text(readable(str(text)), style=style)


def marked(text: str, styles: Mapping[tuple[int, int], str], others: str = "") -> Text:
    """A text with some stretches (start, end) in a style of their own, and the ``others`` in theirs."""
    shown, at = Text(), 0
    for (start, end), style in sorted(styles.items()):
        shown.append(words(text[at:start], others)).append(words(text[start:end], style))
        at = end
    return shown.append(words(text[at:], others))


def write(text: str, style: str = "") -> None:
    """A piece of a text as it comes."""
    if text:
        out.print(words(text, style), end="")
        out.file.flush()


def write_json(text: str) -> None:
    """JSON to standard output; what could steer a terminal stands escaped, so the value is the same."""
    sys.stdout.write(text.translate(_ESCAPED) + "\n")


def write_as_json(told: object) -> None:
    """A value as indented JSON to standard output."""
    write_json(json.dumps(told, ensure_ascii=False, indent=2))


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

    expect(paths)
    with progress("reading") as advance:
        index = Index.open(paths, progress=lambda done, total, path: advance(done, total, Path(path).name))
    if err.is_terminal:
        index.progress = partial(progress, "reading for meaning")
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
def progress(what: str, *, amount: ProgressColumn | None = None, shown: bool = True) -> Iterator[Callable[..., None]]:
    """A bar on a terminal, nothing elsewhere; what it gives is told how much is done, of how much, and of what.

    ``amount`` is how the numbers are written, if not as done/total.
    """
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    names = TextColumn("{task.fields[name]}", markup=False)
    columns = (TextColumn(what), BarColumn(), amount or MofNCompleteColumn(), TimeRemainingColumn(), names)
    with Progress(*columns, console=err, transient=True, disable=not (shown and err.is_terminal)) as bars:
        bar = bars.add_task(what, total=None, name="")

        def advance(done: int, total: int, name: str = "") -> None:
            bars.update(bar, completed=done, total=total, name=on_one_line(name))

        yield advance


def expect(paths: Iterable[Path]) -> None:
    """Raise `SourceError` for files and folders that are not there."""
    missing = [str(path) for path in paths if not path.exists()]
    if missing:
        raise SourceError(f"no such file or folder: {', '.join(missing)}")


def address(host: str, port: int) -> str:
    """A server's own address, for people."""
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


async def expect_free(host: str, port: int) -> None:
    """Raise `OSError` where nobody can listen at this address, such as when somebody does already."""
    try:
        listening = await asyncio.get_running_loop().create_server(asyncio.Protocol, host, port)
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno and error.errno in errno.errorcode else error.strerror
        if error.errno == errno.EADDRINUSE:
            reason = "something listens there already; choose another with --port"
        raise OSError(f"{address(host, port)} cannot be listened on: {reason}") from None
    listening.close()


def command(work: Callable[_Options, Coroutine[Any, Any, int]]) -> Callable[_Options, None]:
    """An asynchronous function that returns an exit status, as a command that can be typed."""

    @wraps(work)
    def typed(*arguments: _Options.args, **options: _Options.kwargs) -> None:
        run(work(*arguments, **options))

    return typed


def run(work: Coroutine[Any, Any, int]) -> None:
    """Run a command to its end, and leave with its exit status."""
    raise typer.Exit(exit_status(work))


def exit_status(work: Coroutine[Any, Any, int]) -> int:
    """A command's exit status once it has run; one clear line for what went wrong, never a traceback."""
    try:
        return asyncio.run(work)
    except KeyboardInterrupt:
        return INTERRUPTED
    except FootnotedError as error:
        said = error.typed if isinstance(error, ConfigurationError) else error
        err.print(words(f"error: {said}", "bold red"))
        return USAGE if isinstance(error, ConfigurationError | SourceError) else FAILED


def missing(error: ModuleNotFoundError) -> int:
    """Say which extra brings what is not installed; anything else that is missing is a fault of ours, and raised."""
    extra = _EXTRAS.get((error.name or "").partition(".")[0])
    if extra is None:
        raise error
    err.print(words(f"error: this needs {error.name}; run: pip install 'footnoted[{extra}]'", "bold red"))
    return USAGE
