"""The words of a sentence in; which of them could be a date, a place, an amount, a person … out."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from footnoted.text import STOPWORDS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from footnoted.assistants.insurance.ranking.question import Wanted

_MONTHS = frozenset(
    "january february march april may june july august september october november december jan feb mar apr jun jul "
    "aug sep sept oct nov dec".split()
)
_TIMES = _MONTHS | frozenset(
    "monday tuesday wednesday thursday friday saturday sunday century centuries decade decades ago today yesterday "
    "tomorrow spring summer autumn winter midnight noon morning evening annually weekly daily bc ad bce ce".split()
)
_COUNTS = frozenset(
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred hundreds thousand thousands "
    "million millions billion billions trillion dozen dozens half third quarter twice once double triple several "
    "none no zero".split()
)
_UNIT_WORDS = frozenset(
    "seconds second minutes minute hours hour days day weeks week months month years year decades decade centuries "
    "nights fortnight yr yrs hrs".split()
)
_COINS = frozenset("dollar dollars pound pounds euro euros cents pence usd gbp eur yen rupees francs".split())
_REASONS = frozenset(
    "because due since therefore thus hence reason reasons cause caused causes owing result results resulting leads "
    "led purpose prevent order allow allows so".split()
)
_MANNERS = frozenset("by through using via with use uses used means method process".split())
_PLACED = frozenset("in at from near of to across throughout within between around north south east west".split())
_YEAR = re.compile(r"1[0-9]{3}s?|20[0-9]{2}s?")
_SIGNS = re.compile(r"[£$€¥₹฿]\s?$")


def offered(wanted: Wanted, text: str, tokens: Sequence[tuple[str, int, int]], lows: Sequence[str]) -> list[int]:
    """The positions (into ``tokens``) of words that could answer what is wanted; none for open questions.

    ``lows`` are the tokens' words in lower case.
    """
    if wanted == "time":
        return [i for i, low in enumerate(lows) if low in _TIMES or _YEAR.fullmatch(low)]
    if wanted == "amount":
        return [i for i, low in enumerate(lows) if low[0].isdigit() or low in _COUNTS]
    if wanted == "money":
        return [i for i, (_, start, _) in enumerate(tokens) if _is_money(text, start, lows, i)]
    if wanted == "share":
        return [i for i, low in enumerate(lows) if _is_share(text, tokens[i], lows, i)]
    if wanted == "duration":
        return [i for i, low in enumerate(lows) if low in _UNIT_WORDS or _YEAR.fullmatch(low)]
    if wanted in ("person", "place"):
        names = _named(tokens, lows)
        if wanted == "place":
            names = [i for i in names if _after_place(lows, i)]
        return names
    if wanted == "reason":
        return [i for i, low in enumerate(lows) if low in _REASONS or (low == "to" and i > 0)]
    if wanted == "manner":
        return [i for i, low in enumerate(lows) if low in _MANNERS]
    return []


def _is_money(text: str, start: int, lows: Sequence[str], i: int) -> bool:
    if not (lows[i][0].isdigit() or lows[i] in _COUNTS):
        return False
    if _SIGNS.search(text[max(0, start - 2) : start]):
        return True
    return any(low in _COINS for low in lows[i + 1 : i + 3])


def _is_share(text: str, token: tuple[str, int, int], lows: Sequence[str], i: int) -> bool:
    low = lows[i]
    if low in ("half", "third", "quarter", "majority", "percent", "fraction", "thirds", "quarters"):
        return True
    sign = text[token[2] : token[2] + 2].strip()[:1] == "%"
    return low[0].isdigit() and (sign or lows[i + 1 : i + 2] in (["percent"], ["per"]))


def _named(tokens: Sequence[tuple[str, int, int]], lows: Sequence[str]) -> list[int]:
    """Positions of words that look like names: capitals, the sentence's first word only within a longer name."""
    found: list[int] = []
    for i, (word, _, _) in enumerate(tokens):
        if not word[0].isupper() or lows[i] in STOPWORDS or lows[i] in _MONTHS or lows[i] in _TIMES:
            continue
        if i == 0 and not (len(tokens) > 1 and tokens[1][0][:1].isupper()):
            continue
        found.append(i)
    return found


def _after_place(lows: Sequence[str], i: int) -> bool:
    back = i - 1
    while back >= 0 and back > i - 4:
        if lows[back] in _PLACED:
            return True
        back -= 1
    return False
