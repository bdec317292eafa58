"""The providers for Gemini's ``streamGenerateContent``, with a key at Google and in a project on Vertex AI.

Protocol: ai.google.dev/api/generate-content. The terminal signal is ``finishReason``; there is no end event.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any, ClassVar, Unpack
from urllib.parse import quote

from footnoted.errors import ConfigurationError
from footnoted.providers._faults import told_of
from footnoted.providers._reading import Reading, parsed
from footnoted.providers._schema import in_words
from footnoted.providers._tokens import GoogleToken, Token, Tokened
from footnoted.providers._wire import (
    ROOM_TO_THINK,
    ThinkingOptions,
    ThinkingWire,
    ask_of,
    paragraphs,
    turns_of,
    understood,
)
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


class Gemini(ThinkingWire):
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
            "maxOutputTokens": sampling.max_tokens + (ROOM_TO_THINK if thinks else 0),
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
                ask = paragraphs(ask, in_words(prompt.schema.json))
                config["responseJsonSchema"] = None
        if "systemInstruction" in without:  # Gemma takes none
            system, ask = "", paragraphs(system, ask)
        roles = {"user": "user", "assistant": "model"}
        body: dict[str, Any] = {
            "contents": [
                {"role": roles[role], "parts": [{"text": text}]} for role, text in [*turns_of(prompt), ("user", ask)]
            ],
            "generationConfig": understood(config, without),
        }
        return {**body, "systemInstruction": {"parts": [{"text": system}]}} if system else body


class Vertex(Tokened, Gemini):
    """Gemini on Vertex AI, in a Google Cloud project: cloud.google.com/vertex-ai/generative-ai/docs/model-reference.

    Who asks: ``token`` (one, or what fetches one), a key (express mode), or, without either, Google's application
    default credentials by google-auth (``pip install 'footnoted[vertex]'``).
    """

    name = "vertex"
    home = "https://aiplatform.googleapis.com"
    key_variables: ClassVar[tuple[str, ...]] = ()

    def __init__(
        self,
        *,
        project: str | None = None,
        location: str | None = None,
        token: Token | None = None,
        **options: Unpack[ThinkingOptions],
    ) -> None:
        self._token = token
        self._location = location or os.environ.get("GOOGLE_CLOUD_LOCATION") or "global"
        if not options.get("base_url") and self._location != "global":
            here = f"https://{self._location}-aiplatform.googleapis.com"
            options["base_url"] = self._setting("BASE_URL") or here
        super().__init__(**options)
        self._project = project or os.environ.get("GOOGLE_CLOUD_PROJECT")
        if self._token is not None and not self._project:
            self._project = self._token.project if isinstance(self._token, GoogleToken) else None
            if not self._project:
                raise ConfigurationError("provider 'vertex' needs project= or GOOGLE_CLOUD_PROJECT")

    def _without_key(self, places: list[str]) -> tuple[str, str]:  # noqa: ARG002
        self._token = GoogleToken()
        return "", "the application default credentials"

    def _credentials(self, key: str) -> dict[str, str]:
        return super()._credentials(key) if key else {}

    def _url(self, model: str) -> str:
        name = model.removeprefix("models/")
        if not name.startswith(("projects/", "publishers/")):
            name = f"publishers/google/models/{name}"
        if self._token is not None and not name.startswith("projects/"):
            name = f"projects/{self._project}/locations/{self._location}/{name}"
        return self._at(f"/v1/{quote(name)}:streamGenerateContent", drop="/v1", query="alt=sse")


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


class ContentReading(Reading):
    """Reads ``GenerateContentResponse`` chunks; a whole reply is one, or a list of them."""

    def take(self, event: Event) -> Delta | None:
        """One chunk."""
        return self._chunk(parsed(event.data))

    def take_whole(self, reply: Any) -> list[Delta]:
        """A whole response, or the list that comes without ``alt=sse``."""
        chunks = reply if isinstance(reply, list) else [reply]
        if not any(chunk.keys() & {"candidates", "promptFeedback", "error"} for chunk in chunks):
            raise KeyError("candidates")
        return [delta for delta in map(self._chunk, chunks) if delta is not None]

    def _chunk(self, chunk: dict[str, Any]) -> Delta | None:
        """Text, a finish reason, usage, a blocked prompt, or an error."""
        if error := chunk.get("error"):
            raise told_of(error, "status", "code")
        if usage := chunk.get("usageMetadata"):
            self.usage = Usage(
                input=usage.get("promptTokenCount") or 0,
                cached=usage.get("cachedContentTokenCount") or 0,
                output=(usage.get("candidatesTokenCount") or 0) + (usage.get("thoughtsTokenCount") or 0),
            )
        if blocked := (chunk.get("promptFeedback") or {}).get("blockReason"):
            self.end(FinishReason.FILTERED, f"the prompt was blocked: {blocked}")
        candidates = chunk.get("candidates")
        if not candidates or candidates[0].get("index"):
            return None
        candidate = candidates[0]
        reason = candidate.get("finishReason")
        if reason and reason != "FINISH_REASON_UNSPECIFIED":
            said = str(candidate.get("finishMessage") or f"finishReason {reason}")
            self.end(ENDINGS.get(str(reason), FinishReason.TRUNCATED), said)
        parts = (candidate.get("content") or {}).get("parts") or []
        text = "".join([part["text"] for part in parts if "text" in part and not part.get("thought")])
        return Delta(text) if text else None
