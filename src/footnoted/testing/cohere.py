# ruff: noqa: D102 - Dialect says what each method is for
"""Cohere's Chat, version 2, as a test server speaks it: typed events or a whole message.

Shapes after the reference of ``POST /v2/chat`` and the SDK's types. A `Pin` is a citation of the words of its piece.
"""

from __future__ import annotations

from typing import Any

from footnoted.testing.dialect import Dialect, Frame, Message, Refused, typed
from footnoted.testing.script import ProtocolName, Reply, Request, texts

_FINISH = {"stop": "COMPLETE", "length": "MAX_TOKENS", "filter": "ERROR_TOXIC"}


class Cohere(Dialect):
    """``message-start``, ``content-delta``, ``citation-start``, ``message-end``."""

    name: ProtocolName = "cohere"

    def read(self, message: Message) -> Request | None:
        if not message.path.endswith("/v2/chat"):
            return None
        turns = message.json.get("messages")
        return self._request(message, system_text=texts(turns, "system"), prompt_text=texts(turns, "user"))

    def complaint(self, request: Request) -> Refused | None:
        name = request.lacks("model", "messages")
        return Refused(400, self.error(400, f"invalid request: {name} is required")) if name else None

    def blocked(self, reply: Reply) -> Refused | None:
        return Refused(498, self.error(498, reply.whole or "blocked input: a word of it is on a list"))

    def frames(self, request: Request, reply: Reply) -> list[Frame]:
        frames = [
            typed("open", "message-start", id="scripted", delta={"message": {"role": "assistant", "content": []}}),
            typed("open", "content-start", index=0, delta={"message": {"content": {"type": "text", "text": ""}}}),
        ]
        cited = self._citations(request, reply)
        for number, piece in enumerate(reply.parts):
            frames.append(typed("text", "content-delta", index=0, delta={"message": {"content": {"text": piece}}}))
            for index, (pin, citation) in enumerate(zip(reply.citations, cited, strict=True)):
                if pin.piece == number:
                    delta = {"message": {"citations": citation}}
                    frames.append(typed("open", "citation-start", index=index, delta=delta))
                    frames.append(typed("open", "citation-end", index=index))
        frames.append(typed("stop", "content-end", index=0))
        end = {"finish_reason": _FINISH[reply.finish], "usage": _usage(request, reply)}
        frames.append(typed("stop", "message-end", id="scripted", delta=end))
        return [*frames, Frame("end", "[DONE]")]

    def body(self, request: Request, reply: Reply) -> dict[str, Any]:
        message = {"role": "assistant", "content": [{"type": "text", "text": reply.whole}]}
        return {
            "id": "scripted",
            "finish_reason": _FINISH[reply.finish],
            "message": {**message, "citations": self._citations(request, reply)},
            "usage": _usage(request, reply),
        }

    def error(self, status: int, message: str, *, retry_after: str | None = None) -> dict[str, Any]:  # noqa: ARG002
        return {"id": "scripted", "message": message}

    def stream_error(self, message: str) -> Frame:
        return typed("noise", "message-end", delta={"finish_reason": "ERROR", "error": message})

    def unknown(self) -> list[Frame]:
        thought = {"message": {"content": {"type": "thinking", "thinking": "Hm."}}}
        return [
            typed("noise", "weather-report", celsius=21),
            typed("noise", "content-delta", index=0, delta=thought),
            typed("noise", "tool-plan-delta", delta={"message": {"tool_plan": "I will look."}}),
        ]

    def bad_key(self, key: str | None) -> Refused:
        said = "invalid api token" if key else "no api key supplied"
        return Refused(401, self.error(401, said))

    def unknown_model(self, model: str) -> Refused:
        return Refused(404, self.error(404, f"model '{model}' not found, make sure the correct model ID was used."))

    @staticmethod
    def _citations(request: Request, reply: Reply) -> list[dict[str, Any]]:
        documents = request.json.get("documents") or []
        found = []
        for pin in reply.citations:
            start = len("".join(reply.parts[: pin.piece]))
            text = reply.parts[pin.piece].rstrip()
            document = documents[pin.document] if pin.document < len(documents) else {"id": f"doc:{pin.document}"}
            source = {"type": "document", "id": document["id"], "document": document.get("data", {})}
            found.append({"start": start, "end": start + len(text), "text": text, "sources": [source]})
        return found


def _usage(request: Request, reply: Reply) -> dict[str, Any]:
    read, cached, written = reply.tokens(request.system_text + request.prompt_text)
    return {"tokens": {"input_tokens": read, "output_tokens": written}, "cached_tokens": cached}
