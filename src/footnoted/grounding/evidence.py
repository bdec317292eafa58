"""Finds the few sentences that could carry a claim, and puts them together as the reader is to read them.

The hard thing is that a sentence alone says too little: an item of a list says nothing, or the opposite, without what
introduces it, a row nothing without its header, "it" nothing without the sentence before. So what is read is a window:
the sentences that share most of the claim's telling words, what introduces them, and their neighbours, in order. Each
is found by its own words, so passages about something else change no verdict.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from footnoted.grounding.reading import Words, weight_of
from footnoted.grounding.tables import Row, rows
from footnoted.text import content_stems, sentences, words
from footnoted.text.lines import is_item
from footnoted.text.marks import stripped
from footnoted.types import Evidence, Pointer, Source, Span

if TYPE_CHECKING:
    from footnoted.models import Embedder

MOST = 4  # sentences chosen for what they say themselves
_AGAIN = 0.2  # what a word is worth that another sentence says already: it confirms
_BUDGET = 110  # words of a window; what the reader was measured with
_BY_WORDS = 24  # sentences of a source that are looked at
_BY_MEANING = 64  # sentences that are embedded for a claim, some ten milliseconds each
_LEAST = 3  # telling words of a sentence that is looked at for its meaning
_LONGEST = 60  # words; what is longer (transcripts) is cut at its own pauses
_LONGEST_LEAD = 240  # code points; a longer sentence is no mere introduction
_COLONS = (":", "：")
_DASHES = tuple("–—-")


@dataclass(frozen=True, slots=True)
class Passage:
    """One source in sentences, with the stems of each and where every stem stands.

    ``leads`` are the sentences that introduce a list item ("We do not pay for:") or head a table's row, by index; None
    for all else. ``stems`` of a sentence include those of its lead.
    """

    source: Source
    spans: tuple[Span, ...]
    leads: tuple[int | None, ...]
    stems: tuple[frozenset[str], ...]
    places: dict[str, tuple[int, ...]]
    rows: dict[int, Row]

    def words(self, index: int) -> str:
        """The words of one sentence, letter by letter."""
        span = self.spans[index]
        return self.source.text[span.start : span.end]

    def length(self, index: int) -> int:
        """How many words one sentence has."""
        return len(self.words(index).split())

    def index_of(self, start: int) -> int:
        """The sentence that begins there."""
        return bisect_left(self.spans, start, key=lambda span: span.start)

    def read(self, index: int) -> str:
        """The same as it is to be read: an item after what introduces it, each cell of a row with its header."""
        if index in self.rows:
            return self.rows[index].told()
        lead = self.leads[index]
        return self.words(index) if lead is None else f"{self.words(lead)} {self.words(index)}"


@dataclass(frozen=True, slots=True)
class Found:
    """One evidence sentence, ``sources[source]``'s sentence ``index``; ``cover`` is the share of the claim in it."""

    source: int
    index: int
    cover: float


@dataclass(frozen=True, slots=True)
class Window:
    """What the reader reads, and what that is made of.

    ``texts`` are the whole window and, where it is not the same, its most telling sentence alone with what introduces
    it; ``evidence`` are the sentences, the most telling first.
    ``cover`` (0–1) is the share of the claim's weight whose words stand in it, ``overlap`` the share whose words stand
    anywhere in the sources it is of; ``missing`` are the claim's words that do not stand in it.
    """

    texts: tuple[str, ...]
    evidence: tuple[Evidence, ...]
    cover: float
    overlap: float
    missing: tuple[Span, ...]


def passage(source: Source) -> Passage:
    """Cut a source into sentences and note their stems."""
    spans = tuple(piece for span in sentences(source.text) for piece in _pieces(source.text, span))
    leads = tuple(_leads(source.text, spans))
    own = [frozenset(content_stems(source.text[span.start : span.end])) for span in spans]
    stems = tuple(mine | own[lead] if lead is not None else mine for mine, lead in zip(own, leads, strict=True))
    places: dict[str, list[int]] = {}
    for index, those in enumerate(stems):
        for stemmed in those:
            places.setdefault(stemmed, []).append(index)
    found = {stemmed: tuple(where) for stemmed, where in places.items()}
    return Passage(source, spans, leads, stems, found, rows(source.text, spans))


def cover(claim: Words, stems: Iterable[str]) -> float:
    """The share (0–1) of the claim's weight whose stems stand among ``stems``."""
    total = sum(weight_of(stemmed) for stemmed in claim.stems)
    return sum(weight_of(stemmed) for stemmed in claim.stems & set(stems)) / total if total else 0.0


