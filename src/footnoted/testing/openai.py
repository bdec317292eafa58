# ruff: noqa: D102 - Dialect says what each method is for
"""OpenAI's Chat Completions, as a test server speaks them: chunks or a whole completion.

Shapes after the API reference of ``POST /v1/chat/completions`` and the types of the official SDK.
"""

from __future__ import annotations

from typing import Any

from footnoted.testing.dialect import Dialect, Frame, Message, Refused
from footnoted.testing.script import ProtocolName, Reply, Request, texts

_FINISH = {"stop": "stop", "length": "length", "filter": "content_filter", "blocked": "stop"}
_TYPES = {401: "authentication_error", 403: "permission_error", 429: "requests", 503: "service_unavailable"}
_CODES = {429: "rate_limit_exceeded", 503: "overloaded"}


class OpenAI(Dialect):
    """``data: {…}`` chunks, then ``data: [DONE]``."""

    name: ProtocolName = "openai"

    def read(self, message: Message) -> Request | None:
        if not message.path.endswith("/chat/completions"):
            return None
        turns = message.json.get("messages")
        system, asked = texts(turns, "system", "developer"), texts(turns, "user")
        return self._request(message, system_text=system, prompt_text=asked, key=message.headers.get("api-key"))

    def complaint(self, request: Request) -> Refused | None:
        name = request.lacks("model", "messages")
        said = f"you must provide a {name} parameter"
        return Refused(400, self._error(said, "invalid_request_error", None)) if name else None

    def frames(self, request: Request, reply: Reply) -> list[Frame]:
        asked = request.json.get("stream_options") or {}
        with_usage = bool(asked.get("include_usage"))
        base = self._base(request, "chat.completion.chunk")

        def chunk(delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
            choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
            return {**base, "choices": [choice], **({"usage": None} if with_usage else {})}

        tool = _tool(request, reply)
        frames = [Frame("open", chunk({"role": "assistant", "content": None if tool else "", "refusal": None}))]
        if tool:
            call = {"index": 0, "id": "call_1", "type": "function", "function": {"name": tool, "arguments": ""}}
            frames.append(Frame("open", chunk({"tool_calls": [call]})))
        for piece in reply.parts:
            if tool:
                delta: dict[str, Any] = {"tool_calls": [{"index": 0, "function": {"arguments": piece}}]}
            else:
                delta = {"refusal" if reply.finish == "blocked" else "content": piece}
            frames.append(Frame("text", chunk(delta)))
        finish = "tool_calls" if tool and reply.finish == "stop" else _FINISH[reply.finish]
        frames.append(Frame("stop", chunk({}, finish)))
        if with_usage:
            frames.append(Frame("usage", {**base, "choices": [], "usage": _usage(request, reply)}))
        frames.append(Frame("end", "[DONE]"))
        return frames

    def body(self, request: Request, reply: Reply) -> dict[str, Any]:
        tool = _tool(request, reply)
        blocked = reply.finish == "blocked"
        message: dict[str, Any] = {
            "role": "assistant",
            "content": None if tool or blocked else reply.whole,
            "refusal": reply.whole if blocked else None,
        }
        if tool:
            function = {"name": tool, "arguments": reply.whole}
            message["tool_calls"] = [{"id": "call_1", "type": "function", "function": function}]
        finish = "tool_calls" if tool and reply.finish == "stop" else _FINISH[reply.finish]
        choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": finish}
        return {
            **self._base(request, "chat.completion"),
            "choices": [choice],
            "usage": _usage(request, reply),
        }

    def error(self, status: int, message: str, *, retry_after: str | None = None) -> dict[str, Any]:
        said = f"{message} Please try again in {retry_after}s." if retry_after else message
        server = "server_error" if status >= 500 else "invalid_request_error"
        return self._error(said, _TYPES.get(status, server), _CODES.get(status))

    def stream_error(self, message: str) -> Frame:
        return Frame("noise", self._error(message, "server_error", None))

    def unknown(self) -> list[Frame]:
        thought = {"index": 0, "delta": {"reasoning_content": "Hm."}, "finish_reason": None}
        return [
            Frame("noise", {"id": "x", "object": "chat.completion.annotation", "choices": [], "note": {"a": 1}}),
            Frame("noise", {"type": "response.weather", "temperature": 21}, event="response.weather"),
            Frame("noise", {"object": "chat.completion.chunk", "choices": [thought]}),
        ]

    def bad_key(self, key: str | None) -> Refused:
        if not key:
            said = "You didn't provide an API key. Provide it in an Authorization header using Bearer auth."
            return Refused(401, self._error(said, "invalid_request_error", None))
        said = f"Incorrect API key provided: {key[:3]}***."
        return Refused(401, self._error(said, "invalid_request_error", "invalid_api_key"))

    def unknown_model(self, model: str) -> Refused:
        said = f"The model `{model}` does not exist or you do not have access to it."
        return Refused(404, self._error(said, "invalid_request_error", "model_not_found"))

    @staticmethod
    def _error(message: str, kind: str, code: str | None) -> dict[str, Any]:
        return {"error": {"message": message, "type": kind, "param": None, "code": code}}

    @staticmethod
    def _base(request: Request, kind: str) -> dict[str, Any]:
        return {
            "id": "chatcmpl-scripted",
            "object": kind,
            "created": 1_760_000_000,
            "model": request.model,
            "system_fingerprint": "fp_scripted",
        }


def _tool(request: Request, reply: Reply) -> str | None:
    """The function the request insists on, when the reply is structured."""
    choice = request.json.get("tool_choice")
    if reply.json is None or not isinstance(choice, dict):
        return None
    return str((choice.get("function") or {}).get("name", "")) or None


def _usage(request: Request, reply: Reply) -> dict[str, Any]:
    read, cached, written = reply.tokens(request.system_text + request.prompt_text)
    return {
        "prompt_tokens": read,
        "completion_tokens": written,
        "total_tokens": read + written,
        "prompt_tokens_details": {"cached_tokens": cached, "audio_tokens": 0},
        "completion_tokens_details": {"reasoning_tokens": 0, "audio_tokens": 0},
    }
