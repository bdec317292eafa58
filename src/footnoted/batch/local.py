"""Runs tasks in this process, so many at a time, and gives each row as it is done."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable

from footnoted.batch.row import Row
from footnoted.batch.tasks import Task
from footnoted.batch.work import Work, Worker


async def run_local(tasks: Iterable[Task], work: Work, *, concurrency: int = 8) -> AsyncIterator[tuple[Task, Row]]:
    """Each task with its row, in the order they end; no more than ``concurrency`` are under way."""
    waiting = iter(tasks)
    async with Worker(work) as worker:
        running: dict[asyncio.Task[Row], Task] = {}
        try:
            while True:
                while len(running) < concurrency and (task := next(waiting, None)) is not None:
                    running[asyncio.create_task(worker.do(task))] = task
                if not running:
                    return
                ended, _ = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
                for each in ended:
                    yield running.pop(each), each.result()
        finally:
            for each in running:
                each.cancel()
            await asyncio.gather(*running, return_exceptions=True)
