"""The routes that take a thumb and a comment on an answer, and give the tenant its own again."""

from __future__ import annotations

from typing import Annotated, Any, Literal
from uuid import UUID

from fastapi import APIRouter, Query, Request
from pydantic import Field

from footnoted.service.asking import Body, Words
from footnoted.service.bodies import Route
from footnoted.service.routes._shared import ERRORS, paged, service_of
from footnoted.service.tenants import Asking
from footnoted.service.told import ToldFeedback, ToldFeedbacks, tells

router = APIRouter(route_class=Route, prefix="/api/v1", tags=["feedback"], responses=ERRORS)


class FeedbackBody(Body):
    """What a person thought of an answer. ``wrong_citation`` is the number of one that misled."""

    answer_id: UUID
    rating: Literal["up", "down"]
    comment: Annotated[Words, Field(max_length=4_000)] | None = None
    wrong_citation: Annotated[int, Field(ge=1, le=1_000)] | None = None


@router.post("/feedback", status_code=201, responses=tells(ToldFeedback, status=201))
async def give(request: Request, body: FeedbackBody, who: Asking) -> dict[str, Any]:
    """Keep it; a second one for the same answer replaces the first."""
    service, answer_id = service_of(request), str(body.answer_id)
    kept = await service.answers.rate(who.tenant, answer_id, rating=body.rating, comment=body.comment)
    for tell in service.when_rated:
        helpful = body.rating == "up"
        await tell(who.tenant, answer_id, helpful=helpful, wrong=body.wrong_citation, comment=body.comment or "")
    return kept.model_dump()


@router.get("/feedback", responses=tells(ToldFeedbacks))
async def given(
    request: Request, who: Asking, limit: Annotated[int, Query(ge=1, le=500)] = 100, after: UUID | None = None
) -> dict[str, Any]:
    """The tenant's feedback, the newest first."""
    found = await service_of(request).answers.ratings(who.tenant, limit=limit + 1, after=str(after) if after else None)
    return paged("feedback", [each.model_dump() for each in found], limit, by="feedback_id")
