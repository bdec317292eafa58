"""Makes a true sentence wrong by one edit, and tells the place of the edit.

What people do when they are asked to make a summary wrong (cf. the kinds of error of BUMP, Ma et al. 2023, and of
SummEdits, Laban et al. 2023): another name or number, two names exchanged, a negation, an opposite, another pronoun,
"must" for "may". Nothing here looks at whether the edit is good English.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

_NAME = re.compile(r"\b[A-Z][a-z]+(?:\s+[A-Z][a-z]+)*\b")
_NUMBER = re.compile(r"\b\d[\d,.]*\b")
_WORD = re.compile(r"\b[A-Za-z]+\b")
_VERBS = frozenset("is was are were has have had will can could should would may must did does".split())
_OTHERS = dict(
    pair.split(":")
    for pair in (
        "he:she she:he his:her her:his him:her may:will might:will can:must will:might must:may some:all many:all "
        "most:all all:some often:always usually:always always:never never:always first:last last:first and:or"
    ).split()
)
_ENDINGS = ("ed", "ing", "s")
_SHORT = 3  # letters; of shorter words ("on", "he") the opposites are too many to be meant


@dataclass(frozen=True, slots=True)
class Edit:
    """The edited sentence; what stands at ``start`` to ``end`` is wrong."""

    kind: str
    text: str
    start: int
    end: int


def edited(text: str, evidence: str, dice: random.Random, most: int = 2) -> list[Edit]:
    """Up to so many edits, each of another kind, as the dice fall."""
    kinds: dict[str, list[Edit]] = {}
    for edit in (*_names(text, evidence, dice), *_numbers(text, evidence, dice), *_words(text, dice)):
        kinds.setdefault(edit.kind, []).append(edit)
    return [dice.choice(kinds[kind]) for kind in dice.sample([*kinds], min(most, len(kinds)))]


def _put(kind: str, text: str, start: int, end: int, said: str) -> Edit:
    return Edit(kind, text[:start] + said + text[end:], start, start + len(said))


def _names(text: str, evidence: str, dice: random.Random) -> Iterator[Edit]:
    mine = [match for match in _NAME.finditer(text) if match.start()]
    theirs = [m.group() for m in _NAME.finditer(evidence) if m.start() and len(m.group()) > 3 and m.group() not in text]
    if theirs:
        for match in mine:
            yield _put("name", text, *match.span(), dice.choice(theirs))
    if len(mine) > 1 and mine[0].group() != mine[-1].group():
        (one, _), (two, end) = mine[0].span(), mine[-1].span()
        first, second = mine[0].group(), mine[-1].group()
        swapped = text[:one] + second + text[one + len(first) : two] + first + text[end:]
        yield Edit("role", swapped, one, one + len(second))


def _numbers(text: str, evidence: str, dice: random.Random) -> Iterator[Edit]:
    theirs = [match.group() for match in _NUMBER.finditer(evidence) if match.group() not in text]
    for match in _NUMBER.finditer(text):
        said = match.group()
        if theirs and dice.random() < 0.6:
            yield _put("number", text, *match.span(), dice.choice(theirs))
        elif said.isdigit() and len(said) < 6:
            yield _put("number", text, *match.span(), str(int(said) + dice.randint(1, 9)))


def _words(text: str, dice: random.Random) -> Iterator[Edit]:
    for match in _WORD.finditer(text):
        (start, end), said = match.span(), match.group().casefold()
        if said in _VERBS and not text.startswith((" not", "n't"), end):
            yield Edit("negated", f"{text[:end]} not{text[end:]}", end + 1, end + 4)
        if said == "not" and start:
            yield Edit("affirmed", text[:start] + text[end + 1 :], max(0, start - 5), start)
        if said in _OTHERS:
            yield _put("other", text, start, end, _like(match.group(), _OTHERS[said]))
        if len(said) > _SHORT and said in _opposites():
            yield _put("opposite", text, start, end, _like(match.group(), dice.choice(_opposites()[said])))


def _like(said: str, other: str) -> str:
    return other.capitalize() if said[0].isupper() else other


@cache
def _opposites() -> dict[str, list[str]]:
    """Of each word its opposites with its own ending, as far as there are any."""
    found: dict[str, list[str]] = {}
    for line in Path(__file__).with_name("opposites.txt").read_text(encoding="utf-8").splitlines():
        left, right = (side.split() for side in line.split(" : "))
        for side, across in ((left, right), (right, left)):
            for word in side:
                alike = [other for other in across if _ending(other) == _ending(word)]
                found.setdefault(word, []).extend(alike or across)
    return found


def _ending(word: str) -> str:
    return next((ending for ending in _ENDINGS if word.endswith(ending)), "")
