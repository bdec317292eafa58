"""Says which claims of a response its sources carry, and gives the response without the rest."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import asdict, replace
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from footnoted.contract import SourceContext, listed
from footnoted.errors import ConfigurationError
from footnoted.grounding.check import Checker
from footnoted.grounding.claims import segment
from footnoted.grounding.forms import NOT_READ, in_words_of
from footnoted.grounding.judge import OPEN, Weigher
from footnoted.inert import storable
from footnoted.text import content_stems
from footnoted.text.marks import cited
from footnoted.types import Claim, Ruling, Source, Tier, Verdict

Action = Literal["remove", "flag", "rewrite"]
FLAG, UNVERIFIED = " [unsupported]", " [unverified]"
FAILED = ("contradicted", "unsupported")
_ASKED = 'check_grounding("The excess is £75.", ["The excess is £75 a claim."])'


class _Result(BaseModel):
    model_config = ConfigDict(extra="forbid")


class GroundingEvidence(_Result):
    """Exact words of a source: ``sources[source]`` has ``quote`` at ``[start, end)`` in code points."""

    source: int = Field(description="0-based index into the sources")
    start: int = Field(description="where the words begin in the source, in code points")
    end: int = Field(description="where they end")
    quote: str = Field(description="the words themselves")
    support: float = Field(description="how strongly they carry the claim, 0 to 1")


class ClaimGrounding(_Result):
    """One claim of the response, ``response[start:end]``. ``source`` is the index of the source it rests on."""

    claim: str = Field(description="the claim's words")
    supported: bool = Field(description="whether the sources carry it")
    source: int | None = Field(description="index of the source it rests on; null where there is none")
    verdict: Ruling = Field(description="what the check found")
    score: float | None = Field(
        description="probability that the sources carry it, 0 to 1; null where no model was asked"
    )
    tier: Tier = Field(description="who decided")
    reason: str = Field(description="why, in words for a person")
    start: int = Field(description="where it begins in the response, in code points")
    end: int = Field(description="where it ends")
    evidence: list[GroundingEvidence] = Field(description="the words it rests on, the strongest first")
    flagged: list[tuple[int, int]] = Field(
        description="stretches of the claim, in code points of it, that nothing carries"
    )


class GroundingResult(_Result):
    """``grounded``: every claim that needs support has it. ``confidence`` (0–1): how sure it is that all stand."""

    grounded: bool = Field(description="whether every claim that needs support has it")
    claims: list[ClaimGrounding] = Field(description="each claim that needs support, in the response's order")
    ungrounded_claims: list[str] = Field(description="the words of those that the sources do not carry")
    unsure_claims: list[str] = Field(description="the words of those of which that could not be told")
    confidence: float = Field(ge=0, le=1, description="probability that all of them stand, 0 to 1")


class HallucinationDetector:
    """Weighs a finished response against its sources with the shipped tiers: no network, no key.

    ``checker`` is what decides instead: a `Judge` alone, a `Cascade` of the shipped tiers and a judge, or your own.
    ``rewriter(claim, quotes)`` writes one claim anew from the words of its evidence, for ``action="rewrite"``.
    """

    def __init__(
        self,
        checker: Weigher | None = None,
        *,
        rewriter: Callable[[str, Sequence[str]], Awaitable[str]] | None = None,
    ) -> None:
        self._checker = checker or Checker()
        self._rewriter = rewriter

    async def check_grounding(self, response: str, sources: Sequence[str | SourceContext | Source]) -> GroundingResult:
        """Every claim of the response with its verdict and evidence.

        Greetings and lead-ins are no claims. A heading, a question and code are not read: they are ``not_checked``,
        unless the sources hold their words.
        """
        given = _given(response, sources)
        response = storable(response)
        claims = _stated(response, given)
        verdicts = await self._verdicts(claims, given)
        weighed = [_weighed(claim, verdict) for claim, verdict in zip(claims, verdicts, strict=True)]
        return GroundingResult(
            grounded=all(claim.supported for claim in weighed),
            claims=weighed,
            ungrounded_claims=[claim.claim for claim in weighed if claim.verdict in FAILED],
            unsure_claims=[claim.claim for claim in weighed if claim.verdict in OPEN],
            confidence=getattr(self._checker, "confidence", Checker.confidence)(verdicts),
        )

    async def filter_hallucinations(
        self, response: str, sources: Sequence[str | SourceContext | Source], action: Action = "remove"
    ) -> str:
        """The response without the claims that the sources do not carry, and a mark after those that are unsure.

        ``remove`` takes the former out, ``flag`` puts a mark after each, ``rewrite`` has each written anew from its
        evidence and checked again.
        """
        if action not in ("remove", "flag", "rewrite"):
            raise ConfigurationError(f'action is "remove", "flag" or "rewrite", not {action!r}')
        if action == "rewrite" and self._rewriter is None:
            raise ConfigurationError('action="rewrite" needs HallucinationDetector(rewriter=...)')
        sources = _given(response, sources)
        response = storable(response)
        result = await self.check_grounding(response, sources)
        for claim in reversed([claim for claim in result.claims if not claim.supported]):
            if action == "flag" or claim.verdict in OPEN:
                mark = UNVERIFIED if claim.verdict in OPEN else FLAG
                response = response[: claim.end] + mark + response[claim.end :]
                continue
            instead = await self._rewritten(claim, sources) if action == "rewrite" else ""
            response = _replaced(response, claim.start, claim.end, instead)
        return response.strip()

    async def _rewritten(self, claim: ClaimGrounding, sources: Sequence[str | SourceContext | Source]) -> str:
        """The claim from its evidence, if that stands; else nothing."""
        if self._rewriter is None or not claim.evidence:
            return ""
        text = (await self._rewriter(claim.claim, [one.quote for one in claim.evidence])).strip()
        again = await self.check_grounding(text, sources)
        return text if text and again.grounded else ""

    async def _verdicts(self, claims: Sequence[Claim], sources: Sequence[Source]) -> list[Verdict]:
        return await asyncio.gather(*(self._verdict(claim, sources) for claim in claims))

    async def _verdict(self, claim: Claim, sources: Sequence[Source]) -> Verdict:
        if claim.kind in NOT_READ:
            return Verdict("not_checked", reason=NOT_READ[claim.kind])
        named = [number - 1 for numbers, _ in cited(claim.text) for number in numbers]
        return await self._checker.acheck(claim.text, sources, cited=named)


def _stated(response: str, sources: Sequence[Source]) -> list[Claim]:
    """The claims of a response, and what is not read and is not in its sources' words."""
    texts = [" ".join(source.text.split()) for source in sources]
    stems = frozenset(stem for one in sources for stem in content_stems(f"{one.title} {one.text}"))
    return [
        claim
        for claim in segment(response)
        if claim.kind == "claim" or (claim.kind in NOT_READ and not in_words_of(claim.text, claim.kind, texts, stems))
    ]


