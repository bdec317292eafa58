"""An answer as a chat completion: whole, or in chunks."""

from __future__ import annotations

import time
from typing import Any

from footnoted.providers._sse import line_of
from footnoted.service.asking import Asked
from footnoted.service.faults import Fault
from footnoted.service.openai.telling import Telling, own

_FINISH = {"complete": "stop", "length": "length", "filtered": "content_filter", "refused": "stop"}


class Chat(Telling):
    """An answer as chat completions have it. ``include_usage``: its last chunk counts tokens."""

    def __init__(self, asked: Asked, base: str, model: str, *, structured: bool, include_usage: bool = False) -> None:
        super().__init__(asked, base, structured=structured)
        self._usage = include_usage
        self._head = {"id": f"chatcmpl-{asked.answer_id}", "created": int(time.time()), "model": model}

    def whole(self, done: dict[str, Any]) -> dict[str, Any]:
        """The completion."""
        response = done["response"]
        refusal = self._refusal(response)
        message = {
            "role": "assistant",
            "content": None if refusal else response["response"],
            "refusal": refusal,
            "annotations": [self._annotation(citation) for citation in response["citations"]],
        }
        choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": _finish(response)}
        told = {**self._head, "object": "chat.completion", "choices": [choice]}
        return {**told, "usage": _usage(response), "footnoted": own(done)}

    def events(self, name: str, data: dict[str, Any]) -> list[bytes]:
        """The chunks that one event of the answer becomes."""
        if name == "start":
            return [self._chunk({"role": "assistant", "content": ""})]
        if name == "chunk":
            return [self._chunk({"content": data["content"]})]
        if name == "citation":
            return [self._chunk({"annotations": [self._annotation(data)]})]
        if name != "done":
            return []
        response = data["response"]
        refusal = self._refusal(response)
        chunks = [self._chunk({"refusal": refusal})] if refusal else []
        chunks.append(self._chunk({}, finish=_finish(response), footnoted=own(data)))
        if self._usage:
            usage = {"object": "chat.completion.chunk", "choices": [], "usage": _usage(response)}
            chunks.append(line_of({**self._head, **usage}))
        return [*chunks, b"data: [DONE]\n\n"]

    def fault(self, fault: Fault) -> list[bytes]:
        """What ends a stream that broke: an error, and no ``[DONE]``."""
        error = {"message": fault.message, "type": "server_error", "code": fault.code, "param": fault.param}
        return [line_of({"error": error})]

    def _annotation(self, citation: dict[str, Any]) -> dict[str, Any]:
        return {"type": "url_citation", "url_citation": self._link(citation)}

    def _chunk(self, delta: dict[str, Any], *, finish: str | None = None, **more: Any) -> bytes:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
        chunk = {**self._head, "object": "chat.completion.chunk", "choices": [choice], **more}
        return line_of({**chunk, "usage": None} if self._usage else chunk)


def _finish(response: dict[str, Any]) -> str:
    return _FINISH.get(response["finish_reason"], "length")


def _usage(response: dict[str, Any]) -> dict[str, Any]:
    used = response["usage"]
    return {
        "prompt_tokens": used["input"],
        "completion_tokens": used["output"],
        "total_tokens": used["input"] + used["output"],
        "prompt_tokens_details": {"cached_tokens": used["cached"]},
    }
