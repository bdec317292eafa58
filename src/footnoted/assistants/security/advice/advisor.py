"""The advisor's whole answer: what data says at once, what a model adds, and how a false sentence is put right."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Iterable
from contextlib import aclosing
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from footnoted.assistants.security.advice.compose import UNVERIFIED, Composer, Line
from footnoted.assistants.security.advice.guard import Guard
from footnoted.errors import FootnotedError
from footnoted.providers.patience import patient
from footnoted.text import estimate_tokens
from footnoted.types import Deadlines, Delta, FinishReason, Prompt, Retry, Usage

if TYPE_CHECKING:
    from footnoted.assistants.security.advice.weighing import AdviceWeigher

_SENTINEL = "NO_ANSWER"
SILENT = "The language model gave no answer; what follows is composed from your findings and the knowledge base."
ALL_ABOVE = "The language model gave no answer; what stands above is composed from your findings."
BROKE_OFF = "The language model's words break off here."


class Advisor:
    """A provider like any other. ``model`` is asked for the explanation; without one the knowledge base gives it."""

    name = "advisor"

    def __init__(
        self,
        composer: Composer,
        guard: Guard,
        weigher: AdviceWeigher,
        *,
        model: Any = None,
        deadlines: Deadlines | None = None,
        retry: Retry | None = None,
    ) -> None:
        self._composer, self._guard, self._weigher = composer, guard, weigher
        weigher.note(Line(UNVERIFIED))
        self._model, self._deadlines, self._retry = model, deadlines, retry
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
        deltas = patient(self._model, prompt, deadlines=self._deadlines, retry=self._retry)
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
