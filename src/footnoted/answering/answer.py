"""Turns a request into the events of its answer. This is the river: open this file first.

question + sources → prompt → deltas → text + citations → claims → verdicts → events
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from footnoted.answering.page import Page
from footnoted.answering.response import response_of
from footnoted.answering.staging import staged
from footnoted.answering.watch import Watch
from footnoted.answering.weighing import Checking, Rendering
from footnoted.contract import GenerationRequest
from footnoted.events import AnswerFinished, Event
from footnoted.prompting import build_prompt
from footnoted.providers.patience import arriving
from footnoted.types import Attempt, Deadlines, Delta, Provider, Retry

if TYPE_CHECKING:
    from footnoted.prompting.budget import Fitted
    from footnoted.types import Prompt

_T = TypeVar("_T")
_MUCH = 100_000  # characters of sources that take longer to look through than others should wait


@dataclass(frozen=True, slots=True)
class Answering:
    """How every answer of a generator is made. Without ``checking``, claims are not weighed."""

    provider: Provider
    deadlines: Deadlines = Deadlines()
    retry: Retry = Retry()
    templates: Path | None = None
    checking: Checking | None = None
    quoted: bool = False  # the model is asked for the words each marker points at


async def stream_answer(request: GenerationRequest, how: Answering) -> AsyncGenerator[Event]:
    """Everything that happens while a question is answered; `AnswerFinished` comes last, exactly once.

    Raises `ProviderError` when no text came at all. Closing this generator closes the provider's connection.
    """
    started = time.perf_counter()
    much = sum(len(chunk.content) for chunk in request.context) > _MUCH
    prompt, fitted, watch = await _apart(much, lambda: _looked_through(request, how, much))
    page = Page(request, prompt, fitted, started=started, quoted=how.quoted)
    checking = _in_time(replace(how.checking, watch=watch) if how.checking else None, how.deadlines)
    stage = staged(page.cited, prompt.sources, checking, as_json=page.as_json, question=prompt.question)
    attempts: list[Attempt] = []
    if not prompt.sources and request.config.require_grounding:
        stage.cancel()
        for event in await _apart(much, lambda: page.refuse("no_sources")):
            yield event
    else:
        arrivals = arriving(how.provider, prompt, deadlines=how.deadlines, retry=how.retry, attempts=attempts)
        try:
            async with aclosing(arrivals):
                async for deltas in arrivals:
                    if how.checking is None:  # nothing is waited for
                        for event in page.render(deltas):
                            yield event
                    else:
                        async for event in _weighed(page, stage, deltas):
                            yield event
                    if page.stopped:
                        break
            for text, pointers in page.rest():
                for event in page.tell(await stage.take(text, pointers)):
                    yield event
            for event in page.tell(await stage.flush()):
                yield event
            for event in page.dispute(await stage.disputes()):
                yield event
        finally:
            stage.cancel()
    for event in await _apart(much, lambda: page.close(stage)):
        yield event
    yield AnswerFinished(response_of(page, attempts))


def _looked_through(request: GenerationRequest, how: Answering, much: bool) -> tuple[Prompt, Fitted, Watch | None]:
    """The prompt, what of the sources it holds, and who watches the answer, having read long sources already."""
    sources = [chunk.as_source() for chunk in request.context]
    prompt, fitted = build_prompt(request, sources, templates=how.templates, quoted=how.quoted)
    if how.checking is None:
        return prompt, fitted, None
    watch = how.checking.watch or Watch(prompt.question, prompt.sources)
    if much:
        watch.read()
    return prompt, fitted, watch


async def _apart(much: bool, work: Callable[[], _T]) -> _T:
    """What ``work`` makes; in a thread where it may have to look through so much that others would wait for it."""
    return await asyncio.to_thread(work) if much else work()


async def _weighed(page: Page, stage: Rendering, deltas: Sequence[Delta]) -> AsyncGenerator[Event]:
    """The events of deltas whose text is checked."""
    for delta in deltas:
        for text, pointers in page.read(delta):
            for event in page.tell(await stage.take(text, pointers)):
                yield event


def _in_time(checking: Checking | None, deadlines: Deadlines) -> Checking | None:
    """The checking, which waits for no verdict longer than one check's time past the answer's total deadline."""
    if checking is None or deadlines.total is None:
        return checking
    return replace(checking, until=asyncio.get_running_loop().time() + deadlines.total + checking.wait)
