"""Makes the result a caller gets of a finished letter: its citations, its confidence and the reasons for it.

Both ways of answering end here: a written answer (`assessed`), and clauses that are only quoted (`result_of`).
"""

from __future__ import annotations

from footnoted.assistants.insurance.citation import Citation, used
from footnoted.assistants.insurance.confidence import confidence, sufficiency
from footnoted.assistants.insurance.letter import Letter
from footnoted.assistants.insurance.models import ResponseRequest, ResponseResult
from footnoted.assistants.insurance.phrases import language_of, phrases
from footnoted.contract import ClaimResult, GenerationResponse
from footnoted.types import FinishReason

LONGEST_QUERY = 4_000  # code points of a question that are read


def assessed(
    request: ResponseRequest,
    letter: Letter,
    response: GenerationResponse,
    *,
    answer: str,
    degraded: bool = False,
) -> ResponseResult:
    """The result: which citations the answer uses, how sure one may be, whether it is enough, and why."""
    refused = response.finish_reason is FinishReason.REFUSED
    cited = [] if refused else used(letter.body, citations_of(request, letter), request.citation_style)
    scores = [chunk.relevance_score for chunk in request.context_chunks]
    enough = sufficiency(
        request.query, letter.less_notes(answer), scores, kind=request.kind, config=request.confidence_config
    )
    why = "It is enough." if enough.sufficient else f"It is not enough: {'; '.join(enough.reasons)}."
    if degraded:
        why += " The usual model did not give this answer."
    changed = {
        "query": request.query,
        "response": answer,
        "citations": [] if refused else letter.citations,
        "claims": _claims(response, letter),
        "notes": [],
        "error": None,
    }
    return result_of(
        request,
        letter,
        response.model_copy(update=changed),
        cited,
        sufficient=enough.sufficient and not refused,
        why=why,
        degraded=degraded,
    )


def citations_of(request: ResponseRequest, letter: Letter) -> list[Citation]:
    """Every section by its number in the letter, with the words of it that are quoted there."""
    quotes: dict[int, list[str]] = {}
    for mark in letter.citations:
        if mark.quoted_text not in quotes.setdefault(mark.source_index, []):
            quotes[mark.source_index].append(mark.quoted_text)
    return [
        Citation.of(request.context_chunks[place], number, quotes.get(place, ()))
        for number, place in enumerate(letter.order, start=1)
    ]


def result_of(
    request: ResponseRequest,
    letter: Letter,
    generation: GenerationResponse,
    cited: list[Citation],
    *,
    sufficient: bool,
    why: str,
    degraded: bool = False,
    asks: str = "",
) -> ResponseResult:
    """The result of a letter that was written from sections, ``why`` after the steps of its confidence."""
    answer, refused = generation.response, generation.finish_reason is FinishReason.REFUSED
    scores = [chunk.relevance_score for chunk in request.context_chunks]
    sure = confidence(letter.less_notes(answer), scores, request.confidence_config)
    return ResponseResult(
        answer=answer,
        citations=cited,
        confidence_score=sure.score if request.include_confidence_score and not asks else 0.0,
        include_confidence_score=request.include_confidence_score,
        context_used=len(cited),
        context_available=len(request.context_chunks),
        has_sufficient_context=sufficient,
        reasoning=f"{sure.reasoning} {why}",
        calibrated_confidence=generation.confidence,
        citation_style=request.citation_style,
        language=request.spoken,
        refused=refused,
        asks=asks,
        degraded=degraded,
        provider=generation.provider,
        products=letter.products,
        generation=generation,
    )


def _claims(response: GenerationResponse, letter: Letter) -> list[ClaimResult]:
    """The core's claims at the places they have in the letter; those that did not fit are not shown."""
    found: list[ClaimResult] = []
    for claim in response.claims:
        placed = letter.places.get(claim.start_pos) if claim.shown and claim.start_pos is not None else None
        if placed is None:
            found.append(claim.model_copy(update={"start_pos": None, "end_pos": None, "shown": False}))
            continue
        here = {"text": placed.text, "start_pos": placed.start, "end_pos": placed.end, "shown": True}
        found.append(claim.model_copy(update=here))
    return found


def notes(request: ResponseRequest, letter: Letter, response: GenerationResponse) -> list[str]:
    """What is said about the answer itself: that a part was held back, goes on in the sources, keeps their language."""
    said = phrases(request.spoken)
    notes = []
    if letter.text and any(not shown for _, _, shown in letter.claims):
        notes.append(said.gap)
    if letter.shortened:
        notes.append(said.shortened)
    quoted = response.provider.endswith("extractive") and bool(letter.text)
    if quoted and language_of(request.context_chunks[0].content) != request.spoken:
        notes.append(said.quoted)
    return notes


def without_sections(
    request: ResponseRequest, answer: str, why: str, *, refused: bool = False, degraded: bool = False, asks: str = ""
) -> ResponseResult:
    """A result that rests on no section, with confidence 0."""
    return ResponseResult(
        answer=answer,
        include_confidence_score=request.include_confidence_score,
        context_available=len(request.context_chunks),
        reasoning=why,
        citation_style=request.citation_style,
        language=request.spoken,
        refused=refused,
        asks=asks,
        degraded=degraded,
    )
