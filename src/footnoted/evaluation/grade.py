"""Counts what was right in the answer to one case."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from footnoted.answering.weighing import bare, without
from footnoted.grounding.claims import segment
from footnoted.text import runs
from footnoted.types import FinishReason

if TYPE_CHECKING:
    from footnoted.contract import GenerationResponse
    from footnoted.evaluation.cases import Case
    from footnoted.grounding.judge import Weigher
    from footnoted.types import Source

_HALF = 0.5


@dataclass(frozen=True, slots=True)
class Grade:
    """Counts of one answer. ``None`` where a case does not say what would be right.

    ``needing``: sentences that need support; ``cited`` of them have a citation, ``carried`` are carried by exactly
    what they cite, ``supported`` by any source.
    """

    answered: bool
    refusal_right: bool | None
    evidence_met: bool | None
    answer_f1: float | None
    cited: int
    carried: int
    needing: int
    supported: int
    right: bool | None


async def grade(case: Case, response: GenerationResponse, weigher: Weigher) -> Grade:
    """Grade one answer. The weigher decides what a source carries.

    Precision and recall of citations follow Gao et al. 2023 (ALCE, arXiv:2305.14627), per sentence.
    """
    answered = response.finish_reason is not FinishReason.REFUSED
    sources = [context.as_source() for context in case.as_request().context]
    cited = carried = supported = 0
    # Sentences are cut from what the reader saw, whoever wrote it and whether or not it was checked on the way.
    claims = [claim for claim in segment(response.response) if claim.kind == "claim"] if answered else []
    for claim in claims:
        own = [citation for citation in response.citations if claim.start <= citation.start_pos <= claim.end]
        words = bare(without([(c.start_pos - claim.start, c.end_pos - claim.start) for c in own], claim.text))
        by_own = bool(own) and await _carry(words, [sources[i] for i in sorted({c.source_index for c in own})], weigher)
        cited += bool(own)
        carried += by_own
        supported += by_own or await _carry(words, sources, weigher)
    met = _evidence_met(case, response) if answered and case.answerable is not False else None
    f1 = _answer_f1(case, response) if answered and case.answers and case.answerable is not False else None
    return Grade(
        answered=answered,
        refusal_right=None if case.answerable is None else answered == case.answerable,
        evidence_met=met,
        answer_f1=f1,
        cited=cited,
        carried=carried,
        needing=len(claims),
        supported=supported,
        right=_right(case, answered=answered, met=met, f1=f1),
    )


async def _carry(words: str, sources: list[Source], weigher: Weigher) -> bool:
    verdict = await weigher.acheck(words, sources, cited=tuple(range(len(sources))))
    return verdict.ruling == "supported"


def _evidence_met(case: Case, response: GenerationResponse) -> bool | None:
    """Whether a citation quotes a gold sentence (half of either's words), or words that hold a gold answer."""
    quotes = [_words(citation.source_quote) for citation in response.citations]
    if case.evidence:
        gold = [_words(sentence) for sentence in case.evidence]
        return any(_overlap(quote, sentence) for quote in quotes for sentence in gold)
    if case.answers:
        held = [" ".join(quote) for quote in quotes]
        return any(f" {' '.join(_words(answer))} " in f" {quote} " for answer in case.answers for quote in held)
    return None


def _overlap(quote: list[str], sentence: list[str]) -> bool:
    shared = sum((Counter(quote) & Counter(sentence)).values())
    return bool(shared) and shared >= _HALF * min(len(quote), len(sentence))


def _answer_f1(case: Case, response: GenerationResponse) -> float:
    """Best F1 over words with any gold answer, as in SQuAD (Rajpurkar et al. 2016), markers left out."""
    said = response.response
    for citation in sorted(response.citations, key=lambda citation: citation.start_pos, reverse=True):
        said = said[: citation.start_pos] + " " + said[citation.end_pos :]
    given = Counter(_words(said))
    best = 0.0
    for answer in case.answers:
        gold = Counter(_words(answer))
        shared = sum((given & gold).values())
        if shared:
            best = max(best, 2 * shared / (sum(given.values()) + sum(gold.values())))
    return best


def _right(case: Case, *, answered: bool, met: bool | None, f1: float | None) -> bool | None:
    if case.answerable is False:
        return not answered
    if not answered:
        return None if case.answerable is None else False
    if met is not None:
        return met
    return None if f1 is None else f1 >= _HALF


def _words(text: str) -> list[str]:
    return runs(text.casefold())
