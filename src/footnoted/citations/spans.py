"""Finds the exact words of a source that carry a claim.

A quotation is found as written (white space, case, quotation marks and compatibility forms aside); a paraphrase
by the weight of the stems it shares with a sentence, rare ones and numbers weighing more. Offsets are always
code points of the source as given.
"""

from __future__ import annotations

import math
import re
import unicodedata
from array import array
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from operator import attrgetter

from footnoted.once import once
from footnoted.text import content_stems, sentences
from footnoted.text.markdown import without_emphasis, without_opening
from footnoted.text.marks import skip_space
from footnoted.text.scripts import is_european
from footnoted.types import Span

MAX_SENTENCE = 500  # code points; a longer stretch without a full stop is cut into pieces
MAX_CLAIM = 2_000
NUMBER_WEIGHT = 2.0  # a number is worth this many times a word as rare
GAIN = 0.15  # share of the claim a neighbouring sentence must add to be quoted too
AROUND = 0.15  # what a word beside the claim is worth in choosing between sentences
_MAX_CANDIDATES = 3_000  # sentences weighed for one claim
_MAX_FOUND = 40  # occurrences of one quotation looked at

# Letters and digits that `folded` may make equal to others: ligatures, full-width forms, combining accents.
_UNUSUAL = re.compile(r"[^\x00-\x7f£\xc0-\xd6\xd8-\xf6\xf8-\u012f\u2010-\u2015\u2018-\u201e\u2022\u2026€]")
_QUOTED = re.compile(r"[\"“”„«‹「『‘]([^\"“”«»‹›「」『』\n]{8,})[\"”“»›」』’]")
_EDGE = " \t\r\n.,;:!?\"'“”‘’«»()[]。！？…"
_STOPS = " \t\r\n.,;:!?。！？"
_QUOTE_MARKS = "'‘’‚‛`´"
_DOUBLE_MARKS = '"“”„‟«»'
_HYPHENS = "-‐‑‒–—−"
_FOLDS = {**dict.fromkeys(_QUOTE_MARKS, "'"), **dict.fromkeys(_DOUBLE_MARKS, '"'), **dict.fromkeys(_HYPHENS, "-")}


class _Levels(dict[int, str]):
    """What each character is compared as, for `str.translate`; worked out when first met, never empty."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        self[code] = _FOLDS.get(char) or unicodedata.normalize("NFKD", char).casefold()
        return self[code]


_LEVELS = _Levels()


@dataclass(frozen=True, slots=True)
class Located:
    """Words of one source: ``source_text[start:end] == quote``; ``support`` 0–1: the claim's weight they carry."""

    start: int
    end: int
    quote: str
    support: float


def locate(claim: str, source_text: str) -> Located:
    """The words of ``source_text`` that carry ``claim``; `SourceSpans` where one source is asked often.

    >>> locate("You must call within 14 days", "The excess is £100. Claims: call us within 14 days.").quote
    'Claims: call us within 14 days.'
    """
    return SourceSpans(source_text).locate(claim)


