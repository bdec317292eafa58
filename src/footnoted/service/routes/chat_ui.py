"""The Vercel AI SDK's ``useChat``, pointed here: an answer as its UI message stream, so that it is shown as it is.

Sources are ``source-document`` parts, citations ``data-citation`` parts at their markers, verdicts ``data-claim``
parts; what was taken back is a ``data-retraction``. All offsets are code points of the answer's text.
"""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Request
from fastapi.responses import Response
from pydantic import BaseModel, ConfigDict, Field

from footnoted.providers._sse import line_of
from footnoted.service.asking import Asked, Conversation, Words
from footnoted.service.bodies import Route
from footnoted.service.faults import Fault
from footnoted.service.openai.answering import answer_in, question_of
from footnoted.service.openai.bodies import Message, Own, Part
from footnoted.service.openai.telling import Telling, own
from footnoted.service.routes._shared import ERRORS, STREAMED, TheService
from footnoted.service.tenants import Asking

router = APIRouter(route_class=Route, prefix="/api/v1/chat", tags=["chat"], responses=ERRORS)
_HEADERS = {"x-vercel-ai-ui-message-stream": "v1", "X-Accel-Buffering": "no"}
_FINISH = {"complete": "stop", "length": "length", "filtered": "content-filter", "refused": "stop"}
_DATA = {"citation": "data-citation", "claim": "data-claim", "retract": "data-retraction"}
_TEXT = "answer"


class UIMessage(BaseModel):
    """One message as ``useChat`` keeps it; of parts only text is read, for it sends back all it was told."""

    model_config = ConfigDict(extra="ignore")

    role: Annotated[str, Field(pattern="^(?:system|user|assistant)$")]
    parts: Annotated[list[Part], Field(max_length=10_000)] = Field(default_factory=list)

    def as_message(self) -> Message:
        """The same in the words of the other doors."""
        said = "".join(part.text for part in self.parts if part.type == "text")
        return Message(role=self.role, content=said)  # type: ignore[arg-type] # the pattern above says which


class UIBody(BaseModel):
    """What ``useChat``'s transport sends. ``footnoted`` is what its ``body`` option adds: sources, a config."""

    model_config = ConfigDict(extra="ignore")

    messages: Annotated[list[UIMessage], Field(min_length=1, max_length=500)]
    id: Conversation | None = None
    trigger: Annotated[Words, Field(max_length=100)] = "submit-message"
    footnoted: Own = Field(default_factory=Own)


class Parts(Telling):
    """An answer as the parts of one message."""

    def __init__(self, asked: Asked, base: str) -> None:
        super().__init__(asked, base)
        self._open = False

    def whole(self, done: dict[str, Any]) -> dict[str, Any]:
        """What stands under ``footnoted``; this protocol is always streamed."""
        return own(done)

    def events(self, name: str, data: dict[str, Any]) -> list[bytes]:
        """The parts that one event of the answer becomes."""
        if name == "start":
            about = {"answerId": data["answer_id"]}
            parts = [{"type": "start", "messageId": data["answer_id"], "messageMetadata": about}]
            parts += [_source(place) for place in data["sources"]]
            return [line_of(part) for part in [*parts, {"type": "start-step"}]]
        if name == "chunk":
            opening = [] if self._open else [line_of({"type": "text-start", "id": _TEXT})]
            self._open = True
            return [*opening, line_of({"type": "text-delta", "id": _TEXT, "delta": data["content"]})]
        if name == "citation":
            data = {**data, "url": self._link(data)["url"]}
        if name in _DATA:
            return [line_of({"type": _DATA[name], "data": data})]
        if name != "done":
            return []
        finish = _FINISH.get(data["response"]["finish_reason"], "error")
        ended = line_of({"type": "data-answer", "data": own(data)}) + line_of({"type": "finish-step"})
        return [*self._closed(), ended, line_of({"type": "finish", "finishReason": finish}), b"data: [DONE]\n\n"]

    def fault(self, fault: Fault) -> list[bytes]:
        """What ends a stream that broke."""
        error = {"type": "error", "errorText": f"{fault.code}: {fault.message}"}
        return [*self._closed(), line_of(error), b"data: [DONE]\n\n"]

    def _closed(self) -> list[bytes]:
        return [line_of({"type": "text-end", "id": _TEXT})] if self._open else []


def _source(place: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "source-document",
        "sourceId": place["id"],
        "mediaType": "text/plain",
        "title": place["title"] or f"Source {place['index'] + 1}",
        "providerMetadata": {"footnoted": place},
    }


@router.post("/ui", response_class=Response, responses=STREAMED)
async def chat_ui(request: Request, service: TheService, body: UIBody, who: Asking) -> Response:
    """The answer to the last user message, as the parts of an assistant's message."""
    messages = [message.as_message() for message in body.messages]
    try:
        asked = await question_of(service, body.footnoted, messages, who.tenant, {})
    except Fault as fault:  # 400 is what clients of OpenAI know; here it is 422, as at the service's own doors
        if fault.status != 400:
            raise
        raise Fault(422, fault.code, fault.message) from None
    telling = Parts(asked, str(request.base_url))
    return await answer_in(service, asked, telling, stream=True, headers=_HEADERS)
