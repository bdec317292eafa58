"""Sources in; for a claim, the few sentences out that could carry it, each found by what it says alone.

Nothing here depends on how many sources there are: a sentence's score is its own words against the claim's,
so passages about something else change no verdict. Sources are read whole, in sentences, never cut.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from footnoted.grounding.coverage import leaves_out
from footnoted.grounding.reading import Reading, weight_of
from footnoted.text import content_stems, sentences, words
from footnoted.types import Source, Span

if TYPE_CHECKING:
    from collections.abc import Sequence

LIKENESS = 0.6  # what nearness in meaning is worth beside shared words when evidence is chosen
RELATED = 0.36  # nearness in meaning below which a further sentence speaks of something else
MOST = 4  # evidence sentences a verdict rests on; measured: four beat two, more add nothing
_LONGEST = 60  # words; what is longer (transcripts, tables) is cut at its own pauses
_LONGEST_LEAD = 240  # code points; a longer sentence is no mere introduction
_ITEM = re.compile(r"(?:[-*+•‣–]|\(?\d{1,3}[.)]|\(?[a-z][.)])\s+")
_COLONS = (":", "：")
_PAUSE = re.compile(r"\n|[;:]\s|,\s|\s[–—-]\s|\s")


@dataclass(frozen=True, slots=True)
class Passage:
    """One source in sentences, with the stems of each and where every stem stands.

    ``leads`` are what introduces a list item ("We do not pay for:"), None for all else: without it, an item says
    nothing, or the opposite of what it says with it. ``heading`` is the source's own where it says that what follows
    is not paid for; it does the same for items that nothing else introduces.
    """

    source: Source
    spans: tuple[Span, ...]
    leads: tuple[Span | None, ...]
    heading: str
    stems: tuple[frozenset[str], ...]
    places: dict[str, tuple[int, ...]]

    def text(self, index: int) -> str:
        """What one sentence says: its words, a list item's after those of its lead."""
        return _said(self.source.text, self.spans[index], self.leads[index], self.heading)

    def words(self, index: int) -> str:
        """The words of one sentence alone, letter by letter."""
        span = self.spans[index]
        return self.source.text[span.start : span.end]


@dataclass(frozen=True, slots=True)
class Found:
    """One evidence sentence: of which source, which of its sentences, where, and where what introduces it.

    ``reading`` is of both, ``words`` are its own. ``cover`` is the share (0–1) of the claim's weight in it, ``like``
    how near it is in meaning (0 without a model).
    """

    source: int
    index: int
    span: Span
    reading: Reading
    cover: float
    like: float = 0.0
    words: str = ""
    lead: Span | None = None
    lead_words: str = ""


def passage(source: Source) -> Passage:
    """Cut a source into sentences and note their stems."""
    spans = tuple(piece for span in sentences(source.text) for piece in _pieces(source.text, span))
    leads, heading = tuple(_leads(source.text, spans)), heading_of(source)
    said = (_said(source.text, span, lead, heading) for span, lead in zip(spans, leads, strict=True))
    stems = tuple(frozenset(content_stems(text)) for text in said)
    places: dict[str, list[int]] = {}
    for index, found in enumerate(stems):
        for stemmed in found:
            places.setdefault(stemmed, []).append(index)
    return Passage(source, spans, leads, heading, stems, {stemmed: tuple(where) for stemmed, where in places.items()})


def heading_of(source: Source) -> str:
    """The heading a source stands under, if it says that what follows is not paid for; else nothing.

    >>> heading_of(Source("1", "- Racing.", title="Car policy › 9. What we never cover"))
    '9. What we never cover'
    """
    heading = str(source.metadata.get("section") or source.title).rpartition(" › ")[2][:_LONGEST_LEAD]
    return heading if heading and leaves_out(heading) else ""


def _leads(text: str, spans: Sequence[Span]) -> list[Span | None]:
    """For each sentence the one that introduces the list it stands in, if any: by its colon, or as a heading."""
    leads: list[Span | None] = []
    lead, inside, before = None, False, 0
    for span in spans:
        if _ITEM.match(text, span.start):
            inside = True
        elif not (inside and "\n" not in text[before : span.start]):
            inside = False
            lead = span if _introduces(text, span) else None
        before = span.end
        leads.append(lead if inside else None)
    return leads


def _introduces(text: str, span: Span) -> bool:
    if text[span.start : span.end].rstrip("*_ ").endswith(_COLONS):
        return True
    line = text[text.rfind("\n", 0, span.start) + 1 : span.end]
    return line.startswith("#") and leaves_out(line)


