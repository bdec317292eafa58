"""The doors of the library: what a caller hands in and gets back, validated, as pydantic models."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from enum import StrEnum
from typing import Annotated, Any, Generic, Self, TypeVar
from uuid import NAMESPACE_URL, UUID, uuid5

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    SerializeAsAny,
    WithJsonSchema,
    field_validator,
    model_validator,
)

from footnoted.errors import ConfigurationError
from footnoted.inert import on_one_line, storable
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
    """How to answer. ``require_grounding``: claims the sources do not carry do not reach the user.

    Where nobody sets it, the mode says how strictly that is held: see `is_strict`.
    """

    mode: GenerationMode = Field(default=GenerationMode.GROUNDED, description="what kind of answer is wanted")
    output_format: OutputFormat = Field(
        default=OutputFormat.MARKDOWN, description="what the response's text looks like"
    )
    max_tokens: int = Field(default=1000, ge=1, le=1_000_000, description="the most tokens the answer may have")
    temperature: float = Field(default=0.3, ge=0, le=2, description="how freely the model chooses its words, 0 to 2")
    top_p: float | None = Field(
        default=None, gt=0, le=1, description="the share of likely words chosen from; null leaves it to the provider"
    )
    top_k: int | None = Field(
        default=None, ge=1, description="how many likely words are chosen from; null leaves it to the provider"
    )
    stop: list[Annotated[str, Field(min_length=1)]] = Field(
        default_factory=list, max_length=16, description="words at which the answer ends; they are not told"
    )
    include_citations: bool = Field(
        default=True, description="whether markers stand in the text; citations are found either way"
    )
    citation_style: CitationStyle = Field(default=CitationStyle.NUMBERED, description="how a marker is written")
    require_grounding: bool = Field(
        default=True,
        description="whether what the sources do not carry is kept from the reader; where it is not set, the modes "
        "simple and conversational show it, with its verdict",
    )
    model: str | None = Field(default=None, description="the model to ask, instead of the generator's own")
    template: str | None = Field(default=None, description="a prompt template by name, instead of the mode's own")
    context_tokens: int = Field(default=12_000, ge=200, description="budget of the sources in the prompt, estimated")

    @property
    def is_strict(self) -> bool:
        """Whether a sentence waits for its verdict: as ``require_grounding`` was set, else as the mode is meant.

        >>> GenerationConfig().is_strict, GenerationConfig(mode="simple").is_strict
        (True, False)
        >>> GenerationConfig(mode="simple", require_grounding=True).is_strict
        True
        """
        if "require_grounding" in self.model_fields_set:
            return self.require_grounding
        return self.mode in (GenerationMode.GROUNDED, GenerationMode.ANALYTICAL)


def made_uuid(name: str) -> UUID:
    """The UUID that a text is or, where it is none, one made of it: the same every time (RFC 9562, version 5).

    >>> made_uuid("6ba7b811-9dad-11d1-80b4-00c04fd430c8"), made_uuid("policy-7#2") == made_uuid("policy-7#2")
    (UUID('6ba7b811-9dad-11d1-80b4-00c04fd430c8'), True)
    """
    try:
        return UUID(name)
    except ValueError:
        return uuid5(NAMESPACE_URL, name.encode("utf-8", "replace").decode())


def _to_be_made() -> UUID:
    return UUID(int=0)


def _identity(given: Any) -> Any:
    return made_uuid(given) if isinstance(given, str) else given


# What a caller calls a chunk; the contract wants a UUID, so any other text becomes one.
Identity = Annotated[UUID, BeforeValidator(_identity), WithJsonSchema({"type": "string"}, mode="validation")]


class SourceContext(_Door):
    """One retrieved chunk; ``content`` is enough. Ids may be any text: `made_uuid` says what becomes of them."""

    chunk_id: Identity = Field(
        default_factory=_to_be_made,
        description="its own id: a UUID, or any text, of which one is made; made of content",
    )
    document_id: Identity = Field(
        default_factory=_to_be_made, description="the id of what it was cut from, as chunk_id; chunk_id unless given"
    )
    content: Annotated[str, Field(max_length=MAX_SOURCE)] = Field(
        description="the text; offsets into it are code points"
    )
    metadata: Annotated[dict[str, Any], AfterValidator(storable)] = Field(
        default_factory=dict, description="title, section, file and whatever else is known of it"
    )
    relevance_score: float = Field(
        default=0.0,
        allow_inf_nan=False,
        description="how well it fits the question, on any scale: the best are kept when not all fit",
    )

    @model_validator(mode="after")
    def _has_ids(self) -> Self:
        """Without an id it is known by its words, so that the same text has the same id every time."""
        given = self.model_fields_set
        if "chunk_id" not in given:
            self.chunk_id = made_uuid(self.content)
        if "document_id" not in given:
            self.document_id = self.chunk_id
        return self

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


def listed(sources: Any, *, like: str, also: tuple[type, ...] = ()) -> list[Any]:
    """The sources of a caller, each a text, a `SourceContext` or one of ``also``; ``like`` shows how a call is written.

    Raises `ConfigurationError` for anything else, one text alone included: its letters are no sources.
    """
    kinds = (str, SourceContext, *also)
    if isinstance(sources, (bytes, Mapping, *kinds)) or not isinstance(sources, Iterable):
        raise ConfigurationError(f"sources is a list of texts or SourceContext, not {type(sources).__name__}: {like}")
    found = list(sources)
    for source in found:
        if not isinstance(source, kinds):
            raise ConfigurationError(f"a source is a text or a SourceContext, not {type(source).__name__}: {like}")
    return found


class GenerationRequest(_Door):
    """A question, the sources it may be answered from, and how."""

    query: Annotated[str, Field(max_length=MAX_QUERY)] = Field(description="the question, in words")
    context: Annotated[list[SourceContext], Field(max_length=MAX_SOURCES)] = Field(
        default_factory=list, description="the sources it may be answered from, in the order they are numbered"
    )
    config: GenerationConfig = Field(default_factory=GenerationConfig, description="how to answer")
    system_instructions: str | None = Field(
        default=None, description="words of yours that are added to the instructions"
    )
    conversation_history: list[tuple[str, str]] = Field(
        default_factory=list,
        description="finished exchanges so far, oldest first, each what the user said and what was answered",
    )

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

    source_index: int = Field(ge=0, description="0-based index into the request's context")
    chunk_id: UUID = Field(description="the source's chunk_id")
    quoted_text: str = Field(description="the words it rests on, on one line")
    start_pos: int = Field(description="where the marker begins in the response, in code points")
    end_pos: int = Field(description="where the marker ends in the response")
    number: int = Field(ge=1, description="what the reader sees, 1…n in order of first use")
    source_start: int = Field(description="where the words begin in the source's content, in code points")
    source_end: int = Field(description="where they end")
    source_quote: str = Field(description="the words themselves: content[source_start:source_end]")
    source_sha256: str = Field(description="SHA-256 of the source's content, in hex")
    source_title: str = Field(default="", description="what a reader would call the source")
    support: float = Field(ge=0, le=1, description="how strongly the words carry what stands before the marker, 0 to 1")


class EvidenceSpan(_Door):
    """Exact words of a source: ``context[source_index].content[source_start:source_end] == source_quote``."""

    source_index: int = Field(ge=0, description="0-based index into the request's context")
    chunk_id: UUID = Field(description="the source's chunk_id")
    source_start: int = Field(description="where the words begin in the source's content, in code points")
    source_end: int = Field(description="where they end")
    source_quote: str = Field(description="the words themselves")
    support: float = Field(ge=0, le=1, description="how strongly they carry what they stand for, 0 to 1")


class ClaimResult(_Door):
    """One claim of the answer and what its check found.

    ``response[start_pos:end_pos]`` is where it stands; both are ``None`` for a claim that was withheld or taken
    back (``shown`` is false). ``text`` is what stands there, outside JSON's own escapes; of one that was withheld, its
    words without markers. ``flagged`` are places in ``text``.
    """

    text: str = Field(description="the claim as the model wrote it")
    start_pos: int | None = Field(
        description="where it begins in the response, in code points; null where it is not shown"
    )
    end_pos: int | None = Field(description="where it ends; null where it is not shown")
    shown: bool = Field(default=True, description="whether it stands in the response")
    kind: str = Field(
        default="claim", description="claim where it needs support, else what it is: a heading, a greeting, a question"
    )
    verdict: Ruling = Field(default="not_checked", description="what the check found")
    score: float | None = Field(
        default=None, description="probability that the sources carry it, 0 to 1; null where no model was asked"
    )
    tier: Tier = Field(default="none", description="who decided")
    reason: str = Field(default="", description="why, in words for a person")
    evidence: list[EvidenceSpan] = Field(default_factory=list, description="the words it rests on, the strongest first")
    flagged: list[tuple[int, int]] = Field(
        default_factory=list, description="stretches of text, in code points of it, that nothing carries"
    )


class Withheld(_Door):
    """A sentence of the model's that the reader did not see, or that was taken back, and why."""

    text: str = Field(description="As the model wrote it, without its markers.")
    verdict: Ruling = Field(description="What its check found.")
    reason: str = Field(default="", description="Why, in words for people.")


