"""Text and pointers of one reply in; events out, and in the end the whole `GenerationResponse`."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from footnoted.answering.confidence import cited_share
from footnoted.answering.formats import JSON_OPENING, json_closing, json_escape, shaper
from footnoted.answering.refusal import RefusalGate, message, missing, nearest, reads_as_refusal
from footnoted.citations import CitationStream
from footnoted.contract import (
    GenerationResponse,
    InlineCitation,
    OutputFormat,
    Problem,
    Refusal,
    TokenUsage,
)
from footnoted.events import AnswerFinished, TextDelta
from footnoted.text import estimate_tokens
from footnoted.types import Attempt, Delta, FinishReason, Usage

if TYPE_CHECKING:
    from collections.abc import Sequence

    from footnoted.contract import GenerationRequest
    from footnoted.events import Event
    from footnoted.prompting.budget import Fitted
    from footnoted.types import Citation, Prompt


class Page:
    """One answer being written: what has been said, cited and counted so far."""

    def __init__(self, request: GenerationRequest, prompt: Prompt, fitted: Fitted, *, started: float) -> None:
        self._request = request
        self._prompt = prompt
        self._fitted = fitted
        self._started = started
        config = request.config
        self._as_json = config.output_format is OutputFormat.JSON
        self._gate: RefusalGate | None = RefusalGate()
        self._shaper = shaper(config.output_format)
        self._cited = CitationStream(
            prompt.sources,
            style=config.citation_style,
            show=config.include_citations,
            encode=json_escape if self._as_json else None,
            offset=len(JSON_OPENING) if self._as_json else 0,
        )
        self._text: list[str] = []
        self._first_at: float | None = None
        self._reason: list[str] | None = None  # what the model says is missing, once it refuses
        self._usage: Usage | None = None
        self._finish = FinishReason.COMPLETE
        self._detail = ""
        self._refusal: Refusal | None = None

    def write(self, delta: Delta) -> list[Event]:
        """The events one delta gives rise to."""
        if delta.usage is not None:
            self._usage = delta.usage
        if delta.finish_reason is not None:
            self._finish, self._detail = delta.finish_reason, delta.detail
        if not delta.text and not delta.pointers:
            return []
        text = delta.text
        if self._gate is not None:
            text = self._gate.decode(text)
            if self._gate.refused:
                self._reason = [*(self._reason or ()), text]
                return []
            if not text:
                return []
            self._gate = None
        elif self._reason is not None:
            self._reason.append(text)
            return []
        return self._show(text, delta)

    def _show(self, text: str, delta: Delta) -> list[Event]:
        if self._first_at is None:
            self._first_at = time.perf_counter()
        if self._shaper is not None:
            text = self._shaper.decode(text)
        return self._keep(self._cited.decode(text, delta.pointers))

    def _keep(self, events: Sequence[Event]) -> list[Event]:
        opened = bool(self._text)
        for event in events:
            if isinstance(event, TextDelta):
                self._text.append(event.text)
        if self._as_json and not opened and self._text:
            self._text.insert(0, JSON_OPENING)
            return [TextDelta(JSON_OPENING, 0), *events]
        return list(events)

    def close(self) -> list[Event]:
        """The last events before the ending: what was held back, a list of citations, a refusal's sentence."""
        events: list[Event] = []
        if self._gate is not None and not self._gate.refused:
            events += self._show(self._gate.flush(), Delta())
        if self._shaper is not None:
            events += self._keep(self._cited.decode(self._shaper.flush()))
        whole = self._finish in (FinishReason.COMPLETE, FinishReason.LENGTH)
        events += self._keep(self._cited.flush(listing=whole and not self._as_json))
        said_no = reads_as_refusal("".join(self._text), cited=bool(self._cited.citations))
        if self._gate is not None and self._gate.refused:
            events += self.refuse("not_in_sources", detail=missing("".join(self._reason or ())))
        elif self._finish is FinishReason.REFUSED:
            events += self.refuse("not_in_sources", detail=self._detail)
        elif said_no and self._finish is FinishReason.COMPLETE:
            self._refused("not_in_sources", "".join(self._text).strip())
        if self._as_json:
            events += self._close_json()
        return events

    def refuse(self, reason: str, *, detail: str = "") -> list[Event]:
        """Say that there is no answer, in the format asked for."""
        said = message(reason)
        if detail and self._gate is not None and self._gate.refused:
            said = f"{said} Missing: {detail}"
        self._refused(reason, said)
        text = f"- {said}" if self._request.config.output_format is OutputFormat.BULLETS else said
        events = [
            *self._cited.decode(f"\n\n{text}" if self._text else text),
            *self._cited.flush(listing=False),
        ]
        return self._keep(events)

    def _refused(self, reason: str, said: str) -> None:
        self._finish = FinishReason.REFUSED
        found = nearest(self._request.query, self._request.context)
        self._refusal = Refusal(reason=reason, message=said, found=found)

    def _close_json(self) -> list[Event]:
        events: list[Event] = []
        if not self._text:
            self._text.append(JSON_OPENING)
            events.append(TextDelta(JSON_OPENING, 0))
        closing = json_closing(self._cited.citations, self._prompt.sources, self._finish)
        start = sum(map(len, self._text))
        self._text.append(closing)
        return [*events, TextDelta(closing, start)]

    def finish(self, attempts: Sequence[Attempt]) -> AnswerFinished:
        """The whole response."""
        context, kept = self._request.context, self._fitted.kept
        text = "".join(self._text)
        usage = self._usage or self._estimated(text)
        score, confidence = cited_share(text, self._cited.citations, refused=self._refusal is not None)
        served = attempts[-1] if attempts else None
        now = time.perf_counter()
        return AnswerFinished(
            GenerationResponse(
                query=self._request.query,
                response=text,
                citations=[self._as_inline(citation) for citation in self._cited.citations],
                sources_used=[context[kept[index]].chunk_id for index in self._cited.order],
                sources_provided=len(context),
                sources_omitted=[context[index].chunk_id for index in self._fitted.omitted],
                grounding_score=score,
                confidence=confidence,
                tokens_used=usage.total,
                latency_ms=(now - self._started) * 1000,
                finish_reason=self._finish,
                refusal=self._refusal,
                error=self._problem(),
                usage=TokenUsage(
                    input=usage.input, cached=usage.cached, output=usage.output, estimated=self._usage is None
                ),
                time_to_first_token_ms=(self._first_at - self._started) * 1000 if self._first_at else None,
                provider=served.provider if served else "",
                model=self._prompt.model,
                attempts=list(attempts),
                notes=self._notes(),
            )
        )

    def _problem(self) -> Problem | None:
        if self._finish in (FinishReason.TRUNCATED, FinishReason.ERROR, FinishReason.FILTERED):
            return Problem(type=self._finish.value, message=self._detail or f"the answer ended as {self._finish.value}")
        return None

    def _estimated(self, text: str) -> Usage:
        if self._first_at is None:
            return Usage()
        prompt = self._prompt
        read = "".join((prompt.system, prompt.context, prompt.ask, *(t.user + t.assistant for t in prompt.history)))
        return Usage(input=estimate_tokens(read), output=estimate_tokens(text))

    def _notes(self) -> list[str]:
        notes = []
        empty = sum(not source.content.strip() for source in self._request.context)
        if empty:
            notes.append(f"{empty} of {len(self._request.context)} sources hold no text")
        left_out = len(self._fitted.omitted) - empty
        if left_out > 0:
            notes.append(
                f"{left_out} of {len(self._request.context)} sources were left out: repeats, or over the budget of "
                f"{self._request.config.context_tokens} tokens (config.context_tokens)"
            )
        if self._fitted.excerpted:
            notes.append("the best source is longer than the budget, so the part nearest the question was shown")
        if self._finish is FinishReason.LENGTH:
            notes.append(f"the answer was cut at {self._request.config.max_tokens} tokens (config.max_tokens)")
        return notes

    def _as_inline(self, citation: Citation) -> InlineCitation:
        index = self._fitted.kept[citation.source]
        return InlineCitation(
            source_index=index,
            chunk_id=self._request.context[index].chunk_id,
            quoted_text=" ".join(citation.quote.split()),
            start_pos=citation.start,
            end_pos=citation.end,
            number=citation.number,
            source_start=citation.source_start,
            source_end=citation.source_end,
            source_quote=citation.quote,
            source_sha256=citation.source_sha256,
            support=citation.support,
        )
