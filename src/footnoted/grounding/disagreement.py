"""Finds where another source says otherwise than the words a sentence of the answer rests on.

Precision comes first: two texts disagree only when nearly the same sentence stands in both, the sources speak of the
same thing by their titles, and the two differ in one figure or negation alone, or the reader, reading one beside the
other in both orders, says that they exclude each other.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from footnoted.grounding.evidence import candidates, cover, passage
from footnoted.grounding.exact import difference, quotable
from footnoted.grounding.gate import Gate
from footnoted.grounding.reading import read
from footnoted.models import ModelUnavailable, Reader
from footnoted.text import content_stems
from footnoted.text.language import language
from footnoted.types import Evidence, Source

_ALIKE = 0.6  # share of each sentence's weight that the other must hold
_SAME_SUBJECT = 0.5  # share of the shorter title's words that the longer must hold
_LOOKED_AT = 2  # sentences of a source that are read beside it
READ = 24  # pairs of sentences that are read for one answer: among many sources that are nearly alike, no more
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


def disagreements(
    evidence: Evidence, sources: Sequence[Source], turns: Iterator[object] | None = None
) -> list[Disagreement]:
    """Where other sources contradict the words at ``evidence``, at most one place a source.

    Each pair that is read takes one of the ``turns``, `READ` of them unless given: once they are out, as without a
    reader, only what differs in one figure or negation is found.
    """
    turns = iter(range(READ)) if turns is None else turns
    said = read(evidence.quote)
    least, mine = Gate.load().disagree, sources[evidence.source]
    if not said.stems:
        return []
    found = []
    for index, source in enumerate(sources):
        if index == evidence.source or source.sha256 == mine.sha256 or not _same_subject(mine, source):
            continue
        other = passage(source)
        for near in candidates(said, [other])[:_LOOKED_AT]:
            words = other.words(near.index)
            alike = near.cover >= _ALIKE and cover(read(words), said.stems) >= _ALIKE
            if difference(evidence.quote, words) is None and not (
                alike and next(turns, None) is not None and _exclude(evidence.quote, words, least)
            ):
                continue
            span = other.spans[near.index]
            second = Evidence(index, span.start, span.end, words, round(near.cover, 4))
            told = _difference(evidence.quote, words)
            found.append(Disagreement(evidence, second, date_of(mine), date_of(source), told))
            break
    return found


def _exclude(one: str, other: str, least: float) -> bool:
    """Whether two sentences exclude each other, read in both orders, each at least so probably (0–1)."""
    if quotable(one) == quotable(other) or not {language(one), language(other)} <= {"", *Gate.load().languages}:
        return False
    try:
        reader = Reader.load()
    except ModelUnavailable:
        return False
    return all(reader.read(*pair).contradicted >= least for pair in ((one, other), (other, one)))


def _difference(one: str, other: str) -> str:
    """The first words that differ between two sentences."""
    mine, theirs = one.split(), other.split()
    for kind, start, end, low, high in SequenceMatcher(None, mine, theirs, autojunk=False).get_opcodes():
        if kind != "equal":
            here, there = " ".join(mine[start:end]), " ".join(theirs[low:high])
            return (
                f"“{here}” here, “{there}” there" if here and there else f"“{here or there}” stands in one of them only"
            )
    return "the two say it differently"


def date_of(source: Source) -> str:
    """The date a source gives of itself, in its metadata or else its title; empty where it gives none."""
    for key in _DATE_KEYS:
        value = source.metadata.get(key)
        if value:
            return str(value)[:40]
    in_title = _DATE.search(source.title)
    return in_title.group() if in_title else ""


def _same_subject(one: Source, other: Source) -> bool:
    """Whether two titles name the same thing, years and versions aside; untitled sources may."""
    first, second = (set(content_stems(_WITHOUT_YEARS.sub("", source.title))) for source in (one, other))
    if not first or not second:
        return True
    return len(first & second) / min(len(first), len(second)) >= _SAME_SUBJECT and len(first ^ second) <= 2