class SourceDisagreement(_Door):
    """Two sources that exclude one another on a point the answer makes, with their own dates where they give one."""

    first: EvidenceSpan = Field(description="what one source says")
    second: EvidenceSpan = Field(description="what the other says")
    first_date: str = Field(default="", description="the first source's own date, where it gives one")
    second_date: str = Field(default="", description="the second source's own date, where it gives one")
    difference: str = Field(description="what they differ in, in words")


class JudgeUsage(_Door):
    """What the model that judged claims cost: calls, and tokens by kind as far as the wire told."""

    calls: int = Field(default=0, description="how often it was asked")
    input: int = Field(default=0, description="tokens read")
    output: int = Field(default=0, description="tokens written")


class TokenUsage(_Door):
    """Tokens by kind; ``estimated`` when the wire gave none."""

    input: int = Field(default=0, description="tokens read, the cached ones among them")
    cached: int = Field(default=0, description="tokens read from the provider's cache")
    output: int = Field(default=0, description="tokens written")
    estimated: bool = Field(default=False, description="whether they were estimated, because the wire gave none")
    judge: JudgeUsage = Field(default_factory=JudgeUsage, description="what the judge cost, not counted above")


class FieldEvidence(_Door):
    """What the check of one field of a structured answer found.

    ``flagged`` are the characters of the field's text (code points) that no source carries. A field that states
    nothing (a null, a choice of the schema's own, a confidence) is ``not_checked``, and ``reason`` says so.
    """

    verdict: Ruling = Field(default="not_checked", description="what the check found")
    score: float | None = Field(
        default=None, description="probability that the sources carry the value, 0 to 1; null where no model was asked"
    )
    tier: Tier = Field(default="none", description="who decided")
    reason: str = Field(default="", description="why, in words for a person")
    evidence: list[EvidenceSpan] = Field(default_factory=list, description="the words it rests on, the strongest first")
    flagged: list[tuple[int, int]] = Field(
        default_factory=list, description="stretches of the value's text, in code points, that no source carries"
    )


