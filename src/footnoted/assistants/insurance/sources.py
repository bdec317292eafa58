"""Policy sections as the index has them (passages), as callers hand them in (chunks), as the core reads them (sources).

Every one of them carries its product's name, so that no two products are ever mixed.
"""

from __future__ import annotations

from collections.abc import Sequence

from footnoted.assistants.insurance.citation import ChunkResult
from footnoted.contract import MAX_SOURCE, SourceContext, made_uuid
from footnoted.inert import on_one_line
from footnoted.types import Source


def product_of(source: Source) -> str:
    """The product a section belongs to: the document's own word for it, else its title."""
    data = source.metadata
    title = data.get("title") or source.title.partition(" › ")[0]
    return on_one_line(str(data.get("product_name") or title or data.get("file") or "Policy"))


def by_product(sources: Sequence[Source]) -> dict[str, list[int]]:
    """The places of each product's sources, products in the order they first come."""
    groups: dict[str, list[int]] = {}
    for place, source in enumerate(sources):
        groups.setdefault(product_of(source), []).append(place)
    return groups


def as_chunk(source: Source, score: float | None = None) -> ChunkResult:
    """A passage of the index as a policy section."""
    data = source.metadata
    return ChunkResult(
        content=source.text,
        product_name=product_of(source),
        document_type=data.get("document_type") or "",
        source_file=data.get("file") or "",
        section_hierarchy=data.get("section_hierarchy") or [],
        relevance_score=source.score if score is None else round(score, 4),
        chunk_id=source.id,
        document_id=data.get("document_id") or "",
    )


def as_context(chunks: Sequence[ChunkResult]) -> list[SourceContext]:
    """Each chunk as a source, in order: product, kind of document and section stand in its title."""
    return [_source(chunk, place) for place, chunk in enumerate(chunks)]


def _source(chunk: ChunkResult, place: int) -> SourceContext:
    product = chunk.product_name or chunk.source_file or f"Document {place + 1}"
    words = f"{chunk.source_file}\0{chunk.section}\0{chunk.content}\0{place}"
    return SourceContext(
        chunk_id=made_uuid(chunk.chunk_id or words),
        document_id=made_uuid(chunk.document_id or chunk.source_file or product),
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
