"""What a request of three protocols holds: the sources an answer may rest on, what was asked, and what tools did.

The model's own words are never a source. What a tool gave back is, and so is every text that was set off as evidence.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from footnoted.integrations.proxy.acts import Acts, calls_of, dicts, tools_of, words_of
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
    acts = Acts(tools=tools_of(body))
    found: dict[str, Passage] = {}
    question = ""
    for piece in _of_items(body, acts) if protocol == "responses" else _of_messages(body, acts):
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
    sourced = bool(kept)
    if log := acts.log():
        kept.insert(0, Passage(log, "What the tools of this turn gave back"))
    sources = tuple(
        Source(id=f"s{place}", text=passage.text, title=passage.title) for place, passage in enumerate(reversed(kept))
    )
    left_out = len(found) - sum(passage.text in found for passage in kept)
    return Held(sources, question[:8000], left_out=left_out, acts=acts, sourced=sourced)


def unharmed(body: Mapping[str, Any]) -> str:
    """Why a reply cannot be weighed as running text, if so: it is data, or several, or sound."""
    form = body.get("response_format") or (body.get("text") or {}).get("format") or body.get("output_format")
    form = form or (body.get("output_config") or {}).get("format")
    if isinstance(form, dict) and form.get("type") not in (None, "text"):
        return "structured output"
    if isinstance(body.get("n"), int) and body["n"] > 1:
        return "several choices"
    if body.get("logprobs") or body.get("top_logprobs"):
        return "logprobs"
    if "audio" in (body.get("modalities") or ()):
        return "audio"
    return ""


def _passages(piece: _Piece) -> list[Passage]:
    if piece.kind == "document":
        return [Passage(piece.text, piece.title)]
    if piece.kind == "prose":
        return passages_in(piece.text)
    return passages_of_json(piece.text) or passages_in(piece.text) or [Passage(piece.text, piece.title)]


def _of_messages(body: Mapping[str, Any], acts: Acts) -> Iterator[_Piece]:
    """Chat Completions' and Anthropic's messages; what tools did in them is noted in ``acts``."""
    yield from _of_content(body.get("system"))
    for message in dicts(body.get("messages")):
        role, content = message.get("role"), message.get("content")
        if role == "assistant":
            acts.call(calls_of(message))
        elif role in ("tool", "function"):
            call, result = str(message.get("tool_call_id")), words_of(content)
            acts.give_back(call, result)
            yield _Piece("tool", result, acts.names.get(call, str(message.get("name") or "")))
        elif role in ("user", "system", "developer"):
            results = [block for block in dicts(content) if block.get("type") == "tool_result"]
            if role == "user" and not results:
                acts.begin_turn()
            for block in results:
                call, result = str(block.get("tool_use_id")), words_of(block.get("content"))
                acts.give_back(call, result, failed=bool(block.get("is_error")))
                yield _Piece("tool", result, acts.names.get(call, ""))
                yield from (piece for piece in _of_content(block.get("content")) if piece.kind == "document")
            yield from _of_content(content, asked=role == "user")


def _of_items(body: Mapping[str, Any], acts: Acts) -> Iterator[_Piece]:
    """The items of OpenAI's Responses; what tools did in them is noted in ``acts``."""
    yield from _of_content(body.get("instructions"))
    items = body.get("input")
    if isinstance(items, str):
        yield _Piece("prose", items, asked=True)
    for item in dicts(items):
        kind, role = str(item.get("type") or "message"), item.get("role")
        call, name = str(item.get("call_id") or item.get("id")), str(item.get("name") or "")
        if kind.endswith("_call_output"):
            acts.give_back(call, words_of(item.get("output")))
        elif kind.endswith("_call") and name:
            acts.call({call: name})
        if kind in _TOOL_ITEMS:
            yield _Piece("tool", words_of(item.get("output")), acts.names.get(call, name))
        elif kind == "file_search_call":
            for result in dicts(item.get("results")):
                yield _Piece("document", words_of(result.get("text")), str(result.get("filename") or ""))
        elif kind == "message" and role != "assistant":
            if role == "user":
                acts.begin_turn()
            yield from _of_content(item.get("content"), asked=role == "user")


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
            file = part["file"] if isinstance(part.get("file"), dict) else part
            if text := _decoded(str(file.get("file_data") or "")):
                yield _Piece("document", text, str(file.get("filename") or ""))
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
