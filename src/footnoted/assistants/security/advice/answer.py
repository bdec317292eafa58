"""An expert's cited answer to a question as it was understood, within a tenant, and as server-sent events."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self
from uuid import uuid4

from footnoted.answering.answer import Answering
from footnoted.answering.telling import citation_told, claim_told, told
from footnoted.assistants.security.advice.advisor import AdviceWeigher, Advisor
from footnoted.assistants.security.advice.asked import Asked, read_asked
from footnoted.assistants.security.advice.compose import Composer
from footnoted.assistants.security.advice.context import BEST, AnswerContext, Shelves, assemble
from footnoted.assistants.security.advice.guard import Guard, facts_of
from footnoted.assistants.security.advice.sources import BUDGET, Desk, frameworks_of, laid_out
from footnoted.assistants.security.knowledge.service import KnowledgeBaseService
from footnoted.assistants.security.query.claims import Rows
from footnoted.assistants.security.query.filling import filled
from footnoted.assistants.security.query.finding_query import Having
from footnoted.assistants.security.query.vocabulary import known, vocabulary_of
from footnoted.contract import GenerationConfig, GenerationRequest, GenerationResponse, Refusal, SourceContext
from footnoted.errors import ConfigurationError, ProviderError, ProviderTimeout
from footnoted.events import AnswerFinished, CitationFound, ClaimChecked, Event, SourcesDisagree, TextDelta
from footnoted.types import Deadlines, FinishReason, Retry

if TYPE_CHECKING:
    from footnoted.answering.weighing import Mode
    from footnoted.assistants.security.advice.context import Documents
    from footnoted.assistants.security.findings.service import FindingsService
    from footnoted.grounding.judge import Weigher

_MAX_TOKENS = 2000


@dataclass(frozen=True, slots=True)
class AdviceStarted:
    """What the answer will rest on, before its first word."""

    asked: Asked
    context: AnswerContext
    sources: tuple[SourceContext, ...]
    kind: str = "advice_started"


@dataclass(frozen=True, slots=True)
class AdviceFinished:
    """The whole answer and everything computed about it."""

    response: GenerationResponse
    asked: Asked
    context: AnswerContext
    sources: tuple[SourceContext, ...]
    severity: Mapping[str, int] = field(default_factory=dict)
    frameworks: tuple[str, ...] = ()
    corrections: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    kind: str = "advice_finished"

    @property
    def citations(self) -> list[dict[str, Any]]:
        """Each citation with what it names: a finding, a control, a document, or the counts."""
        return [
            {
                **citation.model_dump(mode="json"),
                **{name: self.sources[citation.source_index].metadata[name] for name in ("kind", "id", "title")},
            }
            for citation in self.response.citations
        ]

    def as_json(self) -> dict[str, Any]:
        """What a stream's last event says beside the response."""
        return {
            **found_as_json(self.asked, self.context),
            "citations": self.citations,
            "severity": dict(self.severity),
            "frameworks": list(self.frameworks),
            "left_out": list(self.left_out),
            "corrections": list(self.corrections),
            "usage": self.response.usage.model_dump(mode="json"),
        }


AdviceEvent = AdviceStarted | Event | AdviceFinished


