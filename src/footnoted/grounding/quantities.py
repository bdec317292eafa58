"""Reads the numbers, amounts, shares, durations and dates of a text, each with its unit and bound."""

from __future__ import annotations

import re
from bisect import bisect_right, insort
from dataclasses import dataclass
from operator import itemgetter

# 1,300.5 · 1.300.000 · 99,9 % (a comma is decimal only before a sign of money or share) · 99.9
_DIGITS = (
    r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d{1,3}(?:\.\d{3}){2,}(?![.\d])"
    r"|\d+,\d{1,2}(?=[ \u00a0]?[%€£$])|(?<=[€£$])\d+,\d\d(?!\d)|\d+(?:\.\d+)?"
)
_UNITS_WORDS = {
    word: number
    for number, word in enumerate(
        """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
        seventeen eighteen nineteen""".split()
    )
}
_TENS = dict(zip("twenty thirty forty fifty sixty seventy eighty ninety".split(), range(20, 100, 10), strict=True))
_SCALES = {"hundred": 1e2, "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12, "lakh": 1e5, "crore": 1e7}
_SUFFIXES = {"k": 1e3, "m": 1e6, "mn": 1e6, "bn": 1e9, "b": 1e9, "tn": 1e12}
_ORDINALS = {
    word: number
    for number, word in enumerate(
        "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth".split(), 1
    )
}
_MONTHS = {
    name: index // 2 + 1
    for index, name in enumerate(
        """january jan february feb march mar april apr may may june jun july jul august aug september sep october
        oct november nov december dec""".split()
    )
} | {"sept": 9}

# What one unit is worth in its family's base: hours for clock time, months for calendar time.
_FAMILIES: dict[str, tuple[str, float]] = {}
for _family, _scale, _names in (
    ("hour", 1 / 3600, "second seconds sec secs"),
    ("hour", 1 / 60, "minute minutes min mins"),
    ("hour", 1, "hour hours hr hrs"),
    ("hour", 24, "day days"),
    ("hour", 168, "week weeks wk wks"),
    ("hour", 336, "fortnight fortnights"),
    ("month", 1, "month months"),
    ("month", 3, "quarter quarters"),
    ("month", 12, "year years yr yrs"),
    ("month", 120, "decade decades"),
    ("month", 1200, "century centuries"),
    ("metre", 0.01, "cm centimetre centimetres centimeter centimeters"),
    ("metre", 0.001, "mm millimetre millimetres millimeter millimeters"),
    ("metre", 1, "m metre metres meter meters"),
    ("metre", 1000, "km kms kilometre kilometres kilometer kilometers"),
    ("mile", 1, "mile miles mi"),
    ("foot", 1, "foot feet ft"),
    ("gram", 1e-6, "µg μg mcg microgram micrograms"),
    ("gram", 0.001, "mg milligram milligrams"),
    ("gram", 1, "g gram grams"),
    ("gram", 1000, "kg kgs kilo kilos kilogram kilograms"),
    ("pound", 1, "lb lbs"),
    ("byte", 1e3, "kb"),
    ("byte", 1e6, "mb"),
    ("byte", 1e9, "gb"),
    ("byte", 1e12, "tb"),
    ("%", 1, "percent per-cent pct"),
    ("%", 0.01, "bps"),
    ("$", 1, "dollar dollars usd"),
    ("$", 0.01, "cent cents"),
    ("£", 1, "pounds sterling gbp quid"),
    ("£", 0.01, "pence"),
    ("€", 1, "euro euros eur"),
    ("¥", 1, "yen"),
    ("₹", 1, "rupee rupees inr"),
):
    for _name in _names.split():
        _FAMILIES[_name] = (_family, _scale)

_WORDS = "|".join([*_UNITS_WORDS, *_TENS, *_SCALES])
_NUMBER = re.compile(
    rf"(?P<money>US\$|[$£€¥₹])?\s?(?P<digits>{_DIGITS})(?:(?P<ordinal>st|nd|rd|th)\b|(?P<suffix>k|mn|m|bn|b|tn)\b)?"
    rf"|\b(?P<words>(?:{_WORDS})(?:[\s-]+(?:and\s+)?(?:{_WORDS}))*)\b"
    rf"|\b(?P<nth>{'|'.join(_ORDINALS)})\b"
    r"|\b(?P<half>half|twice|double|triple|a dozen|dozen|a fortnight|fortnight)\b",
    re.IGNORECASE,
)
_SCALE_AFTER = re.compile(rf"[\s-]+(?P<scale>{'|'.join(_SCALES)})\b", re.IGNORECASE)
_UNIT_AFTER = re.compile(
    r"(?:\s|-)*(?:(?P<percent>%|per\s?cent\b|percent\b)"
    r"|(?:(?P<kind>working|business|calendar|consecutive|full|whole|further|additional)\s+)?(?P<unit>[A-Za-z]+))"
)
_MONEY_AFTER = re.compile(r"[ \u00a0]?([€£$¥₹])(?!\d)")
_DATE = re.compile(
    rf"\b(?P<iso>(\d{{4}})-(\d{{2}})-(\d{{2}}))\b"
    rf"|\b(?P<d1>\d{{1,2}})(?:st|nd|rd|th)?(?:\s+of)?\s+(?P<m1>{'|'.join(_MONTHS)})\b\.?(?:,?\s+(?P<y1>\d{{4}}))?"
    rf"|\b(?P<m2>{'|'.join(_MONTHS)})\b\.?\s+(?P<d2>\d{{1,2}})(?:st|nd|rd|th)?\b(?:,?\s+(?P<y2>\d{{4}}))?"
    rf"|\b(?P<m3>{'|'.join(_MONTHS)})\b\.?,?\s+(?P<y3>\d{{4}})\b",
    re.IGNORECASE,
)
_CLOCK = re.compile(r"\b(\d{1,2})(?:[:.](\d{2}))?\s?(a\.?m|p\.?m)\b\.?|\b(\d{1,2}):(\d{2})\b", re.IGNORECASE)

_BOUNDS = (  # the words before a number that bound it, and those after it
    (
        ">=",
        r"at least|no less than|not less than|no fewer than|(?:a\s+)?minimum(?: of)?|from",
        r"\+|\W*(?:or|and)\s+(?:more|over|above|older|later|longer|greater)\b",
    ),
    (
        "<=",
        r"at most|up to|not? more than|no later than|(?:a )?maximum(?: of)?|within|limited to|capped at|as much as",
        r"\W*(?:or|and)\s+(?:less|fewer|under|below|younger|earlier|shorter)\b",
    ),
    (
        ">",
        r"more than|greater than|over|above|exceeds?|exceeding|upwards of|after|beyond|older than|longer than",
        r"(?!)",
    ),
    ("<", r"less than|fewer than|under|below|before|younger than|shorter than|until", r"(?!)"),
    ("~", r"about|around|approximately|roughly|nearly|almost|some|circa|close to", r"(?!)"),
)
_BOUND_BEFORE = re.compile(
    rf"\b(?:{'|'.join(f'({before})' for _, before, _ in _BOUNDS)})"
    r"(?:\s+(?:of|the|a|an|first|last|next|age|aged))*\s*$",
    re.IGNORECASE,
)
_BOUND_AFTER = re.compile("|".join(f"({after})" for _, _, after in _BOUNDS), re.IGNORECASE)
_DECADE = re.compile(r"['’]?s\b")


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number as the text means it: ``value`` in ``unit``; ``bound`` is ``>= > < <= ~`` or empty.

    ``unit`` is a family (``hour``, ``month``, ``%``, ``£`` …), ``date``, ``year``, ``decade``, ``nth``, ``clock``, or
    empty for a bare count; ``word`` is the counted noun as written. A date's value is yyyymmdd, zero where unsaid.
    """

    value: float
    unit: str
    bound: str
    word: str
    start: int
    end: int


def quantities(text: str) -> list[Quantity]:
    """Every quantity of a text, in order.

    >>> [(q.value, q.unit, q.bound) for q in quantities("within 2 weeks, up to £1.5m")]
    [(336.0, 'hour', '<='), (1500000.0, '£', '<=')]
    """
    found: list[Quantity] = []
    taken: list[tuple[int, int]] = []  # in order; no two overlap
    for match in _DATE.finditer(text):
        found.append(Quantity(_date(match), "date", _bound(text, *match.span()), "", *match.span()))
        taken.append(match.span())
    for match in _CLOCK.finditer(text):
        if not _inside(match.start(), taken):
            found.append(Quantity(_clock(match), "clock", _bound(text, *match.span()), "", *match.span()))
            insort(taken, match.span())
    for match in _NUMBER.finditer(text):
        if not _inside(match.start("digits") if match["digits"] else match.start(), taken):
            quantity = _number(text, match)
            if quantity is not None:
                found.append(quantity)
                insort(taken, (quantity.start, quantity.end))
    return sorted(found, key=lambda quantity: quantity.start)


def _inside(position: int, spans: list[tuple[int, int]]) -> bool:
    before = bisect_right(spans, position, key=itemgetter(0)) - 1
    return before >= 0 and position < spans[before][1]


def _date(match: re.Match[str]) -> float:
    if match["iso"]:
        return float(match["iso"].replace("-", ""))
    day = match["d1"] or match["d2"] or 0
    month = _MONTHS[(match["m1"] or match["m2"] or match["m3"]).casefold()]
    year = match["y1"] or match["y2"] or match["y3"] or 0
    return float(int(year) * 10000 + month * 100 + int(day))


def _clock(match: re.Match[str]) -> float:
    hour, minute, half = match[1] or match[4], match[2] or match[5] or 0, (match[3] or "").casefold()
    hours = int(hour) % 12 + (12 if half.startswith("p") else 0) if half else int(hour)
    return hours * 60.0 + int(minute)


def _number(text: str, match: re.Match[str]) -> Quantity | None:
    start, end = match.span()
    value = _value(match)
    if match["digits"]:
        start = match.start("money") if match["money"] else match.start("digits")
        if start and text[start - 1].isalpha():  # "B12", "x86": a name, not a number
            return None
    elif match["words"] and match["words"].casefold() == "one" and not _counts(text, end):
        return None
    if scale := _SCALE_AFTER.match(text, end):
        value *= _SCALES[scale["scale"].casefold()]
        end = scale.end()
    unit, word, scale_of_unit = "", "", 1.0
    after = _UNIT_AFTER.match(text, end)
    if match["money"]:
        unit = match["money"][-1]
    elif sign := _MONEY_AFTER.match(text, end):
        unit, end = sign[1], sign.end()
    elif match["ordinal"] or match["nth"]:
        unit = "nth"
    elif (match["half"] or "").casefold().endswith("fortnight"):
        unit, value = "hour", 336.0
    elif after and after["percent"]:
        unit, end = "%", after.end()
    elif after and after["unit"].casefold() in _FAMILIES:
        unit, scale_of_unit = _FAMILIES[after["unit"].casefold()]
        word, end = after["unit"].casefold(), after.end()
        if (after["kind"] or "").casefold() in {"working", "business"}:
            unit = "working day"
    elif _is_year(match, value):
        decade = _DECADE.match(text, end) if value % 10 == 0 else None
        unit, end = ("decade", decade.end()) if decade else ("year", end)
    elif after and after["unit"]:
        word = after["unit"].casefold()
    return Quantity(value * scale_of_unit, unit, _bound(text, start, end), word, start, end)


def _is_year(match: re.Match[str], value: float) -> bool:
    digits = match["digits"] or ""
    return len(digits) == 4 and digits.isdigit() and not match["suffix"] and 1000 <= value <= 2100


def _value(match: re.Match[str]) -> float:
    if match["digits"]:
        scale = _SUFFIXES.get((match["suffix"] or "").casefold(), 1.0)
        return _plain(match["digits"]) * scale
    if match["nth"]:
        return float(_ORDINALS[match["nth"].casefold()])
    if match["half"]:
        words = match["half"].casefold().split()[-1]
        return {"half": 0.5, "twice": 2, "double": 2, "triple": 3, "dozen": 12, "fortnight": 1}[words]
    return _spoken(match["words"])


def _plain(digits: str) -> float:
    """Digits with their separators as a number: "1,300", "1.300.000", "99,9"."""
    if digits.count(".") > 1:
        return float(digits.replace(".", ""))
    whole, comma, rest = digits.rpartition(",")
    return float(f"{whole}.{rest}" if comma and len(rest) < len("000") else digits.replace(",", ""))


def _spoken(words: str) -> float:
    total = current = 0.0
    for word in words.casefold().replace("-", " ").split():
        if word in _UNITS_WORDS:
            current += _UNITS_WORDS[word]
        elif word in _TENS:
            current += _TENS[word]
        elif word == "hundred":
            current = max(current, 1) * 100
        elif word in _SCALES:
            total += max(current, 1) * _SCALES[word]
            current = 0
    return total + current


def _counts(text: str, end: int) -> bool:
    """Whether "one" counts something: a unit follows it."""
    after = _UNIT_AFTER.match(text, end)
    return bool(after and (after["percent"] or (after["unit"] or "").casefold() in _FAMILIES))


def _bound(text: str, start: int, end: int) -> str:
    found = _BOUND_AFTER.match(text[end : end + 20]) or _BOUND_BEFORE.search(text[max(0, start - 40) : start])
    return _BOUNDS[found.lastindex - 1][0] if found and found.lastindex else ""


_DAYS = {"hour": 1 / 24, "month": 30.4375}
_BEYOND = {">": 1, ">=": 1, "<": -1, "<=": -1}  # "over 250" is carried by 300, "under 300" by 250


def same(claimed: Quantity, sourced: Quantity) -> bool:
    """Whether a source's quantity carries the claimed one: equal, or equal once rounded as the claim rounds."""
    if claimed.unit == "decade":
        return _share_a_year(claimed, sourced)
    if claimed.unit == "date" or sourced.unit == "date":
        return _same_date(claimed, sourced)
    if claimed.unit and sourced.unit and claimed.unit != sourced.unit:
        if {claimed.unit, sourced.unit} != _DAYS.keys():
            return False
        a, b = claimed.value * _DAYS[claimed.unit], sourced.value * _DAYS[sourced.unit]
        return abs(a - b) <= 0.02 * max(a, b)
    if claimed.value == sourced.value:
        return True
    if claimed.unit in {"year", "nth", "clock"}:
        return False
    larger = max(abs(claimed.value), abs(sourced.value))
    if not sourced.bound and _BEYOND.get(claimed.bound, 0) * (sourced.value - claimed.value) > 0:
        return abs(claimed.value - sourced.value) <= 0.5 * min(abs(claimed.value), abs(sourced.value))
    if claimed.bound == "~":
        return abs(claimed.value - sourced.value) <= 0.1 * larger
    return larger >= 100 and abs(claimed.value - sourced.value) <= 0.5 * _step(claimed.value)


def _share_a_year(one: Quantity, other: Quantity) -> bool:
    """Whether years, dates or decades share a year: "the 1980s" and 1985; "the 1900s" may be a hundred years."""
    spans = _years(one), _years(other)
    return max(first for first, _ in spans) <= min(last for _, last in spans)


def _years(quantity: Quantity) -> tuple[int, int]:
    """The first and last year of one; where none is said, the last is before the first."""
    first = int(quantity.value) // 10000 if quantity.unit == "date" else int(quantity.value)
    if quantity.unit not in {"year", "date", "decade"} or not first:
        return 0, -1
    if quantity.unit != "decade":
        return first, first
    return first, first + (99 if first % 100 == 0 else 9)


def _step(value: float) -> float:
    """The place a number is rounded to, when it is visibly round: 298,000 → 1,000; 314 → 0."""
    step = 1.0
    while value and value % (step * 10) == 0 and step * 10 < abs(value):
        step *= 10
    return step if step >= 10 and value / step >= 10 else 0.0


def _same_date(claimed: Quantity, sourced: Quantity) -> bool:
    if claimed.unit == "year" and sourced.unit == "date":
        return int(sourced.value) // 10000 == claimed.value
    if claimed.unit == "date" and sourced.unit == "date":
        a, b = int(claimed.value), int(sourced.value)
        pairs = ((a // 10000, b // 10000), (a // 100 % 100, b // 100 % 100), (a % 100, b % 100))
        return all(x == y for x, y in pairs if x and y) and any(x and y for x, y in pairs)
    return False
