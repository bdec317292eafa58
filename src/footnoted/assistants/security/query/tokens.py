"""A question cut into its words, signs spelt out and days read, and the stretches of it that name something."""

from __future__ import annotations

import re
from calendar import day_name, monthrange
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Any

from footnoted.assistants.security.query.vocabulary import Meaning, compact
from footnoted.assistants.security.query.words import FUNCTION_WORDS, MONTH_OF, NUMBERS, ROLES
from footnoted.text.numbers import is_day

_EDGES = " \t\n.,;:!?\"'“”‘’()[]{}<>–—-…"
_UNIT_OF = {"d": "day", "w": "week", "m": "month", "y": "year"}
_PARTS = {"half a year": "6 months", "half a month": "15 days", "a year and a half": "18 months"}
_PARTS |= {"a quarter of a year": "3 months", "three quarters of a year": "9 months", "a quarter": "3 months"}
_SHORTHAND = [(re.compile(pattern), words) for pattern, words in (
    (rf"(?i)(?<!\S)(?:{'|'.join(_PARTS)})(?=[\s,;.:?!]|$)(?!\s+of\b)", lambda found: _PARTS[found[0].casefold()]),
    (r"(?i)(?<!\S)(one|two|three|four|\d)\s+quarters(?=[\s,;.:?!]|$)(?!\s+of\b)",
     lambda found: f"{3 * NUMBERS.get(found[1].casefold(), int(found[1]) if found[1].isdigit() else 0)} months"),
    (r"(?:≥|>=)\s*(?=\d)", "at least "), (r"(?:≤|<=)\s*(?=\d)", "at most "),
    (r"(?<!\S)>\s*(?=\d)", "more than "), (r"(?<!\S)<\s*(?=\d)", "less than "),
    (r"(?<!\S)(\d+)\+(?=\s|$)", r"at least \1"),
    (r"(?<=[^\W\d])\+(?=[\s,;.:?]|$)", " or above"), (r"(?<!\S)#(?=\s)", "number"), (r"(?<!\S)%(?=\s)", "percentage"),
    (r"(?<!\S)(\d+)\s?h(?:(?:ou)?rs?)?(?![\w-])",
     lambda found: found[0] if int(found[1]) % 24 or found[1] == "0" else f"{int(found[1]) // 24} days"),
    (r"(?i)(?<!\S)w/(?:o(?:ut)?)?(?=\s)", lambda found: "without" if len(found[0]) > len("w/") else "with"),
    (r"(?<!\S)(\d+)[- ]?(d|wk|w|mo|yr|y|day|week|month|year)s?(?:[- ]olds?)?(?![\w-])",
     lambda found: f"{found[1]} {_UNIT_OF.get(found[2][0], found[2])}s" + (" old" if "old" in found[0] else "")),
)]  # fmt: skip
_MONTHS = 12
_NAMED_MONTH = re.compile(
    rf"(?:(\d{{1,2}})(?:st|nd|rd|th)? (?:of )?)?({'|'.join(MONTH_OF)})(?!\S)"
    r"(?(1)|(?: (?:of )?(\d{1,2})(?:st|nd|rd|th)?(?!\S))?)(?: (?:of )?((?:19|20)\d\d)(?!\S))?"
)
_TO = ("and", "to", "until", "till", "through")
_WEEKDAYS = [one.casefold() for one in day_name]


@dataclass(frozen=True, slots=True)
class Token:
    """A word as written, and where."""

    text: str
    start: int
    end: int

    @property
    def word(self) -> str:
        """Its letters and digits alone."""
        return compact(self.text)


@dataclass(frozen=True, slots=True)
class Mention:
    """A stretch of the question and what it was taken for."""

    text: str
    start: int  # first token
    end: int  # behind its last token
    kind: str  # name, role, number, date, requirement, version, unknown, word
    meanings: tuple[Meaning, ...] = ()
    roles: tuple[str, ...] = ()
    value: object = None
    near: bool = False  # not spelt exactly so
    apart: bool = False  # a mark stands before it

    @property
    def word(self) -> str:
        """Its letters and digits alone."""
        return compact(self.text)

    @property
    def fields(self) -> set[str]:
        """The fields that it may be a name of."""
        return {one.field for one in self.meanings}

    def role(self, kind: str) -> str | None:
        """The value of a role of this kind: of ``severity:high`` asked for ``severity``, ``high``."""
        return next((one.partition(":")[2] or one for one in self.roles if one.partition(":")[0] == kind), None)


NOTHING = Mention("", 0, 0, "nothing")  # what stands before the first mention and behind the last


def at(mentions: Sequence[Mention], place: int) -> Mention:
    """The mention at a place, which may be none."""
    return mentions[place] if 0 <= place < len(mentions) else NOTHING


def spelt_out(question: str) -> str:
    """A question with the signs that people write for words spelt out: ">90d" is "more than 90 days"."""
    for pattern, words in _SHORTHAND:
        question = pattern.sub(words, question)
    return question


def tokens_of(question: str) -> list[Token]:
    """The words, without the marks around them; a closing bracket stays where it was opened within."""
    found, at = [], 0
    for written in question.split():
        text, start = written, question.index(written, at)
        at = end = start + len(written)
        while text and text[0] in _EDGES and not (text[0] == "<" and ">" in text):
            text, start = text[1:], start + 1
        while text and text[-1] in _EDGES and not (text[-1] == ")" and text.count("(") == text.count(")")):
            text, end = text[:-1], end - 1
        if any(map(str.isalnum, text)):
            found.append(Token(text, start, end))
    return found


def parted(token: Token) -> list[Token]:
    """A word without what is drawn together in it: "aren't" is "are not", "we've" is "we have"."""
    if found := re.fullmatch(r"(?i)(\w+)n't|(do|does|did|is|are|have|has|had)nt", token.text):
        verb = found[1] or found[2]
        at = token.start + len(verb)
        verb = {"ca": "can", "wo": "will", "sha": "shall"}.get(verb.casefold(), verb)
        return [Token(verb, token.start, at), Token("not", at, token.end)]
    if (found := re.fullmatch(r"(?i)(\w+)'(?:s|re|ve|ll|d|m)", token.text)) and (
        found[1].casefold() in {*FUNCTION_WORDS, *ROLES} and token.word not in ROLES
    ):
        return [Token(found[1], token.start, token.end)]
    return [token]


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
