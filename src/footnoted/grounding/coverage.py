"""A claim and its evidence in; where one says that something is paid for and the other that it is not, out.

Policies say so in words that do not look alike: "We do not pay for frost damage" denies "Frost damage is covered".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from footnoted.grounding.conflicts import Conflict
from footnoted.grounding.reading import read

if TYPE_CHECKING:
    from footnoted.grounding.conflicts import Comparison
    from footnoted.grounding.reading import Reading, Word

_PAYS = frozenset("cover coverag insur pay paid reimburs compens includ".split())
_LEAVES_OUT = frozenset("exclud exclus uninsur".split())
_WHEN = frozenset("when if unless while where until".split())  # what is said under a condition denies no whole


def coverage(pair: Comparison) -> list[Conflict]:
    """The one conflict about what is paid for, if there is one. The same word turned is a negation, not told here."""
    said = _told(pair.claim)
    if said is None:
        return []
    word, pays = said
    against: dict[int, tuple[Word, bool]] = {}
    carriers: list[int] = []
    for index, reading in enumerate(pair.evidence):
        told = _told(reading)
        if told is None:
            continue
        if told[1] == pays:
            carriers.append(index)
        elif word.stem not in reading.places:
            against[index] = told
    chosen = pair.objector(word.start, word.end, against, carriers)
    if chosen is None:
        return []
    other, _ = against[chosen]
    ours, theirs = (("not " if one.negated else "") + one.text for one in (word, other))
    sure = pair.sure(chosen, word.start, word.end) and not _conditional(pair.evidence[chosen], pair.claim)
    return [Conflict("negation", word.start, word.end, ours, theirs, chosen, sure=sure)]


def leaves_out(heading: str) -> bool:
    """Whether what stands under a heading is not paid for.

    >>> leaves_out("9. What we never cover"), leaves_out("General exclusions"), leaves_out("Windscreen cover")
    (True, True, False)
    """
    told = _told(read(heading))
    return told is not None and not told[1]


def _told(reading: Reading) -> tuple[Word, bool] | None:
    """The first word about paying, and whether it says that something is paid for."""
    for word in reading.words:
        if word.stem in _PAYS:
            return word, not word.negated
        if word.stem in _LEAVES_OUT:
            return word, word.negated
    return None


def _conditional(evidence: Reading, claim: Reading) -> bool:
    mine = {word.text.casefold() for word in claim.words}
    return any(word.text.casefold() in _WHEN and word.text.casefold() not in mine for word in evidence.words)
