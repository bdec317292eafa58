"""Claims of an answer in; verdicts out, within a time, never failing open. How an answer waits for them.

``hold``: a sentence leaves when it is checked, and what the sources do not carry stays back.
``mark``: text leaves at once, verdicts follow. ``amend``: the same, and what fails is taken back.
"""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, Protocol

from footnoted.answering.watch import Watch
from footnoted.citations import CitationStream, Marker, MarkerDecoder
from footnoted.events import CitationFound, ClaimChecked, Event, TextDelta, TextRetracted
from footnoted.grounding.claims import ClaimSegmenter
from footnoted.grounding.disagreement import Disagreement, disagreements
from footnoted.types import Claim, Pointer, Source, Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

Mode = Literal["hold", "mark", "amend"]

NEEDS_SUPPORT = "claim"  # the one kind that is weighed; headings, greetings, questions, code are not
NOT_WEIGHED = Verdict("not_checked", reason="needs no support")
_MARKER = re.compile(r"(?<![\w\])])\[(?:Source )?\d{1,3}\](?![(\w])|(?<=[^\W\d_]|[.!?,;:])[⁰¹²³⁴-⁹]+")
_LONGEST_CLAIM = 2_500  # code points; what runs on for longer would keep the checker from all other answers
_CLOSERS = ".!?…。！？।؟|"


class Weigher(Protocol):
    """What decides about a claim: `footnoted.grounding.Checker`, or one of your own."""

    async def acheck(self, claim: str, sources: Sequence[Source], *, cited: Sequence[int] = ()) -> Verdict:
        """The verdict on one claim, its evidence among ``sources``; ``cited`` are the indices it points at."""
        ...


@dataclass(frozen=True, slots=True)
class Checking:
    """How claims are checked. ``wait``: seconds a verdict may take before it is ``not_checked``.

    ``least``: the score (0–1) below which a supported claim is not shown either, in ``hold``.
    ``show_unchecked``: whether ``hold`` lets out what could not be checked. ``watch`` knows what no evidence
    excuses in the answer at hand.
    """

    weigher: Weigher
    mode: Mode = "hold"
    wait: float = 5.0
    least: float = 0.0
    show_unchecked: bool = False
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
            return Verdict("not_checked", reason="it is too long to be one claim")
        try:
            async with asyncio.timeout(self.wait):
                return await self.weigher.acheck(text, sources, cited=cited)
        except TimeoutError:
            return Verdict("not_checked", reason=f"the check took longer than {self.wait:g} s")
        except Exception as error:  # noqa: BLE001 - whatever breaks in a check, the claim counts as unchecked
            return Verdict("not_checked", reason=f"the check failed: {type(error).__name__}: {error}")

    def lets_out(self, verdict: Verdict) -> bool:
        """Whether a sentence with this verdict reaches the reader in ``hold``."""
        if verdict.ruling == "not_checked":
            return self.show_unchecked
        return verdict.ruling in ("supported", "partial") and (verdict.score is None or verdict.score >= self.least)


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


class Marking(Checked):
    """Text goes out at once; verdicts follow as they are reached, in order."""

    def __init__(self, cited: CitationStream, sources: Sequence[Source], checking: Checking) -> None:
        super().__init__(cited, sources, checking)
        self._segmenter = ClaimSegmenter()
        self._base: int | None = None
        self._found: list[CitationFound] = []
        self._waiting: list[tuple[Claim, asyncio.Task[Verdict] | None]] = []

    async def take(self, text: str, pointers: tuple[Pointer, ...] = ()) -> list[Event]:
        """The text's own events, then the verdicts that have been reached meanwhile."""
        events = await super().take(text, pointers)
        self._listen(events)
        return [*events, *self._reached()]

    async def flush(self) -> list[Event]:
        """What was held back, then every verdict still owed."""
        events = await super().flush()
        self._listen(events)
        self._open(self._segmenter.flush())
        await asyncio.gather(*(task for _, task in self._waiting if task is not None))
        return [*events, *self._reached()]

    def cancel(self) -> None:
        """Stop checks under way."""
        for _, task in self._waiting:
            if task is not None:
                task.cancel()

    def _listen(self, events: Sequence[Event]) -> None:
        for event in events:
            if isinstance(event, TextDelta):
                if self._base is None:
                    self._base = event.start
                self._open(self._segmenter.decode(event.text))
            elif isinstance(event, CitationFound):
                self._found.append(event)

    def _open(self, claims: Sequence[Claim]) -> None:
        base = self._base or 0
        for heard in claims:
            claim = Claim(heard.text, heard.start + base, heard.end + base, heard.kind)
            if not self._checking.weighs(claim):
                self._waiting.append((claim, None))
                continue
            own = [each.citation for each in self._found if claim.start <= each.citation.start < claim.end]
            bare = _without([(c.start - claim.start, c.end - claim.start) for c in own], claim.text)
            cited = list(dict.fromkeys(c.source for c in own))
            verdict = self._checking.verdict(bare, self._sources, cited)
            self._waiting.append((claim, asyncio.create_task(verdict)))

    def _reached(self) -> list[Event]:
        events: list[Event] = []
        while self._waiting and (self._waiting[0][1] is None or self._waiting[0][1].done()):
            claim, task = self._waiting.pop(0)
            verdict = task.result() if task is not None else NOT_WEIGHED
            stands = task is None or self._checking.mode == "mark" or self._checking.lets_out(verdict)
            self.verdicts.append((claim, verdict, stands))
            if task is not None:
                events.append(ClaimChecked(claim, verdict))
            if not stands:
                events.append(TextRetracted(claim.start, claim.end, verdict.reason or verdict.ruling))
        return events


