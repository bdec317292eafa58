"""Finds the exclusion or condition that a policy sets beside what an answer says of a product, to be quoted with it.

The hard thing is to quote little: only what is about the matter asked, and what the answer does not say already.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from footnoted.assistants.insurance.figures import figures
from footnoted.orders import is_order
from footnoted.retrieval.relevance import rank, read
from footnoted.retrieval.relevance.rarity import rarity
from footnoted.text import content_stems
from footnoted.text.markdown import list_mark
from footnoted.text.phrases import whole
from footnoted.types import Source

_EXCLUDES = whole(
    "exclu*",
    *(
        f"{denied} {done}"
        for denied in ("not", "not be", "never", "never be", "no", "no be")
        for done in "cover* pay* insur* includ*".split()
    ),
)
_COVERS = whole(*"cover covered covers insure insured insures pay pays paid included compensat* reimburs*".split())
_CONDITION = re.compile(
    r"\b(?:if|unless|when|only|provided that|as long as|except|until|up to and including|per|for each|in each|a year|"
    r"aged?|at most|less than|more than)\b[^.;]*",
    re.IGNORECASE,
)
_LONGEST = 300  # code points of a quote
_KNOWN = 0.5  # share of a condition's words that says it is there
_NEAR = 4.0  # how far below the best sentence an exclusion may stand, in log-odds
_MOST = 2
_COMMON = 3.0  # rarity under which a word tells nothing of the matter: "cover", "policy"


@dataclass(frozen=True, slots=True)
class Quote:
    """Words of a source, ``sources[source].text[start:end]``, as they are told in ``text``."""

    source: int
    start: int
    end: int
    text: str
    kind: str = ""  # of the clause they are


class Beside:
    """Finds what belongs beside an answer's sentences, in the sections the answer was made from."""

    def __init__(self, question: str, sources: Sequence[Source]) -> None:
        self._question = question
        self._sources = sources

    def condition(self, said: str, source: int, start: int, end: int) -> Quote | None:
        """The policy's own sentence, where it ties a figure that was said to a condition that was not."""
        quote = self._sources[source].text[start:end]
        shared = figures(said, claimed=True) & figures(quote)
        if not shared or is_order(quote):
            return None
        known = set(content_stems(said))
        for found in _CONDITION.finditer(quote):
            wanted = set(content_stems(found.group()))
            if wanted and len(wanted & known) / len(wanted) < _KNOWN:
                return Quote(source, start, end, plain(quote))
        return None

    def exclusions(self, said: str, places: Sequence[int], used: Collection[tuple[int, int]]) -> list[Quote]:
        """What the same product excludes of the matter, where cover was spoken of and no exclusion was.

        ``places`` are the product's sources, ``used`` the (source, start) of sentences quoted already.
        """
        if not _COVERS.search(said) or _EXCLUDES.search(said):
            return []
        own = [self._sources[place] for place in places]
        parts = {self._under(place) for place, _ in used} - {""}
        ranked = rank(self._question, own)
        best = ranked[0].score if ranked else 0.0
        found: list[Quote] = []
        asked = {one for one in content_stems(self._question) if rarity(one) > _COMMON}
        for one in ranked:
            place = places[one.source_index]
            text = one.sentence.text
            if best - one.score > _NEAR or len(found) == _MOST:
                break
            if (place, one.start) in used or is_order(text) or not self._excludes(place, one.start):
                continue
            if asked & set(content_stems(text)) or self._under(place) in parts:
                found.append(Quote(place, one.start, one.end, plain(text)))
        return sorted(found, key=lambda quote: (quote.source, quote.start))

    def _under(self, place: int) -> str:
        """The part of its document a section stands in, where it has parts of its own."""
        source = self._sources[place]
        headings = [str(one) for one in source.metadata.get("section_hierarchy") or []]
        return f"{source.metadata.get('file')}\0{headings[0]}" if len(headings) > 1 else ""

    def _excludes(self, place: int, start: int) -> bool:
        """Whether a sentence, the words that lead to it, or the heading it stands under, exclude."""
        source = self._sources[place]
        for one in read(source, place):
            if one.start == start:
                section = source.metadata.get("section_hierarchy") or [""]
                leads = " ".join(source.text[lead.start : lead.end] for lead in one.leads)
                return any(_EXCLUDES.search(words) for words in (one.text, leads, str(section[-1]), *one.headings[-1:]))
        return False


def plain(text: str) -> str:
    """A sentence on one line, without list mark and table bars, shortened at a word.

    >>> plain("- damage to **tyres**;")
    'damage to tyres'
    """
    _, said = list_mark(text)
    words = " ".join(said.replace("**", "").replace("|", " ").split()).rstrip(" ;,")
    return words if len(words) <= _LONGEST else words[:_LONGEST].rpartition(" ")[0] + "…"