def _said(text: str, span: Span, lead: Span | None, heading: str) -> str:
    words = text[span.start : span.end]
    if lead is None and heading and _ITEM.match(words):
        return _left_out(words)
    if lead is None or lead.end - lead.start > _LONGEST_LEAD:
        return words
    introduction = text[lead.start : lead.end]
    if not introduction.rstrip("*_ ").endswith(_COLONS):
        return _left_out(words)
    return f"{introduction} {_ITEM.sub('', words, count=1)}"


def _left_out(item: str) -> str:
    """What an item says under a heading like "Exclusions", in plain words; of four ways, the one weighed best."""
    return f"It is not covered: {_ITEM.sub('', item, count=1)}"


def _pieces(text: str, span: Span) -> list[Span]:
    if span.end - span.start < 2 * _LONGEST:  # too short to hold so many words
        return [span]
    found = words(text[span.start : span.end])
    if len(found) <= _LONGEST:
        return [span]
    parts = len(found) // (_LONGEST - 15) + 1
    size = len(found) / parts
    pieces, start = [], span.start
    for part in range(1, parts):
        after = span.start + found[round(part * size) - 1][2]
        cut = _pause_near(text, after, start, span.end)
        pieces.append(Span(start, cut))
        start = cut
    pieces.append(Span(start, span.end))
    return [stripped for piece in pieces if (stripped := _strip(text, piece)) is not None]


def _pause_near(text: str, at: int, low: int, high: int) -> int:
    """The best pause within some 60 characters of ``at``: a line's end, else a semicolon, a comma, a space."""
    best, rank = at, 9.0
    for match in _PAUSE.finditer(text, max(low + 1, at - 60), min(high, at + 60)):
        kind = "\n;:,".find(match.group()[0])
        mine = (kind if kind >= 0 else 4) + abs(match.end() - at) / 60
        if mine < rank:
            best, rank = match.end(), mine
    return best


def _strip(text: str, span: Span) -> Span | None:
    start, end = span.start, span.end
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return Span(start, end) if end > start else None


def cover(claim: Reading, stems: frozenset[str]) -> float:
    """The share of the claim's weight whose stems stand among ``stems``."""
    total = sum(weight_of(stemmed) for stemmed in claim.stems)
    return sum(weight_of(stemmed) for stemmed in claim.stems & stems) / total if total else 0.0


def candidates(claim: Reading, passages: Sequence[Passage], each: int) -> list[tuple[int, int, float]]:
    """``(source, sentence, cover)`` of the best ``each`` sentences of every source, by words alone."""
    total = sum(weight_of(stemmed) for stemmed in claim.stems) or 1.0
    found: list[tuple[int, int, float]] = []
    for number, one in enumerate(passages):
        gains: dict[int, float] = {}
        for stemmed in claim.stems:
            for index in one.places.get(stemmed, ()):
                gains[index] = gains.get(index, 0.0) + weight_of(stemmed)
        best = sorted(gains.items(), key=lambda pair: (-pair[1], pair[0]))[:each]
        found.extend((number, index, gain / total) for index, gain in best)
    return found


def choose(claim: Reading, pool: Sequence[Found], most: int = MOST) -> list[Found]:
    """Up to ``most`` of the pool: the best one, then those that add most of what is still uncovered.

    A sentence that is far in meaning adds nothing, whatever words it shares: among enough passages about something
    else, every word of a claim stands somewhere.
    """
    left = dict.fromkeys(claim.stems, 1.0)
    total = sum(weight_of(stemmed) for stemmed in left) or 1.0
    remaining = list(pool)
    chosen: list[Found] = []
    while remaining and len(chosen) < most:
        best = max(remaining, key=lambda found: _worth(found, left, total))
        if chosen and _worth(best, left, total) <= 0:
            break
        chosen.append(best)
        remaining.remove(best)
        if len(chosen) == 1 and any(one.like for one in pool):
            remaining = [one for one in remaining if one.like >= RELATED]
        for stemmed in best.reading.stems:
            if stemmed in left:
                left[stemmed] = 0.25  # said again is worth a little: it confirms
    return chosen


def _worth(found: Found, left: dict[str, float], total: float) -> float:
    gain = sum(weight_of(s) * left[s] for s in found.reading.stems if s in left) / total
    return gain + LIKENESS * found.like
