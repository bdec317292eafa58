"""The doors of the library: what a caller hands in and gets back, validated, as pydantic models."""

from __future__ import annotations

import json
from enum import StrEnum
from typing import Annotated, Any, Generic, TypeVar
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, SerializeAsAny, field_validator

from footnoted.inert import on_one_line
from footnoted.types import Attempt, FinishReason, Ruling, Source, Tier

Output = TypeVar("Output", bound=BaseModel)

MAX_QUERY = 32_000
MAX_SOURCE = 10_000_000
MAX_SOURCES = 2_000


class GenerationMode(StrEnum):
    """What kind of answer is wanted."""

    SIMPLE = "simple"
    GROUNDED = "grounded"
    ANALYTICAL = "analytical"
    CONVERSATIONAL = "conversational"


class OutputFormat(StrEnum):
    """What the response's text looks like. ``json`` is one object with ``answer`` and ``citations``."""

    PLAIN = "plain"
    MARKDOWN = "markdown"
    JSON = "json"
    BULLETS = "bullets"


class CitationStyle(StrEnum):
    """How a marker is written: ``[Source 1]`` · ``[1]`` · ``¹`` with a list below · ``[1]`` with a list at the end."""

    INLINE = "inline"
    NUMBERED = "numbered"
    FOOTNOTE = "footnote"
    ENDNOTE = "endnote"


class _Door(BaseModel):
    model_config = ConfigDict(extra="forbid", use_enum_values=False, protected_namespaces=())


class GenerationConfig(_Door):
    """How to answer. ``require_grounding``: claims the sources do not carry do not reach the user."""

    mode: GenerationMode = GenerationMode.GROUNDED
    output_format: OutputFormat = OutputFormat.MARKDOWN
    max_tokens: int = Field(default=1000, ge=1, le=1_000_000)
    temperature: float = Field(default=0.3, ge=0, le=2)
    top_p: float | None = Field(default=None, gt=0, le=1)
    top_k: int | None = Field(default=None, ge=1)
    include_citations: bool = True
    citation_style: CitationStyle = CitationStyle.NUMBERED
    require_grounding: bool = True
    model: str | None = None
    template: str | None = Field(default=None, description="a prompt template by name, instead of the mode's own")
    context_tokens: int = Field(default=12_000, ge=200, description="budget of the sources in the prompt, estimated")


class SourceContext(_Door):
    """One retrieved chunk."""

    chunk_id: UUID
    document_id: UUID
    content: Annotated[str, Field(max_length=MAX_SOURCE)]
    metadata: dict[str, Any] = Field(default_factory=dict)
    relevance_score: float = Field(default=0.0, allow_inf_nan=False)

    @property
    def title(self) -> str:
        """What a reader would call this source, on one line: its title, else its file and section."""
        data = self.metadata
        title = data.get("title") or data.get("name") or data.get("file") or data.get("source") or ""
        section = data.get("section")
        return on_one_line(f"{title} › {section}" if title and section else str(title or section or ""))

    def as_source(self) -> Source:
        """The same chunk as it flows through the river."""
        return Source(
            id=str(self.chunk_id),
            text=self.content,
            title=self.title,
            metadata=self.metadata,
            score=self.relevance_score,
        )


class GenerationRequest(_Door):
    """A question, the sources it may be answered from, and how."""

    query: Annotated[str, Field(max_length=MAX_QUERY)]
    context: Annotated[list[SourceContext], Field(max_length=MAX_SOURCES)] = Field(default_factory=list)
    config: GenerationConfig = Field(default_factory=GenerationConfig)
    system_instructions: str | None = None
    conversation_history: list[tuple[str, str]] = Field(default_factory=list)

    @field_validator("query")
    @classmethod
    def _asks_something(cls, query: str) -> str:
        if not query.strip():
            raise ValueError("the question is empty; ask something in words")
        return query


class InlineCitation(_Door):
    """A marker in the response, and where in the source its evidence stands.

    ``start_pos``/``end_pos`` bound the marker in the response (code points); ``source_start``/``source_end``
    bound ``source_quote`` in the source's content, exactly. ``quoted_text`` is the same quote, on one line.
    """

    source_index: int = Field(ge=0)
    chunk_id: UUID
    quoted_text: str
    start_pos: int
    end_pos: int
    number: int = Field(ge=1, description="what the reader sees, 1…n in order of first use")
    source_start: int
    source_end: int
    source_quote: str
    source_sha256: str
    source_title: str = ""
    support: float = Field(ge=0, le=1)


