"""What the families of routes share: the service behind a request, a stream's response, times, error shapes."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from fastapi import Request
from fastapi.responses import Response
from pydantic import BaseModel

if TYPE_CHECKING:
    from footnoted.service.app import Service
    from footnoted.service.streams import Produced, Reader


class ErrorWords(BaseModel):
    """What went wrong, for a program and for a person."""

    code: str
    message: str


class ErrorBody(BaseModel):
    """Every error's body."""

    error: ErrorWords


ERRORS: dict[int | str, dict[str, Any]] = {
    status: {"model": ErrorBody, "description": words}
    for status, words in {
        400: "the body is no JSON",
        401: "no key, or one that does not hold",
        404: "no such thing, or not yours",
        409: "not at this moment",
        410: "no longer kept",
        413: "more than may be sent",
        422: "a field does not hold",
        429: "too much at once; see Retry-After",
        502: "the model's provider failed",
        503: "something this stands on is away; see Retry-After",
        504: "the model said nothing in time",
    }.items()
}
STREAMED: dict[int | str, dict[str, Any]] = {
    200: {"description": "the events", "content": {"text/event-stream": {"schema": {"type": "string"}}}}
}


def service_of(request: Request) -> Service:
    """The running service."""
    service: Service = request.app.state.service
    return service


async def stream_response(
    service: Service, tenant: str, produce: Produced, *, kind: str, reader: Reader = "keep"
) -> Response:
    """Start a stream and follow it from its first event."""
    stream_id = await service.streams.start(tenant, produce, kind=kind, reader=reader)
    response = await service.streams.join(tenant, stream_id)
    return response if response is not None else Response(status_code=204)


def iso(seconds: float) -> str:
    """Seconds since 1970 as ISO 8601 in UTC.

    >>> iso(0)
    '1970-01-01T00:00:00.000Z'
    """
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
