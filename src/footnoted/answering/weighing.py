"""Claims of an answer in; verdicts out, within a time, never failing open. How an answer waits for them.

``hold``: a sentence leaves when it is checked; what the sources do not carry stays back, what could not be checked is
marked as that.
``mark``: text leaves at once, verdicts follow. ``amend``: the same, and what fails is taken back.
"""

from __future__ import annotations

import asyncio
import re
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Literal, cast

from footnoted.answering.watch import Watch
from footnoted.citations import CitationStream
from footnoted.events import Event
from footnoted.grounding.disagreement import Disagreement, disagreements
from footnoted.grounding.judge import Weigher
from footnoted.types import Claim, Pointer, Source, Span, Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from footnoted.grounding.judge import QueuedWeigher

Mode = Literal["hold", "mark", "amend"]
Doubt = Literal["mark", "withhold"]

NEEDS_SUPPORT = "claim"  # the one kind that is weighed; headings, greetings, questions, code are not
UNVERIFIED = "(unverified)"  # stands after a sentence that left `hold` without a verdict
ENDLESS = "it is too long to be one claim"  # nobody writes so: it is not let out unverified either
BUSY = "busy: the answer's time was over before its turn came"
NOT_WEIGHED = Verdict("not_checked", reason="needs no support")
_MARKER = re.compile(r"(?<![\w\])])\[(?:Source )?\d{1,3}\](?![(\w])|(?<=[^\W\d_]|[.!?,;:])[⁰¹²³⁴-⁹]+")
_SILENCE = 0.05  # seconds after which a model is taken to be thinking
_LONGEST_CLAIM = 2_500  # code points; what runs on for longer would keep the checker from all other answers


@dataclass(frozen=True, slots=True)
class Checking:
    """How claims are checked. ``wait``: seconds a verdict may take once its check begins, before it is ``not_checked``.

    ``until``: when (of the event loop's clock) waiting ends for every claim of the answer, those in the queue too.

    ``least``: the score (0–1) below which a supported claim is not shown either, in ``hold``.
    ``doubt``: whether what could not be checked leaves ``hold`` all the same, visibly unverified, or stays behind.
    ``watch`` knows what no evidence excuses in the answer at hand.
    """

    weigher: Weigher
    mode: Mode = "hold"
    wait: float = 5.0
    until: float | None = None
    least: float = 0.0
    doubt: Doubt = "withhold"
    watch: Watch | None = None

    def weighs(self, claim: Claim) -> bool:
        """Whether this needs a verdict: every claim does, and nothing else unless it is more than words."""
        if claim.kind == NEEDS_SUPPORT:
            return True
        return self.watch is not None and self.watch.weighs(claim.text, claim.kind)

    async def verdict(self, text: str, sources: Sequence[Source], cited: Sequence[int]) -> Verdict:
        """The weigher's verdict; ``not_checked`` when it fails or takes too long."""
        if self.watch is not None and (objection := self.watch.objection(text)):
            return Verdict("unsupported", score=0.0, tier="exact", reason=objection)
        if len(text) > _LONGEST_CLAIM:
            return Verdict("not_checked", reason=ENDLESS)
        clock = asyncio.get_running_loop()
        queues = getattr(self.weigher, "tells_when_begun", False)
        try:
            async with asyncio.timeout_at(self.until), asyncio.timeout(None if queues else self.wait) as limit:
                if not queues:
                    return await self.weigher.acheck(text, sources, cited=cited)
                begun = partial(_begin, limit, clock, self.wait)
                weigher = cast("QueuedWeigher", self.weigher)
                return await weigher.acheck(text, sources, cited=cited, begun=begun)
        except TimeoutError:
            if self.until is not None and clock.time() >= self.until:
                return Verdict("not_checked", reason=BUSY)
            return Verdict("not_checked", reason=f"the check took longer than {self.wait:g} s")
        except Exception as error:  # noqa: BLE001 - whatever breaks in a check, the claim counts as unchecked
            return Verdict("not_checked", reason=f"the check failed: {type(error).__name__}: {error}")

    def lets_out(self, verdict: Verdict) -> bool:
        """Whether a sentence with this verdict reaches the reader in ``hold``."""
        if verdict.ruling == "not_checked":
            return self.doubt == "mark" and verdict.reason != ENDLESS
        return verdict.ruling in ("supported", "partial") and (verdict.score is None or verdict.score >= self.least)


