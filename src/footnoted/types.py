"""What flows through the river: sources and prompts, deltas, citations, claims and verdicts."""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal, NamedTuple, Protocol, runtime_checkable


class FinishReason(StrEnum):
    """How an answer ended; ``complete`` only when the protocol's own terminal signal came."""

    COMPLETE = "complete"
    LENGTH = "length"
    FILTERED = "filtered"
    TRUNCATED = "truncated"
    ERROR = "error"
    CANCELLED = "cancelled"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Source:
    """A text an answer may rest on. Offsets into ``text`` are code points, as Python's own."""

    id: str
    text: str
    title: str = ""
    metadata: Mapping[str, Any] = field(default_factory=dict)
    score: float | None = None
    sha256: str = ""

    def __post_init__(self) -> None:
        if not self.sha256:
            digest = hashlib.sha256(self.text.encode("utf-8", "surrogatepass")).hexdigest()
            object.__setattr__(self, "sha256", digest)


@dataclass(frozen=True, slots=True)
class Turn:
    """One finished exchange of a conversation."""

    user: str
    assistant: str


@dataclass(frozen=True, slots=True)
class Sampling:
    """How a model may choose its words; ``None`` leaves a knob to the provider."""

    max_tokens: int = 1000
    temperature: float | None = 0.3
    top_p: float | None = None
    top_k: int | None = None


@dataclass(frozen=True, slots=True)
class Schema:
    """A JSON Schema (draft 2020-12) the reply must satisfy, and the name the wire gives it."""

    name: str
    json: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Prompt:
    """Everything a provider needs, once: it maps the parts onto its own protocol.

    The user message of a wire is ``context`` then ``ask``; ``system`` is the stable prefix that
    caches. ``sources[n - 1]`` is what the marker ``[n]`` means. ``question`` is the bare question,
    for providers that read sources rather than prompts.
    """

    question: str
    system: str = ""
    history: tuple[Turn, ...] = ()
    context: str = ""
    ask: str = ""
    sources: tuple[Source, ...] = ()
    sampling: Sampling = Sampling()
    schema: Schema | None = None
    model: str | None = None
    bullets: bool = False

    @property
    def words(self) -> str:
        """All that a model reads."""
        turns = (turn.user + turn.assistant for turn in self.history)
        return "".join((self.system, self.context, self.ask, *turns))


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens by kind. ``input`` counts all tokens read, the ``cached`` ones among them."""

    input: int = 0
    cached: int = 0
    output: int = 0

    @property
    def total(self) -> int:
        """Tokens read and written."""
        return self.input + self.output


@dataclass(frozen=True, slots=True)
class Pointer:
    """A provider's own pointer: ``prompt.sources[source].text[start:end]`` carries the text before it."""

    source: int
    start: int
    end: int


class Delta(NamedTuple):
    """One piece of a reply as it arrives. Any mix of fields; an empty delta says nothing.

    ``pointers`` stand right after ``text``. ``finish_reason`` ends the stream. ``detail`` tells why it
    ended so, in words (a filter's category, an error's message), never to be shown as the answer. ``near``, of one
    who read the sources itself, has the places that came nearest to an answer where there is none; ``detail`` is
    then for the reader: what is missing, or what else to know.
    """

    text: str = ""
    pointers: tuple[Pointer, ...] = ()
    usage: Usage | None = None
    finish_reason: FinishReason | None = None
    detail: str = ""
    near: tuple[Pointer, ...] | None = None


@runtime_checkable
class Provider(Protocol):
    """Anything that turns a prompt into deltas."""

    def stream(self, prompt: Prompt) -> AsyncIterator[Delta]:
        """Yield the reply piece by piece; raise `ProviderError` when it cannot."""
        ...


@dataclass(frozen=True, slots=True)
class Span:
    """Code points ``[start, end)`` of a text."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Citation:
    """A marker in the answer and the exact words of the source it stands on.

    ``number`` is what the reader sees (1…n, by first use); ``source`` the 0-based index into the
    sources given. ``start``/``end`` bound the rendered marker in the answer's text;
    ``source_start``/``source_end`` bound ``quote`` in the source: ``source.text[source_start:source_end]
    == quote`` always. ``support`` (0–1) is how strongly the quote carries the words before the marker.
    """

    number: int
    source: int
    source_id: str
    source_sha256: str
    start: int
    end: int
    source_start: int
    source_end: int
    quote: str
    support: float


@dataclass(frozen=True, slots=True)
class Evidence:
    """Exact words of a source: ``sources[source].text[start:end] == quote``; ``support`` in 0–1."""

    source: int
    start: int
    end: int
    quote: str
    support: float


Ruling = Literal["supported", "contradicted", "unsupported", "unsure", "not_checked"]
Tier = Literal["exact", "model", "judge", "none"]


@dataclass(frozen=True, slots=True)
class Claim:
    """A stretch of the answer that says one thing: ``answer[start:end] == text``.

    ``kind`` is ``claim`` where it needs support. ``under`` is what it completes, if anything: the lead-in or
    heading of its list ("Not covered:"), the header row of its table.
    """

    text: str
    start: int
    end: int
    kind: str = "claim"
    under: str = ""


@dataclass(frozen=True, slots=True)
class Part:
    """One sentence of a claim that has several: where it stands in the claim, and its own verdict."""

    start: int
    end: int
    ruling: Ruling
    score: float | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a check found about a claim, who decided, and the words it rests on.

    ``score`` is the probability (0–1) that the sources carry the claim; ``flagged`` are the words of the
    claim (offsets into its text) that nothing carries; ``parts`` are its sentences, where it has several;
    ``reason`` is for people.
    """

    ruling: Ruling
    score: float | None = None
    tier: Tier = "none"
    evidence: tuple[Evidence, ...] = ()
    flagged: tuple[Span, ...] = ()
    reason: str = ""
    parts: tuple[Part, ...] = ()


@dataclass(frozen=True, slots=True)
class Deadlines:
    """Limits in seconds on *content*, not bytes: a keep-alive resets none. ``None`` switches one off."""

    first_token: float | None = 30.0
    between_tokens: float | None = 20.0
    total: float | None = 120.0


@dataclass(frozen=True, slots=True)
class Retry:
    """How often to ask again before the first token; waits double from ``base`` to ``cap`` seconds, jittered."""

    attempts: int = 3
    base: float = 0.5
    cap: float = 8.0


@dataclass(frozen=True, slots=True)
class Attempt:
    """One try at one provider, with the model that was asked for: what came of it, and how long it took (ms)."""

    provider: str
    outcome: str
    latency_ms: float
    status: int | None = None
    waited_ms: float = 0.0
    model: str | None = None
