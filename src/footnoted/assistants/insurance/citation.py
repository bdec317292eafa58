"""The mark a customer sees behind a fact, and the piece of a policy it stands for."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from enum import StrEnum
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, field_validator

from footnoted.inert import on_one_line
from footnoted.text.phrases import whole

_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


class CitationStyle(StrEnum):
    """How a mark is written: ``[1]`` · ``(Source: Product Type - Section > Sub)`` · ``¹``."""

    NUMBERED = "numbered"
    INLINE = "inline"
    FOOTNOTE = "footnote"


class _Piece(BaseModel):
    """What a piece of a policy and a citation of it both say about where it stands."""

    model_config = ConfigDict(extra="ignore")

    product_name: str = ""
    document_type: str = ""
    source_file: str = ""
    section_hierarchy: list[str] = Field(default_factory=list)
    relevance_score: float | None = None

    @field_validator("product_name", "document_type", "source_file", mode="before")
    @classmethod
    def _in_words(cls, value: Any) -> str:
        return on_one_line(str(value)) if value is not None else ""

    @field_validator("section_hierarchy", mode="before")
    @classmethod
    def _as_list(cls, value: Any) -> list[str]:
        headings = [value] if isinstance(value, str) else value if isinstance(value, list | tuple) else []
        return [on_one_line(str(heading)) for heading in headings if heading is not None and str(heading).strip()]

    @field_validator("relevance_score", mode="before")
    @classmethod
    def _known(cls, value: Any) -> float | None:
        """A score that is no number is not known."""
        if isinstance(value, bool) or not isinstance(value, int | float):
            return None
        return float(value) if math.isfinite(value) else None

    @property
    def section(self) -> str:
        """The section's place, outermost heading first: ``3. Windscreen > 3.2 Excess``."""
        return " > ".join(self.section_hierarchy)

    @property
    def document(self) -> str:
        """Product and kind of document: ``Home Contents Policy wording``."""
        return f"{self.product_name} {self.document_type}".strip() or self.source_file or "Policy document"


class ChunkResult(_Piece):
    """One retrieved section of a policy. ``relevance_score`` 0–1, ``None`` where it is not known."""

    content: str = ""
    chunk_id: str = ""
    document_id: str = ""

    @field_validator("content", "chunk_id", "document_id", mode="before")
    @classmethod
    def _text(cls, value: Any) -> str:
        return "" if value is None else value if isinstance(value, str) else str(value)


class Citation(_Piece):
    """A source an answer names. ``quotes`` are the exact words of it the answer stands on."""

    id: str
    quotes: list[str] = Field(default_factory=list)

    @classmethod
    def of(cls, chunk: ChunkResult, number: int, quotes: Sequence[str] = ()) -> Citation:
        """The citation of a chunk, ``cite_N``."""
        return cls(id=f"cite_{number}", quotes=list(quotes), **chunk.model_dump(exclude={"content"}))

    def format_citation(self, style: CitationStyle = CitationStyle.NUMBERED, number: int = 1) -> str:
        """The mark in the text.

        >>> policy = Citation(id="cite_1", product_name="Car", document_type="Policy", section_hierarchy=["A", "B"])
        >>> [policy.format_citation(style, 10) for style in CitationStyle]
        ['[10]', '(Source: Car Policy - A > B)', '¹⁰']
        """
        if style == CitationStyle.FOOTNOTE:
            return superscript(number)
        if style == CitationStyle.INLINE:
            return f"(Source: {self.document} - {self.section})" if self.section else f"(Source: {self.document})"
        return f"[{number}]"

    def get_full_reference(self, number: int = 1) -> str:
        """The line under **Sources:**, with all that is known of the place.

        >>> Citation(id="cite_1", product_name="Car", document_type="Policy", source_file="a.md").get_full_reference(2)
        '[2] Car, Policy (a.md)'
        """
        named = ", ".join(filter(None, (self.product_name, self.document_type))) or "Policy document"
        place = f" - {self.section}" if self.section else ""
        file = f" ({self.source_file})" if self.source_file else ""
        return f"[{number}] {named}{place}{file}"


def superscript(number: int) -> str:
    """A number in raised digits, however many it has.

    >>> superscript(1), superscript(10), superscript(207)
    ('¹', '¹⁰', '²⁰⁷')
    """
    return str(number).translate(_RAISED)


def used(answer: str, citations: Sequence[Citation], style: CitationStyle) -> list[Citation]:
    """The citations an answer uses: ``citations[n - 1]`` if it carries the mark of number n, or names the product."""
    return [
        citation
        for number, citation in enumerate(citations, start=1)
        if _marked(answer, citation, style, number) or names(answer, citation.product_name)
    ]


def names(text: str, product: str) -> bool:
    """Whether a text names a product in full, in any case, and not merely within another word.

    >>> names("Under the travel+ plan you may.", "Travel+"), names("Carefully.", "Car")
    (True, False)
    """
    return bool(product.strip()) and whole(product).search(text) is not None


def _marked(answer: str, citation: Citation, style: CitationStyle, number: int) -> bool:
    mark = citation.format_citation(style, number)
    if style != CitationStyle.FOOTNOTE:
        return mark in answer
    # ¹ does not stand in ¹⁰.
    return re.search(rf"(?<![⁰¹²³⁴-⁹]){mark}(?![⁰¹²³⁴-⁹])", answer) is not None