def _begin(limit: asyncio.Timeout, clock: asyncio.AbstractEventLoop, wait: float) -> None:
    """The check begins: its own time runs from now."""
    with suppress(RuntimeError):  # the answer ended meanwhile
        limit.reschedule(clock.time() + wait)


class Rendering:
    """No checking: text goes straight to the page."""

    def __init__(self, cited: CitationStream) -> None:
        self._cited = cited
        self.verdicts: list[tuple[Claim, Verdict, bool]] = []  # and whether the reader saw it

    async def take(self, text: str, pointers: tuple[Pointer, ...] = ()) -> list[Event]:
        """The events of one piece of text."""
        return list(self._cited.decode(text, pointers))

    async def flush(self) -> list[Event]:
        """What was held back."""
        return list(self._cited.flush(listing=False))

    async def disputes(self) -> list[Disagreement]:
        """Where other sources exclude what the shown sentences rest on; needs verdicts, so none here."""
        return []

    def cancel(self) -> None:
        """Stop checks under way."""


class Checked(Rendering):
    """What holding and marking share: sources, a way of checking, and what the verdicts show together."""

    def __init__(self, cited: CitationStream, sources: Sequence[Source], checking: Checking) -> None:
        super().__init__(cited)
        self._sources = sources
        self._checking = checking
        self._ahead = asyncio.create_task(self._read_ahead())

    def cancel(self) -> None:
        """Stop checks under way."""
        self._ahead.cancel()

    async def _read_ahead(self) -> None:
        """Let the weigher read the sources while the model is still silent; a model at once at hand needs none."""
        prepare = getattr(self._checking.weigher, "aprepare", None)
        if prepare is not None:
            await asyncio.sleep(_SILENCE)
            with suppress(Exception):  # what cannot be read ahead is read, or fails, at the first claim
                await prepare(self._sources)

    async def disputes(self) -> list[Disagreement]:
        """Each dispute once, in the answer's order. Found off the event loop."""
        rests_on = [
            evidence
            for _, verdict, shown in self.verdicts
            if shown and verdict.ruling == "supported"
            for evidence in verdict.evidence[:1]
        ]
        if len(self._sources) < 2 or not rests_on:
            return []
        found = await asyncio.to_thread(lambda: [d for one in rests_on for d in disagreements(one, self._sources)])
        return list({frozenset((d.first.quote, d.second.quote)): d for d in found}.values())


def bare(text: str) -> str:
    """A claim as the reader sees it, without the markers in it.

    >>> bare("The excess is £75 [1].")
    'The excess is £75.'
    """
    return without([m.span() for m in _MARKER.finditer(text)], text)


def pointed(verdict: Verdict, weighed: str, text: str) -> Verdict:
    """The verdict on ``weighed``, its flagged words found in ``text``: the same words, and markers among them."""
    if not verdict.flagged or weighed == text:
        return verdict
    found = [(text.find(weighed[one.start : one.end], one.start), one.end - one.start) for one in verdict.flagged]
    return replace(verdict, flagged=tuple(Span(start, start + length) for start, length in found if start >= 0))


def without(ranges: Sequence[tuple[int, int]], text: str) -> str:
    """``text`` less these ranges and the space before each: a claim's words without its markers."""
    for start, end in sorted(ranges, reverse=True):
        begin = start
        while begin > 0 and text[begin - 1] == " ":
            begin -= 1
        text = text[:begin] + text[end:]
    return text.strip()
