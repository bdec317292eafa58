"""Days and months as a question writes them: 2026-11-09, 25/10, 9 November, the 9th, last Monday, October 2026."""

from __future__ import annotations

import re
from calendar import day_name, monthrange
from collections.abc import Sequence
from dataclasses import replace
from datetime import date, timedelta
from typing import Any

from footnoted.assistants.security.query.mentions import Mention, Token
from footnoted.assistants.security.query.words import MONTH_OF
from footnoted.text.numbers import is_day

_MONTHS = 12
_NAMED_MONTH = re.compile(
    rf"(?:(\d{{1,2}})(?:st|nd|rd|th)? (?:of )?)?({'|'.join(MONTH_OF)})(?!\S)"
    r"(?(1)|(?: (?:of )?(\d{1,2})(?:st|nd|rd|th)?(?!\S))?)(?: (?:of )?((?:19|20)\d\d)(?!\S))?"
)
_TO = ("and", "to", "until", "till", "through")
_WEEKDAYS = [one.casefold() for one in day_name]


def day_at(tokens: Sequence[Token], at: int, today: date) -> Mention | None:
    """A day or a month: 2026-11-09, 9 November, November 9th, the 9th, October 2026."""
    words = [one.text.casefold().rstrip(",") for one in tokens[at : at + 4]]
    if is_day(words[0]):
        try:
            return Mention(words[0], at, at + 1, "date", value=(date.fromisoformat(words[0]),) * 2)
        except ValueError:
            return None
    before = tokens[at - 1].text.casefold() if at else ""
    if words[0] in _WEEKDAYS and before not in ("next", "every", "each"):
        back = (today.weekday() - _WEEKDAYS.index(words[0])) % 7 or 7 * (before == "last")
        return Mention(tokens[at].text, at, at + 1, "date", value=(today - timedelta(days=back),) * 2)
    if words[:2] in (["end", "of"], ["start", "of"]) and (of := day_at(tokens, at + 2, today)):
        days: Any = of.value
        return replace(of, text=f"{words[0]} of {of.text}", start=at, value=(days[words[0] == "end"],) * 2)
    in_figures = "/" in words[0] or "." in words[0]
    day, month, year, size = _written(words[0], tokens) if in_figures else _day_in(words)
    if not size:
        return None
    try:
        if month is None and day is not None:
            value = today.replace(day=day)
            if value > today:
                value = (value.replace(day=1) - timedelta(days=1)).replace(day=day)
            span = (value, value)
        elif month is not None:
            told = year or (today.year if month <= today.month else today.year - 1)
            first = date(told, month, day or 1)
            last = first if day else first.replace(day=monthrange(told, month)[1])
            span = (first, last)
        else:
            return None
    except ValueError:
        return None
    return Mention(" ".join(one.text for one in tokens[at : at + size]), at, at + size, "date", value=span)


def of_one_month(found: list[Mention]) -> list[Mention]:
    """Of "between 1 and 9 November" and "from the 1st to the 9th of November" the first day too."""
    made = list(found)
    for place, one in enumerate(found):
        after = [each for each in found[place + 1 : place + 4] if each.word != "the"]
        digits = re.match(r"\d{1,2}(?=$|st$|nd$|rd$|th$)", one.text)
        if len(after) < 2 or after[0].word not in _TO or after[1].kind != "date":
            continue
        span: Any = after[1].value
        day = int(digits[0]) if digits else 0
        if span[0] == span[1] and 0 < day < span[0].day:
            made[place] = replace(one, kind="date", value=(span[0].replace(day=day),) * 2)
    return made


def _written(word: str, tokens: Sequence[Token]) -> tuple[int | None, int | None, int | None, int]:
    """A day in figures, 25/10, 25/10/2026 or 25.10.2026: the day first, unless another has its month first."""
    found = _figures(word)
    if found is None:
        return None, None, None, 0
    day, month, year = found
    if any(second > _MONTHS >= first for first, second, _ in filter(None, (_figures(one.text) for one in tokens))):
        day, month = month, day
    return day, month, (year + 2000 if 0 < year < 100 else year) or None, 1


def _figures(word: str) -> tuple[int, int, int] | None:
    """The two or three numbers of a day in figures, no year being 0; None of what is written otherwise."""
    parts = word.split("/") if "/" in word else word.split(".")
    if len(parts) not in ((2, 3) if "/" in word else (3,)) or not all(map(str.isdecimal, parts)):
        return None
    first, second, year = [*parts, "0"][:3]
    told = len(parts) == 2 or len(year) == len("26") or (len(year) == len("2026") and year.startswith("20"))
    return (int(first), int(second), int(year)) if max(len(first), len(second)) <= len("31") and told else None


def _day_in(words: list[str]) -> tuple[int | None, int | None, int | None, int]:
    """Day, month, year and how many words they take: "9th of November 2026", "Nov 9", "October 2026", "the 9th"."""
    found = _NAMED_MONTH.match(" ".join(words))
    if found and found.group() != "may":  # alone it is a verb
        before, name, behind, year = found.groups()
        day = before or behind
        return int(day) if day else None, MONTH_OF[name], int(year) if year else None, found.group().count(" ") + 1
    if re.fullmatch(r"\d{1,2}(st|nd|rd|th)", words[0]):
        return int(words[0][:-2]), None, None, 1
    return None, None, None, 0
