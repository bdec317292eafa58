"""The model's text becomes a draft; a sentence of it goes out once it is checked and its markers are right."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace

from footnoted.answering.formats import json_unescape
from footnoted.answering.subjects import Subjects
from footnoted.answering.weighing import NOT_WEIGHED, UNVERIFIED, Checked, Checking, pointed, without
from footnoted.citations import CitationStream, Marker, MarkerDecoder
from footnoted.events import ClaimChecked, Event, TextDelta
from footnoted.grounding.claims import ClaimSegmenter
from footnoted.grounding.judge import OPEN
from footnoted.text import content_stems
from footnoted.types import Claim, Pointer, Source, Verdict

_CLOSERS = ".!?…。！？।؟|"


@dataclass(slots=True)
class _Mark:
    """A marker in the draft: where it stands, which source it points at, and where in it if that is known."""

    start: int
    end: int
    source: int
    pointer: Pointer | None = None
    before: str = ""


@dataclass(frozen=True, slots=True)
class _Edge:
    """Where in the draft what needs no support begins or ends, and the place of its verdict."""

    verdict: int
    opens: bool


_Item = str | _Mark | _Edge


@dataclass(frozen=True, slots=True)
class _Arrived:
    """A claim as it was written: what stands before it, its text and markers, and its check, if it needs one."""

    claim: Claim
    lead: list[str | _Mark]
    said: list[str | _Mark]
    bare: str
    cited: list[int]
    task: asyncio.Task[Verdict] | None


class Holding(Checked):
    """A sentence goes out when it is checked; what the sources do not carry stays back.

    Markers of supported sentences are set right on the way: one that points at a source which does not carry the
    sentence moves to the one that does, a missing one is added, and the verdict's reason says so. No marker is
    laundered: where the source that carries the words does not speak of the sentence's subject, it is no support.
    """

    def __init__(
        self, cited: CitationStream, sources: Sequence[Source], checking: Checking, *, as_json: bool = False
    ) -> None:
        super().__init__(cited, sources, checking)
        self._words = json_unescape if as_json else str
        self._markers = MarkerDecoder(len(sources))
        self._segmenter = ClaimSegmenter()
        self._draft = ""  # what was written and is not settled yet; it begins at self._base
        self._base = 0
        self._marks: list[_Mark] = []  # the markers in it
        self._aside: list[_Item] = []  # what needs no support goes out with the next claim that does
        self._waiting: list[_Arrived] = []
        self._shown = False
        self._withheld = False
        self._subjects = Subjects(sources)
        self._fence: str | None = None  # inside fenced code: "open", or "doubtful" once a line of it had no verdict
        self._fence_mark = ""
        self._owed = ""  # how the line began, when what began it was withheld

    async def take(self, text: str, pointers: tuple[Pointer, ...] = ()) -> list[Event]:
        """The sentences that are settled once this text is in."""
        written = self._base + len(self._draft)
        self._write(self._markers.decode(text))
        if pointers:
            self._write(self._markers.flush())
            for pointer in pointers:
                if 0 <= pointer.source < len(self._sources):
                    self._mark(pointer.source, pointer, before="" if self._draft[-1:].isspace() else " ")
        claims = self._segmenter.decode(self._draft[written - self._base :])
        return await self._settle(claims) if claims or self._waiting else []

    async def flush(self) -> list[Event]:
        """The last sentence, and what may go with it."""
        written = self._base + len(self._draft)
        self._write(self._markers.flush())
        claims = self._segmenter.decode(self._draft[written - self._base :]) + self._segmenter.flush()
        events = await self._settle(claims, last=True)
        if self._shown or not self._withheld:
            rest_items = self._cut(self._base + len(self._draft))
            events += self._let_out(self._opening([*self._aside, *rest_items]))
            if self._fence == "doubtful":  # a block that never closed is closed for the sign
                events += self._let_out([f"\n{self._fence_mark}\n{UNVERIFIED}"])
        return [*events, *await super().flush()]

    def cancel(self) -> None:
        """Stop checks under way."""
        super().cancel()
        for arrived in self._waiting:
            if arrived.task is not None:
                arrived.task.cancel()

    def _write(self, items: Sequence[str | Marker]) -> None:
        """More of the draft; a marker stands in it as ``[n]``, one for each source it names."""
        for item in items:
            if isinstance(item, str):
                self._draft += item
                continue
            before = item.before
            for number in item.numbers:
                self._mark(number - 1, before=before)
                before = ""

    def _mark(self, source: int, pointer: Pointer | None = None, *, before: str) -> None:
        text = f"{before}[{source + 1}]"
        start = self._base + len(self._draft)
        self._marks.append(_Mark(start, start + len(text), source, pointer, before))
        self._draft += text

    async def _settle(self, claims: Sequence[Claim], *, last: bool = False) -> list[Event]:
        """The events of the claims whose turn has come; one the judge is asked about waits, and all after it."""
        for claim in claims:
            self._waiting.append(self._arrived(claim))
        if last and self._paragraphs is not None:
            self._paragraphs.end()
        events: list[Event] = []
        while self._waiting:
            verdict: Verdict | None = None
            task = self._waiting[0].task
            if task is not None:
                if self._paragraphs is not None and not last and not task.done():
                    break
                verdict = await task
            events += self._placed(self._waiting.pop(0), verdict)
        return events

    def _arrived(self, claim: Claim) -> _Arrived:
        """A claim with what stands before it, its check under way."""
        lead = self._cut(claim.start)
        said = self._cut(claim.end)
        if not self._checking.weighs(claim):
            return _Arrived(claim, lead, said, claim.text, [], None)
        marks = [item for item in said if isinstance(item, _Mark)]
        bare = without([(mark.start - claim.start, mark.end - claim.start) for mark in marks], claim.text)
        cited = list(dict.fromkeys(mark.source for mark in marks))
        quoted = [mark.pointer for mark in marks if mark.pointer is not None]
        self._new_paragraph("".join(item for item in lead if isinstance(item, str)), claim.kind)
        return _Arrived(claim, lead, said, bare, cited, asyncio.create_task(self._weigh(claim, bare, cited, quoted)))

    def _placed(self, arrived: _Arrived, verdict: Verdict | None) -> list[Event]:
        """What the reader sees of a claim now that its verdict is there; None for what needs none."""
        claim, said, bare = arrived.claim, arrived.said, arrived.bare
        lead = self._begun(arrived.lead)
        if verdict is None:
            place = len(self.verdicts)
            self.verdicts.append((claim, NOT_WEIGHED, False))  # seen once it goes out
            self._subjects.note(claim.text)
            self._aside += [*lead, _Edge(place, opens=True), *said, _Edge(place, opens=False)]
            if claim.kind == "code" and self._leaves_doubtful_code(claim.text):
                self._aside.append(f"\n{UNVERIFIED}")
            return []
        verdict = self._of_its_subject(bare, arrived.cited, verdict)
        self._subjects.note(bare, verdict)
        if self._checking.mode != "mark" and not self._checking.lets_out(verdict):
            self._withheld = True
            self._owed = _line_opening(lead)
            withheld = replace(claim, text=bare)
            self.verdicts.append((withheld, verdict, False))
            return [ClaimChecked(withheld, verdict, shown=False)]
        said, verdict = _set_right(said, verdict, bare)
        sign = ""
        if verdict.ruling in OPEN and self._checking.mode != "mark":
            if self._fence is None:
                said, sign = _unverified(said)
            else:
                self._fence = "doubtful"  # a sign within the code would be code
        events = self._let_out(self._opening([*self._aside, *lead]))
        self._aside.clear()
        begin = self._cited.length
        told = self._let_out(said)
        events += told
        end = self._cited.length
        events += self._let_out([sign] if sign else [])
        self._shown = True
        text = self._words("".join(event.text for event in told if isinstance(event, TextDelta)))
        shown = replace(claim, text=text, start=begin, end=end)
        verdict = pointed(verdict, bare, text)
        self.verdicts.append((shown, verdict, True))
        return [*events, ClaimChecked(shown, verdict)]

    def _leaves_doubtful_code(self, line: str) -> bool:
        """Note where fenced code begins and ends; whether this line ends some that left without a verdict."""
        if not line.lstrip().startswith(("```", "~~~")):
            return False
        doubtful = self._fence == "doubtful"
        self._fence_mark = line.lstrip()[:3]
        self._fence = "open" if self._fence is None else None
        return doubtful

    def _of_its_subject(self, bare: str, cited: Sequence[int], verdict: Verdict) -> Verdict:
        """The verdict, unless a marker would have to move to a source that does not speak of the sentence's subject."""
        rests_on = [evidence.source for evidence in verdict.evidence]
        if verdict.ruling != "supported" or not rests_on or not set(cited).isdisjoint(rests_on):
            return verdict
        if not (subject := self._subjects.missing(bare, rests_on[0])):
            return verdict
        reason = f"the source that says this does not speak of {subject}"
        return replace(verdict, ruling="unsupported", score=None, tier="exact", reason=reason)

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

    def _opening(self, items: list[_Item]) -> list[_Item]:
        """No white space is left of sentences withheld before the first that goes out."""
        first = items[0] if items else None
        if self._shown or not self._withheld or not isinstance(first, str):
            return items
        return [first.lstrip(), *items[1:]]

    def _let_out(self, items: Sequence[_Item]) -> list[Event]:
        events: list[Event] = []
        for item in items:
            if isinstance(item, str):
                events += self._cited.write(item)
            elif isinstance(item, _Edge):
                claim, verdict, _ = self.verdicts[item.verdict]
                end = self._cited.length
                claim = replace(claim, start=end if item.opens else claim.start, end=end)
                self.verdicts[item.verdict] = claim, verdict, True
            else:
                target = item.pointer or Marker((item.source + 1,), "", item.before)
                events += self._cited.write(target, before=item.before)
        return events


