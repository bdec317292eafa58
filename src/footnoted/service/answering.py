"""Answers a question that is ready, as a stream or whole, and keeps a copy."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager
from dataclasses import asdict
from typing import Any

import structlog

from footnoted.answering.generator import GroundedGenerator
from footnoted.answering.telling import citation_told, claim_told, told
from footnoted.contract import GenerationResponse
from footnoted.events import (
    AnswerFinished,
    CitationFound,
    ClaimChecked,
    Event,
    SourcesDisagree,
)
from footnoted.service.asking import Asked, Place
from footnoted.service.faults import Fault
from footnoted.service.history import Answers
from footnoted.service.observe import traces
from footnoted.service.observe.metrics import METRICS
from footnoted.service.policy import permitted, understood
from footnoted.service.settings import Settings
from footnoted.service.spending import Spending
from footnoted.service.turns import Turns
from footnoted.types import Citation, Evidence

log = structlog.get_logger("footnoted.answers")
_LARGE = 500_000  # characters of sources


class Desk:
    """Where answers are written: the generator, the queue before it, and the shelf for finished ones."""

    def __init__(
        self, generator: GroundedGenerator, answers: Answers, settings: Settings, spending: Spending | None = None
    ) -> None:
        self.generator = generator
        self._spending = spending
        self._answers = answers
        self._settings = settings
        self._turns = asyncio.Semaphore(settings.generations)
        self._large = Turns(2)
        self.verifying = Turns(2)  # finished texts to be weighed: a tenant's hundred claims take one place

    async def admit(self, asked: Asked) -> Asked:
        """The question as it may be asked, with what its answer may take held ahead. Raises `Fault` 403, 422 or 429.

        Whoever does not begin it after all drops its ``bill``.
        """
        asked = permitted(asked, self._settings)
        await understood(asked, self._settings)
        return asked if self._spending is None else await self._spending.hold(asked)

    def events(self, asked: Asked) -> AsyncGenerator[tuple[str, dict[str, Any]]]:
        """Everything a stream tells of one answer: ``start`` … ``done``. Raises `Fault` at once for what may not be."""
        return self._events(permitted(asked, self._settings))

    async def _events(self, asked: Asked) -> AsyncGenerator[tuple[str, dict[str, Any]]]:
        sources = [place.told(index) for index, place in enumerate(asked.places)]
        about = {"answer_id": asked.answer_id, "conversation_id": asked.conversation_id}
        yield "start", {**about, "question": asked.request.query, "sources": sources, **asked.start}
        telling = _Telling(asked)
        told: list[tuple[str, dict[str, Any]]] = []
        finished = stopped = False
        try:
            async with self._turn(), self._large_turn(asked), aclosing(self._written(asked)) as events:
                async for event in events:
                    if isinstance(event, AnswerFinished):
                        response = event.response
                        extras = {**asked.extras, **(asked.after(response) if asked.after else {})}
                        _count(asked, response)
                        finished = True
                        if asked.bill is not None:
                            asked.bill.settle(response)
                        await self._answers.keep(asked, response, sources, extras)
                        said = response.model_dump(mode="json")
                        yield "done", {**about, "response": said, "sources": sources, **extras}
                    else:
                        told.append(telling.event(event))
                        yield told[-1]
        except BaseException as error:
            stopped = not isinstance(error, Exception)
            raise
        finally:
            if not finished:
                self._keep_cut(asked, sources, told, "stopped" if stopped else "error")

    def _keep_cut(
        self, asked: Asked, sources: list[dict[str, Any]], told: list[tuple[str, dict[str, Any]]], ending: str
    ) -> None:
        """Of an answer that was stopped or broke: its bill, and in a conversation what it had said."""

        def of(wanted: str) -> list[dict[str, Any]]:
            return [data for name, data in told if name == wanted]

        said = "".join(chunk["content"] for chunk in of("chunk"))
        if asked.bill is not None:
            asked.bill.cut(said)
        if asked.conversation_id is None:
            return
        response = {
            "query": asked.request.query,
            "response": said,
            "citations": of("citation"),
            "claims": of("claim"),
            "retracted": of("retract"),
            "disagreements": of("disagreement"),
            "finish_reason": ending,
        }
        self._answers.keep_cut(asked, response, sources)

    async def whole(self, asked: Asked) -> dict[str, Any]:
        """One answer at once, as `done` tells it."""
        async with asyncio.timeout(self._settings.stream_seconds), aclosing(self.events(asked)) as events:
            async for name, data in events:
                if name == "done":
                    return data
        raise Fault(500, "internal", "the answer ended without an ending")

    def _written(self, asked: Asked) -> AsyncGenerator[Any]:
        return self._traced(asked) if traces.are_on() else (asked.writer or self.generator).stream(asked.request)

    async def _traced(self, asked: Asked) -> AsyncGenerator[Any]:
        with traces.answering(asked, self._settings) as span:
            async with aclosing((asked.writer or self.generator).stream(asked.request)) as events:
                async for event in events:
                    if isinstance(event, AnswerFinished):
                        traces.finished(span, event.response)
                    yield event

    @asynccontextmanager
    async def _turn(self) -> AsyncIterator[None]:
        """A place among those that write at once; `Fault` 503 when none comes free in time."""
        began = time.perf_counter()
        try:
            async with asyncio.timeout(self._settings.queue_seconds):
                await self._turns.acquire()
        except TimeoutError:
            raise Fault(503, "unavailable", "too many answers are being written; try again", retry_after=5) from None
        METRICS.queue_seconds.observe(time.perf_counter() - began)
        try:
            yield
        finally:
            self._turns.release()

    @asynccontextmanager
    async def _large_turn(self, asked: Asked) -> AsyncIterator[None]:
        """Answers from very much text are written one at a time for a tenant: each takes a core for seconds."""
        if sum(len(chunk.content) for chunk in asked.request.context) <= _LARGE:
            yield
            return
        async with self._large.take(asked.tenant):
            yield


def _count(asked: Asked, response: GenerationResponse) -> None:
    METRICS.tokens.labels("input").inc(response.usage.input)
    METRICS.tokens.labels("cached").inc(response.usage.cached)
    METRICS.tokens.labels("output").inc(response.usage.output)
    METRICS.answer_seconds.labels(asked.kind, response.finish_reason.value).observe(response.latency_ms / 1000)
    if response.refusal is not None:
        METRICS.refusals.labels(response.refusal.reason).inc()
    for claim in response.claims:
        METRICS.verdicts.labels(claim.verdict, claim.tier).inc()
    log.info(
        "answered",
        kind=asked.kind,
        answer_id=asked.answer_id,
        finish_reason=response.finish_reason.value,
        provider=response.provider,
        citations=len(response.citations),
        sources=response.sources_provided,
        ms=round(response.latency_ms, 1),
        tokens=response.tokens_used,
        error=response.error.type if response.error else None,
    )


class _Telling:
    """The library's events as clients are told them: by the sources of the request, with places in documents."""

    def __init__(self, asked: Asked) -> None:
        self._places: tuple[Place, ...] = asked.places
        self._context = asked.request.context

    def event(self, event: Event) -> tuple[str, dict[str, Any]]:
        """Any event but the last: its name and its data."""
        match event:
            case CitationFound():
                return "citation", self.citation(event.citation)
            case ClaimChecked():
                return "claim", self.claim(event)
            case SourcesDisagree():
                return "disagreement", self.disagreement(event)
        return told(event)

    def citation(self, citation: Citation) -> dict[str, Any]:
        """The fields of `InlineCitation`, and the place in the document."""
        place = self._places[citation.source]
        start, end = place.in_document(citation.source_start, citation.source_end)
        return {
            **citation_told(citation, self._context[citation.source].title),
            "chunk_id": place.chunk_id,
            "document_id": place.document_id,
            "document_start": start,
            "document_end": end,
        }

    def claim(self, event: ClaimChecked) -> dict[str, Any]:
        """The fields of `ClaimResult`."""
        return {
            **claim_told(event),
            "evidence": [self._evidence(evidence) for evidence in event.verdict.evidence],
            "flagged": [[span.start, span.end] for span in event.verdict.flagged],
        }

    def disagreement(self, event: SourcesDisagree) -> dict[str, Any]:
        """Both sides and what differs."""
        found = event.disagreement
        return {
            "first": self._evidence(found.first),
            "second": self._evidence(found.second),
            **{name: value for name, value in asdict(found).items() if name not in ("first", "second")},
        }

    def _evidence(self, evidence: Evidence) -> dict[str, Any]:
        return {
            "source_index": evidence.source,
            "chunk_id": self._places[evidence.source].chunk_id,
            "source_start": evidence.start,
            "source_end": evidence.end,
            "source_quote": evidence.quote,
            "support": min(1.0, max(0.0, evidence.support)),
        }
