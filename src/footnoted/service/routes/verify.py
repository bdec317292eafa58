"""The route that says which claims of any text its sources carry."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

from fastapi import APIRouter
from pydantic import Field

from footnoted.service.asking import Body, Id, SentSource, Words, check_size, contexts_of_found, contexts_of_sent
from footnoted.service.bodies import Route
from footnoted.service.routes._shared import ERRORS, TheService
from footnoted.service.tenants import Asking
from footnoted.service.told import Verified, tells

router = APIRouter(route_class=Route, prefix="/api/v1", tags=["verify"], responses=ERRORS)
_NEAREST = 12  # passages looked at for each part of a text that comes without sources
_PARTS = 8


class VerifyBody(Body):
    """A text, and what it is to be held against."""

    answer: Words
    sources: list[SentSource] | None = None
    document_ids: Annotated[list[Id], Field(max_length=200)] | None = None


@router.post("/verify", responses=tells(Verified))
async def verify(service: TheService, body: VerifyBody, who: Asking) -> dict[str, Any]:
    """Each claim's verdict, with the exact words it rests on."""
    from footnoted.answering.generator import shipped_checker
    from footnoted.grounding.detector import HallucinationDetector

    sent = body.sources or []
    longest = max((len(source.text) for source in sent), default=0)
    check_size(service.settings, question=body.answer, sources=len(sent), longest=longest, field="answer")
    if body.sources is not None:
        contexts, places = contexts_of_sent(body.sources)
    else:
        found = await service.documents.search(
            who.tenant, _parts(body.answer), k=_NEAREST, document_ids=body.document_ids
        )
        contexts, places = contexts_of_found(found)
    release = await service.limits.enter(who.tenant, f"verify-{id(body)}")
    try:
        detector = HallucinationDetector(shipped_checker())
        async with service.desk.verifying.take(who.tenant):
            result = await asyncio.to_thread(lambda: asyncio.run(detector.check_grounding(body.answer, contexts)))
    finally:
        await release()
    sources = [place.told(index) for index, place in enumerate(places)]
    return {**result.model_dump(mode="json"), "sources": sources}


def _parts(text: str) -> list[str]:
    """A text in a few stretches of sentences, each to be searched for."""
    from footnoted.text import sentences

    spans = sentences(text)
    if not spans:
        return [text]
    size = -(-len(spans) // _PARTS)
    return [text[spans[at].start : spans[min(at + size, len(spans)) - 1].end] for at in range(0, len(spans), size)]