class CheckedOutput(_Door, Generic[Output]):
    """A structured answer whose every field was checked.

    ``evidence`` has one entry a field, by its path in the object's JSON (RFC 9535: ``$.amounts[0].pounds``), in the
    object's order. ``flagged`` are the paths that do not stand; ``nulled`` those of them that were taken out of
    ``value``.
    """

    value: SerializeAsAny[Output] = Field(description="the object")
    evidence: dict[str, FieldEvidence] = Field(
        default_factory=dict, description="for each field, by its path, what was found"
    )
    flagged: list[str] = Field(default_factory=list, description="paths of the fields that do not stand")
    nulled: list[str] = Field(default_factory=list, description="those of them whose values were taken out")
    usage: TokenUsage = Field(default_factory=TokenUsage, description="tokens of all replies asked for")


class Refusal(_Door):
    """Why no answer was given, and the passages that came nearest."""

    reason: str = Field(description="no_sources, no_question, not_in_sources or ungrounded")
    message: str = Field(description="the sentence the reader got")
    found: list[EvidenceSpan] = Field(
        default_factory=list, description="the passages that came nearest, the best first"
    )


class Problem(_Door):
    """What went wrong after text had already come: the error's class, and words for a person."""

    type: str = Field(description="what kind of problem: a finish reason")
    message: str = Field(description="what went wrong, in words for a person")


