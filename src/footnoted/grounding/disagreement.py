"""The words a sentence rests on, and the other sources, in; where another source says otherwise on that point, out.

Precision comes first: two texts disagree only when nearly the same sentence stands in both, speaks of the same
thing by its title, and one certain word, number or negation in it differs.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from footnoted.grounding.contraries import conflicts
from footnoted.grounding.evidence import candidates, cover, passage
from footnoted.grounding.reading import read
from footnoted.text import content_stems
from footnoted.types import Evidence, Source

_ALIKE = 0.6  # share of each sentence's weight that the other must hold, what differs left out
_SAME_SUBJECT = 0.5  # share of the shorter title's words that the longer must hold
_LOOKED_AT = 6  # sentences of a source that are compared
_DATE_KEYS = ("date", "valid_from", "effective_date", "published", "updated", "modified", "version")
_DATE = re.compile(r"\b(?:19|20)\d\d(?:-\d\d(?:-\d\d)?)?\b")
_WITHOUT_YEARS = re.compile(r"\b(?:19|20)\d\d\b|\bv?\d+(?:\.\d+)+\b")


@dataclass(frozen=True, slots=True)
class Disagreement:
    """Two sources on one point: exact words of each, their dates where known, and what differs in words."""

    first: Evidence
    second: Evidence
    first_date: str
    second_date: str
    difference: str


def disagreements(evidence: Evidence, sources: Sequence[Source]) -> list[Disagreement]:
    """Where other sources contradict the words at ``evidence``, at most one place a source."""
    said = read(evidence.quote)
    if not said.stems:
        return []
    mine = sources[evidence.source]
    found = []
    for index, source in enumerate(sources):
        if index == evidence.source or source.sha256 == mine.sha256 or not _same_subject(mine, source):
            continue
        other = passage(source)
        for _, place, _ in candidates(said, [other], _LOOKED_AT):
            words = other.words(place)
            reading = read(words)
            clash = next((one for one in conflicts(said, [reading]) if one.sure and one.kind != "name"), None)
            if clash is None or not _alike(evidence.quote, words, clash.said, clash.instead):
                continue
            span = other.spans[place]
            second = Evidence(index, span.start, span.end, words, cover(said, reading.stems))
            told = f"“{clash.said}” here, “{clash.instead}” there"
            found.append(Disagreement(evidence, second, date_of(mine), date_of(source), told))
            break
    return found


def date_of(source: Source) -> str:
    """The date a source gives of itself, in its metadata or else its title; empty where it gives none."""
    for key in _DATE_KEYS:
        value = source.metadata.get(key)
        if value:
            return str(value)[:40]
    in_title = _DATE.search(source.title)
    return in_title.group() if in_title else ""


def _alike(one: str, other: str, *differing: str) -> bool:
    ignored = {stem for words in differing for stem in content_stems(words)}
    first, second = (read(text) for text in (one, other))
    left, right = first.stems - ignored, second.stems - ignored
    if not left or not right:
        return False
    return cover(first, right | ignored) >= _ALIKE and cover(second, left | ignored) >= _ALIKE


def _same_subject(one: Source, other: Source) -> bool:
    """Whether two titles name the same thing, years and versions aside; untitled sources may."""
    first, second = (set(content_stems(_WITHOUT_YEARS.sub("", source.title))) for source in (one, other))
    if not first or not second:
        return True
    return len(first & second) / min(len(first), len(second)) >= _SAME_SUBJECT and len(first ^ second) <= 2
