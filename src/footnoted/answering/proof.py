"""Checks which pointers of a saved answer still stand in the sources as they are today. Needs no model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from pydantic import BaseModel

from footnoted.contract import GenerationResponse
from footnoted.types import Source

Standing = Literal["stands", "moved", "changed", "missing"]


class PointerCheck(BaseModel):
    """One citation looked up again.

    ``stands``: the source is the same, bit for bit, and holds the quote at the place given. ``moved``: the quote
    is there word for word, elsewhere or in a source that changed around it. ``changed``: the source is there and
    the quote is not. ``missing``: neither is there. ``forged`` pointers, whose quote is not at the place given
    in an unchanged source, are ``changed``.
    """

    number: int
    quote: str
    standing: Standing
    source: str = ""
    start: int | None = None
    end: int | None = None


def check_pointers(response: GenerationResponse, sources: Sequence[Source]) -> list[PointerCheck]:
    """Each citation of a saved response against the sources: hash, span and quote, exactly."""
    by_hash = {source.sha256: source for source in sources}
    by_id = {source.id: source for source in sources}
    found = []
    for citation in response.citations:
        start, end, quote = citation.source_start, citation.source_end, citation.source_quote
        same = by_hash.get(citation.source_sha256)
        if same is not None and quote and same.text[start:end] == quote:
            standing: Standing = "stands"
            place: tuple[Source, int] | None = (same, start)
        else:
            known = same or by_id.get(str(citation.chunk_id))
            place = _find(quote, [known] if known else []) or (_find(quote, sources) if same is None else None)
            standing = "moved" if place else "changed" if known else "missing"
        found.append(
            PointerCheck(
                number=citation.number,
                quote=quote,
                standing=standing,
                source=(place[0].title or place[0].id) if place else citation.source_title,
                start=place[1] if place else None,
                end=place[1] + len(quote) if place else None,
            )
        )
    return found


def _find(quote: str, sources: Sequence[Source]) -> tuple[Source, int] | None:
    if not quote.strip():
        return None
    for source in sources:
        at = source.text.find(quote)
        if at >= 0:
            return source, at
    return None
