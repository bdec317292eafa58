"""Reads the sums, shares, periods and ages of a text and writes them one way."""

from __future__ import annotations

import re
from collections.abc import Iterable

from footnoted.text.marks import blanked

_WORDS = dict(
    zip(
        "one two three four five six seven eight nine ten eleven twelve fifteen twenty thirty sixty ninety".split(),
        (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 15, 20, 30, 60, 90),
        strict=True,
    )
)
_SCALES = {"k": 1_000, "thousand": 1_000, "m": 1_000_000, "million": 1_000_000, "billion": 1_000_000_000}
_NUMBER = re.compile(
    r"(?<![\w.])(?P<number>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)(?:\s?(?P<scale>k|m|thousand|million|billion)\b)?",
    re.IGNORECASE,
)
_UNITS = {
    word: unit
    for unit, words in {
        "£": "pound pounds dollar dollars euro euros ringgit 元 令吉",
        "%": "% percent",
        "h": "hour hours jam 小时",
        "d": "day days hari 天 日",
        "w": "week weeks minggu 周 星期",
        "m": "month months bulan 个月",
        "y": "year years tahun 年 岁",
    }.items()
    for word in words.split()
}
_UNIT = re.compile(
    r"[\s-]?(?:(?:working|calendar|business)\s)?(per\s?cent\b|[a-z]+|%|令吉|小时|星期|个月|[元天日周年岁])",
    re.IGNORECASE,
)
_CURRENCY = re.compile(r"(?:[£$€¥₹]|\b(?:RM|GBP|USD|EUR|SGD|MYR))\s?\Z")
_WORD = re.compile(rf"\b({'|'.join(_WORDS)})\b(?:\s(thousand|million|billion)\b)?", re.IGNORECASE)
_SMALL = 12  # number words up to here often count nothing ("one of your neighbours")


def figures(text: str, *, claimed: bool = False) -> set[str]:
    """The numbers of a text as plain digits; "5 million" and "5,000,000" are the same, marks are no numbers.

    Of what is ``claimed``, small numbers in words are left out: they often count nothing.

    >>> sorted(figures("We pay £1,500 [2] or 5 million within thirty days."))
    ['1500', '30', '5000000']
    """
    return {number for number, _ in measures(text, claimed=claimed)}


def strange(claim: str, text: str) -> list[str]:
    """The claim's figures that a text does not have, or has in another unit only: 75% is not £75.

    >>> strange("It is 75% within 30 days.", "It is £75. Tell us in 30 days.")
    ['75%']
    """
    known: dict[str, set[str]] = {}
    for number, unit in measures(text):
        known.setdefault(number, set()).add(unit)
    return sorted(
        f"{number}{unit}"
        for number, unit in measures(claim, claimed=True)
        if number not in known or (unit and unit not in known[number] and "" not in known[number])
    )


def follows(odd: Iterable[str], text: str) -> bool:
    """Whether each of these strange figures is a sum, a difference or a share of two that a text has.

    >>> follows(["625£"], "£375 and £250 more"), follows(["250£"], "We keep 50% of 500."), follows(["7£"], "£5")
    (True, True, False)
    """
    known = {(float(number), unit) for number, unit in measures(text)}
    sums: set[str] = set()
    for one, unit in known:
        for other, kind in known:
            if kind == "%" != unit:
                sums |= {_plain(str(one * other / 100), None), _plain(str(one - one * other / 100), None)}
            elif kind == unit or not unit:
                sums |= {_plain(str(one + other), None), _plain(str(abs(one - other)), None)}
    return all("".join(char for char in figure if char.isdecimal() or char == ".") in sums for figure in odd)


def measures(text: str, *, claimed: bool = False) -> set[tuple[str, str]]:
    """Each number with its unit: £ for any money, %, h, d, w, m, y for times, nothing where none is written."""
    text = blanked(text)
    found = set()
    for match in _NUMBER.finditer(text):
        money = _CURRENCY.search(text[max(0, match.start() - 4) : match.start()]) is not None
        found.add((_plain(match["number"], match["scale"]), "£" if money else _unit(text, match.end())))
    for match in _WORD.finditer(text):
        number = _WORDS[match[1].casefold()]
        if number > _SMALL or match[2] or not claimed:
            found.add((_plain(str(number), match[2]), _unit(text, match.end())))
    return found


def _unit(text: str, at: int) -> str:
    found = _UNIT.match(text, at)
    return _UNITS.get("".join(found[1].casefold().split()), "") if found else ""


def _plain(number: str, scale: str | None) -> str:
    value = float(number.replace(",", "")) * _SCALES.get((scale or "").casefold(), 1)
    return f"{value:.6f}".rstrip("0").rstrip(".")