class Advice:
    """One answer, everything for it looked up. `stream` writes it, as `GroundedGenerator.stream` does."""

    def __init__(
        self, asked: Asked, context: AnswerContext, desk: Desk, service: AnswerService, rows: Rows | None
    ) -> None:
        self._service, self._rows = service, rows
        self._truths: list[str] = []
        self.asked, self.context, self.desk = asked, context, desk
        self.sources = tuple(desk.contexts())
        self._composer = Composer(asked, context, desk)
        self._guard = Guard(facts_of(context, desk))

    def stream(self, request: GenerationRequest) -> AsyncGenerator[Event]:
        """The events of the answer; `AnswerFinished` comes last."""
        if is_beside_the_point(self.asked, self.context):
            return self._refusal(request)
        from footnoted.answering.generator import GroundedGenerator, shipped_checker

        service = self._service
        weigher = AdviceWeigher(service.checker or shipped_checker(), self._rows)
        self._truths = weigher.truths
        generator = GroundedGenerator(
            Advisor(self._composer, self._guard, weigher, service.writing),
            checker=weigher,
            checking=service.checking,
            doubt="withhold",
            # The model's own clocks run inside; what data says is there at once.
            deadlines=Deadlines(first_token=None, between_tokens=None, total=None),
            retry=Retry(attempts=1),
        )
        return generator.stream(request)

    async def _refusal(self, request: GenerationRequest) -> AsyncGenerator[Event]:
        started = time.perf_counter()
        text = self._composer.refusal()
        yield TextDelta(text, 0)
        yield AnswerFinished(
            GenerationResponse(
                query=request.query,
                response=text,
                sources_provided=len(request.context),
                finish_reason=FinishReason.REFUSED,
                refusal=Refusal(reason="not_in_sources", message=text),
                latency_ms=(time.perf_counter() - started) * 1000,
                provider=Advisor.name,
            )
        )

    def finished(self, response: GenerationResponse) -> AdviceFinished:
        """The answer with everything computed about it."""
        touched = dict.fromkeys(self.asked.frameworks)
        for finding in self.context.findings[:BEST]:
            touched.update(dict.fromkeys(frameworks_of(finding, self.context.kb_entries)))
        for entry in self.context.kb_entries:
            touched.update(dict.fromkeys(entry.frameworks))
        refused = response.finish_reason is FinishReason.REFUSED
        return AdviceFinished(
            response=response,
            asked=self.asked,
            context=self.context,
            sources=self.sources,
            severity={} if refused else dict(self.context.counts),
            frameworks=() if refused else tuple(touched),
            corrections=tuple(dict.fromkeys((*self._guard.corrections, *self._truths))),
            left_out=self.desk.left_out,
        )


