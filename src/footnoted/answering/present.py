"""Finds the figures, codes and addresses of a short value that the sources do not contain.

No weigher is believed about a number that does not stand there: 1,000 is 1000, two weeks are 14 days, £75 is not
75 days, and 76 is not 75.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from footnoted.grounding.quantities import quantities, same
from footnoted.once import once
from footnoted.text import STOPWORDS, runs, sentences
from footnoted.text.phrases import places
from footnoted.text.scripts import is_wordlike

if TYPE_CHECKING:
    from collections.abc import Iterable

    from footnoted.grounding.quantities import Quantity

_NUMERAL = re.compile(r"\d{1,3}(?:[,\u00a0\u202f'’]\d{2,3})+(?!\d)(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+")
# A letter before a digit, or two full stops among digits; not a currency's letters, not "mid-2024".
_CODE = re.compile(
    r"(?!(?:[A-Z]{0,3}\$|GBP|USD|EUR|CHF|INR|RM|Rs\.?)\d|[a-z]+-\d+\Z)\W*(?:.*[^\W\d].*\d|\d+(?:\.\d+){2})"
)
_AROUND = ".,;:!?()[]{}\"'“”‘’«»"
_SIGNED = re.compile(rf"(?<!\w)(?<!\d\s)[-−–][£$€¥₹]?(?P<numeral>{_NUMERAL.pattern})")
_MINUS, _CURRENCIES = tuple("-−–("), "£$€¥₹"
_BELOW = ("minus", "negative", "below", "loss of", "deficit of")
_REACH = 24  # code points before a figure in which a sign or a word says that it is below zero
_BARE = frozenset({"", "year"})  # a four-digit number reads as a year, whatever it counts


class Figures:
    """What figures some texts hold. They are read when first asked for, and only as far as needed."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._texts = list(texts)

    def lacks(self, value: str) -> str:
        """The first figure, code or address of a short value that stands nowhere here; empty if all do.

        >>> Figures(["Up to £1,000 within two weeks."]).lacks("£1000, 14 days, 75")
        '75'
        """
        if not (any(char.isdigit() for char in value) or _has_address(value)) or self._says(value):
            return ""
        for signed in _SIGNED.finditer(value):
            if not self._below_zero(signed["numeral"]):
                return signed.group()
        for token in value.split():
            if (_has_address(token) or _CODE.match(token)) and not self._says(token):
                return token.strip(_AROUND)
        value = " ".join(token for token in value.split() if not _CODE.match(token))
        for figure in quantities(value):
            words = value[figure.start : figure.end]
            if not self._holds(figure) and not self._says(words):
                return words.strip()
        return ""

    def lacks_roughly(self, statement: str) -> str:
        """The same for a sentence, whose figures may be rounded, spelled out or bounded as sentences do."""
        for figure in quantities(statement):
            words = statement[figure.start : figure.end]
            if not any(char.isdigit() for char in words) or self._holds(figure) or self._says(words):
                continue
            if not any(same(figure, there) for there in self._quantities):
                return words.strip()
        return ""

    def _holds(self, figure: Quantity) -> bool:
        if figure.unit in _BARE:
            return _plain(figure.value) in self._numerals
        if figure.unit == "date":
            return any(same(figure, there) for there in self._quantities)
        units = (figure.unit,) if figure.unit == "clock" else (figure.unit, *_BARE)
        value = _plain(figure.value)
        return any(
            there.unit in units
            and _plain(there.value) == value
            and (there.unit == figure.unit or _counts_nothing(there))
            for there in self._quantities
        )

    def _says(self, words: str) -> bool:
        """Whether the words stand in a text as they are, not inside of longer ones."""
        plain = " ".join(words.casefold().split()).strip(_AROUND)
        if not plain:
            return False
        return any(_stands_alone(text, at, at + len(plain)) for text in self._folded for at in places(plain, text))

    def _below_zero(self, numeral: str) -> bool:
        return any(
            not _goes_on(text, at + len(numeral)) and _is_below(text[max(0, at - _REACH) : at])
            for text in self._folded
            for at in places(numeral, text)
        )

    @once
    def _folded(self) -> list[str]:
        return [" ".join(text.casefold().split()) for text in self._texts]

    @once
    def _quantities(self) -> list[Quantity]:
        # Sentence by sentence: reading a text for figures costs more than its length's worth.
        return [
            each for text in self._texts for span in sentences(text) for each in quantities(text[span.start : span.end])
        ]

    @once
    def _numerals(self) -> frozenset[float]:
        """Every number as it stands, and as it counts: 1.5 million is both 1.5 and 1500000, two weeks are 2."""
        written = {_plain(_number(numeral)) for text in self._texts for numeral in _NUMERAL.findall(text)}
        counted = {_plain(each.value) for each in self._quantities if each.unit not in ("date", "clock")}
        spoken = {_plain(each.value / _worth(each.word)) for each in self._quantities if each.word}
        return frozenset(written | counted | spoken)


def _stands_alone(text: str, start: int, end: int) -> bool:
    """Whether a stretch is no part of a longer word, figure or address."""
    before, after = text[start - 1 : start], text[end : end + 1]
    joined = is_wordlike(before) or is_wordlike(after) or before in tuple(".,/-") or after in tuple("/-")
    return not joined and not _goes_on(text, end)


def _goes_on(text: str, end: int) -> bool:
    """Whether a figure that stands before ``end`` has more digits or a fraction."""
    after = text[end : end + 2]
    return after[:1].isdecimal() or (after[:1] in tuple(".,") and after[1:].isdecimal())


def _is_below(before: str) -> bool:
    """Whether what stands before a figure makes it negative: a sign, perhaps with a currency's between, or a word."""
    bare = before.removesuffix(" ")
    if (bare[:-1] if bare[-1:] in tuple(_CURRENCIES) else bare).removesuffix(" ").endswith(_MINUS):
        return True
    return not is_wordlike(before[-1:]) and f" {' '.join(runs(before))}".endswith(tuple(f" {one}" for one in _BELOW))


def _counts_nothing(figure: Quantity) -> bool:
    """Whether a bare number may be an amount of anything: 75 in a table's cell may be pounds, 75 people are none."""
    return not figure.word or figure.word in STOPWORDS


def _has_address(text: str) -> bool:
    """Whether a web or mail address stands in a text, or a name that begins with "@"."""
    folded = text.casefold()
    web = "://" in text or any(not is_wordlike(folded[at - 1 : at]) for at in places("www.", folded))
    return web or any(is_wordlike(text[at + 1 : at + 2]) for at in places("@", text))


def _number(numeral: str) -> float:
    return float("".join(char for char in numeral if char.isdecimal() or char == "."))


def _plain(value: float) -> float:
    """A number to twelve digits, so that 1.1 million is 1100000."""
    return float(f"{value:.12g}")


@lru_cache(maxsize=1024)
def _worth(word: str) -> float:
    """How many of its family's base one of a unit is: a week 168 hours, a thing that is no unit 1."""
    one = quantities(f"1 {word}")
    return one[0].value if one and one[0].value else 1.0
