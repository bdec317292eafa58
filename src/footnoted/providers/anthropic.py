"""The provider for Anthropic's Messages protocol, streamed; its own citations become pointers.

Protocol: platform.claude.com/docs/en/build-with-claude/streaming. The terminal signal is ``stop_reason``.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, ClassVar, Unpack

from footnoted.providers._faults import told_of
from footnoted.providers._reading import Reading, parsed
from footnoted.providers._schema import in_words, strict
from footnoted.providers._wire import (
    NO_MARKERS,
    ROOM_TO_THINK,
    ThinkingOptions,
    ThinkingWire,
    paragraphs,
    turns_of,
    understood,
)
from footnoted.text import runs
from footnoted.types import Delta, FinishReason, Pointer, Usage

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from footnoted.providers._sse import Event
    from footnoted.types import Prompt, Source

ENDINGS = {
    "end_turn": FinishReason.COMPLETE,
    "stop_sequence": FinishReason.COMPLETE,
    "tool_use": FinishReason.COMPLETE,
    "max_tokens": FinishReason.LENGTH,
    "model_context_window_exceeded": FinishReason.LENGTH,
    "refusal": FinishReason.FILTERED,
}
_CACHED = {"type": "ephemeral"}
_TITLE = 200  # code points of a document's title
_FAMILIES = frozenset(("haiku", "sonnet", "opus", "fable", "mythos"))


class Anthropic(ThinkingWire):
    """Anthropic's models. ``native_citations`` sends the sources as documents and takes the API's own pointers.

    ``effort`` is how long a model thinks first; by default as little as it can. A schema goes out as
    ``output_config.format`` (newer models refuse a forced tool), and switches native citations off: the API
    takes one or the other.
    """

    name = "anthropic"
    home = "https://api.anthropic.com"
    usual_model = "claude-haiku-5-5"
    key_variables: ClassVar[tuple[str, ...]] = ("ANTHROPIC_API_KEY",)
    optional: ClassVar[Mapping[str, str]] = {
        "temperature": "temperature",
        "top_p": r"top_p",
        "top_k": r"top_k",
        "thinking": "thinking",
        "effort": "effort",
        "json_schema": r"output_config|output_format|json_schema|schema",
        "cache_control": "cache_control",
    }

    def __init__(self, *, native_citations: bool = False, **options: Unpack[ThinkingOptions]) -> None:
        super().__init__(**options)
        self._native = native_citations

    def _credentials(self, key: str) -> dict[str, str]:
        return {"x-api-key": key, "anthropic-version": "2023-06-01"}

    def _url(self, model: str) -> str:  # noqa: ARG002
        return self._at("/v1/messages", drop="/v1")

    def _reading(self, prompt: Prompt) -> Reading:
        return MessageReading(_citable(prompt) if self._cites(prompt) else [])

    def _cites(self, prompt: Prompt) -> bool:
        return self._native and prompt.schema is None and bool(_citable(prompt))

    def _body(self, prompt: Prompt, model: str, without: set[str]) -> dict[str, Any]:
        cached = {} if "cache_control" in without else {"cache_control": _CACHED}
        system = prompt.system
        if prompt.schema is not None and "json_schema" in without:
            system = paragraphs(system, in_words(prompt.schema.json))
        sampling = prompt.sampling
        turns = [
            {"role": role, "content": text if role == "user" else text.rstrip()}
            for role, text in turns_of(prompt, spoken=True)
        ]
        body: dict[str, Any] = {
            "model": model,
            "max_tokens": sampling.max_tokens,
            "stream": True,
            "system": [{"type": "text", "text": system, **cached}] if system else None,
            "messages": [*turns, {"role": "user", "content": self._asked(prompt, cached)}],
        }
        if samples(model):
            body["temperature"] = sampling.temperature
            body["top_p"] = sampling.top_p if sampling.temperature is None else None  # the API takes one of them
            body["top_k"] = sampling.top_k
        knobs, thinks = thinking(model, self._effort, without)
        body |= knobs
        body["max_tokens"] += ROOM_TO_THINK if thinks else 0
        if prompt.schema is not None and "json_schema" not in without:
            form = {"type": "json_schema", "schema": strict(prompt.schema.json)}
            body["output_config"] = {**body.get("output_config", {}), "format": form}
        return understood(body, without)

    def _asked(self, prompt: Prompt, cached: dict[str, Any]) -> list[dict[str, Any]]:
        ask = prompt.ask or prompt.question
        if self._cites(prompt):
            documents = [_document(source) for _, source in _citable(prompt)]
            documents[-1] |= cached
            return [*documents, {"type": "text", "text": f"{ask}\n\n{NO_MARKERS}"}]
        context = [{"type": "text", "text": prompt.context, **cached}] if prompt.context.strip() else []
        return [*context, {"type": "text", "text": ask}]


def samples(model: str) -> bool:
    """Whether a model takes temperature and its kin: those before Claude 4.7 do, others are tried.

    >>> samples("claude-sonnet-4-5-20250929"), samples("claude-haiku-5-5")
    (True, False)
    """
    _, *version = _known(model) or ("",)
    return not version or version < [4, 7]


def _known(model: str) -> tuple[str, int, int] | tuple[()]:
    """The family of a model with its version; nothing where its name does not say.

    >>> _known("claude-sonnet-4-5-20250929"), _known("eu.anthropic.claude-opus-5-v1:0"), _known("claude-3-opus")
    (('sonnet', 4, 5), ('opus', 5, 0), ())
    """
    family, major, minor, *_ = [*runs(model.partition("claude-")[2]), "", "", ""]
    if family not in _FAMILIES or not major.isdecimal():
        return ()
    return family, int(major), int(minor) if minor.isdecimal() and len(minor) < len("100") else 0


def thinking(model: str, effort: str | None, without: set[str]) -> tuple[dict[str, Any], bool]:
    """The fields that keep a model's thinking short, and whether it thinks all the same."""
    known = _known(model)
    if effort is not None:
        return ({} if "effort" in without else {"output_config": {"effort": effort}}), True
    if not known or known[1] < 5:
        return {}, False
    family, _, minor = known
    if "thinking" not in without:
        if family == "haiku" or (family in ("sonnet", "opus") and minor == 0):
            return {"thinking": {"type": "disabled"}}, False
        if family == "sonnet":
            return {"thinking": {"type": "between_tools"}}, False
    return ({} if "effort" in without else {"output_config": {"effort": "low"}}), True