def candidates(claim: Words, passages: Sequence[Passage]) -> list[Found]:
    """The best sentences of every passage, the most telling first."""
    total = sum(weight_of(stemmed) for stemmed in claim.stems) or 1.0
    found: list[Found] = []
    for number, passage in enumerate(passages):
        gains: dict[int, float] = {}
        for stemmed in claim.stems:
            for index in passage.places.get(stemmed, ()):
                gains[index] = gains.get(index, 0.0) + weight_of(stemmed)
        best = sorted(gains.items(), key=lambda pair: (-pair[1], pair[0]))[:_BY_WORDS]
        found.extend(Found(number, index, gain / total) for index, gain in best)
    return sorted(found, key=lambda sentence: (-sentence.cover, sentence.source, sentence.index))


def window(claim: Words, passages: Sequence[Passage], quoted: Sequence[Pointer] = ()) -> Window | None:
    """What could carry the claim, to be read as one text; None where no sentence shares a word with it.

    Where stretches of the passages are ``quoted`` for it, their sentences come first, and are what is read alone.
    """
    first = _quoted(claim, passages, quoted)
    return _around(claim, passages, first, _chosen(claim, passages, first))


def window_by_meaning(claim: Words, passages: Sequence[Passage], embedder: Embedder) -> Window | None:
    """The same for a claim in another language than its sources, with which it shares no words.

    Of their first `_BY_MEANING` sentences those nearest by meaning are read; None where there are none.
    """
    places = [
        (source, index)
        for source, each in enumerate(passages)
        for index, stems in enumerate(each.stems)
        if len(stems) >= _LEAST
    ][:_BY_MEANING]
    if not places:
        return None
    near = embedder.passages([passages[source].read(index) for source, index in places])
    likeness = near @ embedder.queries([claim.text])[0]
    chosen, length = list[Found](), 0
    for place in sorted(range(len(places)), key=lambda n: -likeness[n])[:MOST]:
        source, index = places[place]
        length += passages[source].length(index)
        if chosen and length > _BUDGET:
            break
        chosen.append(Found(source, index, cover(claim, passages[source].stems[index])))
    return _around(claim, passages, [], chosen)


def _around(
    claim: Words, passages: Sequence[Passage], first: Sequence[Found], chosen: Sequence[Found]
) -> Window | None:
    """The window of the ``chosen`` sentences, what introduces them, and their neighbours as far as they fit."""
    if not chosen:
        return None
    places = {(sentence.source, sentence.index) for sentence in chosen}
    left = _BUDGET - sum(passages[s].length(i) for s, i in places)
    for sentence in chosen:
        lead = passages[sentence.source].leads[sentence.index]
        if sentence.index in passages[sentence.source].rows and lead is not None:
            lead = max(0, lead - 1)  # a row is read with its header already: what stands over the table is its caption
        near = (
            (sentence.index - 1, sentence.index + 1) if lead is None else (lead, sentence.index - 1, sentence.index + 1)
        )
        for index in near:
            if not 0 <= index < len(passages[sentence.source].spans) or (sentence.source, index) in places:
                continue
            length = passages[sentence.source].length(index)
            if length <= left or index == lead:
                places.add((sentence.source, index))
                left -= length
    stems = {stemmed for s, i in places for stemmed in passages[s].stems[i]}
    missing = tuple(Span(word.start, word.end) for word in claim.words if word.carries and word.stem not in stems)
    evidence = tuple(_as_evidence(passages[sentence.source], sentence) for sentence in chosen)
    telling = [(sentence.source, sentence.index) for sentence in first or chosen[:1]]
    leads = [(source, passages[source].leads[index]) for source, index in telling]
    alone = {*telling, *((source, lead) for source, lead in leads if lead is not None)}
    texts = _text(sorted(places), passages), _text(sorted(alone), passages)
    known = {
        stemmed for s in {sentence.source for sentence in chosen} for stemmed in claim.stems & passages[s].places.keys()
    }
    return Window(tuple(dict.fromkeys(texts)), evidence, cover(claim, stems), cover(claim, known), missing)


