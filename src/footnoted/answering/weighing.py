"""Weighs the claims of an answer within a time and never lets a failure pass as a verdict. How an answer waits.

``hold``: a sentence leaves when it is checked; what the sources do not carry stays back, what could not be checked is
marked as that.
``mark``: text leaves at once, verdicts follow. ``amend``: the same, and what fails is taken back.
"""

from __future__ import annotations

import asyncio
import re
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, Self

from footnoted.answering.judging import Paragraphs, Spent
from footnoted.answering.watch import Watch
from footnoted.citations import CitationStream
from footnoted.events import Event
from footnoted.grounding.disagreement import READ, Disagreement, disagreements
from footnoted.grounding.forms import NOT_READ
from footnoted.grounding.judge import OPEN, Judge, Weigher
from footnoted.grounding.refusals import beyond
from footnoted.text import content_stems
from footnoted.types import Claim, Pointer, Source, Span, Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Sequence

    from footnoted.types import Deadlines

Mode = Literal["hold", "mark", "amend"]
Doubt = Literal["mark", "withhold"]

NEEDS_SUPPORT = "claim"  # the one kind that is weighed by reading it
_FREE = (  # kinds that state nothing; courtesies are a closed list, a lead-in is weighed with each of its items
    "layout",
    "reference",
    "courtesy",
    "lead_in",
)
_FORMULA = re.compile(r"\\\(|\\\[|\$\$|\\(?:frac|begin|sum|int|sqrt|cdot|times)\b")
UNVERIFIED = "(unverified)"  # stands after a sentence that left `hold` without a clear verdict
ENDLESS = "it is too long to be one claim"  # nobody writes so: it is not let out unverified either
BUSY = "busy: the answer's time was over before its turn came"
NOT_WEIGHED = Verdict("not_checked", reason="needs no support")
_MARKER = re.compile(r"(?<![\w\])])\[(?:Source )?\d{1,3}\](?![(\w])|(?<=[^\W\d_]|[.!?,;:])[⁰¹²³⁴-⁹]+")
_SILENCE = 0.05  # seconds after which a model is taken to be thinking
_LONGEST_CLAIM = 2_500  # code points; what runs on for longer would keep the checker from all other answers


@dataclass(frozen=True, slots=True)
class Checking:
    """How claims are checked. ``wait``: seconds a verdict may take once its check begins, before it is ``not_checked``.

    ``judge`` is asked, a call a paragraph, what the weigher leaves open; what that costs is in ``spent``.
    ``until``: when (of the event loop's clock) waiting ends for every claim of the answer, those in the queue too.

    ``least``: the score (0–1) from which a claim is shown in ``hold``, supported or unsure; 0 leaves it to ``doubt``:
    whether what is unsure or could not be checked leaves ``hold`` all the same, visibly unverified, or stays behind.
    ``watch`` knows what no evidence excuses in the answer at hand.
    """

    weigher: Weigher
    mode: Mode = "hold"
    wait: float = 5.0
    until: float | None = None
    least: float = 0.0
    doubt: Doubt = "withhold"
    watch: Watch | None = None
    judge: Judge | None = None
    spent: Spent = field(default_factory=Spent)

    def within(self, deadlines: Deadlines) -> Self:
        """The same, waiting for no verdict longer than one check's time past the total deadline of what begins now."""
        if deadlines.total is None:
            return self
        return replace(self, until=asyncio.get_running_loop().time() + deadlines.total + self.wait)

    def weighs(self, claim: Claim) -> bool:
        """Whether this needs a verdict: all does but layout, courtesies, and forms made of the sources' own words."""
        if claim.kind == NEEDS_SUPPORT:
            return True
        if self.watch is not None and self.watch.weighs(claim.text, claim.kind):
            return True
        if claim.kind in _FREE:
            return False
        if claim.kind == "refusal":  # that there is no answer to what was asked; of anything else it may be wrong
            return self.watch is not None and not self.watch.is_innocent(beyond(bare(claim.text)))
        return self.watch is None or not self.watch.has(claim.text, claim.kind)

    async def of(
        self,
        claim: Claim,
        bare: str,
        sources: Sequence[Source],
        cited: Sequence[int],
        quoted: Sequence[Pointer] = (),
    ) -> Verdict:
        """The verdict on a claim, ``bare`` of its markers, for which the model ``quoted`` these words of sources.

        What has a form that is not read is ``not_checked``.
        """
        wrote = getattr(self.weigher, "wrote", None)  # an assistant's own lines, code too, came from data
        if wrote is not None and wrote(bare):
            return Verdict("supported", score=1.0, tier="exact", reason="written from data")
        objection = self.watch is not None and self.watch.weighs(bare, claim.kind)
        if claim.kind in NOT_READ and not objection:
            return Verdict("not_checked", reason=NOT_READ[claim.kind])
        if _FORMULA.search(bare):
            return Verdict("not_checked", reason="a formula cannot be checked")
        before = _introduced(claim, bare)
        if not before:
            return await self.verdict(bare, sources, cited, quoted)
        verdict = await self.verdict(f"{before} {bare}", sources, cited, quoted)
        moved = [Span(span.start - len(before) - 1, span.end - len(before) - 1) for span in verdict.flagged]
        return replace(verdict, flagged=tuple(span for span in moved if span.start >= 0), parts=())

    async def verdict(
        self, text: str, sources: Sequence[Source], cited: Sequence[int], quoted: Sequence[Pointer] = ()
    ) -> Verdict:
        """The weigher's verdict; ``not_checked`` when it fails or takes too long."""
        if self.watch is not None and (objection := self.watch.objection(text)):
            return Verdict("unsupported", score=0.0, tier="exact", reason=objection)
        if len(text) > _LONGEST_CLAIM:
            return Verdict("not_checked", reason=ENDLESS)
        clock = asyncio.get_running_loop()
        queues = getattr(self.weigher, "tells_when_begun", False)
        ask: Callable[..., Coroutine[Any, Any, Verdict]] = partial(self.weigher.acheck, text, sources, cited=cited)
        if quoted and getattr(self.weigher, "takes_quotes", False):
            ask = partial(ask, quoted=quoted)
        try:
            async with asyncio.timeout_at(self.until), asyncio.timeout(None if queues else self.wait) as limit:
                if not queues:
                    return await ask()
                return await ask(begun=partial(_begin, limit, clock, self.wait))
        except TimeoutError:
            if self.until is not None and clock.time() >= self.until:
                return Verdict("not_checked", reason=BUSY)
            return Verdict("not_checked", reason=f"the check took longer than {self.wait:g} s")
        except Exception as error:  # noqa: BLE001 - whatever breaks in a check, the claim counts as unchecked
            return Verdict("not_checked", reason=f"the check failed: {type(error).__name__}: {error}")

    def lets_out(self, verdict: Verdict) -> bool:
        """Whether a sentence with this verdict reaches the reader in ``hold``."""
        if self.least and verdict.score is not None:
            return verdict.ruling in ("supported", "unsure") and verdict.score >= self.least
        if verdict.ruling in OPEN:
            return self.doubt == "mark" and verdict.reason != ENDLESS
        return verdict.ruling == "supported"


