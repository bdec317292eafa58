"""The routes that answer a question from sources in the request, whole or streamed, and give saved answers."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any
from uuid import UUID

from fastapi import APIRouter, Request
from fastapi.responses import Response

from footnoted.service.asking import AnswerBody, from_sources
from footnoted.service.bodies import Route
from footnoted.service.routes._shared import ERRORS, STREAMED, service_of, stream_response, whole_response
from footnoted.service.tenants import Asking
from footnoted.service.told import SavedAnswer, WholeAnswer, iso, tells

router = APIRouter(route_class=Route, prefix="/api/v1", tags=["answers"], responses=ERRORS)


@router.post("/answers", responses=tells(WholeAnswer))
async def answer(request: Request, body: AnswerBody, who: Asking) -> dict[str, Any]:
    """The whole answer; a refusal is one too."""
    service = service_of(request)
    asked = from_sources(body, who.tenant, service.settings)
    return await whole_response(service, asked)


@router.post("/answers/stream", response_class=Response, responses=STREAMED)
async def stream_answer(request: Request, body: AnswerBody, who: Asking) -> Response:
    """The answer as server-sent events."""
    service = service_of(request)
    asked = from_sources(body, who.tenant, service.settings)
    return await stream_response(service, asked, reader=body.reader)


@router.get("/answers/{answer_id}", responses=tells(SavedAnswer))
async def saved_answer(request: Request, answer_id: UUID, who: Asking) -> dict[str, Any]:
    """An answer as it was given."""
    saved = await service_of(request).answers.get(who.tenant, str(answer_id))
    return {**asdict(saved), "created_at": iso(saved.created_at)}
