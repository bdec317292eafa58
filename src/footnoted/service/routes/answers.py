"""The routes that answer a question from sources in the request, whole or streamed, and give saved answers."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends
from fastapi.responses import Response

from footnoted.service.asking import AnswerBody, Asked, Id, from_sources
from footnoted.service.bodies import Route
from footnoted.service.routes._shared import ERRORS, STREAMED, TheService, stream_response, whole_response
from footnoted.service.tenants import Asking
from footnoted.service.told import SavedAnswer, WholeAnswer, tells

router = APIRouter(route_class=Route, prefix="/api/v1", tags=["answers"], responses=ERRORS)


async def _asked(service: TheService, body: AnswerBody, who: Asking) -> Asked:
    return from_sources(body, who.tenant, service.settings)


Question = Annotated[Asked, Depends(_asked)]


@router.post("/answers", responses=tells(WholeAnswer))
async def answer(service: TheService, asked: Question) -> dict[str, Any]:
    """The whole answer; a refusal is one too."""
    return await whole_response(service, asked)


@router.post("/answers/stream", response_class=Response, responses=STREAMED)
async def stream_answer(service: TheService, asked: Question) -> Response:
    """The answer as server-sent events."""
    return await stream_response(service, asked)


@router.get("/answers/{answer_id}", responses=tells(SavedAnswer))
async def saved_answer(service: TheService, answer_id: Id, who: Asking) -> dict[str, Any]:
    """An answer as it was given."""
    return await service.answers.get(who.tenant, answer_id)
