"""Turns tasks into rows, many at a time; what fails for one task is told in its row and stops no other."""

from __future__ import annotations

import asyncio
import hashlib
import json
import time
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from footnoted.batch.table import Kind, Row, Status
from footnoted.batch.tasks import Task
from footnoted.closing import Closing
from footnoted.contract import GenerationConfig, GenerationRequest, SourceContext
from footnoted.evaluation.reading import context_of
from footnoted.types import FinishReason, Source

if TYPE_CHECKING:
    from footnoted.answering.generator import GroundedGenerator
    from footnoted.retrieval.index import Index


@dataclass(frozen=True, slots=True)
class Work:
    """Everything a worker needs, as plain values that travel to another process.

    ``prices`` are for a million tokens, read and written. Keys stay in the environment.
    """

    provider: str = "extractive"
    model: str | None = None
    base_url: str | None = None
    config: Mapping[str, Any] = field(default_factory=dict)
    paths: tuple[str, ...] = ()
    passages: int = 8
    prices: tuple[float, float] = (0.0, 0.0)

    def mark(self, task: Task) -> str:
        """A hash of the task and of how it is done: what makes a row of an earlier run still true."""
        how = asdict(self) | {"prices": None, "place": None}
        parts = json.dumps([how, [task.id, task.question, task.answer, task.sources]], sort_keys=True, default=str)
        return hashlib.sha256(parts.encode("utf-8", "surrogatepass")).hexdigest()[:24]


class Worker(Closing):
    """One generator and one index for many tasks. Use it as an async context manager, or close it."""

    def __init__(self, work: Work) -> None:
        from footnoted.answering.generator import GroundedGenerator

        self._work = work
        self._index = _open(work.paths)
        self._generator: GroundedGenerator = GroundedGenerator(work.provider, model=work.model, base_url=work.base_url)

    async def aclose(self) -> None:
        """Close the provider's connections."""
        await self._generator.aclose()

    async def do(self, task: Task) -> Row:
        """The task's row; what fails for this task becomes its row's ``error``."""
        began = time.perf_counter()
        kind: Kind = "check" if task.answer.strip() else "answer"
        try:
            row = await (self._check(task) if kind == "check" else self._answer(task))
        except Exception as error:  # noqa: BLE001 - a task's failure is its row, and no other's
            row = _row(task, kind, "error", error=f"{type(error).__name__}: {error}")
        return row.model_copy(update={"latency_ms": round((time.perf_counter() - began) * 1000, 1)})

    async def _answer(self, task: Task) -> Row:
        request = GenerationRequest(
            query=task.question,
            context=self._context(task),
            config=GenerationConfig.model_validate({**self._work.config, "model": self._work.model}),
        )
        response = await self._generator.generate(request)
        whole = response.finish_reason in (FinishReason.COMPLETE, FinishReason.LENGTH)
        refused = response.finish_reason is FinishReason.REFUSED
        claims = [claim for claim in response.claims if claim.kind == "claim" and claim.shown]
        read, written = self._work.prices
        used = response.usage
        return _row(
            task,
            "answer",
            "answered" if whole else "refused" if refused else "error",
            text=response.response,
            finish_reason=str(response.finish_reason),
            grounding_score=response.grounding_score,
            confidence=response.confidence,
            claims=len(claims),
            supported=sum(claim.verdict == "supported" for claim in claims),
            citations=len(response.citations),
            error=response.error.message if response.error else "",
            provider=response.provider,
            model=response.model or "",
            input_tokens=used.input,
            output_tokens=used.output,
            cost=(used.input * read + used.output * written) / 1_000_000,
            record=response.model_dump_json(),
        )

    async def _check(self, task: Task) -> Row:
        from footnoted.answering.generator import shipped_checker
        from footnoted.evaluation.check import Given, as_sources, check_answer

        given = Given(task.answer, sources=as_sources(task.sources))
        report = await check_answer(given, None if given.sources else self._found, weigher=shipped_checker())
        supported = sum(claim.verdict == "supported" for claim in report.claims)
        return _row(
            task,
            "check",
            "stands" if report.stands else "falls",
            text=task.answer,
            claims=len(report.claims),
            supported=supported,
            grounding_score=supported / len(report.claims) if report.claims else None,
            record=report.model_dump_json(),
        )

    def _found(self, words: str) -> list[Source]:
        return self._index.search(words, k=self._work.passages) if self._index else []

    def _context(self, task: Task) -> list[SourceContext]:
        given = [Source(id=title, text=text, title=title) for title, text in task.sources]
        return [context_of(place, source) for place, source in enumerate(given or self._found(task.question))]


async def run_local(tasks: Iterable[Task], work: Work, *, concurrency: int = 8) -> AsyncIterator[tuple[Task, Row]]:
    """Each task with its row, in the order they end; no more than ``concurrency`` are under way."""
    waiting = iter(tasks)
    async with Worker(work) as worker:
        running: dict[asyncio.Task[Row], Task] = {}
        try:
            while True:
                for task in islice(waiting, concurrency - len(running)):
                    running[asyncio.create_task(worker.do(task))] = task
                if not running:
                    return
                ended, _ = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
                for doing in ended:
                    yield running.pop(doing), doing.result()
        finally:
            for doing in running:
                doing.cancel()
            await asyncio.gather(*running, return_exceptions=True)


def _row(task: Task, kind: Kind, status: Status, **fields: Any) -> Row:
    return Row(place=task.place, id=task.id, kind=kind, question=task.question, status=status, **fields)


def _open(paths: Sequence[str]) -> Index | None:
    if not paths:
        return None
    from footnoted.retrieval.index import Index

    return Index.open([Path(path) for path in paths])
