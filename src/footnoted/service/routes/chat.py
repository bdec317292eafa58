"""The routes of a conversation: messages answered from the tenant's documents, streams joined and stopped."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Header, Query, Request
from fastapi.responses import Response

from footnoted.service.asking import ChatBody
from footnoted.service.bodies import Route
from footnoted.service.routes._shared import ERRORS, STREAMED, service_of, stream_response, whole_response
from footnoted.service.tenants import Asking
from footnoted.service.told import Stopped, StreamStatus, WholeAnswer, iso, tells

router = APIRouter(route_class=Route, prefix="/api/v1/chat", tags=["chat"], responses=ERRORS)


@router.post("/message", responses=tells(WholeAnswer))
async def message(request: Request, body: ChatBody, who: Asking) -> dict[str, Any]:
    """The whole answer."""
    service = service_of(request)
    asked = await service.chat.ask(body, who.tenant)
    return await whole_response(service, asked)


@router.post("/stream", response_class=Response, responses=STREAMED)
async def stream(request: Request, body: ChatBody, who: Asking) -> Response:
    """The answer as server-sent events."""
    service = service_of(request)
    asked = await service.chat.ask(body, who.tenant)
    return await stream_response(service, asked, reader=body.reader)


@router.get("/stream/{stream_id}", response_class=Response, responses={**STREAMED, 204: {"description": "none follow"}})
async def join(
    request: Request,
    stream_id: str,
    who: Asking,
    last_event_id: Annotated[str | None, Header()] = None,
    after: Annotated[int, Query(ge=0, le=1_000_000_000)] = 0,
) -> Response:
    """The events after ``Last-Event-ID``, of any stream of the caller's, on any replica."""
    if last_event_id is not None and last_event_id.isascii() and last_event_id.isdigit() and len(last_event_id) < 10:
        after = int(last_event_id)
    response = await service_of(request).streams.join(who.tenant, stream_id, after=after)
    return response if response is not None else Response(status_code=204)


@router.delete("/stream/{stream_id}", responses=tells(Stopped))
async def stop(request: Request, stream_id: str, who: Asking) -> dict[str, Any]:
    """Stop it; its readers are told."""
    stopped = await service_of(request).streams.stop(who.tenant, stream_id)
    return {"stream_id": stream_id, "stopped": stopped}


@router.get("/stream/{stream_id}/status", responses=tells(StreamStatus))
async def status(request: Request, stream_id: str, who: Asking) -> dict[str, Any]:
    """How far a stream is."""
    record, state, events = await service_of(request).streams.status(who.tenant, stream_id)
    return {
        "stream_id": stream_id,
        "kind": record.kind,
        "state": state,
        "events": events,
        "created_at": iso(record.created_at),
    }
