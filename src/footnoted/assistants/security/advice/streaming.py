"""Turns an answer into server-sent events: start, chunk, citation, claim, retract, done or error."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Self
from uuid import uuid4

from footnoted.answering.telling import citation_told, claim_told, told
from footnoted.assistants.security.advice.answer import AdviceFinished, AdviceStarted, AnswerService, finding_as_json
from footnoted.errors import ConfigurationError, ProviderError, ProviderTimeout
from footnoted.events import CitationFound, ClaimChecked, SourcesDisagree

if TYPE_CHECKING:
    from footnoted.contract import SourceContext
    from footnoted.events import Event


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
                        data = {"answer_id": answer_id, "question": question, **_start(event)}
                        yield ServerSentEvent("start", data)
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
