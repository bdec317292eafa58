"""An answer's events as JSON: the names and fields that clients over HTTP are told, whoever serves them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from footnoted.events import ClaimChecked, TextDelta, TextRetracted

if TYPE_CHECKING:
    from footnoted.events import Event
    from footnoted.types import Citation


def told(event: Event) -> tuple[str, dict[str, Any]]:
    """The name and the data of an event whose fields are the same for all who serve it.

    Raises `TypeError` for any other.
    """
    match event:
        case TextDelta():
            return "chunk", {"content": event.text, "start": event.start}
        case TextRetracted():
            return "retract", {"start": event.start, "end": event.end, "reason": event.reason}
    raise TypeError(f"no event of an answer under way: {type(event).__name__}")


def citation_told(citation: Citation, title: str) -> dict[str, Any]:
    """The fields of `InlineCitation`, of a source with this title."""
    return {
        "number": citation.number,
        "source_index": citation.source,
        "chunk_id": citation.source_id,
        "quoted_text": " ".join(citation.quote.split()),
        "start_pos": citation.start,
        "end_pos": citation.end,
        "source_start": citation.source_start,
        "source_end": citation.source_end,
        "source_quote": citation.quote,
        "source_sha256": citation.source_sha256,
        "source_title": title,
        "support": citation.support,
    }


def claim_told(event: ClaimChecked) -> dict[str, Any]:
    """The fields of `ClaimResult` but its evidence."""
    claim, verdict = event.claim, event.verdict
    return {
        "text": claim.text,
        "start_pos": claim.start if event.shown else None,
        "end_pos": claim.end if event.shown else None,
        "shown": event.shown,
        "kind": claim.kind,
        "verdict": verdict.ruling,
        "score": verdict.score,
        "tier": verdict.tier,
        "reason": verdict.reason,
    }
