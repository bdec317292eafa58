"""Answers a customer's message with the insurance responder over the tenant's documents, and keeps what came of it."""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace
from datetime import UTC, datetime
from typing import Annotated, Any, Literal

import structlog
from pydantic import Field

from footnoted.assistants.insurance import (
    CitationStyle,
    ResponseFinished,
    ResponseGenerationAgent,
    ResponseResult,
    RetrievalAgent,
)
from footnoted.assistants.insurance.desk import InsuranceDesk, Manner
from footnoted.assistants.insurance.outcomes import Outcomes
from footnoted.assistants.insurance.variants import Variant, as_json, read_experiment
from footnoted.assistants.insurance.vocabulary import Vocabulary
from footnoted.assistants.protocol import Gathered, Message
from footnoted.closing import close
from footnoted.contract import GenerationRequest, GenerationResponse, Refusal
from footnoted.errors import ConfigurationError
from footnoted.events import AnswerFinished, Event
from footnoted.providers import build
from footnoted.service.app import Service
from footnoted.service.asking import Asked, MessageBody, Words
from footnoted.types import FinishReason

log = structlog.get_logger("footnoted.insurance")

_KEPT = 64  # folders of policies whose products and sections stay known
_Scope = tuple[str, str | None, tuple[str, ...] | None]  # tenant, conversation, documents
_HEED_EVERY = 60.0  # seconds a tenant's feedback is taken for known
_UNDERSTOOD = ("kind", "products", "family", "topics", "confidence", "language", "needs_clarification")  # of a message
_WISHES = ("style", "citation_style", "language", "max_response_length", "passages")


class InsuranceBody(MessageBody):
    """A customer's message, and how they like to be answered. ``customer`` is whoever always gets the same variant."""

    customer: Annotated[Words, Field(min_length=1, max_length=200)] | None = None
    style: Literal["plain", "short", "formal"] = "plain"
    citation_style: CitationStyle = CitationStyle.NUMBERED
    language: Literal["en", "ms", "zh", "ta"] | None = None
    max_response_length: Annotated[int, Field(ge=50, le=20_000)] = 1_000


class Insuring:
    """The responder of this service: one agent, what it knows of each tenant's policies, and how answers fared."""

    def __init__(self, service: Service) -> None:
        settings = service.settings
        options = {} if settings.provider == "extractive" else settings.provider_options
        self.vocabulary = Vocabulary.load(settings.insurance_vocabulary)
        self.agent = ResponseGenerationAgent(settings.provider, vocabulary=self.vocabulary, **options)
        self.experiment = read_experiment(settings.insurance_experiment) if settings.insurance_experiment else None
        self.outcomes = Outcomes(service.store.database)
        # Where the words leave a message's intent open, the model that writes the answers is asked.
        self.intent_model = build(settings.provider, **options) if options and settings.insurance_intent_model else None
        self._service = service
        self._known: OrderedDict[_Scope, tuple[int | None, RetrievalAgent]] = OrderedDict()
        self._heeded: dict[str, tuple[float, dict[tuple[str, str], float]]] = {}

    async def open(self) -> None:
        """Bring the tables of outcomes up to date."""
        await self.outcomes.prepare()

    async def aclose(self) -> None:
        """Close the models' connections."""
        await close(self.agent, self.intent_model)

    async def ask(self, body: InsuranceBody, tenant: str) -> Asked:
        """A message with its intent and sections, ready to be answered."""
        customer = _Customer(self, body, self._variant(body, tenant))
        asked = await self._service.chat.ask(body, tenant, kind="insurance", assistant=customer)
        customer.asked = asked
        return asked

    async def rated(self, tenant: str, answer_id: str, *, helpful: bool, wrong: int | None, comment: str) -> None:
        """What a person thought of an answer, counted by variant and section if the answer was this responder's."""
        try:
            await self.outcomes.rate(tenant, answer_id, helpful=helpful, wrong=wrong, comment=comment)
        except ConfigurationError:
            return  # another assistant's
        except Exception as error:  # noqa: BLE001 — the feedback itself is kept; here it is only counted
            log.warning("feedback not counted", answer_id=answer_id, error=type(error).__name__)
        self._heeded.pop(tenant, None)

    async def forget(self, oldest: float) -> None:
        """Let go of outcomes of answers given before ``oldest`` (seconds since 1970)."""
        await self.outcomes.forget(datetime.fromtimestamp(oldest, UTC))

    async def outcomes_of(self, tenant: str, experiment: str | None) -> dict[str, Any]:
        """Answers by variant, each against the first, and by section, those marked wrong first."""
        name = experiment if experiment is not None else self.experiment.name if self.experiment else ""
        variants, sections = await self.outcomes.by_variant(tenant, name), await self.outcomes.by_section(tenant)
        return {
            "experiment": name,
            "variants": as_json(variants),
            "sections": [section.as_json() for section in sections],
        }

    def _variant(self, body: InsuranceBody, tenant: str) -> Variant | None:
        """The way this customer is always answered, if a trial is on and it is known who asks."""
        customer = body.customer or body.conversation_id
        if self.experiment is None or customer is None:
            return None
        return self.experiment.assign(f"{tenant}/{customer}")

    async def keep(self, asked: Asked, result: ResponseResult, variant: Variant | None) -> None:
        """Count the answer; while the database is away, answers come and are not counted."""
        trial = self.experiment.name if self.experiment is not None and variant is not None else ""
        try:
            await self.outcomes.keep(
                asked.tenant,
                asked.request.query,
                result,
                experiment=trial,
                variant=variant.name if variant else "",
                answer_id=asked.answer_id,
            )
        except Exception as error:  # noqa: BLE001 — what is counted must not cost the customer the answer
            log.warning("outcome not kept", answer_id=asked.answer_id, error=type(error).__name__)

    async def policies(self, message: Message) -> RetrievalAgent:
        """The tenant's documents as policies; read anew only when they have changed."""
        tenant, conversation_id = message.tenant, message.conversation_id
        chosen = None if message.document_ids is None else tuple(sorted(message.document_ids))
        documents, name = self._service.documents, (tenant, conversation_id, chosen)
        version = await documents.version(tenant)
        known_version, agent = self._known.get(name, (None, None))
        if agent is None or known_version != version:
            index = await documents.index(tenant, conversation_id, message.document_ids)
            agent = await asyncio.to_thread(RetrievalAgent, index)
            self._known[name] = version, agent
        self._known.move_to_end(name)
        while len(self._known) > _KEPT:
            self._known.popitem(last=False)
        agent.heed(await self._factors(tenant))
        return agent

    async def _factors(self, tenant: str) -> dict[tuple[str, str], float]:
        """How far the tenant's feedback moves each section; what was known last while the database is away."""
        known = self._heeded.get(tenant)
        if known is not None and time.monotonic() - known[0] < _HEED_EVERY:
            return known[1]
        try:
            factors = await self.outcomes.factors(tenant)
        except Exception as error:  # noqa: BLE001 — feedback moves a section by a tenth; an answer is worth more
            log.warning("feedback not read", error=type(error).__name__)
            factors = known[1] if known is not None else {}
        if len(self._heeded) >= _KEPT:
            self._heeded.clear()
        self._heeded[tenant] = time.monotonic(), factors
        return factors


