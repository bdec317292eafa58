"""Picks the few ranked sentences that make an answer, in the order to write them, each with its pointers.

The hard thing is that a sentence may say nothing alone: a list's item needs its lead, a colon its list, a row its
header, a rule the exception in the sentence after it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from textwrap import dedent
from typing import TYPE_CHECKING

from footnoted.orders import is_order
from footnoted.providers import _wording
from footnoted.retrieval.relevance import Sentence, read
from footnoted.text import UNSPACED, content_stems, estimate_tokens
from footnoted.text.lines import is_item
from footnoted.text.markdown import list_mark, without_number
from footnoted.text.phrases import whole
from footnoted.types import Pointer, Span

if TYPE_CHECKING:
    from collections.abc import Sequence

    from footnoted.retrieval.relevance import Scored
    from footnoted.types import Source

_LOOKED_AT = 40  # ranked sentences
_NEAR = 1.6  # how far below the best a supporting sentence may stand, in log-odds
_SHARES = 0.6  # of the best's share of the question, what a supporting sentence must hold
_ALIKE = 0.7  # share of the shorter's stems that makes two sentences say the same
_LONGEST_ITEM = 600  # code points of a list item, a list or a listing that is told whole
_LEAST_LEAD = 8  # words of a sentence ending in a colon that is told without what it introduces
_LISTED = 6  # items or rows of a longer list shown under the sentence that introduces them
_AROUND = 2_000  # code points on either side in which a sentence's neighbours are looked for
_LEAST_WORDS = 4  # a shorter sentence ("Yes.") takes the next along
_CONDITION = whole(
    *("only if", "only when", "provided that", "but not", "does not apply", "if you", "if the", "as long as"),
    *("not covered", "on top", "at most", "no more than"),
    *"unless except exception however otherwise excluding".split(),
)
_TURNS = whole(*"not never no cannot without only unless exclu* except* limit* condition* must".split())


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of the answer: its text, and the words of the sources it is made of.

    Where it tells a list, ``lead`` is what introduces it and ``items`` are its items as the source marks them.
    """

    text: str
    pointers: tuple[Pointer, ...]
    lead: str = ""
    items: tuple[Passage, ...] = ()


def passages(ranked: Sequence[Scored], sources: Sequence[Source], *, limit: int, tokens: int) -> tuple[Passage, ...]:
    """The best sentence, what bounds or explains it, and others near it that add something; at most ``limit``.

    The paragraph of the best stands first, in its own order; the rest follow source by source. Sentences that order
    about whoever answers are left out, and so is what does not fit into ``tokens``.
    """
    chosen = _Chosen(sources, limit, tokens)
    usable = [scored for scored in ranked[:_LOOKED_AT] if _tells(scored.sentence.text)]
    if not usable:
        return ()
    best = usable[0]
    for scored in usable:
        if len(chosen.written) >= limit or best.score - scored.score > _NEAR:
            break
        if scored.features["cover_around"] >= _SHARES * best.features["cover_around"]:
            chosen.take(scored.sentence, usable)
    return chosen.in_order()


def pointer_at(sentence: Sentence) -> Pointer:
    """Where a sentence stands."""
    return Pointer(sentence.source_index, sentence.start, sentence.end)


def list_passage(opening: str, place: Pointer, items: Sequence[Sentence], source: Source | None = None) -> Passage:
    """What introduces a list, at ``place``, with its items; with its ``source``, items of items are indented."""
    depths = [_indent(source.text, item.start) if source is not None else 0 for item in items]
    item_passages = tuple(
        Passage("  " * (depth > min(depths)) + _wording.item(item.text), (pointer_at(item),))
        for item, depth in zip(items, depths, strict=True)
    )
    text = _wording.listing(opening, [item.text for item in items])
    return Passage(text, (*map(pointer_at, items), place), _wording.opening(opening), item_passages)


def _tells(text: str) -> bool:
    """Whether a sentence can be said: it is no question, and orders nothing about whoever answers."""
    return not text.rstrip("*_ )\"'").endswith(("?", "？")) and not is_order(text)


