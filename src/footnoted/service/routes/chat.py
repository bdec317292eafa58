"""The routes of a conversation: messages answered from the tenant's documents, streams joined and stopped."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Header, Query
from fastapi.responses import Response

from footnoted.service.asking import Asked, ChatBody
from footnoted.service.bodies import Route
from footnoted.service.routes._shared import ERRORS, STREAMED, TheService, stream_response, whole_response
from footnoted.service.tenants import Asking
from footnoted.service.told import Stopped, StreamStatus, WholeAnswer, tells

router = APIRouter(route_class=Route, prefix="/api/v1/chat", tags=["chat"], responses=ERRORS)


async def _asked(service: TheService, body: ChatBody, who: Asking) -> Asked:
    return await service.chat.ask(body, who.tenant)


Question = Annotated[Asked, Depends(_asked)]


@router.post("/message", responses=tells(WholeAnswer))
async def message(service: TheService, asked: Question) -> dict[str, Any]:
    """The whole answer."""
    return await whole_response(service, asked)


@router.post("/stream", response_class=Response, responses=STREAMED)
async def stream(service: TheService, asked: Question) -> Response:
    """The answer as server-sent events."""
    return await stream_response(service, asked)


@router.get("/stream/{stream_id}", response_class=Response, responses={**STREAMED, 204: {"description": "none follow"}})
async def join(
    service: TheService,
    stream_id: str,
    who: Asking,
    last_event_id: Annotated[str | None, Header()] = None,
    after: Annotated[int, Query(ge=0, le=1_000_000_000)] = 0,
) -> Response:
    """The events after ``Last-Event-ID``, of any stream of the caller's, on any replica."""
    if last_event_id is not None and last_event_id.isascii() and last_event_id.isdigit() and len(last_event_id) < 10:
        after = int(last_event_id)
    response = await service.streams.join(who.tenant, stream_id, after=after)
    return response if response is not None else Response(status_code=204)


@router.delete("/stream/{stream_id}")
async def stop(service: TheService, stream_id: str, who: Asking) -> Stopped:
    """Stop it; its readers are told."""
    return Stopped(stream_id=stream_id, stopped=await service.streams.stop(who.tenant, stream_id))


@router.get("/stream/{stream_id}/status")
async def status(service: TheService, stream_id: str, who: Asking) -> StreamStatus:
    """How far a stream is."""
    record, state, events = await service.streams.status(who.tenant, stream_id)
    return StreamStatus(stream_id=stream_id, kind=record.kind, state=state, events=events, created_at=record.created_at)
