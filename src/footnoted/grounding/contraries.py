"""A claim and its evidence in; negations, opposites, "must" for "may" and "all" for "some" between them out."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, cast

from footnoted.grounding.conflicts import NEAR, Comparison, Conflict, Kind, names, numbers
from footnoted.grounding.coverage import coverage
from footnoted.grounding.opposites import contraries_of, opposites
from footnoted.grounding.reading import read

if TYPE_CHECKING:
    from collections.abc import Sequence

    from footnoted.grounding.reading import Reading


def conflicts(claim: Reading, evidence: Sequence[Reading]) -> list[Conflict]:
    """Every conflict of a claim with its evidence, the sure ones first."""
    if not evidence:
        return []
    pair = Comparison(claim, evidence)
    found = [*numbers(pair), *negations(pair), *contraries(pair), *operators(pair), *names(pair), *coverage(pair)]
    return sorted(found, key=lambda conflict: (not conflict.sure, conflict.start))


def negations(pair: Comparison) -> list[Conflict]:
    """Words that a negator stands before in the claim or in the evidence, and not in the other."""
    found: list[Conflict] = []
    for position, word in enumerate(pair.claim.words):
        if not word.carries or word.value or pair.claim.text[word.end : word.end + 1] == "-":
            continue  # "self" of "self-confidence" is no word of its own
        against: dict[int, int] = {}
        carriers = []
        for index, reading in enumerate(pair.evidence):
            place = _same_word(pair.claim, position, reading)
            if place is None:
                continue
            other = reading.words[place]
            if other.negated == word.negated:
                carriers.append(index)
            elif (other.focus or word.focus) and not _made_up(pair.claim, position, reading, place):
                against[index] = place
        chosen = pair.objector(word.start, word.end, against, carriers)
        if chosen is not None:
            other = pair.evidence[chosen].words[against[chosen]]
            said, instead = (("not " if w.negated else "") + w.text for w in (word, other))
            sure = pair.sure(chosen, word.start, word.end)
            found.append(Conflict("negation", word.start, word.end, said, instead, chosen, sure=sure))
    return found


def _same_word(claim: Reading, position: int, reading: Reading) -> int | None:
    """Where a sentence has the claim's word; of several places the one with the likest surroundings."""
    stemmed = claim.words[position].stem
    places = reading.places.get(stemmed, ())
    if len(places) < 2:
        return places[0] if places else None
    polarity = claim.words[position].negated
    return max(places, key=lambda i: (neighbours(claim, position, reading, i), reading.words[i].negated == polarity))


def _made_up(claim: Reading, position: int, reading: Reading, place: int) -> bool:
    """Whether an opposite nearby makes up for the negator: "not excluded" says "covered"."""
    mine = claim.words[max(0, position - NEAR) : position + NEAR + 1]
    theirs = {w.stem for w in reading.words[max(0, place - NEAR) : place + NEAR + 1]}
    return any(opposites(word.stem) & theirs for word in mine if word.stem not in reading.stems)


def neighbours(claim: Reading, position: int, reading: Reading, place: int) -> int:
    """How many carrying stems stand within a few words of both places, the words themselves not counted."""
    mine = {w.stem for w in claim.words[max(0, position - NEAR) : position + NEAR + 1] if w.carries}
    theirs = {w.stem for w in reading.words[max(0, place - NEAR) : place + NEAR + 1] if w.carries}
    return len((mine & theirs) - {claim.words[position].stem})


def contraries(pair: Comparison) -> list[Conflict]:
    """Words of the claim for which the closest sentence has an opposite in the same surroundings."""
    found: list[Conflict] = []
    for position, word in enumerate(pair.claim.words):
        if word.value or (not word.carries and not opposites(word.stem)):
            continue
        carriers = [i for i, e in enumerate(pair.evidence) if word.stem in e.places]
        against: dict[int, tuple[int, int]] = {}
        for index, reading in enumerate(pair.evidence):
            if index not in carriers and (best := _opposite_in(pair.claim, position, reading)):
                against[index] = best
        chosen = pair.objector(word.start, word.end, against, carriers)
        if chosen is not None:
            near, place = against[chosen]
            main = pair.sure(chosen, word.start, word.end)
            if near or main:
                instead = pair.evidence[chosen].words[place].text
                sure = near > 0 and main
                found.append(Conflict("opposite", word.start, word.end, word.text, instead, chosen, sure=sure))
    return found


