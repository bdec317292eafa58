"""Collects the deltas of one reply into text of the format asked for, and remembers what the reader was told."""

from __future__ import annotations

import time
from collections.abc import Sequence

from footnoted.answering.formats import JSON_OPENING, json_closing, json_escape, json_unescape, shaper
from footnoted.answering.given import Given
from footnoted.answering.judging import Spent
from footnoted.answering.refusal import RefusalGate, message, missing, nearest, reads_as_refusal
from footnoted.answering.stopping import Stopping
from footnoted.answering.unwrapping import Unwrapped
from footnoted.answering.watch import Watch
from footnoted.answering.weighing import NEEDS_SUPPORT, Rendering
from footnoted.citations.quotes import Piece, QuoteReader
from footnoted.citations.stream import CitationStream
from footnoted.contract import GenerationRequest, OutputFormat, Refusal
from footnoted.events import Event, SourcesDisagree, TextDelta, TextRetracted
from footnoted.grounding.disagreement import Disagreement
from footnoted.inert import ReadableStream, readable
from footnoted.prompting.budget import Fitted
from footnoted.types import Claim, Delta, FinishReason, Pointer, Prompt, Usage, Verdict

_LONGEST_QUOTE = 300  # code points of a disputed sentence shown in the answer
_MOST_PIECES = 48  # of the text told, before they are put together: a word alone takes ten times its letters
_WHOLE = (FinishReason.COMPLETE, FinishReason.LENGTH)