class GenerationResponse(_Door):
    """The whole answer: text, pointers, verdicts, and how it came about."""

    query: str = Field(description="the question")
    response: str = Field(description="the answer's text, markers in it")
    citations: list[InlineCitation] = Field(default_factory=list, description="one entry a marker, in the text's order")
    sources_used: list[UUID] = Field(default_factory=list, description="chunk_ids of the cited sources, by first use")
    sources_provided: int = Field(default=0, description="how many sources the request had")
    sources_omitted: list[UUID] = Field(
        default_factory=list, description="chunk_ids of sources that were not shown to the model"
    )
    grounding_score: float = Field(
        default=0.0, ge=0, le=1, description="share of the answer that the sources carry, 0 to 1"
    )
    confidence: float = Field(
        default=0.0, ge=0, le=1, description="probability that every sentence shown stands, 0 to 1"
    )
    tokens_used: int = Field(default=0, description="tokens read and written")
    latency_ms: float = Field(default=0.0, description="milliseconds from request to end")
    claims: list[ClaimResult] = Field(
        default_factory=list, description="each sentence that was weighed, and what was found"
    )
    withheld: list[Withheld] = Field(
        default_factory=list, description="What stayed behind or was taken back; each is among `claims` too."
    )
    disagreements: list[SourceDisagreement] = Field(
        default_factory=list, description="where sources exclude one another on a point the answer makes"
    )
    finish_reason: FinishReason = Field(
        default=FinishReason.COMPLETE, description="how the answer ended; complete only when the provider said so"
    )
    refusal: Refusal | None = Field(default=None, description="why no answer was given; null where one was")
    error: Problem | None = Field(default=None, description="what cut the answer off; null where nothing did")
    usage: TokenUsage = Field(default_factory=TokenUsage, description="tokens by kind")
    time_to_first_token_ms: float | None = Field(
        default=None, description="milliseconds to the first text; null where none came"
    )
    provider: str = Field(default="", description="who answered")
    model: str | None = Field(default=None, description="the model that was asked")
    attempts: list[Attempt] = Field(default_factory=list, description="each try, with its outcome")
    notes: list[str] = Field(default_factory=list, description="what else a reader should know, in sentences")
    footnoted_version: str = Field(default="", description="the version of this library")

    def to_json(self) -> str:
        """The response as JSON text, stable and indented."""
        return json.dumps(self.model_dump(mode="json"), ensure_ascii=False, indent=2)

    def as_openai(self, link: Callable[[InlineCitation], str] | None = None) -> dict[str, Any]:
        """A chat completion's ``message`` and ``finish_reason``; ``link(citation)`` says where each one leads."""
        from footnoted.shapes import as_openai

        return as_openai(self, link)

    def as_anthropic(self) -> dict[str, Any]:
        """A message of Anthropic's: text blocks, each with the ``char_location`` citations it rests on."""
        from footnoted.shapes import as_anthropic

        return as_anthropic(self)

    def as_cohere(self) -> dict[str, Any]:
        """A message of Cohere's v2 chat, its citations over the sentences they carry."""
        from footnoted.shapes import as_cohere

        return as_cohere(self)
