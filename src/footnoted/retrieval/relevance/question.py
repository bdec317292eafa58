"""What a question's words tell: which of them matter, and how much. The hard thing is to do so in any language.

English has a table of how rare its stems are; a word of another language has none, so what is common there shows only
among the passages it is asked of (`measures.Pool` multiplies both).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from footnoted.retrieval.relevance.rarity import UNSEEN, rarity
from footnoted.text import STOPWORDS, UNSPACED, fold, stem, words

if TYPE_CHECKING:
    from collections.abc import Mapping

_ASKING = frozenset("much many far long often".split())  # what "how" takes along
_TELLING = 3.9  # a weight from which on a word says what a question is about
_SHORT, _SHORT_WEIGHT = 3, 4.0  # a short unknown word is likelier another language's small word than a name
_SEAMS = "[?？؟!;；。,，、]+"
_OPENS = frozenset(  # what an English question begins with, behind "and"
    """how what when where who whose why which do does did is are was were
    can could will would should must may has have""".split()
)
_LEAST, _MOST = 3, 4  # words of a part that can be asked alone; parts
_LIGHT = 0.35  # how much a word of the question before weighs


@dataclass(frozen=True, slots=True)
class Question:
    """A question ready to be held against sentences.

    ``weights``: content stem → how much it tells; ``order``: all its stems in order, small words included; ``content``:
    those that tell; ``names``: stems written with a capital inside the question; ``numbers``: its figures.
    """

    text: str
    about: str
    weights: Mapping[str, float]
    order: tuple[str, ...]
    content: tuple[str, ...]
    names: frozenset[str]
    numbers: frozenset[str]
    total: float

    @property
    def whole(self) -> str:
        """The question with what was asked before it."""
        return f"{self.about} {self.text}".strip()


def understand(question: str, *, about: str = "") -> Question:
    """What a question asks; ``about`` holds words of the talk before it, which count for less."""
    tokens = words(question)
    telling = [(word, start) for word, start, _ in tokens if fold(word) not in STOPWORDS]
    weights: dict[str, float] = {}
    for word, _ in telling:
        weights.setdefault(stem(word), _weight(word))
    for word, _, _ in words(about):
        if fold(word) not in STOPWORDS:
            weights.setdefault(stem(word), _weight(word) * _LIGHT)
    return Question(
        text=question,
        about=about,
        weights=weights,
        order=tuple(stem(word) for word, _, _ in tokens),
        content=tuple(stem(word) for word, _ in telling),
        names=frozenset(stem(word) for word, start in telling if start and word[0].isupper()),
        numbers=frozenset(stem(word) for word, _, _ in tokens if word[0].isdigit()),
        total=sum(weights.values()) or 1.0,
    )


def parts(question: str) -> list[str]:
    """The parts of a question that can be asked alone; none where it is one.

    Marks part them, a question's first word where it comes again behind a word that joins, and "and" before a word
    that English questions begin with.

    >>> parts("How much is the premium, and what is the excess?")
    ['How much is the premium', 'and what is the excess']
    >>> parts("how do I cancel and how do I complain?")
    ['how do I cancel', 'how do I complain']
    >>> parts("how late must my bags be and do I need receipts?")
    ['how late must my bags be', 'do I need receipts']
    """
    found = [part for piece in re.split(_SEAMS, question) for part in _begun_again(piece.strip())]
    found = [part for part in found if len(part.split()) >= _LEAST]
    return found[:_MOST] if len(found) > 1 else []


def _begun_again(piece: str) -> list[str]:
    written = piece.split()
    folded = [fold(word) for word in written]
    later = range(_LEAST + 1, len(written) - 1)
    again = next((i for i in later if folded[i] == folded[0] or (folded[i - 1] == "and" and folded[i] in _OPENS)), 0)
    return [" ".join(written[: again - 1]), " ".join(written[again:])] if again else [piece]


def tells(word: str) -> bool:
    """Whether a question's word says what it is about (``windscreen``), not how it asks (``which``).

    >>> [word for word in "How much does life insurance cost a month".split() if tells(word)]
    ['life', 'insurance', 'cost', 'month']
    """
    if UNSPACED.match(word):  # a pair of characters is often no word
        return False
    return fold(word) not in STOPWORDS | _ASKING and _weight(word) >= _TELLING


def _weight(word: str) -> float:
    weight = rarity(stem(word))
    if len(word) <= _SHORT and weight >= UNSEEN and word.isascii() and word.islower():
        weight = _SHORT_WEIGHT
    return weight
