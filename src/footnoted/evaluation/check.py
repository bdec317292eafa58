"""Checks any system's answer against its sources, sentence by sentence."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from pydantic import BaseModel, ValidationError

from footnoted.answering.proof import PointerCheck, check_pointers
from footnoted.answering.watch import Watch
from footnoted.answering.weighing import Checking, bare
from footnoted.contract import GenerationResponse
from footnoted.errors import SourceError
from footnoted.evaluation.reading import first_fault, sources_of
from footnoted.grounding.claims import segment
from footnoted.grounding.judge import Weigher
from footnoted.types import Ruling, Source, Tier, Verdict

PATIENCE = 60.0  # seconds for one sentence; nobody waits for a stream here
_UNHEARD_OF = Verdict("unsupported", score=0.0, tier="exact", reason="no passage speaks of any of this")
ANSWER_NAMES = "response", "answer", "output", "result", "text"  # what other systems call an answer


class EvidenceFound(BaseModel):
    """The words a verdict rests on: ``start``/``end`` are code points of the passage called ``source``."""

    source: str
    start: int
    end: int
    quote: str


class ClaimCheck(BaseModel):
    """One sentence and its verdict."""

    text: str
    start: int
    end: int
    verdict: Ruling
    score: float | None
    tier: Tier
    reason: str
    evidence: list[EvidenceFound]


class CheckReport(BaseModel):
    """Everything a check found; ``stands`` is whether all of it does."""

    stands: bool
    pointers: list[PointerCheck]
    claims: list[ClaimCheck]


@dataclass(frozen=True, slots=True)
class Given:
    """An answer as it was handed over: its text, its pointers if it is our own, its sources if it brought any."""

    text: str
    saved: GenerationResponse | None = None
    sources: tuple[Source, ...] = ()


def read_answer(text: str, *, name: str = "the answer") -> Given:
    """Plain text, an answer of `footnoted ask --json`, or any JSON object with an answer and its sources.

    Raises `SourceError` for JSON that looks like an answer and is not whole.
    """
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return Given(text)
    if not isinstance(data, dict):
        return Given(text)
    if "citations" in data and "response" in data:
        try:
            saved = GenerationResponse.model_validate(data)
        except ValidationError as error:
            raise SourceError(f"{name} looks like a saved answer but is not one: {first_fault(error)}") from error
        return Given(saved.response, saved)
    answer = next((data[key] for key in ANSWER_NAMES if isinstance(data.get(key), str)), None)
    try:
        sources = sources_of(data)
    except SourceError as error:
        raise SourceError(f"{name}: {error}") from error
    if answer is None or sources is None:
        return Given(text)
    return Given(answer, sources=as_sources(sources))


def as_sources(given: Sequence[tuple[str, str]]) -> tuple[Source, ...]:
    """Titles and texts as sources, known by their places."""
    return tuple(Source(id=str(place), text=text, title=title) for place, (title, text) in enumerate(given, start=1))


async def check_answer(
    given: Given,
    find: Callable[[str], Sequence[Source]] | None = None,
    *,
    weigher: Weigher,
    all_sources: Sequence[Source] | None = None,
    pointers_only: bool = False,
) -> CheckReport:
    """Weigh every claim of an answer. ``find`` gives the passages a sentence is held against.

    ``all_sources`` are what the pointers of a saved answer are looked up in. Either is the answer's own sources if
    left out.
    """
    there = given.sources if all_sources is None else all_sources
    pointers = check_pointers(given.saved, there) if given.saved else []
    claims = [] if pointers_only else await _weigh(given.text, find or (lambda _: given.sources), weigher)
    stands = all(pointer.standing in ("stands", "moved") for pointer in pointers)
    stands = stands and all(claim.verdict == "supported" for claim in claims)
    return CheckReport(stands=stands, pointers=pointers, claims=claims)


async def _weigh(text: str, find: Callable[[str], Sequence[Source]], weigher: Weigher) -> list[ClaimCheck]:
    checking = Checking(weigher, wait=PATIENCE)
    found = []
    for claim in segment(text):
        words = bare(claim.text)
        sources = find(words)
        here = replace(checking, watch=Watch("", sources))
        if not here.weighs(claim):
            continue
        verdict = await here.of(claim, words, sources, ()) if sources else _UNHEARD_OF
        found.append(
            ClaimCheck(
                text=claim.text,
                start=claim.start,
                end=claim.end,
                verdict=verdict.ruling,
                score=verdict.score,
                tier=verdict.tier,
                reason=verdict.reason,
                evidence=[
                    EvidenceFound(
                        source=str(sources[evidence.source].metadata.get("file") or sources[evidence.source].title),
                        start=evidence.start,
                        end=evidence.end,
                        quote=evidence.quote,
                    )
                    for evidence in verdict.evidence
                ],
            )
        )
    return found
