# ruff: noqa: D102 - Dialect says what each method is for
"""Bedrock's ConverseStream, as a test server speaks it: frames of an AWS event stream.

Shapes after ``POST /model/{modelId}/converse-stream`` and botocore's model of ``bedrock-runtime``.
"""

from __future__ import annotations

import struct
from typing import Any, ClassVar
from zlib import crc32

from footnoted.testing.dialect import Dialect, Frame, Message, Refused, to_json
from footnoted.testing.script import ProtocolName, Reply, Request, text_of, texts

_FINISH = {
    "stop": "end_turn",
    "length": "max_tokens",
    "filter": "content_filtered",
    "blocked": "guardrail_intervened",
}


def framed(payload: bytes, **headers: str) -> bytes:
    """One frame: ``event_type="messageStop"`` is the header ``:event-type``."""
    named = b""
    for name, value in headers.items():
        key = f":{name.replace('_', '-')}".encode()
        named += bytes([len(key)]) + key + b"\x07" + len(value.encode()).to_bytes(2) + value.encode()
    prelude = struct.pack(">II", len(named) + len(payload) + 16, len(named))
    frame = prelude + crc32(prelude).to_bytes(4) + named + payload
    return frame + crc32(frame).to_bytes(4)


class Bedrock(Dialect):
    """``messageStart``, deltas, ``messageStop``, ``metadata``."""

    name: ProtocolName = "bedrock"
    ping: ClassVar[bytes] = framed(b"{}", message_type="event", event_type="ping")
    stream_type: ClassVar[str] = "application/vnd.amazon.eventstream"
    lines: ClassVar[bool] = False

    def encode(self, frame: Frame) -> bytes:
        kind = frame.event or "contentBlockDelta"
        what = "exception" if kind.endswith("Exception") else "event"
        data = frame.data.encode() if isinstance(frame.data, str) else to_json(frame.data)
        typed = {f"{what}_type": kind, "content_type": "application/json", "message_type": what}
        return framed(data, **typed)

    def read(self, message: Message) -> Request | None:
        _, found, rest = message.path.partition("/model/")
        model, _, how = rest.rpartition("/")
        if not found or how not in ("converse", "converse-stream"):
            return None
        return self._request(
            message,
            model=model,
            stream=how == "converse-stream",
            system_text=text_of(message.json.get("system")),
            prompt_text=texts(message.json.get("messages"), "user"),
        )

    def complaint(self, request: Request) -> Refused | None:
        if not request.json.get("messages"):
            return Refused(400, self.error(400, "A conversation must start with a user message."))
        return None

    def frames(self, request: Request, reply: Reply) -> list[Frame]:
        frames = [Frame("open", {"role": "assistant"}, event="messageStart")]
        for piece in reply.parts:
            delta = {"contentBlockIndex": 0, "delta": {"text": piece}}
            frames.append(Frame("text", delta, event="contentBlockDelta"))
        frames.append(Frame("stop", {"contentBlockIndex": 0}, event="contentBlockStop"))
        frames.append(Frame("stop", {"stopReason": _FINISH[reply.finish]}, event="messageStop"))
        counts = {"usage": _usage(request, reply), "metrics": {"latencyMs": 1}}
        return [*frames, Frame("usage", counts, event="metadata")]

    def body(self, request: Request, reply: Reply) -> dict[str, Any]:
        return {
            "output": {"message": {"role": "assistant", "content": [{"text": reply.whole}]}},
            "stopReason": _FINISH[reply.finish],
            "usage": _usage(request, reply),
            "metrics": {"latencyMs": 1},
        }

    def error(self, status: int, message: str, *, retry_after: str | None = None) -> dict[str, Any]:  # noqa: ARG002
        return {"message": message}

    def stream_error(self, message: str) -> Frame:
        return Frame("noise", {"message": message}, event="serviceUnavailableException")

    def unknown(self) -> list[Frame]:
        thought = {"contentBlockIndex": 1, "delta": {"reasoningContent": {"text": "Hm."}}}
        return [
            Frame("noise", {"celsius": 21}, event="weatherReport"),
            Frame("noise", thought, event="contentBlockDelta"),
        ]

    def bad_key(self, key: str | None) -> Refused:  # noqa: ARG002
        return Refused(403, {"Message": "Authentication failed: Please make sure your API Key is valid."})

    def unknown_model(self, model: str) -> Refused:  # noqa: ARG002
        return Refused(400, {"message": "The provided model identifier is invalid."})


def _usage(request: Request, reply: Reply) -> dict[str, int]:
    read, cached, written = reply.tokens(request.system_text + request.prompt_text)
    usage = {"inputTokens": read - cached, "outputTokens": written, "totalTokens": read + written}
    return {**usage, "cacheReadInputTokens": cached}