class AnswerService:
    """An expert on a tenant's own findings. Without a model (``extractive``) the answer is composed from data alone.

    ``provider`` is what `GroundedGenerator` takes: ``extractive``, ``openai``, ``anthropic``, ``gemini``,
    ``compatible``, an object with ``stream(prompt)``. ``checking`` as there; the default holds a sentence back
    until it is checked. What data wrote (counts, severity, frameworks, remediation) is told at once.
    """

    def __init__(
        self,
        provider: Any = "extractive",
        knowledge_base: KnowledgeBaseService | None = None,
        findings: FindingsService | None = None,
        documents: Documents | None = None,
        *,
        checking: Mode | Literal["off"] | None = None,
        checker: Weigher | None = None,
        deadlines: Deadlines | Mapping[str, float | None] | None = None,
        retry: Retry | Mapping[str, Any] | None = None,
        config: GenerationConfig | None = None,
        budget: int = BUDGET,
        **options: Any,
    ) -> None:
        from footnoted.providers import build

        self.shelves = Shelves(knowledge_base or KnowledgeBaseService(), findings, documents)
        model: Any = None if provider in (None, "extractive") else build(provider, **options)
        patience = deadlines if isinstance(deadlines, Deadlines) else Deadlines(**(deadlines or {}))
        self.writing = Answering(model, patience, retry if isinstance(retry, Retry) else Retry(**(retry or {})))
        self.checker, self.checking = checker, checking
        self._config = config or GenerationConfig(max_tokens=_MAX_TOKENS)
        self._budget = budget

    async def generate(
        self,
        question: str,
        nlu_result: Any = None,
        tenant_id: str = "local",
        conversation_history: Sequence[Any] = (),
        *,
        conversation_id: str = "",
    ) -> AsyncIterator[str]:
        """The answer's text, piece by piece."""
        advice = self.advise(question, nlu_result, tenant_id, conversation_history, conversation_id=conversation_id)
        async with aclosing(advice) as events:
            async for event in events:
                if isinstance(event, TextDelta):
                    yield event.text

    async def answer(
        self,
        question: str,
        nlu_result: Any = None,
        tenant_id: str = "local",
        conversation_history: Sequence[Any] = (),
        *,
        conversation_id: str = "",
    ) -> AdviceFinished:
        """The whole answer at once."""
        advice = self.advise(question, nlu_result, tenant_id, conversation_history, conversation_id=conversation_id)
        async with aclosing(advice) as events:
            async for event in events:
                if isinstance(event, AdviceFinished):
                    return event
        raise AssertionError("unreachable")

    async def advise(
        self,
        question: str,
        nlu_result: Any = None,
        tenant_id: str = "local",
        conversation_history: Sequence[Any] = (),
        *,
        conversation_id: str = "",
    ) -> AsyncGenerator[AdviceEvent]:
        """Everything as it happens: what it rests on, text, citations, verdicts, and the whole last."""
        asked = await self.read(question, nlu_result, tenant_id, conversation_history, conversation_id=conversation_id)
        advice = await self.prepare(asked, tenant_id)
        yield AdviceStarted(asked, advice.context, advice.sources)
        request = GenerationRequest(
            query=asked.question,
            context=list(advice.sources),
            config=self._config,
            system_instructions=persona(),
            conversation_history=[(turn.user, turn.assistant) for turn in asked.history],
        )
        async with aclosing(advice.stream(request)) as events:
            async for event in events:
                yield advice.finished(event.response) if isinstance(event, AnswerFinished) else event

    async def read(
        self,
        question: str,
        nlu_result: Any = None,
        tenant_id: str = "local",
        conversation_history: Sequence[Any] = (),
        *,
        conversation_id: str = "",
    ) -> Asked:
        """The question as a query over the tenant's own findings."""
        findings = self.shelves.findings
        vocabulary = known() if findings is None else await vocabulary_of(findings.database, tenant_id)
        asked = await asyncio.to_thread(
            read_asked, question, vocabulary, nlu_result, conversation_history, conversation_id=conversation_id
        )
        model: Any = self.writing.provider
        if model is None or nlu_result is not None or not vocabulary.scans:
            return asked
        reading = await filled(asked.reading, vocabulary, model, before=asked.before, history=asked.history)
        return replace(asked, reading=reading)

    async def prepare(self, asked: Asked, tenant_id: str) -> Advice:
        """Everything looked up for a question; what is left is to write the answer."""
        context = await assemble(asked, self.shelves, tenant_id)
        desk = laid_out(asked, context, tenant_id, budget=self._budget)
        findings = self.shelves.findings
        rows = None if findings is None else Rows(findings.database, tenant_id, asked.vocabulary)
        return Advice(asked, context, desk, self, rows)

    async def aclose(self) -> None:
        """Close the model's connections."""
        close = getattr(self.writing.provider, "aclose", None)
        if close is not None:
            await close()


@cache
def persona() -> str:
    """Who advises, in words a model reads."""
    return Path(__file__).with_name("persona.md").read_text(encoding="utf-8").strip()


def is_beside_the_point(asked: Asked, context: AnswerContext) -> bool:
    """Whether the question cannot be asked of findings, or there is nothing to answer from."""
    if context.documents and (asked.requires_documents or not asked.reading.names_findings):
        return False
    if not asked.reading.can_be_asked or (asked.reading.unused and not asked.reading.names_findings):
        return True
    result = context.result
    if asked.reading.unused and result is not None and not result.findings and result.query.having == Having():
        return result.query.select in ("count", "list", "group")  # nothing was found of less than what was asked for
    found = context.kb_entries or context.documents or result or context.choices
    return not (found or asked.reading.names_findings)


def found_as_json(asked: Asked, context: AnswerContext) -> dict[str, Any]:
    """What was asked, as it was read, and what was found."""
    return {
        **asked.told(),
        "intent": asked.intent,
        "entities": dict(asked.entities),
        "findings": [finding_as_json(one, context) for one in context.findings],
        "severity": dict(context.counts),
        "total_findings": context.total,
    }


