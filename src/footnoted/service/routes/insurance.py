"""A customer's message in; an answer from the tenant's policy documents only, product by product, whole or streamed."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager
from typing import TYPE_CHECKING, Annotated, Any, Literal
from uuid import UUID

from fastapi import APIRouter, Request
from fastapi.responses import Response
from pydantic import AliasChoices, Field

from footnoted.assistants.insurance import CitationStyle, ResponseFinished, ResponseGenerationAgent, RetrievalAgent
from footnoted.assistants.insurance.desk import InsuranceDesk, Manner
from footnoted.contract import GenerationRequest, GenerationResponse, Refusal
from footnoted.events import AnswerFinished
from footnoted.service.asking import Asked, Body, Conversation, Reader, Words, check_size, contexts_of_found
from footnoted.service.routes._shared import ERRORS, STREAMED, service_of, stream_response
from footnoted.service.tenants import Asking
from footnoted.types import FinishReason

if TYPE_CHECKING:
    from footnoted.assistants.insurance import IntentClassification, ResponseRequest, ResponseResult
    from footnoted.events import Event
    from footnoted.retrieval import Index
    from footnoted.service.app import Service

router = APIRouter(prefix="/api/v1/insurance", tags=["insurance"], responses=ERRORS)

_KEPT = 64  # folders of policies whose products and sections stay known


class InsuranceBody(Body):
    """A customer's message, and how they like to be answered."""

    message: Words = Field(validation_alias=AliasChoices("message", "question"))
    conversation_id: Conversation | None = None
    document_ids: Annotated[list[UUID], Field(max_length=200)] | None = None
    passages: Annotated[int, Field(ge=1, le=50)] = 8
    history: Annotated[list[tuple[Words, Words]], Field(max_length=50)] | None = None
    style: Literal["plain", "short", "formal"] = "plain"
    citation_style: CitationStyle = CitationStyle.NUMBERED
    language: Literal["en", "ms", "zh", "ta"] | None = None
    max_response_length: Annotated[int, Field(ge=50, le=20_000)] = 1_000
    reader: Reader = "keep"

    @property
    def manner(self) -> Manner:
        """How the desk is to answer."""
        return Manner(self.style, self.citation_style, self.language, self.max_response_length, self.passages)


class Insuring:
    """The responder of this service: one agent, and what it knows of each tenant's policies."""

    def __init__(self, service: Service) -> None:
        settings = service.settings
        options: dict[str, Any] = {}
        if settings.provider != "extractive":
            key = settings.api_key.get_secret_value() if settings.api_key else None
            options = {"api_key": key, "base_url": settings.base_url, "model": settings.model}
        self.agent = ResponseGenerationAgent(settings.provider, **options)
        self._service = service
        self._known: OrderedDict[tuple[str, ...], tuple[Index, RetrievalAgent]] = OrderedDict()

    async def ask(self, body: InsuranceBody, tenant: str) -> Asked:
        """A message with its intent and sections, ready to be answered."""
        service = self._service
        said = [part for turn in body.history or [] for part in turn]
        check_size(service.settings, *said, question=body.message)
        history = body.history
        if history is None:
            last = service.settings.history_turns
            conversation = body.conversation_id
            history = await service.answers.turns(tenant, conversation, last=last) if conversation else []
        retrieval = await self._policies(body, tenant)
        desk = InsuranceDesk(retrieval, agent=self.agent)
        intent, request = await desk.prepare(body.message, history=history, manner=body.manner)
        found = [retrieval.source(chunk) for chunk in request.context_chunks]
        contexts, places = contexts_of_found([one for one in found if one is not None])
        asked = GenerationRequest(query=body.message, context=contexts, conversation_history=history)
        writer = _Written(desk, intent, request)
        return Asked(
            asked,
            places,
            tenant,
            "insurance",
            conversation_id=body.conversation_id,
            after=lambda _: _told(intent, writer.result),
            writer=writer,
        )

    async def _policies(self, body: InsuranceBody, tenant: str) -> RetrievalAgent:
        """The tenant's documents as policies; read anew only when they have changed."""
        from footnoted.retrieval import Index

        chosen = None if body.document_ids is None else sorted(map(str, body.document_ids))
        index = await self._service.documents.index(tenant, body.conversation_id, chosen)
        name = (tenant, body.conversation_id or "", *(chosen or ()))
        known = self._known.get(name)
        if known is None or known[0] is not index:
            made = index if index is not None else Index.of([])
            known = made, await asyncio.to_thread(RetrievalAgent, made)
            self._known[name] = known
        self._known.move_to_end(name)
        while len(self._known) > _KEPT:
            self._known.popitem(last=False)
        return known[1]


class _Written:
    """One reply as the service's desk takes it: the core's events, the response last."""

    def __init__(self, desk: InsuranceDesk, intent: IntentClassification, request: ResponseRequest) -> None:
        self._desk = desk
        self._intent = intent
        self._request = request
        self.result: ResponseResult | None = None

    async def stream(self, request: GenerationRequest) -> AsyncGenerator[Event]:
        """The events of the reply."""
        async with aclosing(self._desk.reply(self._intent, self._request)) as events:
            async for event in events:
                if isinstance(event, ResponseFinished):
                    self.result = event.result
                    yield AnswerFinished(_response(request, event.result))
                else:
                    yield event


@asynccontextmanager
async def room(service: Service) -> AsyncIterator[None]:
    """The responder, open as long as the service is."""
    insuring = Insuring(service)
    _open[id(service)] = insuring
    try:
        yield
    finally:
        _open.pop(id(service), None)
        await insuring.agent.aclose()


_open: dict[int, Insuring] = {}


@router.post("/message")
async def message(request: Request, body: InsuranceBody, who: Asking) -> dict[str, Any]:
    """The whole answer, with its confidence and why."""
    service = service_of(request)
    asked = await _open[id(service)].ask(body, who.tenant)
    release = await service.limits.enter(who.tenant, asked.answer_id)
    try:
        return await service.desk.whole(asked)
    finally:
        await release()


@router.post("/stream", response_class=Response, responses=STREAMED)
async def stream(request: Request, body: InsuranceBody, who: Asking) -> Response:
    """The answer as server-sent events."""
    service = service_of(request)
    asked = await _open[id(service)].ask(body, who.tenant)
    return await stream_response(service, who.tenant, service.desk.events(asked), kind="insurance", reader=body.reader)


def _response(request: GenerationRequest, result: ResponseResult) -> GenerationResponse:
    """The core's response of a result; one of its own for what was said without sections."""
    if result.generation is not None:
        return result.generation
    refused = result.refused or result.degraded
    return GenerationResponse(
        query=request.query,
        response=result.answer,
        sources_provided=len(request.context),
        finish_reason=FinishReason.REFUSED if refused else FinishReason.COMPLETE,
        refusal=Refusal(reason="degraded" if result.degraded else "not_in_sources", message=result.answer)
        if refused
        else None,
        latency_ms=result.latency_ms,
    )


def _told(intent: IntentClassification, result: ResponseResult | None) -> dict[str, Any]:
    """What ``done`` says beside the response: what was understood, and the result without the response again."""
    said = {} if result is None else result.model_dump(mode="json", exclude={"generation", "answer"})
    return {
        "intent": {
            "kind": intent.kind,
            "products": list(intent.products),
            "family": intent.family,
            "topics": list(intent.topics),
            "confidence": intent.confidence,
            "language": intent.language,
            "needs_clarification": intent.needs_clarification,
        },
        "insurance": said,
    }
