"""What a caller hands to the responder and what comes back, as SPEC names it; odd input is read, not refused."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from footnoted.assistants.insurance.citation import ChunkResult, Citation, CitationStyle, superscript
from footnoted.assistants.insurance.confidence import ConfidenceConfig
from footnoted.assistants.insurance.phrases import language_of, phrases
from footnoted.contract import GenerationResponse

MOST_CHUNKS = 50
LONGEST_ANSWER = 20_000


class ResponseRequest(BaseModel):
    """A customer's question and the policy sections to answer it from. ``max_response_length`` is in characters.

    ``kind`` is the kind of question an `IntentRouter` found; ``style`` one of plain, short, formal; ``language``
    that of the customer, the question's own unless given.
    """

    model_config = ConfigDict(extra="ignore")

    original_query: Any = ""
    context_chunks: list[ChunkResult] = Field(default_factory=list)
    citation_style: CitationStyle = CitationStyle.NUMBERED
    max_response_length: int = 1000
    include_confidence_score: bool = True
    confidence_config: ConfidenceConfig = Field(default_factory=ConfidenceConfig)
    kind: str = "fact"
    style: str = "plain"
    language: str | None = None
    conversation_history: list[tuple[str, str]] = Field(default_factory=list)

    @model_validator(mode="before")
    @classmethod
    def _usual(cls, data: Any) -> Any:
        """What is given as ``None`` is as if not given."""
        return {name: value for name, value in data.items() if value is not None} if isinstance(data, dict) else data

    @field_validator("context_chunks", mode="before")
    @classmethod
    def _what_is_there(cls, value: Any) -> Any:
        """No chunks is an empty list; what stands among them and is no chunk is left out."""
        try:
            given = list(value)
        except TypeError:
            return []
        return [one for one in given if isinstance(one, ChunkResult | dict)][:MOST_CHUNKS]

    @field_validator("max_response_length", mode="before")
    @classmethod
    def _some_length(cls, value: Any) -> int:
        if isinstance(value, bool) or not isinstance(value, int | float) or value != value:  # noqa: PLR0124 — NaN
            return 1000
        return int(min(max(value, 1), LONGEST_ANSWER))

    @property
    def query(self) -> str:
        """The question as text; empty when it is none."""
        return self.original_query.strip() if isinstance(self.original_query, str) else ""

    @property
    def spoken(self) -> str:
        """The language to answer in: the one asked for, else the question's own."""
        return self.language or language_of(self.query)

    @property
    def has_context(self) -> bool:
        """Whether there is any text to answer from."""
        return any(chunk.content.strip() for chunk in self.context_chunks)


class ResponseResult(BaseModel):
    """The answer, what it cites and how far to trust it.

    ``confidence_score`` follows the fixed rules, ``calibrated_confidence`` the core's measured one. ``degraded``
    tells that the chosen model did not give this answer, ``refused`` that the documents hold none, ``asks`` is what is
    asked back. ``include_confidence_score`` is the request's. ``generation`` is the core's own response, with exact
    spans and verdicts.
    """

    answer: str
    citations: list[Citation] = Field(default_factory=list)
    confidence_score: float = 0.0
    include_confidence_score: bool = True
    context_used: int = 0
    context_available: int = 0
    has_sufficient_context: bool = False
    reasoning: str = ""
    calibrated_confidence: float = 0.0
    citation_style: CitationStyle = CitationStyle.NUMBERED
    language: str = "en"
    refused: bool = False
    asks: str = ""
    degraded: bool = False
    provider: str = ""
    products: list[str] = Field(default_factory=list)
    latency_ms: float = 0.0
    generation: GenerationResponse | None = None

    def format_response(self, include_citations: bool = True, include_confidence: bool = False) -> str:
        """The answer as a customer reads it, with the list of its sources and its confidence where asked for.

        A question back has no confidence, nor has an answer whose request wanted none.
        """
        said = phrases(self.language)
        parts = [self.answer]
        if include_citations and self.citations:
            lines = [self._reference(citation, number) for number, citation in enumerate(self.citations, start=1)]
            parts.append("\n".join((f"**{said.sources}:**", *(f"- {line}" for line in lines))))
        if include_confidence and self.include_confidence_score and not self.asks:
            parts.append(f"*{said.confidence}: {self.confidence_score * 100:.1f}%*")
        return "\n\n".join(parts)

    def _reference(self, citation: Citation, number: int) -> str:
        line = citation.get_full_reference(number)
        if self.citation_style is CitationStyle.FOOTNOTE:
            return line.replace(f"[{number}]", superscript(number), 1)
        return line
