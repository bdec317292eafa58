# ruff: noqa: D102 - Dialect says what each method is for
"""OpenAI's Responses, as a test server speaks them: numbered typed events or a whole response.

Shapes after the API reference of ``POST /v1/responses`` and the SDK's types. There is no ``[DONE]``: the event
``response.completed`` (or ``response.incomplete``) says how the response ended, and is the last.
"""

from __future__ import annotations

from typing import Any

from footnoted.testing.dialect import Frame, Message, Part, Refused, typed
from footnoted.testing.openai import OpenAI
from footnoted.testing.script import ProtocolName, Reply, Request, text_of, texts

_REASONS = {"length": "max_output_tokens", "filter": "content_filter"}
_ITEM = "msg_scripted"


class Responses(OpenAI):
    """``event: response.output_text.delta`` and its kin."""

    name: ProtocolName = "responses"

    def read(self, message: Message) -> Request | None:
        if not message.path.endswith("/responses"):
            return None
        given = message.json.get("input")
        turns = [{"role": "user", "content": given}] if isinstance(given, str) else given
        system = (text_of(message.json.get("instructions")), texts(turns, "system", "developer"))
        return self._request(message, system_text="\n".join(filter(None, system)), prompt_text=texts(turns, "user"))

    def complaint(self, request: Request) -> Refused | None:
        name = request.lacks("model", "input")
        return Refused(400, self.error(400, f"Missing required parameter: '{name}'.")) if name else None

    def frames(self, request: Request, reply: Reply) -> list[Frame]:
        frames: list[Frame] = []

        def tell(stage: Part, kind: str, /, **fields: Any) -> None:
            frames.append(typed(stage, kind, sequence_number=len(frames), **fields))

        begun = {**self.body(request, reply), "status": "in_progress", "output": [], "usage": None}
        tell("open", "response.created", response=begun)
        tell("open", "response.in_progress", response=begun)
        kind, field = ("refusal", "refusal") if reply.finish == "blocked" else ("output_text", "text")
        empty = {"id": _ITEM, "type": "message", "role": "assistant", "status": "in_progress", "content": []}
        place = {"item_id": _ITEM, "output_index": 0, "content_index": 0}
        tell("open", "response.output_item.added", output_index=0, item=empty)
        tell("open", "response.content_part.added", **place, part=_content(reply, ""))
        for piece in reply.parts:
            tell("text", f"response.{kind}.delta", **place, delta=piece, logprobs=[])
        ended = self.body(request, reply)
        tell("stop", f"response.{kind}.done", **place, **{field: reply.whole}, logprobs=[])
        tell("stop", "response.content_part.done", **place, part=_content(reply, reply.whole))
        tell("stop", "response.output_item.done", output_index=0, item=ended["output"][0])
        tell("stop", f"response.{ended['status']}", response=ended)
        return frames

    def body(self, request: Request, reply: Reply) -> dict[str, Any]:
        read, cached, written = reply.tokens(request.system_text + request.prompt_text)
        reason = _REASONS.get(reply.finish)
        status = "incomplete" if reason else "completed"
        content = [_content(reply, reply.whole)]
        return {
            "id": "resp_scripted",
            "object": "response",
            "created_at": 1_760_000_000,
            "status": status,
            "error": None,
            "incomplete_details": {"reason": reason} if reason else None,
            "model": request.model,
            "output": [{"id": _ITEM, "type": "message", "role": "assistant", "status": status, "content": content}],
            "parallel_tool_calls": True,
            "tool_choice": "auto",
            "tools": [],
            "usage": {
                "input_tokens": read,
                "input_tokens_details": {"cached_tokens": cached, "cache_write_tokens": 0},
                "output_tokens": written,
                "output_tokens_details": {"reasoning_tokens": 0},
                "total_tokens": read + written,
            },
        }

    def stream_error(self, message: str) -> Frame:
        error = {"type": "error", "code": "server_error", "message": message, "param": None}
        return Frame("noise", {**error, "sequence_number": 100_000}, event="error")

    def unknown(self) -> list[Frame]:
        return [
            typed("noise", "response.weather", temperature=21),
            typed("noise", "response.reasoning_summary_text.delta", delta="Hm.", item_id="rs_1"),
        ]


def _content(reply: Reply, text: str) -> dict[str, Any]:
    if reply.finish == "blocked":
        return {"type": "refusal", "refusal": text}
    return {"type": "output_text", "text": text, "annotations": [], "logprobs": []}
