"""A customer's message in; an answer from the tenant's policy documents only, product by product, whole or streamed."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response

from footnoted.service.bodies import Route
from footnoted.service.insuring import InsuranceBody, Insuring
from footnoted.service.routes._shared import ERRORS, STREAMED, service_of, stream_response, whole_response
from footnoted.service.tenants import Asking
from footnoted.service.told import ToldOutcomes, WholeAnswer, tells

if TYPE_CHECKING:
    from footnoted.service.app import Service

router = APIRouter(route_class=Route, prefix="/api/v1/insurance", tags=["insurance"], responses=ERRORS)


@asynccontextmanager
async def room(service: Service) -> AsyncIterator[None]:
    """The responder, open as long as the service is; feedback on its answers reaches it."""
    insuring = Insuring(service)
    await insuring.open()
    _open[id(service)] = insuring
    service.when_rated.append(insuring.rated)
    service.when_forgetting.append(insuring.forget)
    service.conversations.when_deleted.append(lambda gone: insuring.delete(gone.tenant, gone.answer_ids))
    try:
        yield
    finally:
        _open.pop(id(service), None)
        await insuring.aclose()


_open: dict[int, Insuring] = {}


@router.post("/message", responses=tells(WholeAnswer))
async def message(request: Request, body: InsuranceBody, who: Asking) -> dict[str, Any]:
    """The whole answer, with its confidence and why."""
    service = service_of(request)
    asked = await _open[id(service)].ask(body, who.tenant)
    return await whole_response(service, asked)


@router.post("/stream", response_class=Response, responses=STREAMED)
async def stream(request: Request, body: InsuranceBody, who: Asking) -> Response:
    """The answer as server-sent events."""
    service = service_of(request)
    asked = await _open[id(service)].ask(body, who.tenant)
    return await stream_response(service, asked, reader=body.reader)


@router.get("/outcomes", responses=tells(ToldOutcomes))
async def outcomes(
    request: Request, who: Asking, experiment: Annotated[str | None, Query(max_length=100)] = None
) -> dict[str, Any]:
    """What customers thought: by variant of an experiment (the one under way), and by policy section."""
    return await _open[id(service_of(request))].outcomes_of(who.tenant, experiment)
