# ruff: noqa: D102 - Dialect says what each method is for
"""Gemini's generateContent, as a test server speaks it: chunks of a response or a whole one.

Shapes after the reference of ``v1beta/models/*:generateContent`` and ``:streamGenerateContent?alt=sse``.
There is no end event: the chunk that carries ``finishReason`` is the last.
"""

from __future__ import annotations

from typing import Any

from footnoted.testing.dialect import Dialect, Frame, Message, Refused
from footnoted.testing.script import ProtocolName, Reply, Request, text_of, texts

_FINISH = {"stop": "STOP", "length": "MAX_TOKENS", "filter": "SAFETY"}
_STATUS = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    429: "RESOURCE_EXHAUSTED",
    500: "INTERNAL",
    503: "UNAVAILABLE",
    504: "DEADLINE_EXCEEDED",
}


class Gemini(Dialect):
    """``data: {"candidates": […]}`` chunks."""

    name: ProtocolName = "gemini"
    folders: tuple[str, ...] = ("/v1", "/v1beta", "/v1alpha")

    def read(self, message: Message) -> Request | None:
        folder, _, call = message.path.rpartition("/models/")
        model, _, verb = call.partition(":")
        if not folder.endswith(self.folders) or verb not in ("generateContent", "streamGenerateContent"):
            return None
        body = message.json
        return self._request(
            message,
            model=model,
            stream=verb == "streamGenerateContent",
            system_text=text_of(body.get("systemInstruction") or body.get("system_instruction")),
            prompt_text=texts(body.get("contents"), "user"),
            key=message.headers.get("x-goog-api-key") or message.query.get("key"),
        )

    def complaint(self, request: Request) -> Refused | None:
        if not request.json.get("contents"):
            said = "* GenerateContentRequest.contents: contents is not specified\n"
            return Refused(400, self.error(400, said))
        for turn in request.json["contents"]:
            if turn.get("role", "user") not in {"user", "model"}:
                return Refused(400, self.error(400, "Please use a valid role: user, model."))
        return None

    def frames(self, request: Request, reply: Reply) -> list[Frame]:
        if reply.finish == "blocked":
            return [Frame("stop", self.body(request, reply))]
        read, cached, written = reply.tokens(request.system_text + request.prompt_text)
        pieces = reply.parts
        finish = _FINISH[reply.finish]
        frames: list[Frame] = []
        for number, piece in enumerate(pieces, start=1):
            last = number == len(pieces) and finish == "STOP"
            usage = _usage(read, cached, written * number // len(pieces))
            frames.append(Frame("text", _chunk(request, usage, piece, finish if last else None)))
        if finish != "STOP" or not pieces:
            # A filter's last chunk has no content; neither has a model that had nothing to say.
            frames.append(Frame("stop", _chunk(request, _usage(read, cached, written), None, finish)))
        return frames

    def body(self, request: Request, reply: Reply) -> dict[str, Any]:
        usage = _usage(*reply.tokens(request.system_text + request.prompt_text))
        if reply.finish == "blocked":
            feedback = {"blockReason": "SAFETY", "safetyRatings": []}
            return {"promptFeedback": feedback, "usageMetadata": usage, "modelVersion": request.model}
        return _chunk(request, usage, reply.whole or None, _FINISH[reply.finish])

    def error(self, status: int, message: str, *, retry_after: str | None = None) -> dict[str, Any]:
        kind = _STATUS.get(status, "INTERNAL" if status >= 500 else "INVALID_ARGUMENT")
        error: dict[str, Any] = {"code": status, "message": message, "status": kind}
        if retry_after:
            info = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": f"{retry_after}s"}
            error["details"] = [info]
        return {"error": error}

    def stream_error(self, message: str) -> Frame:
        return Frame("noise", self.error(503, message))

    def unknown(self) -> list[Frame]:
        thought = {"content": {"parts": [{"text": "Hm.", "thought": True}], "role": "model"}, "index": 0}
        return [
            Frame("noise", {"weatherReport": {"temperature": 21}}),
            Frame("noise", {"candidates": [thought]}),
            Frame("noise", {"candidates": [{"content": {"role": "model"}, "index": 0}], "usageMetadata": {}}),
        ]

    def bad_key(self, key: str | None) -> Refused:
        if not key:
            said = "Method doesn't allow unregistered callers. Please use API Key to call this API."
            return Refused(403, self.error(403, said))
        body = self.error(400, "API key not valid. Please pass a valid API key.")
        reason = {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID"}
        body["error"]["details"] = [reason]
        return Refused(400, body)

    def unknown_model(self, model: str) -> Refused:
        said = f"models/{model} is not found for API version v1beta, or is not supported for generateContent."
        return Refused(404, self.error(404, said))


class Vertex(Gemini):
    """The same in a project: another path, and a bearer token."""

    name: ProtocolName = "vertex"
    folders = ("/publishers/google",)

    def bad_key(self, key: str | None) -> Refused:  # noqa: ARG002
        return Refused(401, self.error(401, "Request had invalid authentication credentials."))


def _chunk(request: Request, usage: dict[str, int], text: str | None, finish: str | None) -> dict[str, Any]:
    candidate: dict[str, Any] = {"index": 0}
    if text is not None:
        candidate["content"] = {"parts": [{"text": text}], "role": "model"}
    if finish:
        candidate["finishReason"] = finish
    return {
        "candidates": [candidate],
        "usageMetadata": usage,
        "modelVersion": request.model,
        "responseId": "scripted",
    }


def _usage(read: int, cached: int, written: int) -> dict[str, int]:
    usage = {"promptTokenCount": read, "candidatesTokenCount": written, "totalTokenCount": read + written}
    return {**usage, "cachedContentTokenCount": cached} if cached else usage