def finding_as_json(finding: Any, context: AnswerContext | None = None) -> dict[str, Any]:
    """A finding as the page and the command line show it."""
    entries = context.kb_entries if context is not None else ()
    names = ("id", "check_id", "control_id", "title", "status", "service", "account", "region", "resource_id",
             "resource_name", "resource_type", "detail", "scanner")  # fmt: skip
    return {
        **{name: getattr(finding, name) for name in names},
        "severity": finding.severity.value,
        "mark": finding.severity.mark,
        "within": finding.severity.within,
        "frameworks": {key: list(ids) for key, ids in frameworks_of(finding, entries).items()},
        "observed_at": finding.observed_at.isoformat() if finding.observed_at else None,
    }


class ServerSentEvent(str):
    """One event as it goes over the wire; ``event`` and ``data`` are what it says."""

    __slots__ = ("data", "event")
    event: str
    data: dict[str, Any]

    def __new__(cls, event: str, data: dict[str, Any]) -> Self:
        """The text of an event on the wire, as the HTML standard has it."""
        made = super().__new__(cls, f"event: {event}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n")
        made.event, made.data = event, data
        return made


class StreamingHandler:
    """Streams the answers of an `AnswerService`."""

    def __init__(self, answer_service: AnswerService) -> None:
        self.answer_service = answer_service

    async def stream_answer(
        self,
        question: str,
        nlu_result: Any = None,
        tenant_id: str = "local",
        conversation_history: Sequence[Any] = (),
        **options: Any,
    ) -> AsyncIterator[ServerSentEvent]:
        """The events of one answer, each as text for the wire; ``done`` or ``error`` comes last, exactly once."""
        answer_id = str(uuid4())
        advice = self.answer_service.advise(question, nlu_result, tenant_id, conversation_history, **options)
        sources: tuple[SourceContext, ...] = ()
        try:
            async with aclosing(advice) as events:
                async for event in events:
                    if isinstance(event, AdviceStarted):
                        sources = event.sources
                        found = found_as_json(event.asked, event.context) | {"sources": _sources(sources)}
                        begun = {"type": "start", "answer_id": answer_id, "question": question}
                        yield ServerSentEvent("start", {**begun, **found})
                    elif isinstance(event, AdviceFinished):
                        response = event.response.model_dump(mode="json")
                        data = {"answer_id": answer_id, "response": response, "sources": _sources(sources)}
                        yield ServerSentEvent("done", {**data, **event.as_json()})
                    else:
                        yield _in_between(event, sources)
        except ConfigurationError as error:
            yield _failed("invalid_request", str(error))
        except ProviderTimeout:
            yield _failed("provider_timeout", "The language model did not answer in time.")
        except ProviderError:
            yield _failed("provider_failed", "The language model could not answer.")
        except Exception:  # noqa: BLE001 - a stream ends with a word, whatever broke; the words of an error may hold secrets
            yield _failed("internal", "The answer could not be finished.")


def _failed(code: str, message: str) -> ServerSentEvent:
    return ServerSentEvent("error", {"code": code, "message": message})


def _sources(sources: Sequence[SourceContext]) -> list[dict[str, Any]]:
    return [
        {
            "index": index,
            "id": one.metadata["id"],
            "chunk_id": str(one.chunk_id),
            "document_id": str(one.document_id),
            "title": one.metadata["title"],
            "kind": one.metadata["kind"],
            "text": one.content,
        }
        for index, one in enumerate(sources)
    ]


def _in_between(event: Event, sources: Sequence[SourceContext]) -> ServerSentEvent:
    match event:
        case CitationFound():
            source = sources[event.citation.source]
            of = {"kind": source.metadata["kind"], "id": source.metadata["id"]}
            return ServerSentEvent("citation", citation_told(event.citation, source.title) | of)
        case ClaimChecked():
            return ServerSentEvent("claim", claim_told(event))
        case SourcesDisagree():
            return ServerSentEvent("disagreement", asdict(event.disagreement))
    return ServerSentEvent(*told(event))
