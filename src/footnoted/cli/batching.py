"""`footnoted batch`: answers or checks a file of rows into a table."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import aclosing
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from footnoted.cli.answers import BaseUrl, Mode, Model, Passages, ProviderName, Style
from footnoted.cli.show import ANSWERED, FAILED, command, err, expect, progress, words
from footnoted.contract import CitationStyle, GenerationMode
from footnoted.errors import ConfigurationError, SourceError

if TYPE_CHECKING:
    from footnoted.batch import Row, Task, Work
    from footnoted.batch.journal import Journal


class Engine(StrEnum):
    """Where the work is done."""

    LOCAL = "local"
    RAY = "ray"


TasksFile = Annotated[
    Path, typer.Argument(help='JSON lines: {"id", "question"} to answer, {"id", "answer", "sources"} to check.')
]
Sources = Annotated[list[Path] | None, typer.Argument(help="Files or folders, for lines without sources of their own.")]
Output = Annotated[Path, typer.Option("--output", "-o", help="The table: .parquet, .jsonl or .csv.")]
EngineName = Annotated[Engine, typer.Option("--engine", help="In this process, or on Ray.")]
Address = Annotated[str | None, typer.Option("--ray-address", help="A Ray cluster; without one, this machine's own.")]
Concurrency = Annotated[int, typer.Option("--concurrency", min=1, max=1024, help="Tasks at once; actors, on Ray.")]
PriceIn = Annotated[float, typer.Option("--price-in", min=0, help="Price of a million tokens read.")]
PriceOut = Annotated[float, typer.Option("--price-out", min=0, help="Price of a million tokens written.")]


@command
async def batch(
    tasks: TasksFile,
    sources: Sources = None,
    output: Output = Path("answers.parquet"),
    provider: ProviderName = "extractive",
    model: Model = None,
    base_url: BaseUrl = None,
    style: Style = CitationStyle.NUMBERED,
    mode: Mode = GenerationMode.GROUNDED,
    passages: Passages = 8,
    engine: EngineName = Engine.LOCAL,
    ray_address: Address = None,
    concurrency: Concurrency = 8,
    price_in: PriceIn = 0.0,
    price_out: PriceOut = 0.0,
) -> int:
    """Answer or check a whole file; run again, it goes on. Exit status: 0 done, 1 rows failed, 2 usage."""
    from footnoted.batch import Work, run_local, write_table
    from footnoted.batch.journal import Journal
    from footnoted.batch.on_ray import run_on_ray
    from footnoted.batch.table import writer_for
    from footnoted.providers import build

    writer_for(output)
    expect(sources or ())
    how = Work(
        provider=provider,
        model=model,
        base_url=base_url,
        config={"mode": str(mode), "citation_style": str(style)},
        paths=tuple(str(path.resolve()) for path in sources or []),
        passages=passages,
        prices=(price_in, price_out),
    )
    # A wrong name or a missing key is said once, before thousands of rows fail of it.
    build(provider, model=model, base_url=base_url)

    def start(waiting: Iterator[Task]) -> AsyncIterator[tuple[Task, Row]]:
        if engine is Engine.LOCAL:
            return run_local(waiting, how, concurrency=concurrency)
        return _as_async(run_on_ray(waiting, how, actors=min(concurrency, 64), address=ray_address))

    journal = Journal.beside(output)
    try:
        done, failed = await _all(tasks, how, journal, start)
        write_table([journal.rows[mark] for mark in done], output)
    finally:
        journal.close()
    # Rows that failed stay in the journal's care: the next run does them again, and only them.
    if not failed:
        journal.remove()
    err.print(words(f"{len(done)} rows in {output}" + (f", {failed} failed; run it again" if failed else "")))
    return FAILED if failed else ANSWERED


async def _all(
    path: Path, how: Work, journal: Journal, start: Callable[[Iterator[Task]], AsyncIterator[tuple[Task, Row]]]
) -> tuple[list[str], int]:
    """Do what is not done yet. The marks of every row of the table, and how many failed."""
    from footnoted.batch.tasks import read_tasks

    marks: list[str] = []
    bad = 0
    waiting: list[Task] = []
    for task in read_tasks(path):
        if isinstance(task, SourceError):
            err.print(words(f"left out: {task}", "yellow"))
            bad += 1
            continue
        mark = how.mark(task)
        marks.append(mark)
        if not journal.done(mark):
            waiting.append(task)
    if not marks:
        raise ConfigurationError(f'{path} has nothing to do; a line is {{"id": …, "question": …}}')
    if len(waiting) < len(marks):
        err.print(words(f"{len(marks) - len(waiting)} of {len(marks)} were done before", "dim"))
    began, ended, cost = time.monotonic(), 0, 0.0
    if waiting:
        with progress("batch") as advance:
            async with aclosing(start(iter(waiting))) as rows:  # type: ignore[type-var]
                async for task, row in rows:
                    journal.write(how.mark(task), row)
                    ended, cost = ended + 1, cost + row.cost
                    rate = ended / max(time.monotonic() - began, 0.001)
                    advance(ended, len(waiting), f"{rate:.1f}/s" + (f", {cost:.4f} spent" if cost else ""))
    return marks, bad + sum(journal.rows[mark].status == "error" for mark in marks)


async def _as_async(rows: Iterator[tuple[Task, Row]]) -> AsyncIterator[tuple[Task, Row]]:
    """Ray's own iterator blocks; it is read on a thread of its own."""
    end = object()
    while (row := await asyncio.to_thread(next, rows, end)) is not end:
        yield row  # type: ignore[misc]