def _chosen(claim: Words, passages: Sequence[Passage], first: Sequence[Found]) -> list[Found]:
    """Those to come ``first``, or the best sentence, then those that add most of what is still uncovered."""
    left = dict.fromkeys(claim.stems, 1.0)
    chosen = list(first)
    taken = {(sentence.source, sentence.index) for sentence in chosen}
    remaining = [sentence for sentence in candidates(claim, passages) if (sentence.source, sentence.index) not in taken]
    length = sum(passages[source].length(index) for source, index in taken)
    for source, index in taken:
        left |= {stemmed: _AGAIN for stemmed in passages[source].stems[index] if stemmed in left}
    while remaining and len(chosen) < MOST:
        if chosen:  # of another source only what says something new: chance words in common change no verdict
            new = {stemmed for stemmed, weight in left.items() if weight == 1.0}
            remaining = [
                sentence
                for sentence in remaining
                if sentence.source == chosen[0].source or new & passages[sentence.source].stems[sentence.index]
            ]
            if not remaining:
                break
        best = max(remaining, key=lambda sentence: _worth(passages[sentence.source], sentence.index, left))
        words_in = passages[best.source].length(best.index)
        if _worth(passages[best.source], best.index, left) <= 0 or (chosen and length + words_in > _BUDGET):
            break
        chosen.append(best)
        length += words_in
        remaining.remove(best)
        for stemmed in passages[best.source].stems[best.index]:
            if stemmed in left:
                left[stemmed] = _AGAIN
    return chosen


def _quoted(claim: Words, passages: Sequence[Passage], quoted: Sequence[Pointer]) -> list[Found]:
    """The sentences that quoted stretches stand in, as many as can be read."""
    found = [
        Found(pointer.source, index, cover(claim, passages[pointer.source].stems[index]))
        for pointer in quoted
        for index, span in enumerate(passages[pointer.source].spans)
        if span.start < pointer.end and pointer.start < span.end
    ]
    chosen, length = list[Found](), 0
    for sentence in dict.fromkeys(found):
        length += passages[sentence.source].length(sentence.index)
        if chosen and length > _BUDGET:
            break
        chosen.append(sentence)
    return chosen


def _worth(passage: Passage, index: int, left: dict[str, float]) -> float:
    gain = sum(weight_of(stemmed) * left[stemmed] for stemmed in passage.stems[index] if stemmed in left)
    return gain / (1 + 0.02 * len(passage.stems[index]))


def _text(places: Sequence[tuple[int, int]], passages: Sequence[Passage]) -> str:
    parts: list[str] = []
    last: tuple[int, int] | None = None
    for source, index in places:
        row = passages[source].rows.get(index)
        if row is None and passages[source].words(index).startswith("|") and passages[source].rows:
            continue  # a header, or the line under it: each row has it
        if last is not None and source != last[0]:
            parts.append("\n")
        elif last is not None and index != last[1] + 1:
            parts.append(" … ")
        elif last is not None:
            parts.append(" ")
        parts.append(passages[source].words(index) if row is None else row.told())
        last = source, index
    return "".join(parts)


def _as_evidence(passage: Passage, found: Found) -> Evidence:
    span = passage.spans[found.index]
    return Evidence(found.source, span.start, span.end, passage.words(found.index), round(found.cover, 4))


def _leads(text: str, spans: Sequence[Span]) -> list[int | None]:
    """For each sentence the one that introduces the list it stands in, or heads its table."""
    leads: list[int | None] = []
    lead: int | None = None
    inside, before, header = False, 0, None
    for place, span in enumerate(spans):
        row = text[span.start] == "|"
        if row:
            header = place if header is None else header
            leads.append(header if header != place else None)
            before, inside = span.end, False
            continue
        header = None
        if is_item(text, span.start):
            inside = True
        elif not (inside and "\n" not in text[before : span.start]):
            inside = False
            lead = place if _introduces(text, span) else None
        before = span.end
        leads.append(lead if inside else None)
    return leads


def _introduces(text: str, span: Span) -> bool:
    """Whether a sentence ends with a colon, or stands as a heading, and is short enough for either."""
    if span.end - span.start > _LONGEST_LEAD:
        return False
    if text[span.start : span.end].rstrip("*_ ").endswith(_COLONS):
        return True
    near = max(0, span.start - _LONGEST_LEAD)  # a text may be one line of a million characters
    line = text.rfind("\n", near, span.start) + 1 or near
    return text.startswith("#", line) and (line == 0 or text[line - 1] == "\n")


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
    bare = [stripped(text, piece.start, piece.end) for piece in pieces]
    return [Span(start, end) for start, end in bare if start < end]


def _pause_near(text: str, at: int, low: int, high: int) -> int:
    """The best pause within some 60 characters of ``at``: a line's end, else a semicolon, a comma, a space."""
    best, rank = at, 9.0
    for place in range(max(low + 1, at - 60), min(high, at + 60)):
        dashed = text.startswith(_DASHES, place + 1) and text[place + 2 : place + 3].isspace()
        if not text[place].isspace() or dashed:
            continue
        kind = ";:,".find(text[place - 1]) + 1 or (0 if text[place] == "\n" else 4)
        mine = kind + abs(place + 1 - at) / 60
        if mine < rank:
            best, rank = place + 1, mine
    return best
