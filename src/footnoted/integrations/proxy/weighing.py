"""Weighs a reply's running text sentence by sentence against the sources, and gives out what the mode lets out.

``mark``: the text passes as it comes. ``amend``: so too, and what does not stand is taken back in words at the end.
``hold``: a sentence passes once its verdict lets it. The text itself is never rewritten; its own markers stay.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace

from footnoted.answering.weighing import UNVERIFIED, Checking
from footnoted.grounding.claims import ClaimSegmenter
from footnoted.types import Claim, Evidence, Source, Verdict

_LONGEST_TOLD = 200  # code points of a sentence repeated where it is taken back
_FALLEN = ("unsupported", "contradicted")


@dataclass(frozen=True, slots=True)
class Weighed:
    """A sentence and what was found. ``start`` and ``end`` bound it in the text as told; −1 where it was not told."""

    claim: Claim
    verdict: Verdict
    start: int
    end: int

    @property
    def shown(self) -> bool:
        """Whether the reader sees it."""
        return self.start >= 0

    @property
    def evidence(self) -> Evidence | None:
        """The words it stands on, where it stands."""
        if not self.shown or self.verdict.ruling != "supported" or not self.verdict.evidence:
            return None
        return self.verdict.evidence[0]


Output = str | Weighed


class Weighing:
    """One part of a reply. `take` its text in order, then `flush`: what to tell, in order."""

    def __init__(self, sources: Sequence[Source], checking: Checking) -> None:
        self._sources = sources
        self._checking = checking
        self._segmenter = ClaimSegmenter()
        self._waiting: list[tuple[Claim, asyncio.Task[Verdict]]] = []
        self._draft = ""  # under ``hold``, what was written and is not settled; it begins at self._base
        self._base = 0
        self._owed = ""  # the line's beginning, where the sentence after it was withheld
        self.length = 0  # code points told
        self.found: list[Weighed] = []

    async def take(self, text: str) -> list[Output]:
        """What can be told now."""
        claims = self._segmenter.decode(text)
        if self._checking.mode == "hold":
            self._draft += text
            return await self._settle(claims)
        self.length += len(text)
        self._begin(claims)
        return [text, *self._reached()]

    async def flush(self) -> list[Output]:
        """The rest: the part is over."""
        claims = self._segmenter.flush()
        if self._checking.mode == "hold":
            settled = await self._settle(claims)
            return [*settled, *self._tell(self._draft if not self._owed or self._draft.strip() else "")]
        self._begin(claims)
        await asyncio.gather(*(task for _, task in self._waiting))
        output: list[Output] = list(self._reached())
        fallen = [sentence for sentence in self.found if sentence.verdict.ruling in _FALLEN]
        if self._checking.mode == "amend" and fallen:
            output += self._tell("\n\n" + "\n".join(map(_taken_back, fallen)))
        return output

    def cancel(self) -> None:
        """Stop checks under way."""
        for _, task in self._waiting:
            task.cancel()

    def _begin(self, claims: Sequence[Claim]) -> None:
        for claim in claims:
            if self._checking.weighs(claim):
                verdict = self._checking.of(claim, claim.text, self._sources, ())
                self._waiting.append((claim, asyncio.create_task(verdict)))

    def _reached(self) -> list[Weighed]:
        reached: list[Weighed] = []
        while self._waiting and self._waiting[0][1].done():
            claim, task = self._waiting.pop(0)
            reached.append(Weighed(claim, task.result(), claim.start, claim.end))
        self.found += reached
        return reached

    async def _settle(self, claims: Sequence[Claim]) -> list[Output]:
        """Sentences in order, each once its verdict is there; checks of those that came together run together."""
        self._begin(claims)
        tasks = dict(self._waiting)
        output: list[Output] = []
        for claim in claims:
            lead, said = self._with_owed(self._cut(claim.start)), self._cut(claim.end)
            lead = lead if self.length else lead.lstrip()
            if claim not in tasks:
                output += self._tell(lead + said)
                continue
            verdict = await tasks[claim]
            if not self._checking.lets_out(verdict):
                self._owed = lead
                self.found.append(Weighed(claim, verdict, -1, -1))
                output.append(self.found[-1])
                continue
            output += self._tell(lead)
            start = self.length
            output += self._tell(said)
            self.found.append(Weighed(replace(claim, start=start, end=self.length), verdict, start, self.length))
            if verdict.ruling != "supported" and claim.kind != "code":  # in code a sign would be code
                output += self._tell(f" {UNVERIFIED}")
            output.append(self.found[-1])
        self._waiting.clear()
        return output

    def _with_owed(self, lead: str) -> str:
        owed, self._owed = self._owed, ""
        return lead if not owed or "\n" in lead else owed

    def _cut(self, until: int) -> str:
        size = max(0, until - self._base)
        piece, self._draft = self._draft[:size], self._draft[size:]
        self._base += len(piece)
        return piece

    def _tell(self, text: str) -> list[Output]:
        self.length += len(text)
        return [text] if text else []


def _taken_back(sentence: Weighed) -> str:
    said = " ".join(sentence.claim.text.split())
    said = said if len(said) <= _LONGEST_TOLD else said[: _LONGEST_TOLD - 1] + "…"
    why = "contradict" if sentence.verdict.ruling == "contradicted" else "do not carry"
    return f"Taken back: “{said}” The sources {why} this."
