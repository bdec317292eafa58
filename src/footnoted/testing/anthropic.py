# ruff: noqa: D102 - Dialect says what each method is for
"""Anthropic's Messages, as a test server speaks them: typed events or a whole message.

Shapes after the reference of ``POST /v1/messages`` (streaming, citations, tool use) and the SDK's types.
"""

from __future__ import annotations

from typing import Any

from footnoted.testing.dialect import Dialect, Frame, Message, Refused, typed
from footnoted.testing.script import Pin, ProtocolName, Reply, Request, text_of, texts

_FINISH = {"stop": "end_turn", "length": "max_tokens", "filter": "refusal", "blocked": "refusal"}
_TYPES = {
    400: "invalid_request_error",
    401: "authentication_error",
    402: "billing_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    504: "timeout_error",
    529: "overloaded_error",
}


class Anthropic(Dialect):
    """``message_start``, blocks of deltas, ``message_delta``, ``message_stop``; pings in between."""

    name: ProtocolName = "anthropic"
    ping = b'event: ping\ndata: {"type": "ping"}\n\n'

    def read(self, message: Message) -> Request | None:
        if not message.path.endswith("/messages"):
            return None
        body = message.json
        return self._request(
            message,
            system_text=text_of(body.get("system")),
            prompt_text=texts(body.get("messages"), "user"),
            key=message.headers.get("x-api-key"),
        )

    def complaint(self, request: Request) -> Refused | None:
        if "anthropic-version" not in request.headers:
            return Refused(400, self.error(400, "anthropic-version: header is required"))
        name = request.lacks("model", "max_tokens", "messages")
        return Refused(400, self.error(400, f"{name}: Field required")) if name else None

    def frames(self, request: Request, reply: Reply) -> list[Frame]:
        message = self._message(request, reply, content=[], stop=None, written=1)
        frames = [typed("open", "message_start", message=message)]
        tool = _tool(request, reply)
        blocks = [([], reply.parts)] if tool else _blocks(reply)
        for index, (pins, pieces) in enumerate(blocks):
            empty = _tool_block(tool, {}) if tool else _text_block("", pins)
            frames.append(typed("open", "content_block_start", index=index, content_block=empty))
            if not index:
                frames.append(Frame("open", {"type": "ping"}, event="ping"))
            for piece in pieces:
                said = {"type": "text_delta", "text": piece}
                wrote = {"type": "input_json_delta", "partial_json": piece}
                frames.append(typed("text", "content_block_delta", index=index, delta=wrote if tool else said))
            for pin in pins:
                delta = {"type": "citations_delta", "citation": _location(pin)}
                frames.append(typed("open", "content_block_delta", index=index, delta=delta))
            last = index == len(blocks) - 1
            frames.append(typed("stop" if last else "open", "content_block_stop", index=index))
        stop = {"stop_reason": _stop(tool, reply), "stop_sequence": None}
        written = reply.tokens("")[2]
        frames.append(typed("stop", "message_delta", delta=stop, usage={"output_tokens": written}))
        frames.append(typed("end", "message_stop"))
        return frames

    def body(self, request: Request, reply: Reply) -> dict[str, Any]:
        tool = _tool(request, reply)
        if tool:
            content = [_tool_block(tool, reply.json)]
        else:
            content = [_text_block("".join(pieces), pins, cited=True) for pins, pieces in _blocks(reply)]
        return self._message(request, reply, content=content, stop=_stop(tool, reply), written=reply.tokens("")[2])

    def error(self, status: int, message: str, *, retry_after: str | None = None) -> dict[str, Any]:  # noqa: ARG002
        kind = _TYPES.get(status, "api_error" if status >= 500 else "invalid_request_error")
        return {"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_scripted"}

    def stream_error(self, message: str) -> Frame:
        return Frame("noise", self.error(529, message), event="error")

    def unknown(self) -> list[Frame]:
        thought = {"type": "thinking_delta", "thinking": "Hm."}
        return [
            typed("noise", "weather_report", temperature=21),
            typed("noise", "content_block_delta", index=0, delta=thought),
            typed("noise", "content_block_delta", index=0, delta={"type": "mood_delta", "text_mood": 1}),
        ]

    def bad_key(self, key: str | None) -> Refused:
        said = "invalid x-api-key" if key else "x-api-key header is required"
        return Refused(401, self.error(401, said))

    def unknown_model(self, model: str) -> Refused:
        return Refused(404, self.error(404, f"model: {model}"))

    @staticmethod
    def _message(
        request: Request, reply: Reply, *, content: list[dict[str, Any]], stop: str | None, written: int
    ) -> dict[str, Any]:
        read, cached, _ = reply.tokens(request.system_text + request.prompt_text)
        return {
            "id": "msg_scripted",
            "type": "message",
            "role": "assistant",
            "model": request.model,
            "content": content,
            "stop_reason": stop,
            "stop_sequence": None,
            "usage": {
                "input_tokens": read - cached,
                "cache_creation_input_tokens": 0,
                "cache_read_input_tokens": cached,
                "output_tokens": written,
            },
        }


def _blocks(reply: Reply) -> list[tuple[list[Pin], list[str]]]:
    """Text blocks as the API cuts them: a block ends where citations stand. At least one block."""
    blocks: list[tuple[list[Pin], list[str]]] = []
    open_pieces: list[str] = []
    for number, piece in enumerate(reply.parts):
        open_pieces.append(piece)
        pins = [pin for pin in reply.citations if pin.piece == number]
        if pins:
            blocks.append((pins, open_pieces))
            open_pieces = []
    if open_pieces or not blocks:
        blocks.append(([], open_pieces))
    return blocks


def _text_block(text: str, pins: list[Pin], *, cited: bool = False) -> dict[str, Any]:
    """A block of text; its citations are told in it, or by events after it."""
    citations = [_location(pin) for pin in pins] if cited else []
    return {"type": "text", "text": text, **({"citations": citations} if pins else {})}


def _tool_block(name: str, value: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": "toolu_scripted", "name": name, "input": value}


def _location(pin: Pin) -> dict[str, Any]:
    return {
        "type": "char_location",
        "cited_text": pin.quote,
        "document_index": pin.document,
        "document_title": pin.title,
        "start_char_index": pin.start,
        "end_char_index": pin.end,
        "file_id": None,
    }


def _stop(tool: str | None, reply: Reply) -> str:
    return "tool_use" if tool and reply.finish == "stop" else _FINISH[reply.finish]


def _tool(request: Request, reply: Reply) -> str | None:
    """The tool a structured reply must use: the one chosen by the request, or the only one it offers."""
    tools = request.json.get("tools") or []
    choice = request.json.get("tool_choice") or {}
    if reply.json is None or not tools:
        return None
    return str(choice.get("name") or tools[0].get("name"))
