"""Writes the customer's text from the core's events: product by product, its marks in the style asked for, bounded.

The hard thing is that what is added (a product's name, a condition, an exclusion) moves every place behind it, and that
events told already cannot be told again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from footnoted.assistants.insurance.beside import Beside, Quote
from footnoted.assistants.insurance.citation import Citation, CitationStyle, names
from footnoted.assistants.insurance.models import ResponseRequest
from footnoted.assistants.insurance.phrases import phrases
from footnoted.contract import InlineCitation, SourceContext
from footnoted.events import CitationFound, ClaimChecked, Event, TextDelta
from footnoted.types import Citation as Pointed
from footnoted.types import Claim, Verdict

MARK_ROOM = 40  # code points a mark may take beyond the one counted


@dataclass(slots=True)
class _Unit:
    """What the core let out with one claim: its text, and the marks in it by their place in that text."""

    text: str = ""
    start: int = 0
    marks: list[Pointed] = field(default_factory=list)


@dataclass(slots=True)
class Letter:
    """The answer as the customer gets it, sentence by sentence.

    A product's name stands before its sentences unless they name it. ``body`` is the text without those names and
    the assistant's own notes; ``shortened`` tells that something did not fit.
    """

    request: ResponseRequest
    context: list[SourceContext]
    beside: Beside | None = None
    text: str = ""
    body: str = ""
    shortened: bool = False
    citations: list[InlineCitation] = field(default_factory=list)
    claims: list[tuple[Claim, Verdict, bool]] = field(default_factory=list)
    places: dict[int, Claim] = field(default_factory=dict)  # where the core had a claim: the same as it stands here
    products: list[str] = field(default_factory=list)
    _numbers: dict[int, int] = field(default_factory=dict)
    _unit: _Unit = field(default_factory=_Unit)
    _product: str = ""
    _shortest: tuple[str, Sequence[Pointed], ClaimChecked | None] | None = None  # of those that were too long to begin
    _said: str = ""  # of the product being spoken of
    _answered: str = ""  # the body, each mark as its number
    _closed: set[str] = field(default_factory=set)  # products whose exclusions were looked for

    def take(self, event: Event) -> list[Event]:
        """The events a reader is told for one of the core's; a sentence goes out when its verdict is known."""
        if isinstance(event, TextDelta):
            if not self._unit.text:
                self._unit.start = event.start
            self._unit.text += event.text
        elif isinstance(event, CitationFound):
            self._unit.marks.append(event.citation)
        elif isinstance(event, ClaimChecked):
            if not event.shown:
                self.claims.append((event.claim, event.verdict, False))
                return []
            unit, self._unit = self._unit, _Unit()
            marks = [_within(mark, unit.start) for mark in unit.marks]
            before = self._leave() if self._product_of(marks) not in ("", self._product) else []
            return [*before, *self.write(unit.text, marks, event), *self._conditions(unit.text, marks)]
        return []

    def close(self) -> list[Event]:
        """What was still waiting: words that need no support go out only with some that do."""
        unit, self._unit = self._unit, _Unit()
        rest = self.write(unit.text.rstrip(), []) if self.text and unit.text.strip() and not unit.marks else []
        return [*self.least(), *rest, *self._leave()]

    def least(self) -> list[Event]:
        """The shortest sentence, where all were too long."""
        return [] if self.body or self._shortest is None else self.write(*self._shortest, whole=True)

    @property
    def has_words(self) -> bool:
        """Whether there is anything to tell."""
        return bool(self.text or self._shortest)

    def write(
        self, text: str, marks: Sequence[Pointed], checked: ClaimChecked | None = None, *, whole: bool = False
    ) -> list[Event]:
        """Write words with their marks (places in ``text``), under their product's name, if they fit or if ``whole``.

        Of those that come before any fits the shortest is kept for the end: no customer gets half a sentence, nor none.
        """
        if (self.shortened and self.body and not whole) or not text.strip():
            return []
        product = self._product_of(marks)
        opening = self._opening(text, product)
        if opening.endswith(" ") and text.startswith("\n- "):
            opening = opening.rstrip()  # a list begins on a line of its own
        elif opening or not self.text:
            lead = len(text) - len(text.lstrip())
            text, marks = text[lead:], [_within(mark, lead) for mark in marks]
        known = dict(self._numbers)
        said, placed = self._marked(text, marks)
        if len(self.text) + len(opening) + len(said) > self.request.max_response_length and not whole:
            self.shortened = True
            self._numbers = known
            if not self.body and (self._shortest is None or len(text) < len(self._shortest[0])):
                self._shortest = text, marks, checked
            return []
        start = len(self.text) + len(opening)
        self.text += opening + said
        gap = "\n\n" if opening and self.body else ""
        self.body += gap + said
        self._answered += gap + _numbered(said, placed)
        if product:
            self._product = product
            if product not in self.products:
                self.products.append(product)
        events: list[Event] = [TextDelta(opening + said, start - len(opening))]
        for mark in placed:
            moved = replace(mark, start=mark.start + start, end=mark.end + start)
            self.citations.append(self._inline(moved))
            events.append(CitationFound(moved))
        if checked is not None:
            begins = start + len(said) - len(said.lstrip())
            claim = replace(checked.claim, text=said.lstrip(), start=begins, end=start + len(said))
            self.claims.append((claim, checked.verdict, True))
            self.places[checked.claim.start] = claim
            events.append(ClaimChecked(claim, checked.verdict))
        return events

    def _conditions(self, text: str, marks: Sequence[Pointed]) -> list[Event]:
        """The policy's own sentence behind one that gives its figure without its condition."""
        self._said += text
        if self.beside is None or self.shortened:
            return []
        for mark in marks[:1]:
            quote = self.beside.condition(text, mark.source, mark.source_start, mark.source_end)
            if quote is not None:
                return self.quote(f" {phrases(self.request.spoken).condition}", quote)
        return []

    def _leave(self) -> list[Event]:
        """What the product spoken of excludes, once all it covers is said."""
        said, self._said = self._said, ""
        product = self._product
        if self.beside is None or not product or product in self._closed:
            return []
        self._closed.add(product)
        places = [n for n, source in enumerate(self.context) if source.metadata.get("product_name") == product]
        used = {(mark.source_index, mark.source_start) for mark in self.citations}
        lead = f" {phrases(self.request.spoken).excluded}"
        return [event for quote in self.beside.exclusions(said, places, used) for event in self.quote(lead, quote)]

    def say(self, text: str, *, leaving: int = 0, whole: bool = False) -> list[Event]:
        """Write words of the assistant's own, if they fit, ``leaving`` so much room behind them, or if ``whole``."""
        if len(self.text) + len(text) + leaving > self.request.max_response_length and not whole:
            return []
        start = len(self.text)
        self.text += text
        return [TextDelta(text, start)]

    def quote(self, lead: str, quote: Quote, verdict: Verdict | None = None) -> list[Event]:
        """Write a source's own words with their mark; without a verdict of their own only where they fit."""
        text = f"{lead}: “{quote.text}” [x]"
        source = self.context[quote.source].as_source()
        words = source.text[quote.start : quote.end]
        place = len(text) - len("[x]"), len(text)
        mark = Pointed(0, quote.source, source.id, source.sha256, *place, quote.start, quote.end, words, 1.0)
        if verdict is not None:
            return self.write(text, [mark], ClaimChecked(Claim(text, 0, len(text)), verdict))
        if len(self.text) + len(text) + MARK_ROOM > self.request.max_response_length:
            return []
        return self.write(text, [mark])

    def less_notes(self, answer: str) -> str:
        """What an answer says of the policies; whole where it is none of this letter's.

        Its confidence must not hang on notes ("something was left out"), nor on the style of its marks.
        """
        return self._answered if answer == self.text else answer

    def number(self, source: int) -> int:
        """The number of a source, given at its first use."""
        return self._numbers.setdefault(source, len(self._numbers) + 1)

    @property
    def order(self) -> list[int]:
        """The sources by their numbers, those without one behind."""
        marked = sorted(self._numbers, key=lambda source: self._numbers[source])
        return [*marked, *(place for place in range(len(self.context)) if place not in self._numbers)]

    def _product_of(self, marks: Sequence[Pointed]) -> str:
        return str(self.context[marks[0].source].metadata.get("product_name", "")) if marks else ""

    def _opening(self, text: str, product: str) -> str:
        """The product's name where its sentences begin and do not name it themselves."""
        if not product or product == self._product:
            return ""
        gap = "\n\n" if self.text else ""
        return gap if names(text, product) else f"{gap}**{product}:** "

    def _marked(self, text: str, marks: Sequence[Pointed]) -> tuple[str, list[Pointed]]:
        """The words with each mark in the style asked for, and where the marks now stand."""
        pieces: list[str] = []
        placed: list[Pointed] = []
        at = length = 0
        for mark in sorted(marks, key=lambda mark: mark.start):
            number = self.number(mark.source)
            before = text[at : mark.start]
            if self.request.citation_style is CitationStyle.FOOTNOTE:
                before = before.rstrip(" ")
            written = self._written(mark.source, number)
            pieces += [before, written]
            length += len(before)
            placed.append(replace(mark, number=number, start=length, end=length + len(written)))
            length += len(written)
            at = mark.end
        return "".join([*pieces, text[at:]]), placed

    def _written(self, source: int, number: int) -> str:
        chunk = self.request.context_chunks[source]
        return Citation.of(chunk, number).format_citation(self.request.citation_style, number)

    def _inline(self, mark: Pointed) -> InlineCitation:
        source = self.context[mark.source]
        return InlineCitation(
            source_index=mark.source,
            chunk_id=source.chunk_id,
            quoted_text=" ".join(mark.quote.split()),
            start_pos=mark.start,
            end_pos=mark.end,
            number=mark.number,
            source_start=mark.source_start,
            source_end=mark.source_end,
            source_quote=mark.quote,
            source_sha256=mark.source_sha256,
            source_title=source.title,
            support=mark.support,
        )


def moved(event: Event, by: int) -> Event:
    """An event of a letter that begins ``by`` characters into all that was told."""
    if not by:
        return event
    if isinstance(event, TextDelta):
        return replace(event, start=event.start + by)
    if isinstance(event, CitationFound):
        return CitationFound(_within(event.citation, -by))
    if isinstance(event, ClaimChecked) and event.shown:
        return replace(event, claim=replace(event.claim, start=event.claim.start + by, end=event.claim.end + by))
    return event


def _numbered(text: str, marks: Sequence[Pointed]) -> str:
    """A text with each of its marks, in order, as a number in brackets, whatever its style."""
    for mark in reversed(marks):
        text = f"{text[: mark.start].rstrip()} [{mark.number}]{text[mark.end :]}"
    return text


def _within(mark: Pointed, start: int) -> Pointed:
    return replace(mark, start=mark.start - start, end=mark.end - start)
