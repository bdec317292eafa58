"""The providers for OpenAI's Chat Completions protocol, streamed: OpenAI itself, Azure, and any server that speaks it.

Protocol: platform.openai.com/docs/api-reference/chat-streaming. The terminal signal is ``finish_reason``. Some models
need the Responses protocol instead (`footnoted.providers.responses`).
"""

from __future__ import annotations

import os
import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar, Unpack
from urllib.parse import quote

from footnoted.errors import ConfigurationError
from footnoted.providers._faults import filters, told_of
from footnoted.providers._reading import Reading, parsed
from footnoted.providers._schema import closed, in_words, strict
from footnoted.providers._tokens import Token, Tokened
from footnoted.providers._wire import (
    ROOM_TO_THINK,
    ThinkingOptions,
    ThinkingWire,
    ask_of,
    bearer,
    paragraphs,
    turns_of,
    understood,
)
from footnoted.providers.responses import ResponseReading, as_response, usage_of
from footnoted.types import Delta, FinishReason

if TYPE_CHECKING:
    from collections.abc import Mapping

    from footnoted.providers._sse import Event
    from footnoted.types import Prompt

ENDINGS = {
    "stop": FinishReason.COMPLETE,
    "eos": FinishReason.COMPLETE,  # older text-generation servers
    "tool_calls": FinishReason.COMPLETE,
    "function_call": FinishReason.COMPLETE,
    "length": FinishReason.LENGTH,
    "max_tokens": FinishReason.LENGTH,
    "model_length": FinishReason.LENGTH,  # Mistral: the context window is full
    "content_filter": FinishReason.FILTERED,
    "error": FinishReason.ERROR,  # OpenRouter
}
_KINDS = ("type", "code", "status")
_RESPOND = ("-pro-", "codex", "deep-research")


class OpenAI(ThinkingWire):
    """OpenAI's models. ``effort`` is how long a reasoning model thinks first; by default as little as it can.

    ``api`` is ``"chat"`` or ``"responses"``; by default the second for the models that speak nothing else.
    """

    name = "openai"
    home = "https://api.openai.com/v1"
    usual_model = "gpt-5.6-luna"
    key_variables: ClassVar[tuple[str, ...]] = ("OPENAI_API_KEY",)
    optional: ClassVar[Mapping[str, str]] = {
        "temperature": "temperature",
        "top_p": r"top[_ ]?p\b",
        "top_k": r"top[_ ]?k\b",
        "reasoning_effort": r"reasoning",
        "stream_options": "stream_options|include_usage",
        "max_completion_tokens": "max_completion_tokens",
        "json_schema": "json_schema|strict|invalid schema",
        "response_format": r"response_format|json_object",
    }

    def __init__(self, *, api: str | None = None, **options: Unpack[ThinkingOptions]) -> None:
        super().__init__(**options)
        if api not in (None, "chat", "responses"):
            raise ConfigurationError(f"api must be 'chat' or 'responses', not {api!r}")
        self._api = api

    def _credentials(self, key: str) -> dict[str, str]:
        return bearer(key)

    def _responds(self, model: str) -> bool:
        if self._api is None:
            return self.base_url == self.home and any(part in f"{model}-" for part in _RESPOND)
        return self._api == "responses"

    def _url(self, model: str) -> str:
        return self._at("/responses" if self._responds(model) else "/chat/completions")

    def _reading(self, prompt: Prompt) -> Reading:
        return ResponseReading() if self._responds(prompt.model or self.model) else ChatReading()

    def _body(self, prompt: Prompt, model: str, without: set[str]) -> dict[str, Any]:
        sampling = prompt.sampling
        effort = self._effort or least_effort(model)
        body: dict[str, Any] = {
            "model": model,
            "messages": messages(prompt),
            "stream": True,
            "stream_options": {"include_usage": True},
            "max_completion_tokens": sampling.max_tokens,
            "reasoning_effort": effort,
        }
        if effort in (None, "none"):  # a model that thinks takes no sampling
            body |= {"temperature": sampling.temperature, "top_p": sampling.top_p}
        elif effort != "minimal":
            body["max_completion_tokens"] += ROOM_TO_THINK
        body = finished(body, prompt, without)
        return as_response(body) if self._responds(model) else body


class Compatible(OpenAI):
    """Any server that speaks the protocol (vLLM, Ollama, llama.cpp, gateways) at ``base_url``, ending in ``/v1``.

    The key is optional, ``headers`` are for gateways.
    """

    name = "compatible"
    home = ""
    usual_place = "FOOTNOTED_BASE_URL, such as http://localhost:11434/v1"
    usual_model = "default"  # servers with one model take any name
    key_variables: ClassVar[tuple[str, ...]] = ()

    def _without_key(self, places: list[str]) -> tuple[str, str]:
        return "", " or ".join(places)

    def _body(self, prompt: Prompt, model: str, without: set[str]) -> dict[str, Any]:
        sampling = prompt.sampling
        body = {
            "model": model,
            "messages": messages(prompt),
            "stream": True,
            "stream_options": {"include_usage": True},
            "max_tokens": sampling.max_tokens,
            "temperature": sampling.temperature,
            "top_p": sampling.top_p,
            "top_k": sampling.top_k,
            "reasoning_effort": self._effort,
        }
        return finished(body, prompt, without)


