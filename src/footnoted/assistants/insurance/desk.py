"""Takes a customer's message the whole way: its intent, the policy sections about it, the answer as events."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any

from footnoted.assistants.insurance.agent import ResponseEvent, ResponseFinished, ResponseGenerationAgent
from footnoted.assistants.insurance.assessing import without_sections
from footnoted.assistants.insurance.citation import ChunkResult, CitationStyle
from footnoted.assistants.insurance.intent import IntentClassification, IntentRouter
from footnoted.assistants.insurance.models import ResponseRequest, ResponseResult
from footnoted.assistants.insurance.phrases import phrases
from footnoted.assistants.insurance.retrieval import RetrievalAgent, RetrievalRequest
from footnoted.events import TextDelta
from footnoted.text import content_stems

NEAR_ENOUGH = 0.1  # relevance below which a message without any word of insurance is not ours


@dataclass(frozen=True, slots=True)
class Manner:
    """How a customer is answered: ``style`` plain, short or formal; ``language`` the message's own unless given."""

    style: str = "plain"
    citation_style: CitationStyle = CitationStyle.NUMBERED
    language: str | None = None
    max_response_length: int = 1000
    passages: int = 8


@dataclass(frozen=True, slots=True)
class Turned:
    """What became of a message: its intent, the request the agent got, and the result."""

    intent: IntentClassification
    request: ResponseRequest
    result: ResponseResult


class InsuranceDesk:
    """Question → intent → sections → answer, over one folder of policies. Keeps nothing between messages."""

    def __init__(
        self,
        retrieval: RetrievalAgent,
        *,
        agent: ResponseGenerationAgent | None = None,
        router: IntentRouter | None = None,
    ) -> None:
        self.retrieval = retrieval
        self.router = router or retrieval.router()
        self.agent = agent or ResponseGenerationAgent(vocabulary=self.router.vocabulary)

    async def answer(
        self, message: Any, *, history: Sequence[tuple[str, str]] = (), manner: Manner | None = None
    ) -> Turned:
        """The whole answer to a message; never raises."""
        intent, request = await self.prepare(message, history=history, manner=manner)
        async with aclosing(self.reply(intent, request)) as events:
            async for event in events:
                if isinstance(event, ResponseFinished):
                    return Turned(intent, request, event.result)
        raise AssertionError("unreachable: a reply ends with its result")

    async def prepare(
        self, message: Any, *, history: Sequence[tuple[str, str]] = (), manner: Manner | None = None
    ) -> tuple[IntentClassification, ResponseRequest]:
        """A message's intent, and the request to answer it with."""
        manner = manner or Manner()
        intent = await self.router.aclassify_intent(message, history)
        chunks: tuple[ChunkResult, ...] = ()
        if not intent.needs_clarification:
            before = history[-1][0] if history else ""
            wanted = RetrievalRequest(intent, top_k=manner.passages, before=before)
            chunks = (await asyncio.to_thread(self.retrieval.retrieve, wanted)).chunks
        request = ResponseRequest(
            original_query=intent.query,
            context_chunks=list(chunks),
            citation_style=manner.citation_style,
            max_response_length=manner.max_response_length,
            kind=intent.kind,
            style=manner.style,
            language=manner.language or intent.language,
            conversation_history=list(history),
        )
        return intent, request

    async def reply(self, intent: IntentClassification, request: ResponseRequest) -> AsyncGenerator[ResponseEvent]:
        """The events of the answer: a question back, a word that this is not ours, or the agent's own.

        What seems not ours and comes near some section is told that it is not where no section answers it.
        """
        aside = _aside(intent, request)
        if aside is not None:
            yield TextDelta(aside.answer, 0)
            yield ResponseFinished(aside)
            return
        held: list[ResponseEvent] = []  # of a message that may not be ours, until it is known to be answered
        async with aclosing(self.agent.stream(request)) as events:
            async for event in events:
                if intent.is_ours:
                    yield event
                    continue
                held.append(event)
        last = held[-1] if held else None
        if isinstance(last, ResponseFinished) and _misses(last.result, request):
            not_ours = _not_ours(request)
            held = [TextDelta(not_ours.answer, 0), ResponseFinished(not_ours)]
        for event in held:
            yield event

    async def aclose(self) -> None:
        """Close the agent's connections."""
        await self.agent.aclose()


def _aside(intent: IntentClassification, request: ResponseRequest) -> ResponseResult | None:
    """What is said instead of an answer, if the message calls for that."""
    if intent.needs_clarification:
        return without_sections(request, intent.clarification, "The message was not clear.", asks=intent.clarification)
    nearest = max((chunk.relevance_score or 0.0 for chunk in request.context_chunks), default=0.0)
    if intent.is_ours or nearest >= NEAR_ENOUGH:
        return None
    return _not_ours(request)


def _misses(result: ResponseResult, request: ResponseRequest) -> bool:
    """Whether nothing answers a message, nor is quoted beside it; of a single word ("hello") quotes do not count."""
    unanswered = result.refused or bool(result.asks)
    return unanswered and (not result.citations or len(set(content_stems(request.query))) <= 1)


def _not_ours(request: ResponseRequest) -> ResponseResult:
    said = phrases(request.spoken)
    why = "The message is not about the insurance in these documents."
    return without_sections(request, f"{said.not_ours} {said.ask}", why, refused=True)
