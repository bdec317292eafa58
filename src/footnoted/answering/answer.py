"""A request in; the events of its answer out. This is the river: open this file first.

question + sources → prompt → deltas → text + citations → claims → verdicts → events
"""

from __future__ import annotations

import time
from contextlib import aclosing
from dataclasses import dataclass
from typing import TYPE_CHECKING

from footnoted.answering.page import Page
from footnoted.prompting import build_prompt
from footnoted.providers.patience import patient
from footnoted.types import Attempt, Deadlines, Provider, Retry

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from footnoted.contract import GenerationRequest
    from footnoted.events import Event


@dataclass(frozen=True, slots=True)
class Answering:
    """How every answer of a generator is made."""

    provider: Provider
    deadlines: Deadlines = Deadlines()
    retry: Retry = Retry()
    templates: Path | None = None


async def stream_answer(request: GenerationRequest, how: Answering) -> AsyncIterator[Event]:
    """Everything that happens while a question is answered; `AnswerFinished` comes last, exactly once.

    Raises `ProviderError` when no text came at all. Closing this generator closes the provider's connection.
    """
    started = time.perf_counter()
    sources = [chunk.as_source() for chunk in request.context]
    prompt, fitted = build_prompt(request, sources, templates=how.templates)
    page = Page(request, prompt, fitted, started=started)
    attempts: list[Attempt] = []
    if not prompt.sources and request.config.require_grounding:
        for event in page.refuse("no_sources"):
            yield event
    else:
        deltas = patient(how.provider, prompt, deadlines=how.deadlines, retry=how.retry, attempts=attempts)
        async with aclosing(deltas):
            async for delta in deltas:
                for event in page.write(delta):
                    yield event
    for event in page.close():
        yield event
    yield page.finish(attempts)
