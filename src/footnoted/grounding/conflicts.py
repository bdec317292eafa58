"""A claim and its evidence sentences in; the places where their aligned words exclude one another out."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from footnoted.grounding.quantities import Quantity, opposed, overlaps, same
from footnoted.text import stem

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from footnoted.grounding.reading import Reading, Word

Kind = Literal["number", "bound", "negation", "opposite", "modality", "quantifier", "name"]
KINDS: tuple[Kind, ...] = ("number", "bound", "negation", "opposite", "modality", "quantifier", "name")
NEAR = 4  # words between which two words still belong together
_CLOSER = 0.15  # by how much a sentence that objects must agree better than one that assents
_ALL = 0.9  # from here on nothing near a number need be shared: the whole sentence is
_MAIN = 0.6  # share of the claim a sentence must hold before both are taken to speak of the same thing
_REACH = 45  # characters around a quantity that say what it measures
_TIMES = frozenset(("year", "date", "decade"))
_CALENDAR = frozenset(
    stem(word)
    for word in """monday tuesday wednesday thursday friday saturday sunday january february march april may june july
    august september october november december christmas easter""".split()
)
_BREAK = re.compile(r"[,;.]\s|\b(?:and|but|while|or)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Conflict:
    """Words of the claim (``start``/``end``) that the evidence contradicts: it says ``instead``.

    ``evidence`` is which evidence sentence; ``sure`` that the words around agree, so that both speak of the
    same thing; otherwise the mismatch is only a hint.
    """

    kind: Kind
    start: int
    end: int
    said: str
    instead: str
    evidence: int
    sure: bool


class Comparison:
    """A claim beside its evidence sentences, and how much of the claim each of them holds."""

    def __init__(self, claim: Reading, evidence: Sequence[Reading]) -> None:
        self.claim = claim
        self.evidence = evidence

    def agreement(self, index: int, start: int, end: int) -> float:
        """The share (0–1) of the claim's weight that one sentence holds, the words ``[start, end)`` left out."""
        stems = self.evidence[index].stems
        others = [w for w in self.claim.words if w.carries and not start <= w.start < end]
        total = sum(w.weight for w in others)
        return sum(w.weight for w in others if w.stem in stems) / total if total else 0.0

    def objector(self, start: int, end: int, against: Iterable[int], carriers: Iterable[int]) -> int | None:
        """Of the sentences that object to ``[start, end)``, the one that agrees best with the rest of the claim.

        ``None`` when a sentence that carries the words agrees about as well.
        """
        best = max(against, key=lambda i: self.agreement(i, start, end), default=None)
        if best is None:
            return None
        assent = max((self.agreement(i, start, end) for i in carriers), default=-1.0)
        return best if self.agreement(best, start, end) >= assent + _CLOSER else None

    def sure(self, index: int, start: int, end: int) -> bool:
        """Whether a sentence holds most of the rest of the claim."""
        return self.agreement(index, start, end) >= _MAIN


def numbers(pair: Comparison) -> list[Conflict]:
    """Quantities of the claim for which the closest sentence has another, or the same with a contrary bound."""
    found: list[Conflict] = []
    for quantity in pair.claim.quantities:
        span = quantity.start, quantity.end
        said = pair.claim.text[quantity.start : quantity.end]
        matches = {i: q for i, e in enumerate(pair.evidence) for q in e.quantities if same(quantity, q)}
        rivals = {i: q for i in range(len(pair.evidence)) if (q := _rival(pair, quantity, i)) is not None}
        within = [i for i in matches if i in rivals and _misplaced(pair, quantity, i, matches[i], rivals[i])]
        index = pair.objector(*span, [*within, *(rivals.keys() - matches.keys())], matches.keys() - within)
        if index is not None:
            rival, other = rivals[index], pair.evidence[index]
            shared = _shared(pair.claim, quantity, other, rival)
            sure = pair.sure(index, *span) and (shared > 0 or pair.agreement(index, *span) >= _ALL)
            instead = other.text[rival.start : rival.end]
            found.append(Conflict("number", *span, said, instead, index, sure=sure))
        elif matches and (clash := _bound_clash(pair, quantity, matches)) is not None:
            found.append(clash)
    return found


def _rival(pair: Comparison, quantity: Quantity, index: int) -> Quantity | None:
    """The quantity of a sentence that measures what the claim's does and is not said in the claim."""
    reading = pair.evidence[index]
    rivals = [
        q for q in reading.quantities if _comparable(quantity, q) and not any(same(c, q) for c in pair.claim.quantities)
    ]
    return max(rivals, key=lambda q: _shared(pair.claim, quantity, reading, q), default=None)


