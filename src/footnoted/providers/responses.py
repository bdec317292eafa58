"""The provider for OpenAI's Responses protocol, the only one its ``pro`` and ``codex`` models speak.

Protocol: platform.openai.com/docs/api-reference/responses-streaming. The terminal signal is the event
``response.completed`` (or ``incomplete``, ``failed``). Events are numbered, so what comes twice is told once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from footnoted.providers._faults import told_of
from footnoted.providers._reading import Reading, parsed
from footnoted.providers._wire import understood
from footnoted.types import Delta, FinishReason, Usage

if TYPE_CHECKING:
    from footnoted.providers._sse import Event


def as_response(chat: dict[str, Any]) -> dict[str, Any]:
    """A chat completion's request as a Responses request: the same wishes under other names, nothing stored."""
    body: dict[str, Any] = {
        "model": chat["model"],
        "input": chat["messages"],
        "stream": True,
        "store": False,
        "max_output_tokens": chat.get("max_completion_tokens", chat.get("max_tokens")),
        "temperature": chat.get("temperature"),
        "top_p": chat.get("top_p"),
    }
    if "reasoning_effort" in chat:
        body["reasoning"] = {"effort": chat["reasoning_effort"]}
    if "response_format" in chat:
        form = chat["response_format"]
        body["text"] = {"format": {"type": form["type"], **form.get("json_schema", {})}}
    return understood(body, ())


def usage_of(usage: dict[str, Any], *, read: str = "prompt", written: str = "completion") -> Usage:
    """What was read and written, under either protocol's names: ``prompt_tokens``, ``completion_tokens`` in chat."""
    details = usage.get(f"{read}_tokens_details")
    return Usage(
        input=usage.get(f"{read}_tokens") or 0,
        cached=(details.get("cached_tokens") if isinstance(details, dict) else 0) or 0,
        output=usage.get(f"{written}_tokens") or 0,
    )


class ResponseReading(Reading):
    """Reads ``response.*`` events, and a whole ``response``."""

    def __init__(self) -> None:
        super().__init__()
        self._refusal = ""
        self._number = -1

    def take(self, event: Event) -> Delta | None:
        """One event, by the type in its data."""
        data = parsed(event.data)
        kind = data["type"]
        number = data.get("sequence_number")
        if number is not None:
            if number <= self._number:
                return None
            self._number = number
        if kind == "response.output_text.delta":
            return Delta(data["delta"]) if data["delta"] else None
        if kind == "response.refusal.delta":
            self._refusal += data["delta"]
        elif kind in ("response.completed", "response.incomplete", "response.failed"):
            self._finish(data["response"])
            self.over = True
        elif kind == "error":
            raise told_of(data.get("error") or data, "code", "type")
        return None

    def take_whole(self, reply: Any) -> list[Delta]:
        """A whole response: the text parts of its messages."""
        if reply.get("error") and "output" not in reply:
            raise told_of(reply["error"], "code", "type")
        deltas = []
        for item in reply["output"]:
            for part in item.get("content") or []:
                if part["type"] == "output_text" and part["text"]:
                    deltas.append(Delta(part["text"]))
                elif part["type"] == "refusal":
                    self._refusal += part["refusal"]
        self._finish(reply)
        return deltas

    def _finish(self, response: dict[str, Any]) -> None:
        if usage := response.get("usage"):
            self.usage = usage_of(usage, read="input", written="output")
        status = response.get("status")
        if status == "failed":
            raise told_of(response.get("error") or {}, "code")
        if self._refusal:
            self.end(FinishReason.FILTERED, self._refusal)
        elif status == "completed":
            self.end(FinishReason.COMPLETE)
        else:
            reason = (response.get("incomplete_details") or {}).get("reason") or str(status)
            endings = {"max_output_tokens": FinishReason.LENGTH, "content_filter": FinishReason.FILTERED}
            self.end(endings.get(reason, FinishReason.TRUNCATED), f"the response is incomplete: {reason}")
