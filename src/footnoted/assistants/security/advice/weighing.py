"""Gives each sentence its verdict: what was written from data stands by itself, all else is weighed as ever."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from footnoted.grounding.disagreement import disagreements
from footnoted.text import content_stems
from footnoted.types import Source, Verdict

if TYPE_CHECKING:
    from footnoted.assistants.security.advice.compose import Line
    from footnoted.assistants.security.query.claims import Rows
    from footnoted.grounding.judge import Weigher

_LEAST_STEMS = 2  # "All is well." is nothing a finding or a control can carry
_LETTERS = re.compile(r"[\W_]+")
_BRACKETS = frozenset("{}[]();, \n\t")  # a line of code of these alone closes what was opened


class AdviceWeigher:
    """Knows the lines that were composed from data; holds others against ``rows``, and asks ``weigher`` of the rest."""

    def __init__(self, weigher: Weigher, rows: Rows | None = None) -> None:
        self._weigher, self._rows = weigher, rows
        self.truths: list[str] = []  # what the rows say where a sentence said otherwise
        self._composed = " "

    def note(self, line: Line) -> None:
        """Remember a line that data wrote."""
        if plain := _plain(line.text):
            self._composed += f"{plain} "

    def wrote(self, claim: str) -> bool:
        """Whether data wrote this line, or the line of code that it is; a closing bracket tells nothing of its own."""
        plain = _plain(claim)
        return f" {plain} " in self._composed if plain else _BRACKETS.issuperset(claim)

    async def acheck(self, claim: str, sources: Sequence[Source], *, cited: Sequence[int] = ()) -> Verdict:
        """The verdict on one claim."""
        plain = _plain(claim)
        if self.wrote(claim):
            # Its citations carry the places; evidence here would set findings that differ against one another.
            return Verdict("supported", score=1.0, tier="exact", reason="written from data")
        held = await self._rows.hold(claim) if self._rows is not None and plain else None
        if held is not None and held.right:
            return Verdict("supported", score=1.0, tier="exact", reason="the rows say so")
        if held is not None:
            self.truths.append(held.truth)
            return Verdict("contradicted", score=0.0, tier="exact", reason=f"the rows say otherwise: {held.truth}")
        if len(set(content_stems(plain))) < _LEAST_STEMS:
            return Verdict("unsupported", score=0.0, tier="exact", reason="it says too little to be held against data")
        verdict = await self._weigher.acheck(claim, sources, cited=cited)
        if verdict.ruling == "supported" and verdict.evidence:
            first = verdict.evidence[0]
            if sources[first.source].metadata.get("kind") != "document":
                # Two buckets differ, they do not disagree: another record that says something else disputes nothing.
                disputed_by = await asyncio.to_thread(disagreements, first, sources)
                if disputed_by:
                    return replace(verdict, evidence=())
        return verdict

    async def aprepare(self, sources: Sequence[Source]) -> None:
        """Let the weigher read the sources ahead, if it can."""
        prepare = getattr(self._weigher, "aprepare", None)
        if prepare is not None:
            await prepare(sources)


def _plain(text: str) -> str:
    return _LETTERS.sub(" ", text.casefold()).strip()