def _comparable(claimed: Quantity, sourced: Quantity) -> bool:
    if claimed.unit == sourced.unit:
        return bool(claimed.unit) or claimed.word == sourced.word or not (claimed.word and sourced.word)
    if "decade" in {claimed.unit, sourced.unit}:  # "in 1985" says more than "in the 1980s" and nothing against it
        return {claimed.unit, sourced.unit} <= _TIMES and not overlaps(claimed, sourced)
    if {claimed.unit, sourced.unit} <= _TIMES:
        return True
    return {claimed.unit, sourced.unit} <= {"hour", "month", "working day"}


def _misplaced(pair: Comparison, quantity: Quantity, index: int, match: Quantity, rival: Quantity) -> bool:
    """Whether one sentence has both numbers and the claim's words stand around the other one."""
    reading = pair.evidence[index]
    return _shared(pair.claim, quantity, reading, rival) >= 2 and not _shared(pair.claim, quantity, reading, match)


def _shared(claim: Reading, quantity: Quantity, reading: Reading, rival: Quantity) -> int:
    """How many stems stand near both quantities."""
    return len(_around(claim, quantity) & _around(reading, rival))


def _around(reading: Reading, quantity: Quantity) -> set[str]:
    """The carrying stems near a quantity, up to a break of the sentence or the next quantity."""
    low, high = max(0, quantity.start - _REACH), quantity.end + _REACH
    for match in _BREAK.finditer(reading.text, low, min(high, len(reading.text))):
        if match.end() <= quantity.start:
            low = match.end()
        elif match.start() >= quantity.end:
            high = match.start()
            break
    for other in reading.quantities:
        if other.end <= quantity.start:
            low = max(low, other.end)
        elif other.start >= quantity.end:
            high = min(high, other.start)
    return {w.stem for w in reading.words if w.carries and not w.value and low <= w.start < high}


def _bound_clash(pair: Comparison, quantity: Quantity, matches: dict[int, Quantity]) -> Conflict | None:
    if not quantity.bound or not all(opposed(quantity.bound, q.bound) for q in matches.values()):
        return None
    index, rival = next(iter(matches.items()))
    start, other = _bound_start(pair.claim, quantity), pair.evidence[index]
    said, instead = pair.claim.text[start : quantity.end], other.text[_bound_start(other, rival) : rival.end]
    return Conflict("bound", start, quantity.end, said, instead, index, sure=pair.sure(index, start, quantity.end))


def _bound_start(reading: Reading, quantity: Quantity) -> int:
    """Where a quantity starts with the two words before it: "less than 25 years"."""
    before = [w.start for w in reading.words if w.start < quantity.start][-2:]
    return before[0] if before else quantity.start


def names(pair: Comparison) -> list[Conflict]:
    """Names of the claim that no sentence has, where the closest one has another name in their place."""
    known = {word.stem for reading in pair.evidence for word in reading.words}
    found: list[Conflict] = []
    for start, end in _name_runs(pair.claim):
        run = pair.claim.words[start:end]
        if any(word.stem in known for word in run):
            continue
        span = run[0].start, run[-1].end
        rivals = {i: r for i, e in enumerate(pair.evidence) if (r := _rival_name(pair.claim, start, end, e))}
        index = pair.objector(*span, rivals, ())
        if index is not None:
            said, sure = pair.claim.text[slice(*span)], pair.sure(index, *span)
            found.append(Conflict("name", *span, said, rivals[index], index, sure=sure))
    return found


def _name_runs(reading: Reading) -> list[tuple[int, int]]:
    """``[start, end)`` of each run of names that stand side by side."""
    runs: list[tuple[int, int]] = []
    for position, word in enumerate(reading.words):
        opens_with_name = position == 0 and word.carries and word.text[:1].isupper()
        if not word.name and not (opens_with_name and len(reading.words) > 1 and reading.words[1].name):
            continue
        joined = runs and runs[-1][1] == position and reading.words[position - 1].end + 1 >= word.start
        if joined:
            runs[-1] = (runs[-1][0], position + 1)
        else:
            runs.append((position, position + 1))
    return runs


def _rival_name(claim: Reading, start: int, end: int, reading: Reading) -> str | None:
    """The name a sentence has where the claim has ``words[start:end]``: the same plain word beside both."""
    wanted = {_beside(claim.words, start, -1), _beside(claim.words, end - 1, 1)} - {None}
    dated = _in_calendar(claim.words[start:end])  # no place stands in a day's place
    for first, last in _name_runs(reading):
        run = reading.words[first:last]
        if any(word.stem in claim.stems for word in run) or _in_calendar(run) != dated:
            continue
        if {_beside(reading.words, first, -1), _beside(reading.words, last - 1, 1)} & wanted:
            return reading.text[run[0].start : run[-1].end]
    return None


def _in_calendar(run: Sequence[Word]) -> bool:
    return any(word.stem in _CALENDAR for word in run)


def _beside(words: Sequence[Word], position: int, step: int) -> str | None:
    for distance in range(1, NEAR + 1):
        place = position + step * distance
        if not 0 <= place < len(words):
            return None
        if words[place].carries and not words[place].name:
            return words[place].stem
    return None
