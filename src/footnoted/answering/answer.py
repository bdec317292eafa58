"""Turns a request into the events of its answer. This is the river: open this file first.

question + sources → prompt → deltas → text + citations → claims → verdicts → events
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from footnoted.answering.holding import Holding
from footnoted.answering.marking import Marking
from footnoted.answering.page import Page
from footnoted.answering.response import response_of
from footnoted.answering.watch import Watch
from footnoted.answering.weighing import Checking, Rendering
from footnoted.contract import GenerationRequest
from footnoted.events import AnswerFinished, Event
from footnoted.prompting import build_prompt
from footnoted.providers.patience import arriving
from footnoted.types import Attempt, Deadlines, Provider, Retry

if TYPE_CHECKING:
    from footnoted.prompting.budget import Fitted
    from footnoted.retrieval.retriever import Retriever
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
    retriever: Retriever | None = None  # who finds ``passages`` sources for a request that brings none
    passages: int = 8


async def stream_answer(request: GenerationRequest, how: Answering) -> AsyncGenerator[Event]:
    """Everything that happens while a question is answered; `AnswerFinished` comes last, exactly once.

    Raises `ProviderError` when no text came at all. Closing this generator closes the provider's connection.
    """
    if how.retriever is not None and not request.context:
        from footnoted.retrieval.retriever import gather

        past = request.conversation_history
        request.context = await gather(how.retriever, request.query, k=how.passages, history=past)
    if not request.context:
        how = replace(how, checking=None)  # there is nothing to weigh claims by
    started = time.perf_counter()
    much = sum(len(chunk.content) for chunk in request.context) > _MUCH
    prompt, fitted, watch = await _apart(much, lambda: _looked_through(request, how, much))
    page = Page(request, prompt, fitted, started=started, quoted=how.quoted)
    stage = _stage(page, how, watch)
    attempts: list[Attempt] = []
    try:
        if page.answerable:
            arrivals = arriving(how.provider, prompt, deadlines=how.deadlines, retry=how.retry, attempts=attempts)
            async with aclosing(arrivals):
                async for deltas in arrivals:
                    for text, pointers in chain.from_iterable(map(page.read, deltas)):
                        for event in page.tell(await stage.take(text, pointers)):
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


def _stage(page: Page, how: Answering, watch: Watch | None) -> Rendering:
    """What text passes on its way to the reader. In JSON a verdict cannot follow its text, so sentences wait."""
    if how.checking is None:
        return Rendering(page.cited)
    checking = replace(how.checking.within(how.deadlines), watch=watch)
    if checking.mode == "hold" or page.as_json:
        return Holding(page.cited, page.prompt.sources, checking, as_json=page.as_json)
    return Marking(page.cited, page.prompt.sources, checking)
