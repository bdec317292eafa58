"""Words that exclude one another, by stem: what turns a sentence into its contrary when swapped."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from footnoted.text import stem

_PREFIXES = ("un", "in", "im", "ir", "il", "dis", "non", "de")
_SHORT = 3  # letters; of a shorter word "un" and "in" make another word, not its contrary


@lru_cache(maxsize=1)
def _table() -> dict[str, frozenset[str]]:
    """``opposites.txt``: a line a group, two sides of words parted by a colon; a word may stand in several."""
    table: dict[str, set[str]] = {}
    text = Path(__file__).with_suffix(".txt").read_text(encoding="utf-8")
    for line in text.splitlines():
        left, right = ({stem(word) for word in side.split()} for side in line.split(" : "))
        for one, others in ((left, right), (right, left)):
            for stemmed in one:
                table.setdefault(stemmed, set()).update(others - one)
    return {stemmed: frozenset(others) for stemmed, others in table.items()}


def opposites(stemmed: str) -> frozenset[str]:
    """The stems that exclude this one; empty when none is known.

    >>> "exclud" in opposites("cover")
    True
    """
    return _table().get(stemmed, frozenset())


@lru_cache(maxsize=16384)
def contraries_of(stemmed: str) -> frozenset[str]:
    """The stems that exclude this one, by the list or by a prefix that negates ("un", "in", "dis" …).

    >>> "unpaid" in contraries_of("paid") and "paid" in contraries_of("unpaid")
    True
    """
    longer = {prefix + stemmed for prefix in _PREFIXES} if len(stemmed) > _SHORT else set()
    shorter = {stemmed.removeprefix(prefix) for prefix in _PREFIXES} - {stemmed}
    return opposites(stemmed) | longer | {one for one in shorter if len(one) > _SHORT}