class EvidenceSpan(_Door):
    """Exact words of a source: ``context[source_index].content[source_start:source_end] == source_quote``."""

    source_index: int = Field(ge=0)
    chunk_id: UUID
    source_start: int
    source_end: int
    source_quote: str
    support: float = Field(ge=0, le=1)


class ClaimResult(_Door):
    """One claim of the answer and what its check found.

    ``response[start_pos:end_pos]`` is where it stands; both are ``None`` for a claim that was withheld or taken
    back (``shown`` is false). ``text`` is what stands there, outside JSON's own escapes; of one that was withheld, its
    words without markers. ``flagged`` are places in ``text``.
    """

    text: str
    start_pos: int | None
    end_pos: int | None
    shown: bool = True
    kind: str = "claim"
    verdict: Ruling = "not_checked"
    score: float | None = None
    tier: Tier = "none"
    reason: str = ""
    evidence: list[EvidenceSpan] = Field(default_factory=list)
    flagged: list[tuple[int, int]] = Field(default_factory=list)


class Withheld(_Door):
    """A sentence of the model's that the reader did not see, or that was taken back, and why."""

    text: str = Field(description="As the model wrote it, without its markers.")
    verdict: Ruling = Field(description="What its check found.")
    reason: str = Field(default="", description="Why, in words for people.")


class SourceDisagreement(_Door):
    """Two sources that exclude one another on a point the answer makes, with their own dates where they give one."""

    first: EvidenceSpan
    second: EvidenceSpan
    first_date: str = ""
    second_date: str = ""
    difference: str


class TokenUsage(_Door):
    """Tokens by kind; ``estimated`` when the wire gave none."""

    input: int = 0
    cached: int = 0
    output: int = 0
    estimated: bool = False


class FieldEvidence(_Door):
    """What the check of one field of a structured answer found.

    ``flagged`` are the characters of the field's text (code points) that no source carries. A field that states
    nothing (a null, a choice of the schema's own, a confidence) is ``not_checked``, and ``reason`` says so.
    """

    verdict: Ruling = "not_checked"
    score: float | None = None
    tier: Tier = "none"
    reason: str = ""
    evidence: list[EvidenceSpan] = Field(default_factory=list)
    flagged: list[tuple[int, int]] = Field(default_factory=list)


class CheckedOutput(_Door, Generic[Output]):
    """A structured answer whose every field was checked.

    ``evidence`` has one entry a field, by its path in the object's JSON (RFC 9535: ``$.amounts[0].pounds``), in the
    object's order. ``flagged`` are the paths that do not stand and are still in ``value``; ``nulled`` those that
    were taken out of it.
    """

    value: SerializeAsAny[Output]
    evidence: dict[str, FieldEvidence] = Field(default_factory=dict)
    flagged: list[str] = Field(default_factory=list)
    nulled: list[str] = Field(default_factory=list)
    usage: TokenUsage = Field(default_factory=TokenUsage)


class Refusal(_Door):
    """Why no answer was given, and the passages that came nearest."""

    reason: str
    message: str
    found: list[EvidenceSpan] = Field(default_factory=list)


class Problem(_Door):
    """What went wrong after text had already come: the error's class, and words for a person."""

    type: str
    message: str


class GenerationResponse(_Door):
    """The whole answer: text, pointers, verdicts, and how it came about."""

    query: str
    response: str
    citations: list[InlineCitation] = Field(default_factory=list)
    sources_used: list[UUID] = Field(default_factory=list)
    sources_provided: int = 0
    sources_omitted: list[UUID] = Field(default_factory=list)
    grounding_score: float = Field(default=0.0, ge=0, le=1)
    confidence: float = Field(default=0.0, ge=0, le=1)
    tokens_used: int = 0
    latency_ms: float = 0.0
    claims: list[ClaimResult] = Field(default_factory=list)
    withheld: list[Withheld] = Field(
        default_factory=list, description="What stayed behind or was taken back; each is among `claims` too."
    )
    disagreements: list[SourceDisagreement] = Field(default_factory=list)
    finish_reason: FinishReason = FinishReason.COMPLETE
    refusal: Refusal | None = None
    error: Problem | None = None
    usage: TokenUsage = Field(default_factory=TokenUsage)
    time_to_first_token_ms: float | None = None
    provider: str = ""
    model: str | None = None
    attempts: list[Attempt] = Field(default_factory=list)
    notes: list[str] = Field(default_factory=list)
    footnoted_version: str = ""

    def to_json(self) -> str:
        """The response as JSON text, stable and indented."""
        return json.dumps(self.model_dump(mode="json"), ensure_ascii=False, indent=2)