def _told_of(items: list[Sentence]) -> list[Sentence]:
    """A short list whole, of a long one the first items."""
    return items if sum(len(item.text) for item in items) <= _LONGEST_ITEM else items[:_LISTED]


def _introduces(sentence: Sentence) -> bool:
    """Whether a sentence ends in a colon, and is no code."""
    return sentence.kind != "code" and sentence.text.rstrip("*_ ").endswith((":", "："))


@dataclass(frozen=True, slots=True)
class _Piece:
    passage: Passage
    source: int
    start: int
    block: int  # the paragraph, list or table it stands in


class _Chosen:
    """The answer as it grows."""

    def __init__(self, sources: Sequence[Source], limit: int, tokens: int) -> None:
        self.written: list[_Piece] = []
        self._sources = sources
        self._limit = limit
        self._left = tokens
        self._said: list[tuple[frozenset[str], frozenset[str]]] = []
        self._used: set[tuple[int, int]] = set()
        self._lists: dict[tuple[int, int], list[Sentence]] = {}

    def take(self, sentence: Sentence, ranked: Sequence[Scored]) -> None:
        """Write a sentence with what belongs to it, unless it is said already or does not fit."""
        if (sentence.source_index, sentence.start) in self._used:
            return
        sentence = self._whole(sentence)
        if _introduces(sentence):
            self._take_list(sentence, ranked)
            return
        run = self._with_condition(sentence) if sentence.kind == "prose" else [sentence]
        for piece in run:
            fresh = piece is not sentence or len(run) > 1 or not self._repeats(piece)
            if fresh and len(self.written) < self._limit:
                self._write(piece)

    def _whole(self, sentence: Sentence) -> Sentence:
        """The whole list item or listing that a sentence is part of: "Defaults to 500." says nothing alone."""
        if sentence.kind == "code":
            return self._listing(sentence)
        if sentence.kind != "item":
            return sentence
        near = [other for other in self._around(sentence) if other.kind == "item" and other.block == sentence.block]
        at = next((i for i, other in enumerate(near) if other.start == sentence.start), 0)
        first, last = at, at
        while first > 0 and not is_item(near[first].text):
            first -= 1
        while last + 1 < len(near) and not is_item(near[last + 1].text):
            last += 1
        if not near or near[last].end - near[first].start > _LONGEST_ITEM:
            return sentence
        self._used.update((other.source_index, other.start) for other in near[first + 1 : last + 1])
        text = self._sources[sentence.source_index].text[near[first].start : near[last].end]
        return replace(near[first], end=near[last].end, text=text, block=sentence.block)

    def _listing(self, sentence: Sentence) -> Sentence:
        """The lines of code around one of them, or after what introduces them, where they may be told; else itself."""
        near = self._around(sentence)
        at = next((i for i, other in enumerate(near) if other.end >= sentence.end), len(near))
        first = at if sentence.kind == "code" else at + 2  # behind the fence
        while 0 < first <= len(near) and near[first - 1].kind == "code":
            first -= 1
        last = first
        while last < len(near) and near[last].kind == "code":
            last += 1
        if last == first or near[last - 1].end - near[first].start > _LONGEST_ITEM:
            return sentence
        self._used.update((other.source_index, other.start) for other in near[first + 1 : last])
        text = self._sources[sentence.source_index].text[near[first].start : near[last - 1].end]
        return replace(near[first], end=near[last - 1].end, text=text)

    def _introduction(self, code: Sentence) -> Sentence | None:
        """The sentence ending in a colon before the fence of a listing, unless it was told."""
        near = self._around(code)
        at = next((i for i, other in enumerate(near) if other.start == code.start), 0)
        before = near[at - 2] if at > 1 and near[at - 1].kind == "rule" else None
        usable = before is not None and _introduces(before) and self._free(before) and not is_order(before.text)
        return before if usable else None

    def _with_condition(self, sentence: Sentence) -> list[Sentence]:
        """The sentence, and the next of its paragraph where that bounds it or it says too little alone."""
        near = [other for other in self._around(sentence) if other.start == sentence.start or self._free(other)]
        at = next((i for i, other in enumerate(near) if other.start == sentence.start), len(near))
        after = near[at + 1] if at + 1 < len(near) else None
        if after is None or after.block != near[at].block:
            return [sentence]
        unspaced = UNSPACED.search(sentence.text) is not None
        if _CONDITION.search(after.text) or (len(sentence.text.split()) < _LEAST_WORDS and not unspaced):
            return [sentence, replace(after, block=sentence.block)]
        return [sentence]

    def _take_list(self, lead: Sentence, ranked: Sequence[Scored]) -> None:
        """A sentence that ends in a colon says nothing without its list: the items that fit best, in order."""
        span = Span(lead.start, lead.end)
        members = [
            member
            for member in self._around(lead)
            if span in member.leads and self._free(member) and not is_order(member.text)
        ]
        if not members:
            listing = self._listing(lead)
            if listing is not lead and lead.kind == "item":
                self._write_code(listing, lead)
            elif listing is not lead or len(lead.text.split()) >= _LEAST_LEAD:  # before a picture it tells enough
                self._write(listing)
            return
        self._used.add((lead.source_index, lead.start))
        rank = {(scored.source_index, scored.start): place for place, scored in enumerate(ranked)}
        best = sorted(members, key=lambda member: rank.get((member.source_index, member.start), len(ranked)))
        best = sorted(_told_of(best), key=lambda member: member.start)
        for member in best if best[0].kind == "item" else best[: max(1, self._limit - len(self.written))]:
            self._write(member)

    def _write_item(self, item: Sentence) -> None:
        """An item after its lead; items of one list make one sentence, in the order of the list."""
        source, lead = self._sources[item.source_index], item.leads[0]
        key = (item.source_index, lead.start)
        items = _told_of(self._with_others(sorted((*self._lists.get(key, ()), item), key=lambda one: one.start)))
        passage = list_passage(source.text[lead.start : lead.end], Pointer(key[0], lead.start, lead.end), items, source)
        place = next((i for i, piece in enumerate(self.written) if (piece.source, piece.start) == key), None)
        if place is None:
            if self._add(passage, lead.start, item):
                self._lists[key] = items
            return
        cost = estimate_tokens(passage.text) - estimate_tokens(self.written[place].passage.text)
        if cost <= self._left:
            self._left -= cost
            self._used.add((item.source_index, item.start))
            self._lists[key] = items
            self.written[place] = replace(self.written[place], passage=passage)

    def _with_others(self, items: list[Sentence]) -> list[Sentence]:
        """All items of a short list where they are steps, or where most of them are told: one left out misleads."""
        told = {one.start for one in items}
        listed = [other for other in self._around(items[0]) if other.leads == items[0].leads]
        others = [one for one in listed if is_item(one.text) and one.start not in told and self._free(one)]
        short = sum(len(one.text) for one in listed) <= _LONGEST_ITEM
        steps = list_mark(items[0].text)[0].isdecimal()
        if not short or not (steps or len(items) > len(others)) or any(is_order(one.text) for one in listed):
            return items
        others = [self._whole(other) for other in others]
        self._used.update((other.source_index, other.start) for other in others)
        return sorted((*items, *others), key=lambda one: one.start)

    def _write(self, sentence: Sentence) -> None:
        if not self._free(sentence) or is_order(sentence.text):
            return
        text = self._sources[sentence.source_index].text
        leads = [text[lead.start : lead.end] for lead in sentence.leads]
        if sentence.kind == "item" and leads:
            self._write_item(sentence)
            return
        if sentence.kind == "row":
            header = leads[-1] if leads and leads[-1].lstrip().startswith("|") else ""
            worded = _wording.row(sentence.text, header)
        elif sentence.kind == "item" and (heading := self._heading(sentence)):
            worded = _wording.listing(f"{heading}:", [sentence.text])
        elif sentence.kind == "code":
            self._write_code(sentence)
            return
        else:
            worded = _wording.sentence(sentence.text)
        self._add(Passage(worded, (pointer_at(sentence),)), sentence.start, sentence)

    def _write_code(self, code: Sentence, lead: Sentence | None = None) -> None:
        """A listing under the sentence that introduces it; without one it stands alone."""
        lead = lead or self._introduction(code)
        words = dedent(" " * _indent(self._sources[code.source_index].text, code.start) + code.text)
        if lead is None:
            self._add(Passage(_wording.code(words), (pointer_at(code),)), code.start, code)
            return
        worded = f"{_wording.opening(lead.text)}\n\n{_wording.listed(words)}"
        both = Pointer(code.source_index, lead.start, code.end)
        if self._add(Passage(worded, (both,)), lead.start, replace(code, block=lead.block)):
            self._used.add((lead.source_index, lead.start))

    def _heading(self, item: Sentence) -> str:
        """The heading over a list item, where it turns the item's sense: an exclusion must not read as cover."""
        if not is_item(item.text):
            return ""
        heading = item.headings[-1] if item.headings else self._sources[item.source_index].title.rpartition("›")[2]
        _, words = list_mark(heading.strip())
        return without_number(words).rstrip(" :.") if _TURNS.search(heading) else ""

    def _add(self, passage: Passage, start: int, sentence: Sentence) -> bool:
        """Write a passage that begins at ``start`` and was made for this sentence, unless it does not fit."""
        cost = estimate_tokens(passage.text)
        if not passage.text or (cost > self._left and self.written):
            return False
        self._left -= cost
        self._used.add((sentence.source_index, sentence.start))
        self._said.append(_gist(passage.text))
        self.written.append(_Piece(passage, sentence.source_index, start, sentence.block))
        return True

    def _free(self, sentence: Sentence) -> bool:
        used = (sentence.source_index, sentence.start) in self._used
        return not used and sentence.kind not in ("heading", "header", "rule")

    def _repeats(self, sentence: Sentence) -> bool:
        """Whether the answer says this already: most of its words, and no figure of its own."""
        row = sentence.kind == "row"
        stems, figures = _gist(" ".join((sentence.text, *sentence.headings[-1:])) if row else sentence.text)
        if not stems:
            return bool(self._said)
        return any(
            len(stems & said) >= _ALIKE * min(len(stems), len(said)) and figures <= numbers
            for said, numbers in self._said
            if said
        )

    def _around(self, sentence: Sentence) -> list[Sentence]:
        """The sentences near one, as they stand in its source."""
        source, index = self._sources[sentence.source_index], sentence.source_index
        text = source.text
        if len(text) <= 4 * _AROUND:
            return read(source, index)
        start = max(0, text.rfind("\n\n", 0, sentence.start - _AROUND) + 1) if sentence.start > _AROUND else 0
        start = start if sentence.start - start <= 2 * _AROUND else sentence.start
        end = text.find("\n\n", min(len(text), sentence.end + _AROUND))
        end = end if 0 <= end <= sentence.end + 2 * _AROUND else min(len(text), sentence.end + _AROUND)
        return read(source, index, within=Span(start, end))

    def in_order(self) -> tuple[Passage, ...]:
        """The paragraph of the best first, then the others source by source, each as it stands there."""
        if not self.written:
            return ()
        best = self.written[0]
        sources = list(dict.fromkeys(piece.source for piece in self.written))
        self.written.sort(
            key=lambda piece: (
                (piece.source, piece.block) != (best.source, best.block),
                sources.index(piece.source),
                piece.start,
            )
        )
        return tuple(piece.passage for piece in self.written)


def _indent(text: str, start: int) -> int:
    """How far from its line's beginning something stands; 0 where words stand before it."""
    before = text[text.rfind("\n", 0, start) + 1 : start]
    return 0 if before.strip() else len(before.expandtabs(4))


def _gist(text: str) -> tuple[frozenset[str], frozenset[str]]:
    """A text's stems, and its figures among them."""
    stems = frozenset(content_stems(text))
    return stems, frozenset(stem for stem in stems if stem[0].isdigit())
