"""The provider for Cohere's Chat, version 2; its own citations become markers.

Protocol: docs.cohere.com/v2/reference/chat-stream. The terminal signal is ``message-end``.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, ClassVar, Unpack

from footnoted.providers._faults import told
from footnoted.providers._reading import Reading, parsed
from footnoted.providers._schema import in_words
from footnoted.providers._wire import NO_MARKERS, Options, Wire, bearer, paragraphs, understood
from footnoted.providers.openai import messages
from footnoted.types import Delta, FinishReason, Usage

if TYPE_CHECKING:
    from collections.abc import Mapping

    from footnoted.providers._sse import Event
    from footnoted.types import Prompt

ENDINGS = {
    "COMPLETE": FinishReason.COMPLETE,
    "STOP_SEQUENCE": FinishReason.COMPLETE,
    "TOOL_CALL": FinishReason.COMPLETE,
    "MAX_TOKENS": FinishReason.LENGTH,
    "ERROR_LIMIT": FinishReason.LENGTH,
    "ERROR_TOXIC": FinishReason.FILTERED,
    "TIMEOUT": FinishReason.TRUNCATED,
}
_NEXT = re.compile(r"(?:[.!?…]\W*\s|[。！？]|\n)\W*\w")  # a sentence's end, and the next one's beginning


class Cohere(Wire):
    """Cohere's models. ``native_citations`` sends the sources as documents and takes the API's own citations.

    They name the documents that words of the answer rest on, and no place in them: each becomes a marker after those
    words, and where the evidence stands is found as for any marker. A schema switches them off: the API takes one.
    """

    name = "cohere"
    home = "https://api.cohere.com"
    usual_model = "command-a-03-2025"
    key_variables: ClassVar[tuple[str, ...]] = ("CO_API_KEY", "COHERE_API_KEY")
    optional: ClassVar[Mapping[str, str]] = {
        "thinking": "thinking",
        "json_schema": "json_schema|schema",
        "response_format": "response_format",
        "citation_options": "citation",
        "k": r"\bk\b",
        "p": r"\bp\b",
        "temperature": "temperature",
    }

    def __init__(self, *, native_citations: bool = False, **options: Unpack[Options]) -> None:
        super().__init__(**options)
        self._native = native_citations

    def _credentials(self, key: str) -> dict[str, str]:
        return bearer(key)

    def _url(self, model: str) -> str:  # noqa: ARG002
        return self._at("/v2/chat", drop="/v2")

    def _cites(self, prompt: Prompt) -> bool:
        return self._native and prompt.schema is None and any(source.text.strip() for source in prompt.sources)

    def _reading(self, prompt: Prompt) -> Reading:
        return ChatReading(len(prompt.sources) if self._cites(prompt) else 0)

    def _body(self, prompt: Prompt, model: str, without: set[str]) -> dict[str, Any]:
        sampling, form, instruction = prompt.sampling, None, ""
        if prompt.schema is not None:
            form = {"type": "json_object", "json_schema": dict(prompt.schema.json)}
            if without & {"json_schema", "response_format"}:
                instruction = in_words(prompt.schema.json)
                del form["json_schema"]
        body: dict[str, Any] = {
            "model": model,
            "messages": messages(prompt, instruction=instruction),
            "stream": True,
            "max_tokens": sampling.max_tokens,
            "temperature": sampling.temperature,
            "p": sampling.top_p,
            "k": sampling.top_k,
            "response_format": form,
            "thinking": {"type": "disabled"} if "reasoning" in model else None,
        }
        if self._cites(prompt):
            body["messages"][-1]["content"] = paragraphs(prompt.ask or prompt.question, NO_MARKERS)
            body["documents"] = [
                {"id": str(place), "data": {"title": source.title, "text": source.text}}
                for place, source in enumerate(prompt.sources)
                if source.text.strip()
            ]
            body["citation_options"] = {"mode": "FAST"}  # beside the words, not after all of them
        return understood(body, without)


class ChatReading(Reading):
    """Reads typed events, and a whole reply. ``documents`` counts those that were sent."""

    def __init__(self, documents: int = 0) -> None:
        super().__init__()
        self._documents = documents
        self._text = ""
        self._ended: set[int] = set()  # blocks that are over: what comes twice is told once
        self._cited: set[int] = set()

    def take(self, event: Event) -> Delta | None:
        """One event, by the type in its data."""
        if event.data == "[DONE]":
            return None
        data = parsed(event.data)
        kind, delta = data["type"], data.get("delta") or {}
        if kind == "content-delta" and data["index"] not in self._ended:
            text = delta["message"]["content"].get("text") or ""
            self._text += text
            return Delta(text) if text else None
        if kind == "content-end":
            self._ended.add(data["index"])
        elif kind == "citation-start" and data["index"] not in self._cited:
            self._cited.add(data["index"])
            cited = delta["message"]["citations"]
            end = cited.get("end") or 0
            late = end > len(self._text) or _NEXT.search(self._text, max(0, end - 1))
            markers = "" if late else self._markers(cited)
            if markers and self._text[-1:].isspace():
                markers = f"{markers.lstrip()} "
            return Delta(markers) if markers else None
        elif kind == "message-end":
            self._count(delta.get("usage"))
            self._stop(delta["finish_reason"], str(delta.get("error") or ""))
            self.over = True
        return None

    def take_whole(self, reply: Any) -> list[Delta]:
        """A whole reply, its markers where its citations end."""
        text = "".join(block.get("text") or "" for block in reply["message"].get("content") or [])
        for cited in sorted(reply["message"].get("citations") or [], key=lambda one: -(one.get("end") or 0)):
            end = cited.get("end") or 0
            text = text[:end] + self._markers(cited) + text[end:]
        self._count(reply.get("usage"))
        if reply.get("finish_reason"):
            self._stop(reply["finish_reason"], "")
        return [Delta(text)] if text else []

    def _markers(self, cited: dict[str, Any]) -> str:
        named = [str(source.get("id", "")) for source in cited.get("sources") or [] if source.get("type") == "document"]
        places = sorted({int(name) for name in named if name.isdecimal() and int(name) < self._documents})
        return "".join(f" [{place + 1}]" for place in places)

    def _stop(self, reason: str, said: str) -> None:
        ending = ENDINGS.get(reason)
        if ending is None:
            raise told(said or f"finish_reason {reason!r}")
        self.end(ending, said or f"finish_reason {reason!r}")

    def _count(self, usage: dict[str, Any] | None) -> None:
        if usage:
            tokens = usage.get("tokens") or {}
            counts = (tokens.get("input_tokens"), usage.get("cached_tokens"), tokens.get("output_tokens"))
            self.usage = Usage(*(int(count or 0) for count in counts))
