"""Turns policy sections into the core's source contexts and puts the product's names on them."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import NAMESPACE_URL, UUID, uuid5

from footnoted.assistants.insurance.citation import ChunkResult
from footnoted.contract import MAX_SOURCE, SourceContext


def as_context(chunks: Sequence[ChunkResult]) -> list[SourceContext]:
    """Each chunk as a source, in order: product, kind of document and section stand in its title."""
    return [_source(chunk, place) for place, chunk in enumerate(chunks)]


def _source(chunk: ChunkResult, place: int) -> SourceContext:
    product = chunk.product_name or chunk.source_file or f"Document {place + 1}"
    named = uuid5(NAMESPACE_URL, f"{chunk.source_file}\0{chunk.section}\0{chunk.content}\0{place}")
    return SourceContext(
        chunk_id=_uuid(chunk.chunk_id) or named,
        document_id=_uuid(chunk.document_id) or uuid5(NAMESPACE_URL, chunk.source_file or product),
        content=chunk.content[:MAX_SOURCE],
        metadata={
            "title": ", ".join(filter(None, (product, chunk.document_type))),
            "section": chunk.section.replace(" > ", " › "),
            "section_hierarchy": chunk.section_hierarchy,
            "product_name": product,
            "document_type": chunk.document_type,
            "file": chunk.source_file,
        },
        relevance_score=chunk.relevance_score or 0.0,
    )


def _uuid(text: str) -> UUID | None:
    try:
        return UUID(text) if text else None
    except ValueError:
        return None