def _citable(prompt: Prompt) -> list[tuple[int, Source]]:
    """The sources that can be documents, with their places in the prompt: the API refuses empty ones."""
    return [(place, source) for place, source in enumerate(prompt.sources) if source.text.strip()]


def _document(source: Source) -> dict[str, Any]:
    document: dict[str, Any] = {
        "type": "document",
        "source": {"type": "text", "media_type": "text/plain", "data": source.text},
        "citations": {"enabled": True},
    }
    return {**document, "title": source.title[:_TITLE]} if source.title else document


class MessageReading(Reading):
    """Reads message events, and a whole message. Blocks are numbered, so what comes twice is told once."""

    def __init__(self, documents: Sequence[tuple[int, Source]] = ()) -> None:
        super().__init__()
        self._documents = documents
        self._begun = False
        self._opened: set[int] = set()
        self._closed: set[int] = set()
        self._pointers: list[Pointer] = []  # of the open block: they stand after its text, whenever they come
        self._counts: dict[str, int] = {}

    def take(self, event: Event) -> Delta | None:
        """One event, by the type in its data."""
        data = parsed(event.data)
        kind = data["type"]
        if kind == "content_block_delta":
            return None if data["index"] in self._closed else self._piece(data["delta"])
        if kind == "content_block_start":
            return self._open(data["index"], data["content_block"])
        if kind == "content_block_stop":
            self._closed.add(data["index"])
            return self._cited()
        if kind == "message_start" and not self._begun:
            self._begun = True
            self._count(data["message"].get("usage"))
        elif kind == "message_delta":
            self._count(data.get("usage"))
            self._stop(data["delta"])
        elif kind == "message_stop":
            self.over = True
        elif kind == "error":
            raise told_of(data["error"], "type")
        return None

    def take_whole(self, reply: Any) -> list[Delta]:
        """A whole message: each text block with its pointers."""
        if reply["type"] == "error":
            raise told_of(reply["error"], "type")
        deltas = []
        for block in reply["content"]:
            text = json.dumps(block["input"]) if block["type"] == "tool_use" else block.get("text") or ""
            pointers = tuple(filter(None, map(self._pointer, block.get("citations") or [])))
            if text or pointers:
                deltas.append(Delta(text, pointers))
        self._count(reply.get("usage"))
        self._stop(reply)
        return deltas

    def _open(self, index: int, block: dict[str, Any]) -> Delta | None:
        if index in self._opened:
            return None
        self._opened.add(index)
        for citation in block.get("citations") or []:
            self._cite(citation)
        text = block.get("text")
        return Delta(text) if text and block["type"] == "text" else None

    def _piece(self, delta: dict[str, Any]) -> Delta | None:
        kind = delta["type"]
        if kind == "text_delta":
            text = delta["text"]
            return Delta(text) if text else None
        if kind == "input_json_delta":
            return Delta(delta["partial_json"]) if delta["partial_json"] else None
        if kind == "citations_delta":
            self._cite(delta["citation"])
        return None

    def _cite(self, citation: dict[str, Any]) -> None:
        pointer = self._pointer(citation)
        if pointer is not None and pointer not in self._pointers:
            self._pointers.append(pointer)

    def _cited(self) -> Delta | None:
        pointers, self._pointers = tuple(self._pointers), []
        return Delta(pointers=pointers) if pointers else None

    def _pointer(self, citation: dict[str, Any]) -> Pointer | None:
        """Where the cited words stand; ``None`` for other kinds of places, or words the source does not have."""
        if citation["type"] != "char_location" or not 0 <= citation["document_index"] < len(self._documents):
            return None
        place, source = self._documents[citation["document_index"]]
        start, end = citation["start_char_index"], citation["end_char_index"]
        words = citation.get("cited_text") or source.text[start:end]
        if source.text[start:end] != words:
            start = source.text.find(words)
            end = start + len(words)
        return Pointer(place, start, end) if 0 <= start < end <= len(source.text) else None

    def _count(self, usage: dict[str, Any] | None) -> None:
        for name, count in (usage or {}).items():
            if isinstance(count, int):
                self._counts[name] = count
        cached = self._counts.get("cache_read_input_tokens", 0)
        fresh = self._counts.get("input_tokens", 0) + self._counts.get("cache_creation_input_tokens", 0)
        if self._counts:
            self.usage = Usage(fresh + cached, cached, self._counts.get("output_tokens", 0))

    def _stop(self, message: dict[str, Any]) -> None:
        reason = message.get("stop_reason")
        if not reason:
            return
        ending = ENDINGS.get(reason)
        if ending is None:
            self.end(FinishReason.TRUNCATED, f"the provider stopped for a reason of its own: {reason!r}")
            return
        details = message.get("stop_details") or {}
        why = details.get("explanation") or details.get("category") or f"stop_reason {reason!r}"
        self.end(ending, str(why))
