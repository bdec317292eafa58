"""A sentence of an answer in; its verdict out: what data wrote stands by itself, all else is weighed as ever."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from footnoted.grounding.disagreement import disagreements
from footnoted.text import content_stems
from footnoted.types import Evidence, Source, Verdict

if TYPE_CHECKING:
    from footnoted.assistants.security.advice.compose import Line
    from footnoted.grounding.judge import Weigher

_LEAST_STEMS = 2  # "All is well." is nothing a finding or a control can carry
_LETTERS = re.compile(r"[\W_]+")


class AdviceWeigher:
    """Knows the lines that were composed from data; asks ``weigher`` about every other sentence."""

    def __init__(self, weigher: Weigher) -> None:
        self._weigher = weigher
        self._composed: list[str] = []

    def note(self, line: Line) -> None:
        """Remember a line that data wrote."""
        if plain := _plain(line.text):
            self._composed.append(f" {plain} ")

    async def acheck(self, claim: str, sources: Sequence[Source], *, cited: Sequence[int] = ()) -> Verdict:
        """The verdict on one claim."""
        plain = _plain(claim)
        if plain and any(f" {plain} " in composed for composed in self._composed):
            # Its citations carry the places; evidence here would set findings that differ against one another.
            return Verdict("supported", score=1.0, tier="exact", reason="written from data")
        if len(set(content_stems(plain))) < _LEAST_STEMS:
            return Verdict("unsupported", score=0.0, tier="exact", reason="it says too little to be held against data")
        verdict = await self._weigher.acheck(claim, sources, cited=cited)
        if verdict.ruling == "supported" and verdict.evidence:
            first = verdict.evidence[0]
            if sources[first.source].metadata.get("kind") != "document" and await _stands_alone(first, sources):
                return replace(verdict, evidence=())
        return verdict

    async def aprepare(self, sources: Sequence[Source]) -> None:
        """Let the weigher read the sources ahead, if it can."""
        prepare = getattr(self._weigher, "aprepare", None)
        if prepare is not None:
            await prepare(sources)


async def _stands_alone(evidence: Evidence, sources: Sequence[Source]) -> bool:
    """Whether the words would read as disputed by another record: two buckets differ, they do not disagree."""
    return bool(await asyncio.to_thread(disagreements, evidence, sources))


def _plain(text: str) -> str:
    return _LETTERS.sub(" ", text.casefold()).strip()
