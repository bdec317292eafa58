"""A response in the shapes that other vendors' clients give citations in, for code that was written for those.

Offsets of OpenAI and Cohere are code points of the answer; Anthropic's are code points of the source.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

if TYPE_CHECKING:
    from collections.abc import Callable

    from footnoted.contract import GenerationResponse, InlineCitation

_FINISH = {"complete": "stop", "length": "length", "filtered": "content_filter", "refused": "stop"}
_STOP = {"complete": "end_turn", "length": "max_tokens", "filtered": "refusal", "refused": "end_turn"}
_ENDED = {"complete": "COMPLETE", "length": "MAX_TOKENS", "filtered": "ERROR_TOXIC", "refused": "COMPLETE"}


def as_openai(response: GenerationResponse, link: Callable[[InlineCitation], str] | None = None) -> dict[str, Any]:
    """The message of a chat completion, its citations as ``url_citation`` annotations over their markers.

    ``link`` says where a citation leads; unless given, to ``urn:footnoted:`` and the source's chunk_id.
    """
    lead = link or _urn
    notes = [
        {
            "type": "url_citation",
            "url_citation": {
                "start_index": each.start_pos,
                "end_index": each.end_pos,
                "url": lead(each),
                "title": _title(each),
            },
        }
        for each in response.citations
    ]
    message = {"role": "assistant", "content": response.response, "refusal": None, "annotations": notes}
    return {"message": message, "finish_reason": _FINISH.get(response.finish_reason.value, "length")}


def as_anthropic(response: GenerationResponse) -> dict[str, Any]:
    """A message whose text blocks end where a cited passage does, each with its ``char_location`` citations.

    ``document_index`` counts the request's sources. The blocks' texts together are the answer without its markers.
    """
    blocks: list[dict[str, Any]] = []
    at = 0
    for places in _grouped(response.citations):
        said = response.response[at : places[0].start_pos].rstrip(" ")
        cited = [
            {
                "type": "char_location",
                "cited_text": each.source_quote,
                "document_index": each.source_index,
                "document_title": each.source_title or None,
                "start_char_index": each.source_start,
                "end_char_index": each.source_end,
                "file_id": None,
            }
            for each in places
        ]
        blocks.append({"type": "text", "text": said, "citations": cited})
        at = places[-1].end_pos
    if rest := response.response[at:]:
        blocks.append({"type": "text", "text": rest, "citations": None})
    stop = _STOP.get(response.finish_reason.value, "max_tokens")
    return {"type": "message", "role": "assistant", "content": blocks, "stop_reason": stop}


def as_cohere(response: GenerationResponse) -> dict[str, Any]:
    """A v2 chat message, each citation over the sentence before its marker, with the document it rests on."""
    claims = [each for each in response.claims if each.start_pos is not None and each.end_pos is not None]
    starts = [each.start_pos for each in claims]
    cited = []
    for each in response.citations:
        place = bisect_right(starts, each.start_pos, key=lambda at: at or 0) - 1
        start = claims[place].start_pos or 0 if place >= 0 else _sentence(response.response, each.start_pos)
        end = len(response.response[: each.start_pos].rstrip())
        document = {"id": str(each.chunk_id), "title": each.source_title, "snippet": each.source_quote}
        source = {"type": "document", "id": str(each.chunk_id), "document": document}
        text = response.response[start:end]
        cited.append({"start": start, "end": end, "text": text, "sources": [source], "type": "TEXT_CONTENT"})
    content = [{"type": "text", "text": response.response}]
    finish = _ENDED.get(response.finish_reason.value, "ERROR")
    return {"message": {"role": "assistant", "content": content, "citations": cited}, "finish_reason": finish}


def _grouped(citations: list[InlineCitation]) -> list[list[InlineCitation]]:
    """Citations whose markers stand side by side, together."""
    groups: list[list[InlineCitation]] = []
    for each in sorted(citations, key=lambda one: one.start_pos):
        if groups and each.start_pos - groups[-1][-1].end_pos <= 1:
            groups[-1].append(each)
        else:
            groups.append([each])
    return groups


def _sentence(text: str, before: int) -> int:
    """Where the last line before a place begins; for answers that were not weighed."""
    return text.rfind("\n", 0, before) + 1


def _title(citation: InlineCitation) -> str:
    return citation.source_title or f"Source {citation.source_index + 1}"


def _urn(citation: InlineCitation) -> str:
    return f"urn:footnoted:{quote(str(citation.chunk_id))}#{citation.source_start}-{citation.source_end}"
