"""The routes that take a thumb and a comment on an answer, and give the tenant its own again."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query
from pydantic import Field

from footnoted.service.asking import Body, Id, Words
from footnoted.service.bodies import Route
from footnoted.service.routes._shared import ERRORS, TheService, paged
from footnoted.service.tenants import Asking
from footnoted.service.told import ToldFeedback, ToldFeedbacks

router = APIRouter(route_class=Route, prefix="/api/v1", tags=["feedback"], responses=ERRORS)


class FeedbackBody(Body):
    """What a person thought of an answer. ``wrong_citation`` is the number of one that misled."""

    answer_id: Id
    rating: Literal["up", "down"]
    comment: Annotated[Words, Field(max_length=4_000)] | None = None
    wrong_citation: Annotated[int, Field(ge=1, le=1_000)] | None = None


@router.post("/feedback", status_code=201)
async def give(service: TheService, body: FeedbackBody, who: Asking) -> ToldFeedback:
    """Keep it; a second one for the same answer replaces the first."""
    kept = await service.answers.rate(who.tenant, body.answer_id, rating=body.rating, comment=body.comment)
    helpful, comment = body.rating == "up", body.comment or ""
    for tell in service.when_rated:
        await tell(who.tenant, body.answer_id, helpful=helpful, wrong=body.wrong_citation, comment=comment)
    return kept


@router.get("/feedback", response_model=ToldFeedbacks)
async def given(
    service: TheService, who: Asking, limit: Annotated[int, Query(ge=1, le=500)] = 100, after: Id | None = None
) -> dict[str, Any]:
    """The tenant's feedback, the newest first."""
    found = await service.answers.ratings(who.tenant, limit=limit + 1, after=after)
    return paged("feedback", found, limit, by="feedback_id")