class SourceSpans:
    """One source, indexed on first use, asked as often as it is cited."""

    def __init__(self, text: str) -> None:
        self.text = text

    def locate(self, claim: str, *, setting: str = "") -> Located:
        """The exact words that carry the claim; empty only where the source is empty.

        ``setting``: words around the claim, which decide between sentences that carry it equally.
        """
        lines = without_emphasis(claim[-MAX_CLAIM:]).split("\n")
        claim = "\n".join(without_opening(line.removeprefix("|")) for line in lines).strip()
        weights = self._weights(claim)
        whole = claim.strip(_EDGE)
        if len(whole) >= 8 and self._may_hold(claim, weights) and (found := self._find(whole, weights)) is not None:
            all_quoted = _QUOTED.fullmatch(claim.strip(_STOPS)) is not None
            return self._at(found if all_quoted else self._sentences_around(found), 1.0)
        quotations = [match.group(1) for match in _QUOTED.finditer(claim)]
        for quotation in sorted(filter(_is_telling, quotations), key=len, reverse=True)[:3]:
            if (found := self._find_quotation(quotation, weights)) is not None:
                first, last = self._holding(found.start), self._holding(found.end - 1)
                return self._at(found, max(self._share(weights, first, last), len(quotation) / len(claim)))
        setting = setting[-MAX_CLAIM:].strip()
        return self._best_sentences(weights, weights if setting == claim else self._weights(setting))

    def quotation(self, words: str) -> Span | None:
        """Where the words stand as written (see above), their outer marks aside; None where they do not."""
        return self._find(words.strip(_EDGE), {})

    def _at(self, span: Span, support: float) -> Located:
        return Located(span.start, span.end, self.text[span.start : span.end], round(min(1.0, support), 4))

    # -- quotations ---------------------------------------------------------------------------------

    @once
    def _folded(self) -> str:
        return folded(self.text)

    @once
    def _places(self) -> array[int] | None:
        """For each character of the folded text its offset in the original; None: the same."""
        if len(self._folded) == len(self.text):
            return None
        places = array("I")
        for at, char in enumerate(self.text):
            places.extend([at] * len(_LEVELS[ord(char)]))
        return places

    @once
    def _closed_up(self) -> str:
        return " ".join(self._folded.split())

    @once
    def _is_plain(self) -> bool:
        return _UNUSUAL.search(self.text) is None

    def _may_hold(self, claim: str, weights: dict[str, float]) -> bool:
        """Whether the claim can stand here word for word: quick, since most claims do not.

        Where letters have several forms, only `folded` texts can tell.
        """
        if not self._is_plain or _UNUSUAL.search(claim):
            return True
        return all(map(self._postings.__contains__, weights))

    def _find_quotation(self, quotation: str, weights: dict[str, float]) -> Span | None:
        """A quotation, its ellipses bridged."""
        found = self._find(quotation.strip(_EDGE), weights)
        if found is not None:
            return found
        pieces = [piece.strip(_EDGE) for piece in quotation.replace("...", "…").replace(". . .", "…").split("…")]
        pieces = [piece for piece in pieces if len(piece) >= 4]
        if len(pieces) < 2:
            return None
        first, last = self._find(pieces[0], weights), self._find(pieces[-1], weights)
        if first is None or last is None or not 0 <= last.start - first.end <= 3 * MAX_SENTENCE:
            return None
        return Span(first.start, last.end)

    def _find(self, quotation: str, weights: dict[str, float]) -> Span | None:
        """Where the quotation stands, in the sentence that fits the claim best if it stands more than once."""
        tokens = folded(quotation).split()
        if not tokens:
            return None
        if " ".join(tokens) not in self._closed_up:
            return None
        pattern = re.compile(r"\s+".join((_begun(tokens[0]), *map(re.escape, tokens[1:]))) + _ends(tokens[-1]))
        best: Span | None = None
        best_share = -1.0
        for count, match in enumerate(pattern.finditer(self._folded)):
            if count == _MAX_FOUND:
                break
            span = self._unfolded(match)
            at = self._holding(span.start)
            share = self._share(weights, at, at)
            if share > best_share:
                best, best_share = span, share
        return best

    def _unfolded(self, match: re.Match[str]) -> Span:
        start, end = match.span()
        if self._places is not None:
            start, end = self._places[start], self._places[end - 1] + 1
        while end < len(self.text) and unicodedata.combining(self.text[end]):
            end += 1
        return Span(start, end)

    def _sentences_around(self, span: Span) -> Span:
        """The whole sentences a stretch of the source stands in."""
        first, last = self._sentences[self._holding(span.start)], self._sentences[self._holding(span.end - 1)]
        return Span(min(first.start, span.start), max(last.end, span.end))

    # -- paraphrases --------------------------------------------------------------------------------

    @once
    def _sentences(self) -> list[Span]:
        whole = [piece for span in sentences(self.text) for piece in _pieces(self.text, span)]
        return whole or [Span(0, min(len(self.text), MAX_SENTENCE))]

    @once
    def _stems(self) -> list[tuple[str, ...]]:
        """Each sentence's stems, once each; tuples, because a set takes six times the memory and streams are many."""
        texts = (self.text[span.start : span.end] for span in self._sentences)
        return [tuple(dict.fromkeys(content_stems(text))) for text in texts]

    @once
    def _postings(self) -> dict[str, tuple[int, ...]]:
        postings: dict[str, list[int]] = defaultdict(list)
        for index, stems in enumerate(self._stems):
            for stem in stems:
                postings[stem].append(index)
        return {stem: tuple(places) for stem, places in postings.items()}

    def _holding(self, offset: int) -> int:
        """The index of the sentence at, or last before, an offset."""
        return max(0, bisect_right(self._sentences, offset, key=attrgetter("start")) - 1)

    def _weights(self, claim: str) -> dict[str, float]:
        """What each stem of the claim is worth: rare in the source is worth more, numbers double."""
        total = len(self._sentences)
        weights: dict[str, float] = {}
        for stem in content_stems(claim):
            weight = _rarity(len(self._postings.get(stem, ())), total)
            weights[stem] = weight * NUMBER_WEIGHT if stem[0].isdigit() else weight
        return weights

    def _share(self, weights: dict[str, float], first: int, last: int) -> float:
        """The share of the claim's weight that sentences ``first`` to ``last`` carry."""
        total = sum(weights.values())
        if not total:
            return 0.0
        held: set[str] = set().union(*self._stems[first : last + 1])
        return sum(weight for stem, weight in weights.items() if stem in held) / total

    def _best_sentences(self, weights: dict[str, float], around: dict[str, float]) -> Located:
        first = last = self._nearest(weights, around)
        if first < 0:
            return self._at(self._sentences[0], 0.0)
        stems, total = self._stems, sum(weights.values())
        left = dict(weights)  # what no sentence quoted so far holds
        for stem in stems[first]:
            left.pop(stem, None)
        for _ in range(2):  # at most three sentences
            new: list[str] = []
            gain, side = 0.0, first
            for at in (first - 1, last + 1):
                if 0 <= at < len(stems):
                    added = [stem for stem in stems[at] if stem in left]
                    worth = sum(map(left.__getitem__, added))
                    if worth > gain:
                        new, gain, side = added, worth, at
            # Two more words of the claim, or a number more, and a good part of it.
            if gain < GAIN * total or not (len(new) > 1 or any(stem[0].isdigit() for stem in new)):
                break
            first, last = min(first, side), max(last, side)
            for stem in new:
                del left[stem]
        share = 1 - sum(left.values()) / total if total else 0.0
        return self._at(Span(self._sentences[first].start, self._sentences[last].end), share)

    def _nearest(self, weights: dict[str, float], around: dict[str, float]) -> int:
        """The sentence that carries most of the claim and says little else; -1 where none shares a stem with it.

        Of a long source, only sentences that share the rarest stems are looked at.
        """
        sentences, postings = self._stems, self._postings
        known = [(stem, postings[stem]) for stem in (weights | around) if stem in postings]
        if len(sentences) > _MAX_CANDIDATES:
            known.sort(key=lambda posting: len(posting[1]))
        carried: dict[int, float] = {}
        shared: dict[int, int] = {}
        for stem, places in known:
            weight = weights.get(stem)
            worth = (weight or 0.0) + AROUND * around.get(stem, 0.0)
            looked_at: Iterable[int] = places
            if len(carried) + len(places) > _MAX_CANDIDATES:
                looked_at = filter(carried.__contains__, places) if carried else places[:_MAX_CANDIDATES]
            for index in looked_at:
                carried[index] = carried.get(index, 0.0) + worth
                if weight is not None:
                    shared[index] = shared.get(index, 0) + 1
        total = sum(weights.values()) or 1.0
        best, nearest = -1.0, -1
        for index, worth in carried.items():
            fit = worth / total + 0.15 * shared.get(index, 0) / (len(sentences[index]) + 4)
            if fit >= best and self.text.startswith("#", self._sentences[index].start):
                fit *= 0.7  # a heading says what follows, not what is so
            if fit > best or (fit == best and index < nearest):
                best, nearest = fit, index
        return nearest


