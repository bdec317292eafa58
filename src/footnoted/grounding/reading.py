"""A text in; its words out as the check reads them: stems, weights, names, numbers, what is negated."""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from footnoted.grounding.quantities import Quantity, quantities
from footnoted.text import STOPWORDS, fold, stem, words

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

FITTED = Path(__file__).parent / "fitted"

NEGATORS = frozenset(
    """not no never none nothing nobody neither nor without cannot can't won't don't doesn't didn't isn't aren't
    wasn't weren't hasn't haven't hadn't wouldn't shouldn't couldn't mustn't needn't ain't hardly barely scarcely
    nowhere unable refuses refused denied denies lacks lacking fails failed refrain""".split()
)
_CLAUSE_END = re.compile(
    r"[;:()]|,\s+(?=and|but|or|so|yet)|\b(?:but|because|although|though|while|whereas|unless|if|when|which|who"
    r"|provided|despite|due to|owing to)\b|[.!?]\s",
    re.IGNORECASE,
)
_TURNS_NOTHING = re.compile(
    r"not\s+(?:only|just|merely|more|less|later)|no\s+(?:later|more|less|fewer|longer|matter|doubt)|no,", re.IGNORECASE
)
_PREFIX = re.compile(r"non ?- ?(?=[^\W\d_])", re.IGNORECASE)  # it turns the word it stands before, and no other
_AVOIDING = re.compile(r"avoid(?:s|ed)?\s+[^\W\d_]+ing\b", re.IGNORECASE)
_ITEM = re.compile(r"\s*\(?\d{1,3}[.)]\s")  # the number of a list item counts nothing
_LIGHT = NEGATORS | frozenset("must shall may might ought".split())  # they turn a sentence, they are not its matter


@dataclass(frozen=True, slots=True)
class Word:
    """One word as read.

    ``weight`` is its idf; ``carries`` says it is no stop word; ``name`` a capital inside; ``negated`` that its clause
    is turned by a negator; ``focus`` that one stands right before it; ``value`` the quantity it belongs to.
    """

    text: str
    start: int
    end: int
    stem: str
    weight: float
    carries: bool
    name: bool
    number: bool
    negated: bool
    focus: bool
    value: str


@dataclass(frozen=True, slots=True)
class Reading:
    """A text with its words and quantities. ``stems`` are those that carry; ``places`` says where every stem stands."""

    text: str
    words: tuple[Word, ...]
    quantities: tuple[Quantity, ...]
    stems: frozenset[str]
    places: Mapping[str, Sequence[int]]

    @property
    def weight(self) -> float:
        """The sum of the carrying words' weights."""
        return sum(word.weight for word in self.words if word.carries)


@lru_cache(maxsize=1)
def _weights() -> tuple[dict[str, float], float]:
    fitted = json.loads((FITTED / "words.json").read_text(encoding="utf-8"))
    return fitted["weights"], fitted["rare"]


@lru_cache(maxsize=65536)
def weight_of(stemmed: str) -> float:
    """How much a stem tells, in nats: 1.4 for "the", 11.8 for a word never seen."""
    table, rare = _weights()
    return table.get(stemmed, rare if not stemmed[:1].isdigit() else max(6.0, rare - 3))


@lru_cache(maxsize=4096)
def read(text: str) -> Reading:
    """The words and quantities of a text; kept for the texts read last."""
    found = words(text)
    carrying = [_carries(word) for word, _, _ in found]
    negated, focus = _negation(text, found, carrying)
    amounts = tuple(q for q in quantities(text) if not _ITEM.match(text, 0, q.end + 2))
    starts = [q.start for q in amounts]
    opening = True
    made: list[Word] = []
    for index, (word, start, end) in enumerate(found):
        stemmed = stem(word)
        made.append(
            Word(
                text=word,
                start=start,
                end=end,
                stem=stemmed,
                weight=weight_of(stemmed),
                carries=carrying[index],
                name=word[0].isupper() and (not opening or word.isupper()) and len(word) > 1 and carrying[index],
                number=word[0].isdigit(),
                negated=negated[index],
                focus=focus[index],
                value=_value(amounts, bisect_right(starts, start) - 1, start),
            )
        )
        opening = text[end : end + 2].strip()[:1] in {".", "!", "?", ":"} and not text[end : end + 2].isalnum()
    places: dict[str, list[int]] = {}
    for index, one in enumerate(made):
        places.setdefault(one.stem, []).append(index)
    return Reading(text, tuple(made), amounts, frozenset(w.stem for w in made if w.carries), places)


def _value(amounts: Sequence[Quantity], index: int, place: int) -> str:
    """The quantity of that index, if it reaches as far as a place."""
    if index < 0 or place >= amounts[index].end:
        return ""
    return f"{amounts[index].value:g} {amounts[index].unit}"


def _carries(word: str) -> bool:
    folded = fold(word).replace("’", "'")
    return word[0].isdigit() or (len(word) > 1 and folded not in STOPWORDS and folded not in _LIGHT)


def _negation(text: str, found: list[tuple[str, int, int]], carrying: list[bool]) -> tuple[list[bool], list[bool]]:
    """For each word, whether its clause is turned by a negator (two cancel out), and whether one stands before it."""
    negated, focus = [False] * len(found), [False] * len(found)
    ends = [match.start() for match in _CLAUSE_END.finditer(text)]
    for index, (word, start, _) in enumerate(found):
        plain = word.casefold().replace("’", "'")
        if plain == "non" and _PREFIX.match(text, start) and index + 1 < len(found):
            negated[index + 1], focus[index + 1] = not negated[index + 1], True
            continue
        turns = plain in NEGATORS or (plain.startswith("avoid") and _AVOIDING.match(text, start))
        if not turns or _TURNS_NOTHING.match(text, start):
            continue
        low = max((end for end in ends if end <= start), default=0)
        high = min((end for end in ends if end > start), default=len(text))
        for other in range(len(found)):
            if low <= found[other][1] < high and other != index:
                negated[other] = not negated[other]
        after = [i for i in range(index + 1, min(len(found), index + 6)) if carrying[i] and found[i][1] < high]
        if after:
            focus[after[0]] = True
    return negated, focus
