"""A request in; the events of its answer out. This is the river: open this file first.

question + sources → prompt → deltas → text + citations → claims → verdicts → events
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass, replace
from pathlib import Path

from footnoted.answering.page import Page
from footnoted.answering.response import response_of
from footnoted.answering.staging import staged
from footnoted.answering.weighing import Checking
from footnoted.contract import GenerationRequest
from footnoted.events import AnswerFinished, Event
from footnoted.prompting import build_prompt
from footnoted.providers.patience import arriving
from footnoted.types import Attempt, Deadlines, Provider, Retry


@dataclass(frozen=True, slots=True)
class Answering:
    """How every answer of a generator is made. Without ``checking``, claims are not weighed."""

    provider: Provider
    deadlines: Deadlines = Deadlines()
    retry: Retry = Retry()
    templates: Path | None = None
    checking: Checking | None = None


async def stream_answer(request: GenerationRequest, how: Answering) -> AsyncGenerator[Event]:
    """Everything that happens while a question is answered; `AnswerFinished` comes last, exactly once.

    Raises `ProviderError` when no text came at all. Closing this generator closes the provider's connection.
    """
    started = time.perf_counter()
    sources = [chunk.as_source() for chunk in request.context]
    prompt, fitted = build_prompt(request, sources, templates=how.templates)
    page = Page(request, prompt, fitted, started=started)
    checking = _in_time(how.checking, how.deadlines)
    stage = staged(page.cited, prompt.sources, checking, as_json=page.as_json, question=prompt.question)
    attempts: list[Attempt] = []
    if not prompt.sources and request.config.require_grounding:
        stage.cancel()
        for event in page.refuse("no_sources"):
            yield event
    else:
        arrivals = arriving(how.provider, prompt, deadlines=how.deadlines, retry=how.retry, attempts=attempts)
        try:
            async with aclosing(arrivals):
                async for deltas in arrivals:
                    if how.checking is None:  # nothing is waited for
                        for event in page.render(deltas):
                            yield event
                        continue
                    for delta in deltas:
                        text = page.read(delta)
                        if text or delta.pointers:
                            for event in page.tell(await stage.take(text, delta.pointers)):
                                yield event
            if rest := page.rest():
                for event in page.tell(await stage.take(rest)):
                    yield event
            for event in page.tell(await stage.flush()):
                yield event
            for event in page.dispute(await stage.disputes()):
                yield event
        finally:
            stage.cancel()
    for event in page.close(stage):
        yield event
    yield AnswerFinished(response_of(page, attempts))


def _in_time(checking: Checking | None, deadlines: Deadlines) -> Checking | None:
    """The checking, which waits for no verdict longer than one check's time past the answer's total deadline."""
    if checking is None or deadlines.total is None:
        return checking
    return replace(checking, until=asyncio.get_running_loop().time() + deadlines.total + checking.wait)
