"""An answer as the Vercel AI SDK's UI message stream, so that ``useChat`` shows it as it is.

Sources are ``source-document`` parts, citations ``data-citation`` parts at their markers, verdicts ``data-claim``
parts; what was taken back is a ``data-retraction``. All offsets are code points of the answer's text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from footnoted.service.asking import Conversation, Words
from footnoted.service.openai.bodies import Message, Own, Part
from footnoted.service.openai.telling import line, link, own

if TYPE_CHECKING:
    from footnoted.service.asking import Asked
    from footnoted.service.faults import Fault

HEADERS = {"x-vercel-ai-ui-message-stream": "v1", "X-Accel-Buffering": "no"}
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


class Parts:
    """Tells one answer."""

    def __init__(self, asked: Asked, base: str) -> None:
        self._asked = asked
        self._base = base
        self._open = False

    def whole(self, done: dict[str, Any]) -> dict[str, Any]:
        """What stands under ``footnoted``; this protocol is always streamed."""
        return own(done)

    def events(self, name: str, data: dict[str, Any]) -> list[bytes]:
        """The parts that one event of the answer becomes."""
        if name == "start":
            about = {"answerId": data["answer_id"]}
            parts = [{"type": "start", "messageId": data["answer_id"], "messageMetadata": about}]
            parts += [_source(each) for each in data["sources"]]
            return [line(each) for each in [*parts, {"type": "start-step"}]]
        if name == "chunk":
            opening = [] if self._open else [line({"type": "text-start", "id": _TEXT})]
            self._open = True
            return [*opening, line({"type": "text-delta", "id": _TEXT, "delta": data["content"]})]
        if name == "citation":
            data = {**data, "url": link(self._base, self._asked, data)["url"]}
        if name in _DATA:
            return [line({"type": _DATA[name], "data": data})]
        if name != "done":
            return []
        finish = _FINISH.get(data["response"]["finish_reason"], "error")
        ended = line({"type": "data-answer", "data": own(data)}) + line({"type": "finish-step"})
        return [*self._closed(), ended, line({"type": "finish", "finishReason": finish}), b"data: [DONE]\n\n"]

    def fault(self, fault: Fault) -> list[bytes]:
        """What ends a stream that broke."""
        error = {"type": "error", "errorText": f"{fault.code}: {fault.message}"}
        return [*self._closed(), line(error), b"data: [DONE]\n\n"]

    def _closed(self) -> list[bytes]:
        return [line({"type": "text-end", "id": _TEXT})] if self._open else []


def _source(place: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "source-document",
        "sourceId": place["id"],
        "mediaType": "text/plain",
        "title": place["title"] or f"Source {place['index'] + 1}",
        "providerMetadata": {"footnoted": place},
    }