def _introduced(claim: Claim, bare: str) -> str:
    """What a list's item or a table's row must be read with: its lead-ins, or the header; nothing for all else."""
    under = _MARKER.sub("", claim.under).strip()
    if not content_stems(under):  # "Here you are:"
        return ""
    row = bare.lstrip().startswith("|")
    return under if (under.startswith("|") if row else under.rstrip("*_ ").endswith((":", "："))) else ""


def _begin(limit: asyncio.Timeout, clock: asyncio.AbstractEventLoop, wait: float) -> None:
    """The check begins: its own time runs from now."""
    with suppress(RuntimeError):  # the answer ended meanwhile
        limit.reschedule(clock.time() + wait)


class Rendering:
    """No checking: text goes straight to the page."""

    def __init__(self, cited: CitationStream) -> None:
        self._cited = cited
        self.verdicts: list[tuple[Claim, Verdict, bool]] = []  # and whether the reader saw it
        self.spent = Spent()  # what a judge has cost

    async def take(self, text: str, pointers: tuple[Pointer, ...] = ()) -> list[Event]:
        """The events of one piece of text."""
        return list[Event](self._cited.decode(text, pointers))

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
        self.spent = checking.spent
        self._paragraphs: Paragraphs | None = None
        if checking.judge is not None:
            final = {ENDLESS, BUSY, *NOT_READ.values()}
            self._paragraphs = Paragraphs(checking.judge, sources, until=checking.until, final=final)

    def cancel(self) -> None:
        """Stop checks under way."""
        self._ahead.cancel()
        if self._paragraphs is not None:
            self._paragraphs.cancel()

    def _weigh(
        self, claim: Claim, bare: str, cited: Sequence[int], quoted: Sequence[Pointer]
    ) -> Coroutine[None, None, Verdict]:
        """The verdict on a claim, the judge's where the weigher leaves it open."""
        check = self._checking.of(claim, bare, self._sources, cited, quoted)
        if self._paragraphs is None:
            return check
        return self._paragraphs.weigh(check, bare, cited)

    def _new_paragraph(self, between: str, kind: str) -> None:
        """What stands before the next claim ends a paragraph, if it is a blank line or a heading follows."""
        if self._paragraphs is not None and (kind == "heading" or between.count("\n") > 1):
            self._paragraphs.end()

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
        turns = iter(range(READ))
        found = await asyncio.to_thread(
            lambda: [each for one in rests_on for each in disagreements(one, self._sources, turns)]
        )
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
    found = [(text.find(weighed[span.start : span.end], span.start), span.end - span.start) for span in verdict.flagged]
    return replace(verdict, flagged=tuple(Span(start, start + length) for start, length in found if start >= 0))


def without(ranges: Sequence[tuple[int, int]], text: str) -> str:
    """``text`` less these ranges and the space before each: a claim's words without its markers."""
    for start, end in sorted(set(ranges), reverse=True):  # two sources may share a marker
        begin = start
        while begin > 0 and text[begin - 1] == " ":
            begin -= 1
        text = text[:begin] + text[end:]
    return text.strip()
