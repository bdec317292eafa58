"""What the families of routes share: the service behind a request, a stream's response, error shapes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from fastapi import Depends, Request
from fastapi.responses import Response
from pydantic import BaseModel

from footnoted.service.app import Service
from footnoted.service.asking import Asked
from footnoted.service.faults import Fault
from footnoted.service.streams import new_stream_id


class ErrorWords(BaseModel):
    """What went wrong, for a program and for a person."""

    code: str
    message: str
    renews_at: str | None = None


class ErrorBody(BaseModel):
    """Every error's body."""

    error: ErrorWords


class OpenAIErrorWords(ErrorWords):
    """The same as clients of OpenAI's read it."""

    type: str
    param: str | None = None


class OpenAIErrorBody(BaseModel):
    """Every error's body of the doors that speak OpenAI's protocols."""

    error: OpenAIErrorWords


def _errors(body: type[BaseModel]) -> dict[int | str, dict[str, Any]]:
    return {status: {"model": body, "description": words} for status, words in _WORDS.items()}


_WORDS = {
    400: "the body is no JSON",
    401: "no key, or one that does not hold",
    403: "not by this service's policy",
    404: "no such thing, or not yours",
    409: "not at this moment",
    410: "no longer kept",
    413: "more than may be sent",
    422: "a field does not hold",
    429: "too much at once, or all that may be spent is; see Retry-After",
    502: "the model's provider failed",
    503: "something this stands on is away; see Retry-After",
    504: "the model said nothing in time",
    507: "the disk is full",
}
ERRORS = _errors(ErrorBody)
OPENAI_ERRORS = _errors(OpenAIErrorBody)
OPENAI_ERRORS[400]["description"] = "the body is no JSON, or a parameter does not hold: its name is in param"
_EVENTS = """id: 1
event: start
data: {"stream_id": "…", "answer_id": "…", "question": "…", "sources": [{"index": 0, "title": "Car policy"}]}

id: 2
event: chunk
data: {"content": "The windscreen excess is £75 for a repair [1].", "start": 0}

id: 3
event: done
data: {"stream_id": "…", "answer_id": "…", "response": {"response": "…", "citations": [], "finish_reason": "complete"}}

"""
STREAMED: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "server-sent events: start, then chunk, citation, claim, retract, disagreement; done or error",
        "content": {"text/event-stream": {"schema": {"type": "string"}, "example": _EVENTS}},
    }
}


async def service_of(request: Request) -> Service:
    """The running service."""
    service: Service = request.app.state.service
    return service


TheService = Annotated[Service, Depends(service_of)]


def paged(name: str, found: Sequence[BaseModel], limit: int, *, by: str = "id") -> dict[str, Any]:
    """A page of what was found, one more than ``limit`` where there is more: ``next`` goes into ``after``."""
    return {name: found[:limit], "next": getattr(found[limit - 1], by) if len(found) > limit else None}


async def stream_response(service: Service, asked: Asked) -> Response:
    """Start the stream of an answer and follow it from its first event."""
    stream_id = new_stream_id()
    asked = await service.desk.admit(asked)
    try:
        await service.conversations.begin(asked, stream_id)
    except BaseException:
        asked.drop()
        raise
    try:
        await service.streams.start(
            asked.tenant, service.desk.events(asked), kind=asked.kind, reader=asked.reader, stream_id=stream_id
        )
    except BaseException as error:
        asked.drop()
        if isinstance(error, Fault):
            await service.conversations.undo(asked)
        raise
    response = await service.streams.join(asked.tenant, stream_id)
    return response if response is not None else Response(status_code=204)


async def whole_response(service: Service, asked: Asked) -> dict[str, Any]:
    """The whole answer, in one of the tenant's places among those that are written at once."""
    release = await service.limits.enter(asked.tenant, asked.answer_id)
    try:
        asked = await service.desk.admit(asked)
        await service.conversations.begin(asked)
        return await service.desk.whole(asked)
    finally:
        asked.drop()
        await release()