class Azure(Tokened, OpenAI):
    """Azure OpenAI: the protocol at a resource's own address; ``model`` is a deployment's name.

    learn.microsoft.com/azure/ai-foundry/openai/reference. With an ``api_version`` the deployment stands in the path;
    without one the resource's version 1 is asked, which takes it as the model. ``token`` is an Entra token or what
    fetches one: ``azure.identity.get_bearer_token_provider(…)`` is such a function, its async twin too.
    """

    name = "azure"
    home = ""
    usual_place = "AZURE_OPENAI_ENDPOINT, such as https://RESOURCE.openai.azure.com"
    usual_model = ""
    key_variables: ClassVar[tuple[str, ...]] = ("AZURE_OPENAI_API_KEY",)

    def __init__(
        self,
        *,
        api: str | None = None,
        api_version: str | None = None,
        token: Token | None = None,
        **options: Unpack[ThinkingOptions],
    ) -> None:
        self._token = token
        self._version = api_version or os.environ.get("OPENAI_API_VERSION") or ""
        endpoint = self._setting("BASE_URL") or os.environ.get("AZURE_OPENAI_ENDPOINT")
        options["base_url"] = options.get("base_url") or endpoint
        super().__init__(api=api, **options)

    def _credentials(self, key: str) -> dict[str, str]:
        return {"api-key": key} if key else {}

    def _url(self, model: str) -> str:
        what = "/responses" if self._responds(model) else "/chat/completions"
        if not self._version:
            return self._at("/openai/v1" + what, drop="/openai/v1")
        path = f"/openai/deployments/{quote(model, safe='')}{what}"
        return self._at(path, drop="/openai/v1", query=f"api-version={quote(self._version)}")


def finished(body: dict[str, Any], prompt: Prompt, without: set[str]) -> dict[str, Any]:
    """The body with the schema in it, and without what is unset or what the server does not know."""
    if prompt.schema is not None:
        if "response_format" in without or "json_schema" in without:
            body["messages"] = messages(prompt, instruction=in_words(prompt.schema.json))
        if "json_schema" in without:
            body["response_format"] = {"type": "json_object"}
        else:
            exact = closed(prompt.schema.json)
            schema = strict(prompt.schema.json) if exact else dict(prompt.schema.json)
            plain = (char if char.isascii() and (char.isalnum() or char == "-") else "_" for char in prompt.schema.name)
            name = "".join(plain)[:64] or "reply"
            body["response_format"] = {
                "type": "json_schema",
                "json_schema": {"name": name, "schema": schema, "strict": exact},
            }
    if "max_completion_tokens" in without and "max_completion_tokens" in body:
        body["max_tokens"] = body["max_completion_tokens"]
    return understood(body, without)


def messages(prompt: Prompt, *, instruction: str = "") -> list[dict[str, str]]:
    """The conversation as role and content: system, the turns so far, what is asked now."""
    system = paragraphs(prompt.system, instruction)
    conversation = [*([("system", system)] if system else []), *turns_of(prompt), ("user", ask_of(prompt))]
    return [{"role": role, "content": text} for role, text in conversation]


@lru_cache(maxsize=64)
def least_effort(model: str) -> str | None:
    """The least a model can think, by its name; ``None`` for models that do not.

    >>> least_effort("gpt-5.6-luna"), least_effort("gpt-5-mini"), least_effort("o3"), least_effort("gpt-4.1")
    ('none', 'minimal', 'low', None)
    """
    name = model.rpartition("/")[2]
    if "chat" in name:
        return None
    if re.match(r"gpt-(5\.\d|[6-9]|\d\d)", name):
        return "low" if "-pro" in name or "-codex" in name else "none"
    if name.startswith("gpt-5"):
        return "minimal"
    return "low" if name[:1] == "o" and name[1:2].isdecimal() else None


class ChatReading(Reading):
    """Reads ``chat.completion.chunk`` events, and a whole ``chat.completion`` where a server does not stream."""

    def __init__(self) -> None:
        super().__init__()
        self._refusal = ""

    def take(self, event: Event) -> Delta | None:
        """One chunk: text, a finish reason, usage, or an error."""
        kind, data, _ = event
        if data == "[DONE]":
            self.over = True
            return None
        chunk = parsed(data)
        get = chunk.get
        if kind == "error" or get("error"):
            raise told_of(get("error") or chunk, *_KINDS)
        if usage := get("usage"):
            self.usage = usage_of(usage)
        choices = get("choices")
        if not choices:
            return None
        choice = choices[0]
        if choice.get("index"):
            return None
        return self._said(choice, choice.get("delta") or {})

    def take_whole(self, reply: Any) -> list[Delta]:
        """A whole completion."""
        if reply.get("error"):
            raise told_of(reply["error"], *_KINDS)
        if usage := reply.get("usage"):
            self.usage = usage_of(usage)
        choice = reply["choices"][0]
        delta = self._said(choice, choice["message"])
        return [delta] if delta else []

    def _said(self, choice: dict[str, Any], delta: dict[str, Any]) -> Delta | None:
        if refusal := delta.get("refusal"):
            self._refusal += refusal
        if reason := choice.get("finish_reason"):
            self._finish(str(reason), filters(choice.get("content_filter_results")))
        text = delta.get("content")
        if text and not isinstance(text, str):
            text = "".join(part["text"] for part in text if part.get("type") == "text")
        return Delta(text) if text else None

    def _finish(self, reason: str, stopped: str) -> None:
        if self._refusal:
            self.end(FinishReason.FILTERED, self._refusal)
        elif reason in ENDINGS:
            self.end(ENDINGS[reason], f"finish_reason {reason!r}{stopped}")
        else:
            self.end(FinishReason.TRUNCATED, f"the provider stopped for a reason of its own: {reason!r}")