@dataclass(slots=True)
class _Mark:
    """A marker in the draft: where it stands, which source it points at, and where in it if that is known."""

    start: int
    end: int
    source: int
    pointer: Pointer | None = None
    before: str = ""


class Holding(Checked):
    """A sentence goes out when it is checked; what the sources do not carry stays back.

    Markers are set right on the way: one that points at a source which does not carry the sentence moves to
    the one that does, a missing one is added, and the verdict's reason says so.
    """

    def __init__(self, cited: CitationStream, sources: Sequence[Source], checking: Checking) -> None:
        super().__init__(cited, sources, checking)
        self._markers = MarkerDecoder(len(sources))
        self._segmenter = ClaimSegmenter()
        self._draft = ""  # what was written and is not settled yet; it begins at self._base
        self._base = 0
        self._marks: list[_Mark] = []  # the markers in it
        self._aside: list[str | _Mark] = []  # what needs no support goes out with the next claim that does
        self._shown = False
        self._withheld = False
        self._owed = ""  # how the line began, when what began it was withheld

    async def take(self, text: str, pointers: tuple[Pointer, ...] = ()) -> list[Event]:
        """The sentences that are settled once this text is in."""
        heard = [self._write(item) for item in self._markers.decode(text)]
        if pointers:
            heard += [self._write(item) for item in self._markers.flush()]
            heard += [self._point(pointer) for pointer in pointers if 0 <= pointer.source < len(self._sources)]
        return await self._settle(self._segmenter.decode("".join(heard)))

    async def flush(self) -> list[Event]:
        """The last sentence, and what may go with it."""
        rest = "".join(self._write(item) for item in self._markers.flush())
        events = await self._settle(self._segmenter.decode(rest) + self._segmenter.flush())
        if self._shown or not self._withheld:
            rest_items = self._cut(self._base + len(self._draft))
            events += self._let_out(self._opening([*self._aside, *rest_items]))
        return [*events, *await super().flush()]

    def _write(self, item: str | Marker) -> str:
        if isinstance(item, str):
            self._draft += item
            return item
        if not item.numbers:
            return ""
        first, *others = item.numbers
        return self._mark(first - 1, before=item.before) + "".join(self._mark(number - 1) for number in others)

    def _point(self, pointer: Pointer) -> str:
        return self._mark(pointer.source, pointer, before="" if self._draft[-1:].isspace() else " ")

    def _mark(self, source: int, pointer: Pointer | None = None, *, before: str = "") -> str:
        text = f"{before}[{source + 1}]"
        start = self._base + len(self._draft)
        self._marks.append(_Mark(start, start + len(text), source, pointer, before))
        self._draft += text
        return text

    async def _settle(self, claims: Sequence[Claim]) -> list[Event]:
        events: list[Event] = []
        for claim in claims:
            lead = self._begun(self._cut(claim.start))
            said = self._cut(claim.end)
            if not self._checking.weighs(claim):
                self.verdicts.append((claim, NOT_WEIGHED, True))
                self._aside += [*lead, *said]
                continue
            marks = [item for item in said if isinstance(item, _Mark)]
            bare = _without([(mark.start - claim.start, mark.end - claim.start) for mark in marks], claim.text)
            cited = list(dict.fromkeys(mark.source for mark in marks))
            verdict = await self._checking.verdict(bare, self._sources, cited)
            if self._checking.mode != "mark" and not self._checking.lets_out(verdict):
                self._withheld = True
                self._owed = _line_opening(lead)
                self.verdicts.append((claim, verdict, False))
                events.append(ClaimChecked(claim, verdict, shown=False))
                continue
            said, verdict = _set_right(said, verdict)
            events += self._let_out(self._opening([*self._aside, *lead]))
            self._aside.clear()
            begin = self._cited.length
            events += self._let_out(said)
            self._shown = True
            shown = Claim(claim.text, begin, self._cited.length, claim.kind)
            self.verdicts.append((shown, verdict, True))
            events.append(ClaimChecked(shown, verdict))
        return events

    def _cut(self, until: int) -> list[str | _Mark]:
        """Take the draft up to ``until`` away, as text and markers."""
        items: list[str | _Mark] = []
        at = self._base
        while self._marks and self._marks[0].start < until:
            mark = self._marks.pop(0)
            if mark.start > at:
                items.append(self._draft[at - self._base : mark.start - self._base])
            items.append(mark)
            at = mark.end
        if until > at:
            items.append(self._draft[at - self._base : until - self._base])
            at = until
        self._draft = self._draft[at - self._base :]
        self._base = at
        return items

    def _begun(self, lead: list[str | _Mark]) -> list[str | _Mark]:
        """What stands before a sentence: its line's break and list mark too, if those went with one withheld."""
        owed, self._owed = self._owed, ""
        first = lead[0] if lead and isinstance(lead[0], str) else ""
        if not owed or "\n" in first:
            return lead
        return [owed, *(lead[1:] if first else lead)]

    def _opening(self, items: list[str | _Mark]) -> list[str | _Mark]:
        """No white space is left of sentences withheld before the first that goes out."""
        if self._shown or not self._withheld or not items or not isinstance(items[0], str):
            return items
        return [items[0].lstrip(), *items[1:]]

    def _let_out(self, items: Sequence[str | _Mark]) -> list[Event]:
        events: list[Event] = []
        for item in items:
            if isinstance(item, str):
                events += self._cited.write(item)
            else:
                target = item.pointer or Marker((item.source + 1,), "", item.before)
                events += self._cited.write(target, before=item.before)
        return events


