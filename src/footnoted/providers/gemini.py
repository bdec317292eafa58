"""The provider for Gemini's ``streamGenerateContent``.

Protocol: ai.google.dev/api/generate-content. The terminal signal is ``finishReason``; there is no end event.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, ClassVar, Unpack
from urllib.parse import quote

from footnoted.providers._faults import told_of
from footnoted.providers._reading import Reading, parsed
from footnoted.providers._schema import in_words
from footnoted.providers._wire import Options, Wire, ask_of
from footnoted.types import Delta, FinishReason, Usage

if TYPE_CHECKING:
    from collections.abc import Mapping

    from footnoted.providers._sse import Event
    from footnoted.types import Prompt

ENDINGS = {
    "STOP": FinishReason.COMPLETE,
    "MAX_TOKENS": FinishReason.LENGTH,
    "SAFETY": FinishReason.FILTERED,
    "RECITATION": FinishReason.FILTERED,
    "LANGUAGE": FinishReason.FILTERED,
    "BLOCKLIST": FinishReason.FILTERED,
    "PROHIBITED_CONTENT": FinishReason.FILTERED,
    "SPII": FinishReason.FILTERED,
    "IMAGE_SAFETY": FinishReason.FILTERED,
    "MODEL_ARMOR": FinishReason.FILTERED,
    "OTHER": FinishReason.ERROR,
}
_ROOM_TO_THINK = 4000  # tokens added to maxOutputTokens where thinking cannot be switched off: it counts as output


class Gemini(Wire):
    """Google's models. ``effort`` is their thinking level; by default as little as each can."""

    name = "gemini"
    home = "https://generativelanguage.googleapis.com"
    usual_model = "gemini-3.5-flash-lite"
    key_variables: ClassVar[tuple[str, ...]] = ("GEMINI_API_KEY", "GOOGLE_API_KEY")
    optional: ClassVar[Mapping[str, str]] = {
        "thinkingConfig": r"thinking",
        "responseJsonSchema": r"response_?json_?schema|response_?schema|schema",
        "responseMimeType": r"response_?mime|json mode",
        "topK": r"top_?k\b",
        "topP": r"top_?p\b",
        "temperature": "temperature",
        "systemInstruction": r"system_?instruction|developer instruction",
    }

    def __init__(self, *, effort: str | None = None, **options: Unpack[Options]) -> None:
        super().__init__(**options)
        self._effort = effort

    def _credentials(self, key: str) -> dict[str, str]:
        return {"x-goog-api-key": key}

    def _url(self, model: str) -> str:
        name = quote(model.removeprefix("models/"), safe="")
        return self._at(f"/v1beta/models/{name}:streamGenerateContent", drop="/v1beta", query="alt=sse")

    def _reading(self, prompt: Prompt) -> Reading:  # noqa: ARG002
        return ContentReading()

    def _body(self, prompt: Prompt, model: str, without: set[str]) -> dict[str, Any]:
        sampling = prompt.sampling
        level, thinks = thinking(model, self._effort)
        config: dict[str, Any] = {
            "maxOutputTokens": sampling.max_tokens + (_ROOM_TO_THINK if thinks else 0),
            "temperature": sampling.temperature,
            "topP": sampling.top_p,
            "topK": sampling.top_k,
            "thinkingConfig": level,
        }
        system, ask = prompt.system, ask_of(prompt)
        if prompt.schema is not None:
            config["responseMimeType"] = "application/json"
            config["responseJsonSchema"] = dict(prompt.schema.json)
            if without & {"responseJsonSchema", "responseMimeType"}:
                ask = f"{ask}\n\n{in_words(prompt.schema.json)}"
                config["responseJsonSchema"] = None
        if "systemInstruction" in without:  # Gemma takes none
            system, ask = "", "\n\n".join(filter(None, (system, ask)))
        body: dict[str, Any] = {
            "contents": [*_turns(prompt), {"role": "user", "parts": [{"text": ask}]}],
            "generationConfig": {k: v for k, v in config.items() if v is not None and k not in without},
        }
        return {**body, "systemInstruction": {"parts": [{"text": system}]}} if system else body


def thinking(model: str, effort: str | None) -> tuple[dict[str, Any] | None, bool]:
    """The ``thinkingConfig`` that keeps thinking short, and whether the model thinks all the same.

    >>> thinking("gemini-3.5-flash-lite", None), thinking("gemini-2.5-flash", None)
    (({'thinkingLevel': 'minimal'}, False), ({'thinkingBudget': 0}, False))
    """
    if effort is not None:
        return {"thinkingLevel": effort}, effort != "minimal"
    if "gemini-2.5" in model:
        return ({"thinkingBudget": 128}, True) if "pro" in model else ({"thinkingBudget": 0}, False)
    version = re.search(r"gemini-(\d+)(?:\.(\d+))?", model)
    if version is None or int(version[1]) < 3:
        return None, model.endswith("latest")
    if "lite" in model or ("flash" in model and (int(version[1]), int(version[2] or 0)) <= (3, 5)):
        return {"thinkingLevel": "minimal"}, False
    return {"thinkingLevel": "low"}, True


def _turns(prompt: Prompt) -> list[dict[str, Any]]:
    return [
        {"role": role, "parts": [{"text": text}]}
        for turn in prompt.history
        for role, text in (("user", turn.user), ("model", turn.assistant))
    ]


class ContentReading(Reading):
    """Reads ``GenerateContentResponse`` chunks; a whole reply is one, or a list of them."""

    def take(self, event: Event) -> Delta | None:
        """One chunk: text, a finish reason, usage, a blocked prompt, or an error."""
        return self._chunk(parsed(event.data))

    def take_whole(self, reply: Any) -> list[Delta]:
        """A whole response, or the list that comes without ``alt=sse``."""
        chunks = reply if isinstance(reply, list) else [reply]
        if not any(chunk.keys() & {"candidates", "promptFeedback", "error"} for chunk in chunks):
            raise KeyError("candidates")
        return [delta for delta in map(self._chunk, chunks) if delta is not None]

    def _chunk(self, chunk: dict[str, Any]) -> Delta | None:
        if error := chunk.get("error"):
            raise told_of(error, "status", "code")
        if usage := chunk.get("usageMetadata"):
            self._count(usage)
        if blocked := (chunk.get("promptFeedback") or {}).get("blockReason"):
            self.end(FinishReason.FILTERED, f"the prompt was blocked: {blocked}")
        candidates = chunk.get("candidates")
        if not candidates or candidates[0].get("index"):
            return None
        candidate = candidates[0]
        reason = candidate.get("finishReason")
        if reason and reason != "FINISH_REASON_UNSPECIFIED":
            self._finish(str(reason), str(candidate.get("finishMessage") or ""))
        parts = (candidate.get("content") or {}).get("parts") or []
        text = "".join([part["text"] for part in parts if "text" in part and not part.get("thought")])
        return Delta(text) if text else None

    def _finish(self, reason: str, said: str) -> None:
        self.end(ENDINGS.get(reason, FinishReason.TRUNCATED), said or f"finishReason {reason}")

    def _count(self, usage: dict[str, Any]) -> None:
        self.usage = Usage(
            input=usage.get("promptTokenCount") or 0,
            cached=usage.get("cachedContentTokenCount") or 0,
            output=(usage.get("candidatesTokenCount") or 0) + (usage.get("thoughtsTokenCount") or 0),
        )
