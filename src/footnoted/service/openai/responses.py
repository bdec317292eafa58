"""An answer as a response of OpenAI's Responses API: whole, or as its numbered, typed events."""

from __future__ import annotations

import time
from typing import Any

from footnoted.providers._sse import line_of
from footnoted.service.asking import Asked
from footnoted.service.faults import Fault
from footnoted.service.openai.bodies import ResponseBody
from footnoted.service.openai.telling import Telling, own

_WHOLE = ("complete", "refused")
_REASONS = {"length": "max_output_tokens", "filtered": "content_filter"}
ITEM = "msg_"  # and the answer's id: what a client says again in an ``item_reference``


class Responses(Telling):
    """An answer as the Responses API has it: each event repeats what is known so far, under a number of its own."""

    def __init__(self, asked: Asked, base: str, body: ResponseBody, *, structured: bool) -> None:
        super().__init__(asked, base, structured=structured)
        self._body = body
        self._created = int(time.time())
        self._number = -1
        self._text: list[str] = []
        self._notes: list[dict[str, Any]] = []
        self._place = {"item_id": ITEM + asked.answer_id, "output_index": 0, "content_index": 0}

    def whole(self, done: dict[str, Any]) -> dict[str, Any]:
        """The response."""
        answer = done["response"]
        refusal = self._refusal(answer)
        notes = [self._annotation(citation) for citation in answer["citations"]]
        part = {"type": "refusal", "refusal": refusal} if refusal else _text(answer["response"], notes)
        status = "completed" if answer["finish_reason"] in _WHOLE else "incomplete"
        used = answer["usage"]
        usage = {
            "input_tokens": used["input"],
            "input_tokens_details": {"cached_tokens": used["cached"]},
            "output_tokens": used["output"],
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": used["input"] + used["output"],
        }
        reason = _REASONS.get(answer["finish_reason"], answer["finish_reason"])
        return {
            **self._frame(status, [self._item(status, [part])]),
            "incomplete_details": None if status == "completed" else {"reason": reason},
            "usage": usage,
            "footnoted": own(done),
        }

    def events(self, name: str, data: dict[str, Any]) -> list[bytes]:
        """The events that one event of the answer becomes."""
        if name == "start":
            started = self._frame("in_progress", [])
            return [
                self._told("response.created", response=started),
                self._told("response.in_progress", response=started),
                self._told("response.output_item.added", output_index=0, item=self._item("in_progress", [])),
                self._told("response.content_part.added", **self._place, part=_text("", [])),
            ]
        if name == "chunk":
            self._text.append(data["content"])
            return [self._told("response.output_text.delta", **self._place, delta=data["content"], logprobs=[])]
        if name == "citation":
            note = self._annotation(data)
            self._notes.append(note)
            at = len(self._notes) - 1
            kind = "response.output_text.annotation.added"
            return [self._told(kind, **self._place, annotation_index=at, annotation=note)]
        return self._ended(data) if name == "done" else []

    def fault(self, fault: Fault) -> list[bytes]:
        """What ends a stream that broke: the response, failed, with what was said so far."""
        parts = [_text("".join(self._text), self._notes)] if self._text else []
        failed = self._frame("failed", [self._item("incomplete", parts)])
        failed["error"] = {"code": "server_error", "message": f"{fault.code}: {fault.message}"}
        return [self._told("response.failed", response=failed)]

    def _ended(self, done: dict[str, Any]) -> list[bytes]:
        response = self.whole(done)
        item = response["output"][0]
        part = item["content"][0]
        if part["type"] == "refusal":
            said = [
                self._told("response.refusal.delta", **self._place, delta=part["refusal"]),
                self._told("response.refusal.done", **self._place, refusal=part["refusal"]),
            ]
        else:
            said = [self._told("response.output_text.done", **self._place, text=part["text"], logprobs=[])]
        return [
            *said,
            self._told("response.content_part.done", **self._place, part=part),
            self._told("response.output_item.done", output_index=0, item=item),
            self._told(f"response.{response['status']}", response=response),
        ]

    def _told(self, kind: str, **fields: Any) -> bytes:
        self._number += 1
        return line_of({"type": kind, "sequence_number": self._number, **fields}, kind)

    def _annotation(self, citation: dict[str, Any]) -> dict[str, Any]:
        return {"type": "url_citation", **self._link(citation)}

    def _item(self, status: str, content: list[dict[str, Any]]) -> dict[str, Any]:
        known = {"id": self._place["item_id"], "type": "message", "role": "assistant"}
        return {**known, "status": status, "content": content}

    def _frame(self, status: str, output: list[dict[str, Any]]) -> dict[str, Any]:
        body = self._body
        given = body.model_extra or {}
        asked = body.text.format.model_dump(by_alias=True, exclude_none=True) if body.text and body.text.format else {}
        return {
            "id": f"resp_{self._asked.answer_id}",
            "object": "response",
            "created_at": self._created,
            "status": status,
            "error": None,
            "incomplete_details": None,
            "instructions": body.instructions,
            "max_output_tokens": body.max_output_tokens,
            "model": body.model,
            "output": output,
            "parallel_tool_calls": bool(given.get("parallel_tool_calls", True)),
            "previous_response_id": None,
            "reasoning": {"effort": None, "summary": None},
            "store": False,
            "temperature": body.temperature,
            "text": {"format": asked or {"type": "text"}},
            "tool_choice": "auto",
            "tools": [],
            "top_p": body.top_p,
            "truncation": "disabled",
            "usage": None,
            "user": given.get("user"),
            "metadata": given.get("metadata") or {},
        }


def _text(text: str, notes: list[dict[str, Any]]) -> dict[str, Any]:
    return {"type": "output_text", "text": text, "annotations": notes, "logprobs": []}