class Page:
    """One answer being written: what has been read of the model, and what the reader was told."""

    def __init__(
        self, request: GenerationRequest, prompt: Prompt, fitted: Fitted, *, started: float, quoted: bool = False
    ) -> None:
        self.request = request
        self.prompt = prompt
        self.fitted = fitted
        self.given = Given(request.context, fitted.kept)
        self._all_shown = fitted.kept == tuple(range(len(fitted.kept)))
        self.started = started
        config = request.config
        self._stopping = Stopping(config.stop) if config.stop else None
        self.stopped = False  # the words came at which the caller wants the answer to end
        self._shaper = shaper(config.output_format)
        self.as_json = config.output_format is OutputFormat.JSON
        self._unwrapped = Unwrapped() if self.as_json else None
        self.cited = CitationStream(
            prompt.sources,
            style=config.citation_style,
            show=config.include_citations,
            encode=_in_json if self.as_json else readable,
            offset=len(JSON_OPENING) if self.as_json else 0,
            markdown=config.output_format is not OutputFormat.PLAIN,
        )
        self._quotes = QuoteReader(len(prompt.sources), self.cited.spans) if quoted else None
        self.finish = FinishReason.COMPLETE
        self.detail = ""
        self._near: Sequence[Pointer] | None = None  # what came nearest, by a provider that read the sources
        self.usage: Usage | None = None
        self.refusal: Refusal | None = None
        self.spent = Spent()  # what a judge has cost
        self.first_at: float | None = None
        self.verdicts: list[tuple[Claim, Verdict, bool]] = []
        self.retracted: list[tuple[int, int]] = []
        self.disagreements: list[Disagreement] = []
        self._told: list[str] = []
        self._readable = ReadableStream()
        self._blank = True  # the model has written white space at most
        self._gate: RefusalGate | None = RefusalGate()
        self._reason: list[str] = []  # what the model says is missing, once it refuses

    @property
    def answerable(self) -> bool:
        """Whether anybody is asked: there are sources, or the answer needs none."""
        return bool(self.prompt.sources) or not self.request.config.require_grounding

    @property
    def remark(self) -> str:
        """What a provider that read the sources itself says of its answer."""
        return self.detail if self._near is not None and self.finish in _WHOLE else ""

    @property
    def text(self) -> str:
        """Everything the reader was told, retracted or not."""
        return "".join(self._told)

    def read(self, delta: Delta) -> Sequence[Piece]:
        """A delta's text that belongs to the answer, in the format asked for, and the pointers after each piece.

        Usage and endings are noted.
        """
        if delta.usage is not None:
            self.usage = delta.usage
        if delta.finish_reason is not None and not self.stopped:
            self.finish, self.detail, self._near = delta.finish_reason, delta.detail, delta.near
        text, pointers = delta.text, delta.pointers
        if self._stopping is not None:
            text = self._stopping.decode(text)
            self.stopped = self._stopping.over
        if self._readable.held or not text.isprintable():
            text = self._readable.decode(text)
        if self._unwrapped is not None:
            text = self._unwrapped.pass_on(text) if pointers else self._unwrapped.decode(text)
        self._blank = self._blank and not text.strip()
        if self._gate is not None:
            # Words that come with their pointer are a source's own, whatever they begin with.
            text = self._gate.pass_on(text) if pointers else self._gate.decode(text)
            if self._gate.refused:
                self._reason.append(text)
                text = ""
            elif text:
                self._gate = None
                self.first_at = time.perf_counter()
        if self._shaper is not None and self._gate is None:
            text = self._shaper.decode(text)
        if self._quotes is not None:
            pieces = self._quotes.decode(text)
            return [*pieces, ("", pointers)] if pointers else pieces
        return [(text, pointers)] if text or pointers else ()

    def rest(self) -> list[Piece]:
        """What is still held back when the stream is over."""
        text = self._rest()
        if self._quotes is not None:
            return [*self._quotes.decode(text), *self._quotes.flush()]
        return [(text, ())] if text else []

    def _rest(self) -> str:
        held = "" if self._stopping is None else self._stopping.flush()
        text = self._readable.decode(held) + self._readable.flush()
        if self._unwrapped is not None:
            text = self._unwrapped.decode(text) + self._unwrapped.flush()
            self._blank = self._blank and not text.strip()
        if self._gate is not None and self._gate.refused:
            return ""
        if self._gate is not None:
            text = self._gate.decode(text) + self._gate.flush()
            self.first_at = time.perf_counter() if text else None
        return text if self._shaper is None else self._shaper.decode(text) + self._shaper.flush()

    def tell(self, events: Sequence[Event]) -> Sequence[Event]:
        """Note what the reader is about to be told, and tell it by the sources given."""
        opened = bool(self._told)
        if len(self._told) > _MOST_PIECES:
            self._told = [self.text]
        for event in events:
            if isinstance(event, TextDelta):
                self._told.append(event.text)
            elif isinstance(event, TextRetracted):
                self.retracted.append((event.start, event.end))
        if not self._all_shown:
            events = list(map(self.given.event, events))
        if self.as_json and not opened and self._told:
            self._told.insert(0, JSON_OPENING)
            return [TextDelta(JSON_OPENING, 0), *events]
        return events

    def dispute(self, found: Sequence[Disagreement]) -> list[Event]:
        """Say where sources exclude one another on a point the answer makes: both sides, neither preferred."""
        events: list[Event] = []
        for dispute in found:
            self.disagreements.append(dispute)
            opening = "- " if self.request.config.output_format is OutputFormat.BULLETS else ""
            events += self.cited.write(f"\n\n{opening}The sources disagree: ")
            sides = (dispute.first, dispute.first_date, ", but "), (dispute.second, dispute.second_date, ".")
            for evidence, date, after in sides:
                dated = f" ({date})" if date else ""
                events += self.cited.write(f"“{' '.join(evidence.quote.split())[:_LONGEST_QUOTE]}”{dated}")
                events += self.cited.write(Pointer(evidence.source, evidence.start, evidence.end), before=" ")
                events += self.cited.write(after)
            events.append(SourcesDisagree(dispute))
        return list(self.tell(events))

    def close(self, stage: Rendering) -> list[Event]:
        """The last events before the ending: a list of citations, a refusal's sentence, JSON's closing."""
        self.verdicts = stage.verdicts
        self.spent = stage.spent
        events: list[Event] = []
        answer = json_unescape(self.text.removeprefix(JSON_OPENING)) if self.as_json else self.text
        if not self.answerable:
            events += self.refuse("no_sources")
        elif self._gate is not None and self._gate.refused:
            events += self.refuse("not_in_sources", asked_for=self._missing())
        elif self.finish is FinishReason.REFUSED:
            events += self.refuse("not_in_sources", because="" if self._near is None else self.detail)
        elif self.finish in _WHOLE and self._nothing_stands():
            events += self.refuse("ungrounded")
        elif self.finish is FinishReason.COMPLETE and reads_as_refusal(answer, cited=bool(self.cited.citations)):
            self._refused("not_in_sources", answer.strip())
        elif not self.as_json and self.finish in _WHOLE:
            events += self.tell(self.cited.listing())
        if self.as_json:
            events += self._close_json()
        return events

    def refuse(self, reason: str, *, asked_for: str = "", because: str = "") -> list[Event]:
        """Say that there is no answer, in the format asked for; where there are no words, that nothing was asked."""
        if reason == "not_in_sources" and not any(map(str.isalnum, self.request.query)):
            reason, asked_for, because = "no_question", "", ""
        said = f"{message(reason)} {because}".rstrip()
        self._refused(reason, f"{said} Missing: {asked_for}" if asked_for else said)
        said = self.refusal.message if self.refusal else said
        if self.request.config.output_format is OutputFormat.BULLETS:
            said = f"- {said}"
        left = self._left()
        words = "".join(self._plain(start, end) for start, end in left)
        if any(map(str.isalnum, words)) or (words.strip() and not self.retracted):  # else list marks and blanks
            return list(self.tell(self.cited.write(f"\n\n{said}")))
        gone = [TextRetracted(start, end, "nothing is left around it") for start, end in left if self.retracted]
        return [*self.tell(gone), *self.tell(self.cited.write(said))]

    def _left(self) -> list[tuple[int, int]]:
        """The stretches of the answer's text that were not taken back."""
        at = len(JSON_OPENING) if self.as_json else 0
        left = []
        for start, end in [*sorted(self.retracted), (len(self.text), len(self.text))]:
            left += [(at, start)] if start > at else []
            at = max(at, end)
        return left

    def _plain(self, start: int, end: int) -> str:
        return json_unescape(self.text[start:end]) if self.as_json else self.text[start:end]

    def _missing(self) -> str:
        """What the model says is missing; no check weighs it, so it may only use the question's words."""
        reason = missing("".join(self._reason))
        grounded = self.request.config.require_grounding
        return reason if not grounded or Watch(self.prompt.question, self.prompt.sources).is_innocent(reason) else ""

    def _nothing_stands(self) -> bool:
        if self._blank and self.finish is FinishReason.COMPLETE:
            return True
        weighed = [shown for claim, _, shown in self.verdicts if claim.kind == NEEDS_SUPPORT or not shown]
        return bool(weighed) and not any(weighed)

    def _refused(self, reason: str, said: str) -> None:
        self.finish = FinishReason.REFUSED
        own = self.given.places(self._near) if self._near and reason != "no_question" else None
        found = nearest(self.request.query, self.request.context) if own is None else own
        self.refusal = Refusal(reason=reason, message=said, found=found)

    def _close_json(self) -> list[Event]:
        closing = json_closing(self.cited.citations, self.prompt.sources, self.finish)
        opening = "" if self._told else JSON_OPENING
        start = len(self.text)
        self._told.append(opening + closing)
        return [TextDelta(opening + closing, start)]


def _in_json(text: str) -> str:
    return json_escape(readable(text))