def _opposite_in(claim: Reading, position: int, reading: Reading) -> tuple[int, int] | None:
    """``(shared neighbours, place)`` of the word of a sentence that is opposite to the claim's, same polarity."""
    word = claim.words[position]
    rivals = [
        (neighbours(claim, position, reading, place), place)
        for stemmed in contraries_of(word.stem) & reading.places.keys()
        if stemmed not in claim.places
        for place in reading.places[stemmed]
        if reading.words[place].negated == word.negated
    ]
    return max(rivals, default=None)


_OPERATORS: tuple[tuple[Kind, str, re.Pattern[str]], ...] = tuple(
    (cast("Kind", kind), name, re.compile(rf"\b(?:{words})\b", re.IGNORECASE))
    for kind, name, words in (
        (
            "modality",
            "must",
            r"must|shall|ha(?:s|ve|d) to|needs? to|(?:is|are|be) required to|(?:is|are) obliged to",
        ),
        ("modality", "may", r"may(?! \d)|might|can(?!not)|could|(?:is|are) (?:allowed|free|able|permitted) to"),
        ("modality", "should", r"should|ought to|(?:is|are) (?:advised|recommended) to"),
        ("modality", "will", r"will|guaranteed? to|certainly|definitely"),
        ("quantifier", "all", r"all|every|each|always|both|everyone|everything|entire(?:ly)?|fully|wholly"),
        (
            "quantifier",
            "some",
            r"some|several|certain|sometimes|many|few|most|mostly|partly|partially|occasionally|often|usually",
        ),
        ("quantifier", "none", r"none(?: of)?|no|never|neither"),
        ("quantifier", "only", r"only|solely|exclusively"),
    )
)
_CLASHES = {
    frozenset(pair)
    for pair in (
        ("must", "may"),
        ("must", "should"),
        ("should", "may"),
        ("all", "some"),
        ("all", "none"),
        ("some", "none"),
    )
}
_OVERSTATED = {("will", "may"), ("will", "should")}  # said in the claim, sourced; the other way round it holds
_TELLING = {"only", "must", "all", "none"}  # said in the claim alone, they are worth a hint


def operators(pair: Comparison) -> list[Conflict]:
    """Said "must" for "may", "all" for "some", "only" from nowhere, before the same word as in the closest sentence."""
    theirs = [governed(reading.text) for reading in pair.evidence]
    found: list[Conflict] = []
    for kind, name, stems, start, end in governed(pair.claim.text):
        able = [i for i, e in enumerate(pair.evidence) if stems & e.places.keys() and pair.sure(i, start, end)]
        index = max(able, key=lambda i: pair.agreement(i, start, end), default=None)
        if index is None:
            continue
        beside = [op for op in theirs[index] if op[0] == kind and op[2] & stems]
        if any(op[1] == name for op in beside):
            continue
        said = pair.claim.text[start:end]
        clash = next((op for op in beside if _clash(name, op[1])), None)
        if clash is not None:
            instead = pair.evidence[index].text[clash[3] : clash[4]]
            found.append(Conflict(kind, start, end, said, instead, index, sure=True))
        elif name in _TELLING and not any(op[1] == name for ops in theirs for op in ops):
            found.append(Conflict(kind, start, end, said, "", index, sure=False))
    return found


def _clash(claimed: str, sourced: str) -> bool:
    return frozenset((claimed, sourced)) in _CLASHES or (claimed, sourced) in _OVERSTATED


@lru_cache(maxsize=4096)
def governed(text: str) -> tuple[tuple[Kind, str, frozenset[str], int, int], ...]:
    """``(kind, name, stems, start, end)`` of each operator of a text; kept for the texts read last.

    ``stems`` are what it governs: of a modal the next carrying stem, of a quantifier the next two.
    """
    found: list[tuple[Kind, str, frozenset[str], int, int]] = []
    reading = read(text)
    for kind, name, pattern in _OPERATORS:
        for match in pattern.finditer(text):
            after = [w for w in reading.words if w.start >= match.end()][: NEAR + 1]
            stems = frozenset([w.stem for w in after if w.carries][: 1 if kind == "modality" else 2])
            if stems:
                found.append((kind, name, stems, match.start(), match.end()))
    return tuple(found)
