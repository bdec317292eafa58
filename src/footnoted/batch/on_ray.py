"""Runs the same tasks on actors of a Ray cluster, through Ray Data."""

from __future__ import annotations

import asyncio
import json
import logging
import os
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from typing import Any

from footnoted.batch.table import Row
from footnoted.batch.tasks import Task
from footnoted.batch.work import Work, Worker
from footnoted.errors import ConfigurationError

BATCH = 8


class Answering:
    """What runs in an actor: one worker on one event loop, a batch of tasks at a time."""

    def __init__(self, work: Work) -> None:
        self._loop = asyncio.new_event_loop()
        self._worker = Worker(work)

    def __call__(self, batch: dict[str, Any]) -> dict[str, list[str]]:
        """Rows as JSON, one a task."""
        tasks = [_task(fields) for fields in batch["task"]]

        async def together() -> list[Row]:
            return list(await asyncio.gather(*(self._worker.do(task) for task in tasks)))

        rows = self._loop.run_until_complete(together())
        return {"task": list(batch["task"]), "row": [row.model_dump_json() for row in rows]}


def run_on_ray(
    tasks: Iterable[Task], work: Work, *, actors: int = 2, address: str | None = None
) -> Iterator[tuple[Task, Row]]:
    """Each task with its row, as Ray Data gives them back. An actor that dies is started again and its batch redone.

    ``address`` joins a cluster; without one, a cluster of this machine is started and stopped.
    """
    try:
        os.environ["RAY_USAGE_STATS_ENABLED"] = "0"  # nothing is told to Ray's makers, whatever was set
        import ray
        from ray.data import ActorPoolStrategy, DataContext
    except ImportError as error:
        raise ConfigurationError("--engine ray needs Ray; run: pip install 'footnoted[ray]'") from error
    started = not ray.is_initialized()
    if started:
        ray.init(address=address, include_dashboard=False, log_to_driver=False, logging_level=logging.ERROR)
    try:
        DataContext.get_current().enable_progress_bars = False
        rows = ray.data.from_items([{"task": json.dumps(asdict(task))} for task in tasks]).map_batches(
            Answering,
            fn_constructor_args=(work,),
            batch_size=BATCH,
            compute=ActorPoolStrategy(size=actors),
            num_cpus=1,
            max_restarts=-1,
            max_task_retries=-1,
        )
        for done in rows.iter_rows():
            yield _task(done["task"]), Row.model_validate_json(done["row"])
    finally:
        if started:
            ray.shutdown()


def _task(text: Any) -> Task:
    fields = json.loads(str(text))
    return Task(**fields | {"sources": tuple((title, text) for title, text in fields["sources"])})
