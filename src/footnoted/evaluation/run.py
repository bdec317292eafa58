"""Runs cases through a generator, several at a time, and loses none of the outcomes."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from footnoted.contract import GenerationConfig, GenerationResponse, Problem
from footnoted.errors import FootnotedError
from footnoted.evaluation.grade import Grade, grade

if TYPE_CHECKING:
    from footnoted.answering.generator import GroundedGenerator
    from footnoted.evaluation.cases import Case
    from footnoted.grounding.judge import Weigher


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one case: a response and its grade, or an error. ``latency_ms``: of the whole answer."""

    case: Case
    response: GenerationResponse | None
    grade: Grade | None
    error: Problem | None
    latency_ms: float


async def evaluate(
    cases: Sequence[Case],
    generator: GroundedGenerator,
    *,
    config: GenerationConfig | None = None,
    weigher: Weigher | None = None,
    concurrency: int = 4,
    progress: Callable[[Outcome], None] | None = None,
) -> list[Outcome]:
    """Ask every case and grade what comes back, in the cases' order; an error costs its own case only.

    ``weigher`` grades citations and is the shipped checker unless given; ``progress`` hears of each outcome.
    """
    if weigher is None:
        from footnoted.answering.generator import shipped_checker

        weigher = shipped_checker()
    places = asyncio.Semaphore(max(1, concurrency))

    async def one(case: Case) -> Outcome:
        async with places:
            outcome = await _ask(case, generator, config, weigher)
        if progress is not None:
            progress(outcome)
        return outcome

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(one(case)) for case in cases]
    return [task.result() for task in tasks]


async def _ask(case: Case, generator: GroundedGenerator, config: GenerationConfig | None, weigher: Weigher) -> Outcome:
    began = time.perf_counter()
    try:
        response = await generator.generate(case.as_request(config))
    except FootnotedError as error:
        took = (time.perf_counter() - began) * 1000
        return Outcome(case, None, None, Problem(type=type(error).__name__, message=str(error)), took)
    took = (time.perf_counter() - began) * 1000
    return Outcome(case, response, await grade(case, response, weigher), response.error, took)