def _set_right(said: list[str | _Mark], verdict: Verdict, bare: str) -> tuple[list[str | _Mark], Verdict]:
    """Point a sentence's markers at the evidence its verdict rests on: of a source's, at what has most of its words.

    What introduces a list or heads a table is evidence of each item, and says nothing of it.
    """
    stems = set(content_stems(bare))
    best: dict[int, Pointer] = {}
    for evidence in sorted(verdict.evidence, key=lambda one: -len(stems & set(content_stems(one.quote)))):
        best.setdefault(evidence.source, Pointer(evidence.source, evidence.start, evidence.end))
    if not best:
        return said, verdict
    marks = [item for item in said if isinstance(item, _Mark)]
    for mark in marks:
        if mark.source in best:
            mark.pointer = mark.pointer or best[mark.source]
    if any(mark.source in best for mark in marks) or verdict.ruling != "supported":
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


def _unverified(said: list[str | _Mark]) -> tuple[list[str | _Mark], str]:
    """The sentence, and the sign after it that nobody checked it; in a table's row that stands inside its last cell."""
    last = said[-1] if said and isinstance(said[-1], str) else ""
    words = last.rstrip()
    if words.endswith("|"):
        return [*said[:-1], f"{words[:-1].rstrip()} {UNVERIFIED} |{last[len(words) :]}"], ""
    return said, f" {UNVERIFIED}"


def _noting(verdict: Verdict, note: str) -> Verdict:
    return replace(verdict, reason=f"{verdict.reason}; {note}" if verdict.reason else note)


def _line_opening(lead: Sequence[str | _Mark]) -> str:
    """The line break and list mark in what stands before a sentence; nothing in the middle of a line."""
    text = "".join(item for item in lead if isinstance(item, str))
    return text if "\n" in text or text.strip() else ""
