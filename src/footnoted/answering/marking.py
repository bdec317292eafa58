"""Text goes out at once and its verdicts follow; under ``amend`` what fails is taken back."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from footnoted.answering.weighing import NOT_WEIGHED, Checked, Checking, pointed, without
from footnoted.citations import CitationStream
from footnoted.events import CitationFound, ClaimChecked, Event, TextDelta, TextRetracted
from footnoted.grounding.claims import ClaimSegmenter
from footnoted.types import Claim, Pointer, Source, Verdict


class Marking(Checked):
    """Text goes out at once; verdicts follow as they are reached, in order."""

    def __init__(self, cited: CitationStream, sources: Sequence[Source], checking: Checking) -> None:
        super().__init__(cited, sources, checking)
        self._segmenter = ClaimSegmenter()
        self._base: int | None = None
        self._told = ""  # the text since then
        self._read_to = 0  # where in it the last claim ends
        self._cleared = -1  # where a line's beginning ends of which nothing is left
        self._found: list[CitationFound] = []
        self._quoted: set[Pointer] = set()  # what the model, or its provider, pointed at itself
        self._waiting: list[tuple[Claim, str, asyncio.Task[Verdict] | None]] = []

    async def take(self, text: str, pointers: tuple[Pointer, ...] = ()) -> list[Event]:
        """The text's own events, then the verdicts that have been reached meanwhile."""
        self._quoted.update(pointers)
        events: list[Event] = []
        for event in self._cited.decode(text, pointers):
            events.append(event)
            self._listen(event)
        return events + self._reached() if self._waiting else events

    async def flush(self) -> list[Event]:
        """What was held back, then every verdict still owed."""
        events = await super().flush()
        for event in events:
            self._listen(event)
        self._open(self._segmenter.flush())
        if self._paragraphs is not None:
            self._paragraphs.end()
        await asyncio.gather(*(task for *_, task in self._waiting if task is not None))
        return events + self._reached()

    def cancel(self) -> None:
        """Stop checks under way."""
        super().cancel()
        for *_, task in self._waiting:
            if task is not None:
                task.cancel()

    def _listen(self, event: Event) -> None:
        if isinstance(event, TextDelta):
            if self._base is None:
                self._base = event.start
            self._told += event.text
            if claims := self._segmenter.decode(event.text):
                self._open(claims)
        elif isinstance(event, CitationFound):
            self._found.append(event)

    def _open(self, claims: Sequence[Claim]) -> None:
        base = self._base or 0
        for heard in claims:
            claim = replace(heard, start=heard.start + base, end=heard.end + base)
            if not self._checking.weighs(claim):
                self._waiting.append((claim, claim.text, None))
                continue
            own = [found.citation for found in self._found if claim.start <= found.citation.start < claim.end]
            bare = without([(c.start - claim.start, c.end - claim.start) for c in own], claim.text)
            cited = list(dict.fromkeys(c.source for c in own))
            self._new_paragraph(self._told[self._read_to : claim.start - base], claim.kind)
            spans = [Pointer(c.source, c.source_start, c.source_end) for c in own]
            verdict = self._weigh(claim, bare, cited, [pointer for pointer in spans if pointer in self._quoted])
            self._read_to = claim.end - base
            self._waiting.append((claim, bare, asyncio.create_task(verdict)))

    def _reached(self) -> list[Event]:
        events: list[Event] = []
        while self._waiting and (self._waiting[0][2] is None or self._waiting[0][2].done()):
            claim, bare, task = self._waiting.pop(0)
            verdict = pointed(task.result(), bare, claim.text) if task is not None else NOT_WEIGHED
            stands = task is None or self._checking.mode == "mark" or self._checking.lets_out(verdict)
            self.verdicts.append((claim, verdict, stands))
            if task is not None:
                events.append(ClaimChecked(claim, verdict))
            if not stands:
                start, end = self._with_blanks(claim.start, claim.end)
                events.append(TextRetracted(start, end, verdict.reason or verdict.ruling))
        return events

    def _with_blanks(self, start: int, end: int) -> tuple[int, int]:
        """The sentence and the blanks before it; where nothing is left on its line before it, those after it."""
        base = self._base or 0
        line = self._told[: start - base].rstrip(" \t")
        first = not line or line.endswith("\n") or base + len(line) <= self._cleared
        if not first:
            return base + len(line), end
        after = self._told[end - base :]
        self._cleared = end + len(after) - len(after.lstrip(" \t"))
        return start, self._cleared
