"""What a request of three protocols holds: the sources an answer may rest on, and what was asked.

The model's own words are never a source. What a tool gave back is, and so is every text that was set off as evidence.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from footnoted.integrations.proxy.acts import Acts, acts_of, calls_of, dicts, words_of
from footnoted.integrations.proxy.passages import Passage, passages_in, passages_of_json
from footnoted.types import Source

Protocol = Literal["chat", "responses", "messages"]
MOST_SOURCES = 200
MOST_TEXT = 2_000_000  # code points of all sources together; the newest are kept
_MOST_FILE = 8_000_000  # bytes of an attached file
_TEXTS = ("text/", "application/json", "application/xml", "application/yaml")  # kinds of attached files that are read
_TOOL_ITEMS = frozenset({"function_call_output", "custom_tool_call_output", "mcp_call", "local_shell_call_output"})


@dataclass(frozen=True, slots=True)
class Held:
    """The sources of a conversation, oldest first, and how many more there were than are read."""

    sources: tuple[Source, ...]
    question: str
    left_out: int = 0
    acts: Acts = field(default_factory=Acts)
    sourced: bool = True  # whether there is more than what tools of this turn did


@dataclass(frozen=True, slots=True)
class _Piece:
    kind: Literal["prose", "tool", "document"]
    text: str
    title: str = ""
    asked: bool = False


def held(protocol: Protocol, body: Mapping[str, Any]) -> Held:
    """The sources in a request. Whatever is not of the protocol's shape is passed over."""
    reading = {"chat": _chat, "responses": _responses, "messages": _messages}[protocol]
    found: dict[str, Passage] = {}
    question = ""
    for piece in reading(body):
        if piece.asked:
            question = piece.text
        for passage in _passages(piece):
            if passage.text.strip():
                found.pop(passage.text, None)
                found[passage.text] = passage
    kept: list[Passage] = []
    room = MOST_TEXT
    for passage in reversed(found.values()):
        room -= len(passage.text)
        if room < 0 or len(kept) == MOST_SOURCES:
            break
        kept.append(passage)
    acts, sourced = acts_of(body), bool(kept)
    if log := acts.log():
        kept.insert(0, Passage(log, "What the tools of this turn gave back"))
    sources = tuple(Source(id=f"s{at}", text=each.text, title=each.title) for at, each in enumerate(reversed(kept)))
    return Held(
        sources,
        question[:8000],
        left_out=len(found) - sum(each.text in found for each in kept),
        acts=acts,
        sourced=sourced,
    )


def unharmed(asked: Mapping[str, Any]) -> str:
    """Why a reply cannot be weighed as running text, if so: it is data, or several, or sound."""
    form = asked.get("response_format") or (asked.get("text") or {}).get("format") or asked.get("output_format")
    form = form or (asked.get("output_config") or {}).get("format")
    if isinstance(form, dict) and form.get("type") not in (None, "text"):
        return "structured output"
    if isinstance(asked.get("n"), int) and asked["n"] > 1:
        return "several choices"
    if asked.get("logprobs") or asked.get("top_logprobs"):
        return "logprobs"
    if "audio" in (asked.get("modalities") or ()):
        return "audio"
    return ""


def _passages(piece: _Piece) -> list[Passage]:
    if piece.kind == "document":
        return [Passage(piece.text, piece.title)]
    if piece.kind == "prose":
        return passages_in(piece.text)
    return passages_of_json(piece.text) or passages_in(piece.text) or [Passage(piece.text, piece.title)]


def _chat(body: Mapping[str, Any]) -> Iterator[_Piece]:
    names: dict[str, str] = {}
    for message in dicts(body.get("messages")):
        role = message.get("role")
        if role == "assistant":
            names |= calls_of(message)
        elif role in ("tool", "function"):
            title = names.get(str(message.get("tool_call_id")), str(message.get("name") or ""))
            yield _Piece("tool", words_of(message.get("content")), title)
        elif role in ("user", "system", "developer"):
            yield from _of_content(message.get("content"), asked=role == "user")


def _responses(body: Mapping[str, Any]) -> Iterator[_Piece]:
    yield from _of_content(body.get("instructions"))
    given = body.get("input")
    if isinstance(given, str):
        yield _Piece("prose", given, asked=True)
        return
    names: dict[str, str] = {}
    for item in dicts(given):
        kind = item.get("type", "message")
        if kind == "function_call":
            names[str(item.get("call_id"))] = str(item.get("name") or "")
        elif kind in _TOOL_ITEMS:
            title = names.get(str(item.get("call_id")), str(item.get("name") or ""))
            yield _Piece("tool", words_of(item.get("output")), title)
        elif kind == "file_search_call":
            for result in dicts(item.get("results")):
                yield _Piece("document", words_of(result.get("text")), str(result.get("filename") or ""))
        elif kind == "message" and item.get("role") != "assistant":
            yield from _of_content(item.get("content"), asked=item.get("role") == "user")


def _messages(body: Mapping[str, Any]) -> Iterator[_Piece]:
    yield from _of_content(body.get("system"))
    names: dict[str, str] = {}
    for message in dicts(body.get("messages")):
        content = message.get("content")
        if message.get("role") == "assistant":
            names |= calls_of(message)
            continue
        for block in dicts(content):
            if block.get("type") == "tool_result":
                inner = block.get("content")
                yield _Piece("tool", words_of(inner), names.get(str(block.get("tool_use_id")), ""))
                yield from (each for each in _of_content(inner) if each.kind == "document")
        yield from _of_content(content, asked=True)


def _of_content(content: Any, *, asked: bool = False) -> Iterator[_Piece]:
    """The pieces of a message's content, whichever protocol's: words, documents, search results, attached files."""
    if isinstance(content, str):
        yield _Piece("prose", content, asked=asked)
        return
    for part in dicts(content):
        kind = part.get("type")
        if kind in ("text", "input_text") and isinstance(part.get("text"), str):
            yield _Piece("prose", part["text"], asked=asked)
        elif kind in ("file", "input_file"):
            inner = part.get("file")
            given = inner if isinstance(inner, dict) else part
            if text := _decoded(str(given.get("file_data") or "")):
                yield _Piece("document", text, str(given.get("filename") or ""))
        elif kind == "search_result":
            yield _Piece("document", words_of(part.get("content")), str(part.get("title") or part.get("source") or ""))
        elif kind == "document" and isinstance(part.get("source"), dict):
            yield _Piece("document", _of_document(part["source"]), str(part.get("title") or ""))


def _of_document(source: Mapping[str, Any]) -> str:
    """The text of Anthropic's ``document`` block: plain, in blocks, or an attached text file."""
    kind = source.get("type")
    if kind == "text":
        return str(source.get("data") or "")
    if kind == "content":
        return words_of(source.get("content"))
    if kind == "base64" and str(source.get("media_type", "")).startswith("text/"):
        return _from_base64(str(source.get("data") or ""))
    return ""


def _decoded(data: str) -> str:
    """The text of a data URL; nothing where it is no text."""
    head, _, inside = data.partition(",")
    head = head.lower()
    readable = head.startswith("data:") and head.endswith(";base64") and head[5:].startswith(_TEXTS)
    return _from_base64(inside) if readable else ""


def _from_base64(data: str) -> str:
    if len(data) > _MOST_FILE * 4 // 3:
        return ""
    try:
        return base64.b64decode(data, validate=True).decode("utf-8")
    except (binascii.Error, ValueError):
        return ""