@lru_cache(maxsize=4096)
def _rarity(count: int, total: int) -> float:
    """What a stem in ``count`` of ``total`` sentences is worth."""
    return 0.3 + math.log(1 / min(1.0, (count + 0.5) / (total + 0.5)))


def overlap(claim: str, quote: str) -> float:
    """The share of the claim's stems that a quote holds, numbers counting double; 0 for a claim without words.

    >>> overlap("the excess is £100", "An excess of £100 applies.")
    1.0
    """
    held = set(content_stems(quote))
    worth = {stem: NUMBER_WEIGHT if stem[0].isdigit() else 1.0 for stem in content_stems(claim)}
    total = sum(worth.values())
    return round(sum(worth[stem] for stem in worth if stem in held) / total, 4) if total else 0.0


def _is_telling(quotation: str) -> bool:
    """Whether quoted words say where they are from: not one word set off in quotation marks."""
    return len(quotation.split()) >= 3 or len(quotation) >= 20 or not any(map(is_european, quotation))


def _begun(token: str) -> str:
    """What finds "ship covers" but not in "membership covers", and "0 days" but not in "10 days".

    It looks back from the first character on, because a search for a fixed character is quick.
    """
    if not is_european(token[0]):
        return re.escape(token)
    first, rest = re.escape(token[0]), re.escape(token[1:])
    return rf"{first}(?<![^\W_]{first})(?<!\d[.,]{first}){rest}"


def _ends(token: str) -> str:
    return r"(?![^\W_]|[\u0300-\u036f]|[.,]\d)" if is_european(token[-1]) else ""


def _pieces(text: str, span: Span) -> list[Span]:
    """A sentence, cut at white space into pieces of `MAX_SENTENCE` at most."""
    if span.end - span.start <= MAX_SENTENCE:
        return [span]
    pieces: list[Span] = []
    start = span.start
    while span.end - start > MAX_SENTENCE:
        end = start + MAX_SENTENCE
        gap = max(text.rfind("\n", start + MAX_SENTENCE // 2, end), text.rfind(" ", start + MAX_SENTENCE // 2, end))
        end = gap if gap > 0 else end
        while end < span.end and unicodedata.combining(text[end]):
            end += 1
        pieces.append(Span(start, end))
        start = skip_space(text, end, span.end)
    if start < span.end:
        pieces.append(Span(start, span.end))
    return pieces


def folded(text: str) -> str:
    """The text for comparing: case, compatibility forms (NFKD), quotation marks and hyphens levelled."""
    if text.isascii():
        return text.lower().replace("`", "'")
    odd = {char: _LEVELS[ord(char)] for char in set(text) if char == "`" or not char.isascii()}
    if len(odd) > 8 or any(plain != plain.lower() for plain in odd.values()):
        return text.translate(_LEVELS)
    for char, plain in odd.items():  # a few accents: three times as fast as the way above
        text = text.replace(char, plain)
    return text.lower()