class _Customer:
    """An `Assistant` for one message of a customer: gathers its sections, writes the reply, counts what came of it."""

    def __init__(self, insuring: Insuring, body: InsuranceBody, variant: Variant | None) -> None:
        self.asked: Asked | None = None
        self._insuring, self._body, self._variant = insuring, body, variant
        self._result: ResponseResult | None = None

    async def gather(self, message: Message) -> Gathered:
        """The sections of the tenant's policies that are about the message."""
        retrieval = await self._insuring.policies(message)
        router = retrieval.router(self._insuring.vocabulary, provider=self._insuring.intent_model)
        self._desk = InsuranceDesk(retrieval, agent=self._insuring.agent, router=router)
        manner = _manner(self._body, self._variant)
        self._intent, request = await self._desk.prepare(message.text, history=message.history, manner=manner)
        pairs = [(chunk, source) for chunk in request.context_chunks if (source := retrieval.source(chunk)) is not None]
        self._request = request.model_copy(update={"context_chunks": [chunk for chunk, _ in pairs]})
        return Gathered([source for _, source in pairs], writer=self, after=self._after)

    async def stream(self, request: GenerationRequest) -> AsyncGenerator[Event]:
        """The core's events of the reply, the response last."""
        async with aclosing(self._desk.reply(self._intent, self._request)) as events:
            async for event in events:
                if isinstance(event, ResponseFinished):
                    self._result = event.result
                    if self.asked is not None:
                        await self._insuring.keep(self.asked, event.result, self._variant)
                    yield AnswerFinished(_response(request, event.result))
                else:
                    yield event

    def _after(self, _: GenerationResponse) -> dict[str, Any]:
        """What ``done`` says beside the response: what was understood, and the result without the response again."""
        result = self._result
        said = {} if result is None else result.model_dump(mode="json", exclude={"generation", "answer"})
        return {
            "intent": {name: getattr(self._intent, name) for name in _UNDERSTOOD},
            "insurance": {**said, "variant": self._variant.name if self._variant else None},
        }


def _manner(body: InsuranceBody, variant: Variant | None) -> Manner:
    """How the desk is to answer: as the client wishes, for the rest as the customer's variant has it."""
    wished: dict[str, Any] = {name: getattr(body, name) for name in _WISHES}
    if variant is None:
        return Manner(**wished)
    return replace(variant.manner, **{name: wished[name] for name in body.model_fields_set & wished.keys()})


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
