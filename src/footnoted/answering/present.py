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
from footnoted.text import STOPWORDS, sentences

if TYPE_CHECKING:
    from collections.abc import Iterable

    from footnoted.grounding.quantities import Quantity

_NUMERAL = re.compile(r"\d{1,3}(?:[,\u00a0\u202f'’]\d{2,3})+(?!\d)(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+")
_ADDRESS = re.compile(r"://|@\w|\bwww\.", re.IGNORECASE)
# A letter before a digit, or two full stops among digits; not a currency's letters, not "mid-2024".
_CODE = re.compile(
    r"(?!(?:[A-Z]{0,3}\$|GBP|USD|EUR|CHF|INR|RM|Rs\.?)\d|[a-z]+-\d+\Z)\W*(?:.*[^\W\d].*\d|\d+(?:\.\d+){2})"
)
_AROUND = ".,;:!?()[]{}\"'“”‘’«»"
_SIGNED = re.compile(rf"(?<!\w)(?<!\d\s)[-−–][£$€¥₹]?(?P<numeral>{_NUMERAL.pattern})")
_BELOW = r"(?:[-−–(]\s?[£$€¥₹]?\s?|\b(?:minus|negative|below|loss of|deficit of)\W+)"
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
        if not (any(char.isdigit() for char in value) or _ADDRESS.search(value)) or self._says(value):
            return ""
        for signed in _SIGNED.finditer(value):
            if not self._below_zero(signed["numeral"]):
                return signed.group()
        for token in value.split():
            if (_ADDRESS.search(token) or _CODE.match(token)) and not self._says(token):
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
        whole = re.compile(rf"(?<![\w.,/-]){re.escape(plain)}(?![\w/-]|[.,]\d)")
        return any(whole.search(text) is not None for text in self._folded)

    def _below_zero(self, numeral: str) -> bool:
        there = re.compile(rf"{_BELOW}{re.escape(numeral)}(?![\d]|[.,]\d)")
        return any(there.search(text) is not None for text in self._folded)

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


def _counts_nothing(figure: Quantity) -> bool:
    """Whether a bare number may be an amount of anything: 75 in a table's cell may be pounds, 75 people are none."""
    return not figure.word or figure.word in STOPWORDS


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
