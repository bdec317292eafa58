"""Makes the result a caller gets of a finished letter: its citations, its confidence and the reasons for it."""

from __future__ import annotations

from footnoted.assistants.insurance.citation import Citation, used
from footnoted.assistants.insurance.confidence import confidence
from footnoted.assistants.insurance.letter import Letter
from footnoted.assistants.insurance.models import ResponseRequest, ResponseResult
from footnoted.assistants.insurance.phrases import Phrases, language_of
from footnoted.assistants.insurance.sufficiency import sufficiency
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
    quotes: dict[int, list[str]] = {}
    for one in letter.citations:
        if one.quoted_text not in quotes.setdefault(one.source_index, []):
            quotes[one.source_index].append(one.quoted_text)
    every = [
        Citation.of(request.context_chunks[place], number, quotes.get(place, ()))
        for number, place in enumerate(letter.order, start=1)
    ]
    cited = [] if refused else used(letter.body, every, request.citation_style)
    scores = [chunk.relevance_score for chunk in request.context_chunks]
    sure = confidence(answer, scores, request.confidence_config)
    enough = sufficiency(request.query, answer, scores, kind=request.kind, config=request.confidence_config)
    reasons = [sure.reasoning]
    reasons.append("It is enough." if enough.sufficient else f"It is not enough: {'; '.join(enough.reasons)}.")
    if degraded:
        reasons.append("The usual model did not give this answer.")
    said = response.model_copy(
        update={
            "query": request.query,
            "response": answer,
            "citations": [] if refused else letter.citations,
            "claims": _claims(response, letter),
            "notes": [],
            "error": None,
        }
    )
    return ResponseResult(
        answer=answer,
        citations=cited,
        confidence_score=sure.score if request.include_confidence_score else 0.0,
        context_used=len(cited),
        context_available=len(request.context_chunks),
        has_sufficient_context=enough.sufficient and not refused,
        reasoning=" ".join(reasons),
        calibrated_confidence=response.confidence,
        citation_style=request.citation_style,
        language=request.language or language_of(request.query),
        refused=refused,
        degraded=degraded,
        provider=response.provider,
        products=[] if refused else letter.products,
        generation=said,
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


def notes(request: ResponseRequest, letter: Letter, response: GenerationResponse, said: Phrases) -> list[str]:
    """What is said about the answer itself: that a part was held back, goes on in the sources, keeps their language."""
    language = request.language or language_of(request.query)
    notes = []
    if letter.text and any(not told for _, _, told in letter.claims):
        notes.append(said.gap)
    if letter.shortened:
        notes.append(said.shortened)
    quoted = response.provider.endswith("extractive") and bool(letter.text)
    if quoted and any(language_of(chunk.content[:2000]) != language for chunk in request.context_chunks[:1]):
        notes.append(said.quoted)
    room = request.max_response_length - len(letter.text)
    kept = []
    for note in notes:
        if len(note) + 2 <= room:
            kept.append(f"\n\n{note}")
            room -= len(note) + 2
    return kept


def without_sections(
    request: ResponseRequest, answer: str, why: str, *, refused: bool = False, degraded: bool = False
) -> ResponseResult:
    """A result that rests on no section, with confidence 0."""
    return ResponseResult(
        answer=answer,
        context_available=len(request.context_chunks),
        reasoning=why,
        citation_style=request.citation_style,
        language=request.language or language_of(request.query[:LONGEST_QUERY]),
        refused=refused,
        degraded=degraded,
    )
