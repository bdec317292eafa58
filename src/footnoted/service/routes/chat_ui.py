"""The Vercel AI SDK's ``useChat``, pointed here: an answer as its UI message stream."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import Response

from footnoted.service.bodies import Route
from footnoted.service.openai.answering import answer_in, question_of
from footnoted.service.routes._shared import ERRORS, STREAMED, service_of
from footnoted.service.tenants import Asking
from footnoted.service.ui import HEADERS, Parts, UIBody

router = APIRouter(route_class=Route, prefix="/api/v1/chat", tags=["chat"], responses=ERRORS)


@router.post("/ui", response_class=Response, responses=STREAMED)
async def chat_ui(request: Request, body: UIBody, who: Asking) -> Response:
    """The answer to the last user message, as the parts of an assistant's message."""
    service = service_of(request)
    said = [each.as_message() for each in body.messages]
    asked = await question_of(service, body.footnoted, said, who.tenant, {})
    return await answer_in(
        service, who.tenant, asked, Parts(asked, str(request.base_url)), stream=True, headers=HEADERS
    )
