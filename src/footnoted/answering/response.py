"""Builds the `GenerationResponse` of a finished page."""

from __future__ import annotations

import time
from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence

from footnoted import __version__
from footnoted.answering.page import Page
from footnoted.answering.weighing import BUSY, NEEDS_SUPPORT
from footnoted.contract import (
    ClaimResult,
    GenerationResponse,
    InlineCitation,
    JudgeUsage,
    Problem,
    SourceDisagreement,
    TokenUsage,
    Withheld,
)
from footnoted.grounding.gate import sureness
from footnoted.text import estimate_tokens, sentences
from footnoted.types import Attempt, Citation, Claim, FinishReason, Ruling, Usage, Verdict

_WHY: dict[Ruling, str] = {
    "supported": "less sure than asked for",
    "unsure": "not clear",
    "unsupported": "not carried by the sources",
    "contradicted": "contradicted by the sources",
    "not_checked": "not checked",
}
_BROKEN = (FinishReason.TRUNCATED, FinishReason.ERROR, FinishReason.FILTERED)


def response_of(page: Page, attempts: Sequence[Attempt]) -> GenerationResponse:
    """The response of a page on which nothing more will be written."""
    now = time.perf_counter()
    context = page.request.context
    gone = _Gone(page.retracted)
    text = gone.cut(page.text)
    citations = [_inline(page, each, gone) for each in page.cited.citations if not gone.covers(each.start)]
    used = dict.fromkeys(citation.source_index for citation in citations)
    claims = [_claim(page, *each, gone) for each in page.verdicts]
    usage = page.usage or _estimated(page, text)
    refused = page.refusal is not None
    if any(claim.kind == NEEDS_SUPPORT for claim in claims):
        grounding, confidence = _weighed_share(claims, refused=refused)
    else:
        grounding, confidence = _cited_share(text, page.cited.citations, refused=refused)
    served = attempts[-1] if attempts else None
    return GenerationResponse(
        query=page.request.query,
        response=text,
        citations=citations,
        sources_used=[context[index].chunk_id for index in used],
        sources_provided=len(context),
        sources_omitted=[context[index].chunk_id for index in page.fitted.omitted],
        grounding_score=grounding,
        confidence=confidence,
        tokens_used=usage.total,
        latency_ms=(now - page.started) * 1000,
        claims=claims,
        withheld=[
            Withheld(text=each.text, verdict=each.verdict, reason=each.reason) for each in claims if not each.shown
        ],
        disagreements=[
            SourceDisagreement(
                first=page.given.span(each.first),
                second=page.given.span(each.second),
                first_date=each.first_date,
                second_date=each.second_date,
                difference=each.difference,
            )
            for each in page.disagreements
        ],
        finish_reason=page.finish,
        refusal=page.refusal,
        error=_problem(page),
        usage=TokenUsage(
            input=usage.input,
            cached=usage.cached,
            output=usage.output,
            estimated=page.usage is None,
            judge=JudgeUsage(calls=page.spent.calls, input=page.spent.usage.input, output=page.spent.usage.output),
        ),
        time_to_first_token_ms=(page.first_at - page.started) * 1000 if page.first_at is not None else None,
        provider=served.provider if served else "",
        model=served.model if served else None,
        attempts=list(attempts),
        notes=_notes(page),
        footnoted_version=__version__,
    )


class _Gone:
    """What was taken back: offsets of what the reader was told become offsets of what still stands."""

    def __init__(self, ranges: Sequence[tuple[int, int]]) -> None:
        self._ranges = sorted(ranges)
        self._starts = [start for start, _ in self._ranges]

    def covers(self, at: int) -> bool:
        place = bisect_right(self._starts, at) - 1
        return place >= 0 and at < self._ranges[place][1]

    def moved(self, at: int) -> int:
        return at - sum(min(end, at) - start for start, end in self._ranges if start < at)

    def cut(self, text: str) -> str:
        for start, end in reversed(self._ranges):
            text = text[:start] + text[end:]
        return text


def _cited_share(text: str, citations: Sequence[Citation], *, refused: bool) -> tuple[float, float]:
    """Grounding and confidence (0–1) from pointers alone, for answers whose claims were not weighed.

    Grounding is the share of the answer's characters in sentences that carry a citation, each weighed by
    its best support; confidence is the mean support of those sentences.
    """
    if refused or not citations:
        return 0.0, 0.0
    total = weight = 0.0
    supports = []
    for span in sentences(text):
        length = span.end - span.start
        own = [c.support for c in citations if span.start <= c.start <= span.end]
        total += length
        if own:
            weight += length * max(own)
            supports.append(max(own))
    if not supports:
        return 0.0, 0.0
    return min(1.0, weight / total), min(1.0, sum(supports) / len(supports))


