"""Turns an answer into server-sent events: start, chunk, citation, claim, retract, done or error."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Self
from uuid import uuid4

from footnoted.assistants.security.advice.answer import AdviceFinished, AdviceStarted, AnswerService, finding_as_json
from footnoted.errors import ConfigurationError, ProviderError, ProviderTimeout
from footnoted.events import CitationFound, ClaimChecked, SourcesDisagree, TextDelta, TextRetracted

if TYPE_CHECKING:
    from footnoted.contract import SourceContext


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
        async with aclosing(self.events(question, nlu_result, tenant_id, conversation_history, **options)) as events:
            async for name, data in events:
                yield ServerSentEvent(name, data)

    async def events(
        self,
        question: str,
        nlu_result: Any = None,
        tenant_id: str = "local",
        conversation_history: Sequence[Any] = (),
        **options: Any,
    ) -> AsyncGenerator[tuple[str, dict[str, Any]]]:
        """The same as pairs of a name and its data."""
        answer_id = str(uuid4())
        advice = self.answer_service.advise(question, nlu_result, tenant_id, conversation_history, **options)
        sources: tuple[SourceContext, ...] = ()
        try:
            async with aclosing(advice) as events:
                async for event in events:
                    if isinstance(event, AdviceStarted):
                        sources = event.sources
                        yield "start", {"answer_id": answer_id, "question": question, **_start(event)}
                    elif isinstance(event, AdviceFinished):
                        yield (
                            "done",
                            {
                                "answer_id": answer_id,
                                "response": event.response.model_dump(mode="json"),
                                "sources": _sources(sources),
                                **event.as_json(),
                            },
                        )
                    elif told := _told(event, sources):
                        yield told
        except ConfigurationError as error:
            yield "error", {"code": "invalid_request", "message": str(error)}
        except ProviderTimeout:
            yield "error", {"code": "provider_timeout", "message": "The language model did not answer in time."}
        except ProviderError:
            yield "error", {"code": "provider_failed", "message": "The language model could not answer."}
        except Exception:  # noqa: BLE001 - a stream ends with a word, whatever broke; the words of an error may hold secrets
            yield "error", {"code": "internal", "message": "The answer could not be finished."}


def _start(event: AdviceStarted) -> dict[str, Any]:
    return {
        "type": "start",
        **event.asked.told(),
        "intent": event.asked.intent,
        "entities": dict(event.asked.entities),
        "sources": _sources(event.sources),
        "findings": [finding_as_json(one, event.context) for one in event.context.findings],
        "severity": dict(event.context.counts),
        "total_findings": event.context.total,
    }


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


def _told(event: Any, sources: Sequence[SourceContext]) -> tuple[str, dict[str, Any]] | None:
    if isinstance(event, TextDelta):
        return "chunk", {"content": event.text, "start": event.start}
    if isinstance(event, CitationFound):
        one = event.citation
        source = sources[one.source]
        return "citation", {
            "number": one.number,
            "source_index": one.source,
            "chunk_id": one.source_id,
            "quoted_text": " ".join(one.quote.split()),
            "start_pos": one.start,
            "end_pos": one.end,
            "source_start": one.source_start,
            "source_end": one.source_end,
            "source_quote": one.quote,
            "source_sha256": one.source_sha256,
            "source_title": source.title,
            "support": one.support,
            "kind": source.metadata["kind"],
            "id": source.metadata["id"],
        }
    if isinstance(event, ClaimChecked):
        verdict = event.verdict
        return "claim", {
            "text": event.claim.text,
            "start_pos": event.claim.start if event.shown else None,
            "end_pos": event.claim.end if event.shown else None,
            "shown": event.shown,
            "kind": event.claim.kind,
            "verdict": verdict.ruling,
            "score": verdict.score,
            "tier": verdict.tier,
            "reason": verdict.reason,
        }
    if isinstance(event, TextRetracted):
        return "retract", {"start": event.start, "end": event.end, "reason": event.reason}
    if isinstance(event, SourcesDisagree):
        return "disagreement", asdict(event.disagreement)
    return None
