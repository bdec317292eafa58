"""Tells one answer in another program's protocol: what the protocols have in common."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from footnoted.service.asking import Asked
from footnoted.service.faults import Fault

_OWN = ("finish_reason", "refusal", "citations", "claims", "grounding_score", "confidence")


class Telling:
    """One answer. ``structured``: its text is an object, so a refusal stands where the protocol has it."""

    def __init__(self, asked: Asked, base: str, *, structured: bool = False) -> None:
        self._asked = asked
        self._base = base
        self._structured = structured

    def whole(self, done: dict[str, Any]) -> dict[str, Any]:
        """The answer at once."""
        raise NotImplementedError

    def events(self, name: str, data: dict[str, Any]) -> list[bytes]:
        """What one event of the answer becomes."""
        raise NotImplementedError

    def fault(self, fault: Fault) -> list[bytes]:
        """What ends a stream that broke."""
        raise NotImplementedError

    def _refusal(self, response: dict[str, Any]) -> str | None:
        return response["refusal"]["message"] if self._structured and response["refusal"] else None

    def _link(self, citation: dict[str, Any]) -> dict[str, Any]:
        """A ``url_citation``: the marker's place in the text (code points), and our page at the exact words."""
        return {
            "start_index": citation["start_pos"],
            "end_index": citation["end_pos"],
            "url": f"{self._base}#answer={quote(self._asked.answer_id)}&at={citation['start_pos']}",
            "title": citation["source_title"] or f"Source {citation['source_index'] + 1}",
        }


def own(done: dict[str, Any]) -> dict[str, Any]:
    """What stands under ``footnoted``, which clients that do not know it pass over."""
    response = done["response"]
    return {"answer_id": done["answer_id"], **{name: response[name] for name in _OWN}, "sources": done["sources"]}
