"""The insurance responder's routes: messages answered from the tenant's policies, and what customers thought."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query
from fastapi.responses import Response

from footnoted.service.app import Service
from footnoted.service.asking import Asked
from footnoted.service.bodies import Route
from footnoted.service.insuring import InsuranceBody, Insuring
from footnoted.service.routes._shared import ERRORS, STREAMED, TheService, stream_response, whole_response
from footnoted.service.tenants import Asking
from footnoted.service.told import ToldOutcomes, WholeAnswer, tells

router = APIRouter(route_class=Route, prefix="/api/v1/insurance", tags=["insurance"], responses=ERRORS)


@asynccontextmanager
async def room(service: Service) -> AsyncIterator[Insuring]:
    """The responder, open as long as the service is; feedback on its answers reaches it."""
    insuring = Insuring(service)
    await insuring.open()
    service.when_rated.append(insuring.rated)
    service.when_forgetting.append(insuring.forget)
    service.conversations.when_deleted.append(lambda gone: insuring.outcomes.delete(gone.tenant, gone.answer_ids))
    try:
        yield insuring
    finally:
        await insuring.aclose()


async def _insuring(service: TheService) -> Insuring:
    insuring: Insuring = service.rooms["insurance"]
    return insuring


Responder = Annotated[Insuring, Depends(_insuring)]


async def _asked(insuring: Responder, body: InsuranceBody, who: Asking) -> Asked:
    return await insuring.ask(body, who.tenant)


Question = Annotated[Asked, Depends(_asked)]


@router.post("/message", responses=tells(WholeAnswer))
async def message(service: TheService, asked: Question) -> dict[str, Any]:
    """The whole answer, with its confidence and why."""
    return await whole_response(service, asked)


@router.post("/stream", response_class=Response, responses=STREAMED)
async def stream(service: TheService, asked: Question) -> Response:
    """The answer as server-sent events."""
    return await stream_response(service, asked)


@router.get("/outcomes", responses=tells(ToldOutcomes))
async def outcomes(
    insuring: Responder, who: Asking, experiment: Annotated[str | None, Query(max_length=100)] = None
) -> dict[str, Any]:
    """What customers thought: by variant of an experiment (the one under way), and by policy section."""
    return await insuring.outcomes_of(who.tenant, experiment)
