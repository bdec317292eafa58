"""What the tools take and give, as the schemas a client sees."""

from __future__ import annotations

import json
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from footnoted.contract import ClaimResult, GenerationRequest, GenerationResponse, SourceContext
from footnoted.errors import SourceError
from footnoted.evaluation.check import CheckReport, ClaimCheck
from footnoted.integrations.proxy.acts import dicts
from footnoted.integrations.proxy.conversation import held
from footnoted.types import FinishReason, Ruling, Source

DOCUMENTS, PASSAGES = "footnoted://documents/", "footnoted://passages/"
MAX_QUESTION = 8_000
MAX_ANSWER = 200_000
MAX_SOURCE = 1_000_000  # code points of one source
MAX_SOURCES = 100
MAX_ALL = 5_000_000  # code points of all sources of a call


Conversation = Annotated[
    list[dict[str, Any]] | None,
    Field(max_length=2_000, description="messages as OpenAI's or Anthropic's API takes them, tool results among them"),
]


class GivenSource(BaseModel):
    """A text to answer from or to check against."""

    model_config = ConfigDict(extra="forbid")

    text: Annotated[str, Field(min_length=1, max_length=MAX_SOURCE)]
    title: Annotated[str, Field(max_length=500, description="what a reader would call it")] = ""


class Cited(BaseModel):
    """What a marker in the answer stands on: ``quote`` is in the source at ``[start, end)``, code points."""

    number: int
    source: str
    quote: str
    start: int
    end: int
    file: str | None = None
    page: str | None = None
    passage: str | None = Field(default=None, description="the resource that start and end count in")


class Weighed(BaseModel):
    """One sentence and its verdict; ``quote`` are the source's words that decide."""

    text: str
    verdict: Ruling
    score: float | None
    reason: str
    source: str | None = None
    quote: str | None = None


class Answered(BaseModel):
    """``finish_reason`` is ``complete`` only for a whole answer; ``refused`` means the sources do not hold one."""

    answer: str
    finish_reason: FinishReason
    confidence: float
    citations: list[Cited]
    claims: list[Weighed]
    refusal: str | None = None
    nearest: list[Cited] = Field(default_factory=list, description="when refused: the passages that came nearest")
    problem: str | None = None
    notes: list[str] = Field(default_factory=list)


class Checked(BaseModel):
    """``stands``: every sentence that needs support has it."""

    stands: bool
    claims: list[Weighed]


def answered(response: GenerationResponse, request: GenerationRequest) -> Answered:
    """A response as a client gets it: names of sources instead of indices."""
    sources = request.context
    return Answered(
        answer=response.response,
        finish_reason=response.finish_reason,
        confidence=response.confidence,
        citations=[
            _cited(c.number, sources[c.source_index], c.source_start, c.source_end, c.source_quote)
            for c in response.citations
        ],
        claims=[
            _weighed(claim, [(sources[words.source_index].title, words.source_quote) for words in claim.evidence])
            for claim in response.claims
            if claim.shown
        ],
        refusal=response.refusal.reason if response.refusal else None,
        nearest=[
            _cited(place, sources[near.source_index], near.source_start, near.source_end, near.source_quote)
            for place, near in enumerate(response.refusal.found if response.refusal else (), start=1)
        ],
        problem=response.error.message if response.error else None,
        notes=response.notes,
    )


def checked(report: CheckReport) -> Checked:
    """A report as a client gets it."""
    claims = [_weighed(claim, [(words.source, words.quote) for words in claim.evidence]) for claim in report.claims]
    return Checked(stands=report.stands, claims=claims)


def _weighed(claim: ClaimResult | ClaimCheck, evidence: list[tuple[str, str]]) -> Weighed:
    """``evidence``: sources and their words, those first that decide."""
    source, quote = evidence[0] if evidence else (None, None)
    return Weighed(
        text=claim.text, verdict=claim.verdict, score=claim.score, reason=claim.reason, source=source, quote=quote
    )


def of_conversation(messages: list[dict[str, Any]] | None, answer: str | None) -> tuple[str, tuple[Source, ...]]:
    """The text to weigh, and the sources that a conversation holds, in whichever of three protocols it is written.

    Raises `SourceError` where there is nothing to weigh, or a conversation without sources.
    """
    if messages is None:
        if answer is None:
            raise SourceError("there is nothing to check: pass answer, or conversation")
        return answer, ()
    if len(json.dumps(messages)) > MAX_ALL:
        raise SourceError(f"the conversation is longer than {MAX_ALL:,} characters; send the turns that matter")
    items = any(str(message.get("type", "")).startswith("function_call") for message in messages)
    found = held("responses", {"input": messages}) if items else held("chat", {"messages": messages})
    if not found.sources:
        raise SourceError("the conversation holds no sources: no result of a tool, no document, no passage")
    answers = [text for message in messages if message.get("role") == "assistant" and (text := _said(message))]
    if answer is None and not answers:
        raise SourceError("the conversation holds no answer: pass one")
    return answer if answer is not None else answers[-1], found.sources


def _said(message: dict[str, Any]) -> str:
    content = message.get("content")
    if isinstance(content, str):
        return content
    return "".join(str(block["text"]) for block in dicts(content) if isinstance(block.get("text"), str))


def in_words(answer: Answered) -> str:
    """The answer with its sources below it, for a client that reads text."""
    lines = [answer.answer]
    if answer.citations:
        lines.append("")
    cited = (f"[{c.number}] {c.source}: “{' '.join(c.quote.split())}”" for c in answer.citations)
    lines += dict.fromkeys(cited)
    if answer.problem:
        lines += ["", f"This answer is not whole: {answer.problem}"]
    return "\n".join(lines)


def _cited(number: int, source: SourceContext, start: int, end: int, quote: str) -> Cited:
    file, page = source.metadata.get("file"), source.metadata.get("page")
    return Cited(
        number=number,
        source=source.title,
        quote=quote,
        start=start,
        end=end,
        file=None if file is None else str(file),
        page=None if page is None else str(page),
        passage=f"{PASSAGES}{source.chunk_id}" if file is not None else None,
    )
