"""The advisor's whole answer: what data says at once, what a model adds, and what each sentence of it is worth."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator, AsyncIterator, Iterable, Sequence
from contextlib import aclosing
from dataclasses import replace
from typing import TYPE_CHECKING

from footnoted.assistants.security.advice.compose import UNVERIFIED, Composer, Line
from footnoted.assistants.security.advice.guard import Guard
from footnoted.errors import FootnotedError
from footnoted.grounding.disagreement import disagreements
from footnoted.providers.patience import patient
from footnoted.text import content_stems, estimate_tokens
from footnoted.types import Delta, FinishReason, Prompt, Source, Usage, Verdict

if TYPE_CHECKING:
    from footnoted.answering.answer import Answering
    from footnoted.assistants.security.query.claims import Rows
    from footnoted.grounding.judge import Weigher

_LEAST_STEMS = 2  # "All is well." is nothing a finding or a control can carry
_LETTERS = re.compile(r"[\W_]+")
_BRACKETS = frozenset("{}[]();, \n\t")  # a line of code of these alone closes what was opened
_SENTINEL = "NO_ANSWER"
SILENT = "The language model gave no answer; what follows is composed from your findings and the knowledge base."
ALL_ABOVE = "The language model gave no answer; what stands above is composed from your findings."
BROKE_OFF = "The language model's words break off here."


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


class Advisor:
    """A provider like any other. The model that ``writing`` names explains; without one the knowledge base does."""

    name = "advisor"

    def __init__(self, composer: Composer, guard: Guard, weigher: AdviceWeigher, writing: Answering) -> None:
        self._composer, self._guard, self._weigher = composer, guard, weigher
        weigher.note(Line(UNVERIFIED))
        self._writing, self._model = writing, writing.provider
        self._written = 0
        self._places: dict[int, int] = {}  # a sheet's index -> its source's in the prompt
        self._gap = ""  # white space owed before the next line
        self._usage: Usage | None = None
        self._ending: Delta | None = None

    async def stream(self, prompt: Prompt) -> AsyncIterator[Delta]:
        """Yield the answer's parts, each line with its pointers."""
        self._place(prompt)
        for delta in self._lines(self._composer.opening()):
            yield delta
        explained = False
        if self._model is not None:
            async with aclosing(self._explanation(prompt)) as deltas:
                async for delta in deltas:
                    explained = True
                    yield delta
        lines = [*([] if explained else self._composer.analysis()), *self._composer.remediation()]
        if self._model is not None and not explained and self._ending is None:
            lines.insert(0, Line(SILENT if lines else ALL_ABOVE, after="\n\n"))
        lines += self._composer.closing()
        truths = dict.fromkeys(self._weigher.truths)
        lines += [Line(f"- Withheld, for the rows say otherwise: {truth}.") for truth in truths]
        for delta in self._lines(lines):
            yield delta
        read = estimate_tokens(prompt.question) + sum(estimate_tokens(source.text) for source in prompt.sources)
        usage = self._usage or Usage(input=read, output=self._written)
        if self._ending is not None and self._ending.finish_reason is not FinishReason.REFUSED:
            yield Delta(usage=usage, finish_reason=self._ending.finish_reason, detail=self._ending.detail)
        else:
            yield Delta(usage=usage, finish_reason=FinishReason.COMPLETE)

    def _place(self, prompt: Prompt) -> None:
        """Where each sheet stands among the prompt's sources: a small budget may have left some out."""
        texts = [source.text for source in prompt.sources]
        for index, sheet in enumerate(self._composer.desk.sheets):
            if sheet.text in texts:
                self._places[index] = texts.index(sheet.text)
        self._guard.renumber(self._places)

    def _lines(self, lines: Iterable[Line]) -> Iterable[Delta]:
        """Each line once the space before it is known to be needed."""
        for line in lines:
            self._weigher.note(line)
            self._written += estimate_tokens(line.text)
            if line.text:
                pointers = tuple(
                    replace(pointer, source=self._places[pointer.source])
                    for pointer in line.pointers
                    if pointer.source in self._places
                )
                yield Delta(text=self._after_gap(line.text), pointers=pointers)
            self._gap = (self._gap + line.after)[-2:]  # one empty line at most

    async def _explanation(self, prompt: Prompt) -> AsyncGenerator[Delta]:
        """The model's own words, guarded; nothing when it fails before the first or says that it cannot."""
        deltas = patient(self._model, prompt, deadlines=self._writing.deadlines, retry=self._writing.retry)
        said = False
        opening: str | None = ""  # held until it cannot be a refusal
        try:
            async with aclosing(deltas):
                async for delta in deltas:
                    self._usage = delta.usage or self._usage
                    text = delta.text
                    if opening is not None:
                        opening += text
                        start = opening.lstrip(" \n*_`\"'>-")
                        if start.startswith(_SENTINEL):
                            return
                        if _SENTINEL.startswith(start) and delta.finish_reason is None:
                            continue
                        text, opening = opening, None
                    if settled := self._guard.decode(text):
                        said = True
                        yield Delta(text=self._after_gap(settled))
                    if delta.pointers:
                        rest = self._guard.flush()
                        yield Delta(text=rest, pointers=delta.pointers)
                    if delta.finish_reason not in (None, FinishReason.COMPLETE):
                        self._ending = delta
        except FootnotedError:
            return
        rest = self._guard.flush()
        if rest.strip():
            said = True
            yield Delta(text=self._after_gap(rest))
        if said:
            self._gap = "\n\n"
            if self._ending is not None:
                for delta in self._lines([Line(BROKE_OFF, after="\n\n")]):
                    yield delta

    def _after_gap(self, text: str) -> str:
        gap, self._gap = self._gap, ""
        return gap + text