def staged(
    cited: CitationStream, sources: Sequence[Source], checking: Checking | None, *, as_json: bool, question: str = ""
) -> Rendering:
    """How text goes out under this checking. In JSON a verdict cannot follow its text, so sentences wait."""
    if checking is None:
        return Rendering(cited)
    checking = replace(checking, watch=checking.watch or Watch(question, sources))
    if checking.mode == "hold" or as_json:
        return Holding(cited, sources, checking)
    return Marking(cited, sources, checking)


def _set_right(said: list[str | _Mark], verdict: Verdict) -> tuple[list[str | _Mark], Verdict]:
    """Point a sentence's markers at the evidence its verdict rests on."""
    best = {each.source: Pointer(each.source, each.start, each.end) for each in reversed(verdict.evidence)}
    if not best:
        return said, verdict
    marks = [item for item in said if isinstance(item, _Mark)]
    for mark in marks:
        if mark.source in best:
            mark.pointer = mark.pointer or best[mark.source]
    if any(mark.source in best for mark in marks):
        return said, verdict
    first = verdict.evidence[0].source
    if marks:
        kept = [item for item in said if item not in marks[1:]]
        marks[0].source, marks[0].pointer = first, best[first]
        return kept, _noting(verdict, "the marker pointed at a source that does not carry this and was moved")
    *front, last = said
    if not isinstance(last, str):
        return said, verdict
    words = last.rstrip()
    stop = len(words) - len(words.rstrip(_CLOSERS))
    head, tail = last[: len(words) - stop], last[len(words) - stop :]
    added = _Mark(0, 0, first, best[first])
    added.before = "" if head[-1:].isspace() else " "
    return [*front, head, added, tail], _noting(verdict, "the sentence had no marker; one was added")


def _line_opening(lead: Sequence[str | _Mark]) -> str:
    """The line break and list mark in what stands before a sentence; nothing in the middle of a line."""
    text = "".join(item for item in lead if isinstance(item, str))
    return text if "\n" in text or text.strip() else ""


def _noting(verdict: Verdict, note: str) -> Verdict:
    return replace(verdict, reason=f"{verdict.reason}; {note}" if verdict.reason else note)


def bare(text: str) -> str:
    """A claim as the reader sees it, without the markers in it.

    >>> bare("The excess is £75 [1].")
    'The excess is £75.'
    """
    return _without([m.span() for m in _MARKER.finditer(text)], text)


def _without(ranges: Sequence[tuple[int, int]], text: str) -> str:
    """``text`` less these ranges and the space before each: a claim's words without its markers."""
    for start, end in sorted(ranges, reverse=True):
        begin = start
        while begin > 0 and text[begin - 1] == " ":
            begin -= 1
        text = text[:begin] + text[end:]
    return text.strip()
