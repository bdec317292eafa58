"""A question ready to be answered in; its events for a stream, or its whole answer, out, and a copy kept."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager
from dataclasses import asdict
from typing import Any

import structlog

from footnoted.answering.generator import GroundedGenerator
from footnoted.contract import GenerationResponse
from footnoted.events import AnswerFinished, CitationFound, ClaimChecked, SourcesDisagree, TextDelta, TextRetracted
from footnoted.service.asking import Asked, Place
from footnoted.service.faults import Fault
from footnoted.service.history import Answers
from footnoted.service.observe import traces
from footnoted.service.observe.metrics import METRICS
from footnoted.service.settings import Settings
from footnoted.types import Citation, Evidence

log = structlog.get_logger("footnoted.answers")


class Desk:
    """Where answers are written: the generator, the queue before it, and the shelf for finished ones."""

    def __init__(self, generator: GroundedGenerator, answers: Answers, settings: Settings) -> None:
        self.generator = generator
        self._answers = answers
        self._settings = settings
        self._turns = asyncio.Semaphore(settings.generations)

    async def events(self, asked: Asked) -> AsyncGenerator[tuple[str, dict[str, Any]]]:
        """Everything a stream tells of one answer: ``start`` … ``done``."""
        sources = [place.told(index) for index, place in enumerate(asked.places)]
        about = {"answer_id": asked.answer_id, "conversation_id": asked.conversation_id}
        yield "start", {**about, "question": asked.request.query, "sources": sources}
        telling = _Telling(asked)
        async with self._turn(), aclosing(self._written(asked)) as events:
            async for event in events:
                if isinstance(event, TextDelta):
                    yield "chunk", {"content": event.text, "start": event.start}
                elif isinstance(event, CitationFound):
                    yield "citation", telling.citation(event.citation)
                elif isinstance(event, ClaimChecked):
                    yield "claim", telling.claim(event)
                elif isinstance(event, TextRetracted):
                    yield "retract", {"start": event.start, "end": event.end, "reason": event.reason}
                elif isinstance(event, SourcesDisagree):
                    yield "disagreement", telling.disagreement(event)
                else:
                    await self._keep(asked, event.response, sources)
                    extras = {**asked.extras, **(asked.after(event.response) if asked.after else {})}
                    yield (
                        "done",
                        {**about, "response": event.response.model_dump(mode="json"), "sources": sources, **extras},
                    )

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

    async def _keep(self, asked: Asked, response: GenerationResponse, sources: list[dict[str, Any]]) -> None:
        _count(asked, response)
        await self._answers.keep(asked, response, sources)


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

    def citation(self, citation: Citation) -> dict[str, Any]:
        """The fields of `InlineCitation`, and the place in the document."""
        index = citation.source
        place = self._places[index]
        start, end = place.in_document(citation.source_start, citation.source_end)
        return {
            "number": citation.number,
            "source_index": index,
            "chunk_id": place.chunk_id,
            "quoted_text": " ".join(citation.quote.split()),
            "start_pos": citation.start,
            "end_pos": citation.end,
            "source_start": citation.source_start,
            "source_end": citation.source_end,
            "source_quote": citation.quote,
            "source_sha256": citation.source_sha256,
            "source_title": self._context[index].title,
            "support": citation.support,
            "document_id": place.document_id,
            "document_start": start,
            "document_end": end,
        }

    def claim(self, event: ClaimChecked) -> dict[str, Any]:
        """The fields of `ClaimResult`."""
        claim, verdict = event.claim, event.verdict
        return {
            "text": claim.text,
            "start_pos": claim.start if event.shown else None,
            "end_pos": claim.end if event.shown else None,
            "shown": event.shown,
            "kind": claim.kind,
            "verdict": verdict.ruling,
            "score": verdict.score,
            "tier": verdict.tier,
            "reason": verdict.reason,
            "evidence": [self._evidence(each) for each in verdict.evidence],
            "flagged": [[span.start, span.end] for span in verdict.flagged],
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
