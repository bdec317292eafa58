"""What the two protocols tell alike: links into our page, what footnoted adds, errors, and a stream's lines."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

if TYPE_CHECKING:
    from footnoted.service.asking import Asked

_OWN = ("finish_reason", "refusal", "citations", "claims", "grounding_score", "confidence")


def link(base: str, asked: Asked, citation: dict[str, Any]) -> dict[str, Any]:
    """A ``url_citation``: the marker's place in the text (code points), and our page at the exact words."""
    return {
        "start_index": citation["start_pos"],
        "end_index": citation["end_pos"],
        "url": f"{base}#answer={quote(asked.answer_id)}&at={citation['start_pos']}",
        "title": citation["source_title"] or f"Source {citation['source_index'] + 1}",
    }


def own(done: dict[str, Any]) -> dict[str, Any]:
    """What stands under ``footnoted``, which clients that do not know it pass over."""
    response = done["response"]
    return {"answer_id": done["answer_id"], **{name: response[name] for name in _OWN}, "sources": done["sources"]}


def line(data: dict[str, Any], event: str = "") -> bytes:
    """One server-sent event."""
    head = f"event: {event}\n" if event else ""
    said = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return f"{head}data: {said}\n\n".encode("utf-8", "replace")