def _given(response: str, sources: Sequence[str | SourceContext | Source]) -> list[Source]:
    """The sources to weigh against; a `ConfigurationError` names what is no text, or no list of sources."""
    if not isinstance(response, str):
        raise ConfigurationError(f"response is a text, not {type(response).__name__}: {_ASKED}")
    return [_source(index, one) for index, one in enumerate(listed(sources, like=_ASKED, also=(Source,)))]


def _source(index: int, given: str | SourceContext | Source) -> Source:
    if isinstance(given, SourceContext):
        return given.as_source()
    if isinstance(given, str):
        return Source(id=str(index), text=storable(given))
    return given if (text := storable(given.text)) == given.text else replace(given, text=text, sha256="")


def _weighed(claim: Claim, verdict: Verdict) -> ClaimGrounding:
    evidence = [GroundingEvidence(**asdict(one)) for one in verdict.evidence]
    supported = verdict.ruling == "supported"
    return ClaimGrounding(
        claim=claim.text,
        supported=supported,
        source=evidence[0].source if supported and evidence else None,
        verdict=verdict.ruling,
        score=verdict.score,
        tier=verdict.tier,
        reason=verdict.reason,
        start=claim.start,
        end=claim.end,
        evidence=evidence,
        flagged=[(span.start, span.end) for span in verdict.flagged],
    )


def _replaced(text: str, start: int, end: int, instead: str) -> str:
    """``text`` with ``[start, end)`` replaced; a whole line that is left empty goes with its marker and break."""
    if instead:
        return text[:start] + instead + text[end:]
    line_start, line_end = text.rfind("\n", 0, start) + 1, text.find("\n", end)
    line_end = len(text) if line_end < 0 else line_end
    rest = text[line_start:start] + text[end:line_end]
    if not rest.strip(" \t-*+•>|0123456789.)"):
        return text[:line_start] + text[line_end + 1 :]
    before, after = text[:start], text[end:].lstrip(" \t")
    if after[:1] in ("", "\n"):
        before = before.rstrip(" \t")
    return before + after