def _weighed_share(claims: Sequence[ClaimResult], *, refused: bool) -> tuple[float, float]:
    """Grounding (weighed by length) and confidence (0–1) from verdicts, over the claims that were shown.

    Grounding is the share of the text whose claims are supported (one that is unsure counts half); confidence the
    calibrated probability that all of them stand, nothing where one was not checked.
    """
    shown = [claim for claim in claims if claim.kind == "claim" and claim.shown]
    total = sum(len(claim.text) for claim in shown)
    if refused or not total:
        return 0.0, 0.0
    worth = {"supported": 1.0, "unsure": 0.5}
    grounding = sum(len(claim.text) * worth.get(claim.verdict, 0.0) for claim in shown) / total
    return min(1.0, grounding), sureness([claim.score for claim in shown])


def _inline(page: Page, citation: Citation, gone: _Gone) -> InlineCitation:
    index = page.given.citation(citation).source
    return InlineCitation(
        source_index=index,
        chunk_id=page.request.context[index].chunk_id,
        quoted_text=" ".join(citation.quote.split()),
        start_pos=gone.moved(citation.start),
        end_pos=gone.moved(citation.end),
        number=citation.number,
        source_start=citation.source_start,
        source_end=citation.source_end,
        source_quote=citation.quote,
        source_sha256=citation.source_sha256,
        source_title=page.prompt.sources[citation.source].title,
        support=citation.support,
    )


def _claim(page: Page, claim: Claim, verdict: Verdict, shown: bool, gone: _Gone) -> ClaimResult:
    standing = shown and not gone.covers(claim.start)
    return ClaimResult(
        text=claim.text,
        start_pos=gone.moved(claim.start) if standing else None,
        end_pos=gone.moved(claim.end) if standing else None,
        shown=standing,
        kind=claim.kind,
        **page.given.told(verdict),
    )


def _problem(page: Page) -> Problem | None:
    if page.finish not in _BROKEN:
        return None
    return Problem(type=page.finish.value, message=page.detail or f"the answer ended as {page.finish.value}")


def _estimated(page: Page, text: str) -> Usage:
    if page.first_at is None:
        return Usage()
    return Usage(input=estimate_tokens(page.prompt.words), output=estimate_tokens(text))


def _notes(page: Page) -> list[str]:
    context, config = page.request.context, page.request.config
    notes = [page.remark] if page.remark else []
    empty = sum(not source.content.strip() for source in context)
    if empty:
        notes.append(f"{empty} of {len(context)} sources hold no text")
    left_out = len(page.fitted.omitted) - empty
    if left_out > 0:
        notes.append(
            f"{left_out} of {len(context)} sources were left out: repeats, or over the budget of "
            f"{config.context_tokens} tokens (config.context_tokens)"
        )
    if page.fitted.excerpted:
        notes.append("the best source is longer than the budget: the part nearest the question was shown")
    if page.finish is FinishReason.LENGTH:
        notes.append(f"the answer was cut at {config.max_tokens} tokens (config.max_tokens)")
    if said := _counted(page, shown=False):
        kept = "1 sentence was" if said[0] == 1 else f"{said[0]} sentences were"
        notes.append(f"{kept} withheld: {said[1]}")
    if said := _counted(page, shown=True):
        shown = "1 sentence shown does" if said[0] == 1 else f"{said[0]} sentences shown do"
        notes.append(f"{shown} not stand: {said[1]}")
    late = sum(verdict.reason == BUSY for _, verdict, _ in page.verdicts)
    if late:
        notes.append(f"{late} not checked: the check was busy until the answer's time was over")
    return notes


def _counted(page: Page, *, shown: bool) -> tuple[int, str] | None:
    """How many sentences were withheld, or shown and do not stand, and why; nothing where there is none."""
    rulings = [verdict.ruling for _, verdict, seen in page.verdicts if seen is shown]
    found = Counter(_WHY[one] for one in rulings if not shown or one in ("contradicted", "unsupported"))
    return (found.total(), ", ".join(f"{count} {why}" for why, count in found.items())) if found else None
