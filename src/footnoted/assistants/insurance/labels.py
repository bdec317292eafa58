"""The labels of clauses: 1.1, (b), (iii), B7, F1, 10A.2; where one opens, and which follows which.

The hard thing is that "(i)" is the ninth letter or the first roman number, and that a number in running text is
mostly none.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

_NUMBER = r"(?:\d{1,3}[A-Z]?(?:\.\d{1,3}[A-Z]?)+|[A-Z]{1,2}\d{1,3}(?:\.\d{1,3})*|[A-Z](?:\.\d{1,3})+)"
_LABEL = re.compile(
    rf"(?:(?P<clause>{_NUMBER})[.):]?|\(?(?P<item>[a-z]{{1,2}}|[ivx]{{1,5}})\)|(?P<bare>\d{{1,3}})[.)]"
    r"|(?P<paragraph>\(\d{1,3}\))|(?P<bullet>[-*+•‣–]))\s+(?=\S)"
)
_RUN_ON = re.compile(rf"(?<=[.;:!?])\s+(?={_NUMBER}\s+[A-Z*])")
_INLINE = re.compile(
    r"(?:(?<=[:;,])|(?<=; or)|(?<=; and)|(?<=, or)|(?<=, and))\s+\((?P<written>[a-z]{1,2}|[ivx]{1,5})\)\s+"
)
_LETTERS = r"(?: ?\([a-z]{1,5}\))*"
_LETTERED = r"[A-Z](?:\([a-z]{1,5}\))+"  # "F(d)", of Section F
_NAMED = re.compile(rf"\b(?P<number>{_NUMBER}{_LETTERS}|{_LETTERED})")
_REFERS = re.compile(
    r"\b(?:(?i:(?P<kind>clauses?|sections?|endorsements?|tables?|parts?|paragraphs?|articles?)"
    rf"|(?:under|in|to|of|by|with|from|see)(?=\s+{_NUMBER}(?![\w%]|,\d)))\s+"
    rf"|(?={_NUMBER}\([a-z]|{_LETTERED}))"
    rf"(?P<list>(?:{_NUMBER}|\d{{1,3}}[A-Z]?\b|[A-Z]\b){_LETTERS}"
    rf"(?:(?:,| and| or| to)*\s*(?:{_NUMBER}|\([a-z]{{1,5}}\)){_LETTERS})*)"
)
_ITEMS = re.compile(r"(?:\([a-z]{1,5}\))+\Z")
_ROMAN = ("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii")


@dataclass(frozen=True, slots=True)
class Label:
    """A label as written behind its parent's number. ``level``: 0 number, 1 letter, 2 roman number, 3 bullet."""

    written: str
    level: int


def opening_label(line: str, before: Sequence[Label]) -> tuple[Label | None, str]:
    """The label a line begins with, and the rest of the line. ``before``: the labels of the list it may go on with.

    >>> opening_label("4.2 New car.", ())[0], opening_label("(i) theft", [Label("(c)", 1)])[0]
    (Label(written='4.2', level=0), Label(written='(i)', level=2))
    >>> opening_label("(2) We pay twice the sum.", ())[0]  # of "Article 5", its heading
    Label(written='(2)', level=0)
    """
    found = _LABEL.match(line)
    if found is None:
        return None, line
    if found["bullet"]:
        label = Label("", 3)
    elif item := found["item"]:
        label = Label(f"({item})", _level(item, before))
    else:
        label = Label(found["clause"] or found["bare"] or found["paragraph"], 0)
    return label, line[found.end() :]


def _level(written: str, before: Sequence[Label]) -> int:
    """Whether a label of letters is a letter (1) or a roman number (2)."""
    letter = next((one.written[1:-1] for one in before if one.level == 1), "")
    roman = next((one.written[1:-1] for one in before if one.level == 2), "")
    if roman and written in _ROMAN and _ROMAN.index(written) == _ROMAN.index(roman) + 1:
        return 2
    if len(letter) == len(written) == 1 and ord(written) == ord(letter) + 1:
        return 1
    if not roman and (letter, written) in pairwise(_ROMAN):  # a list of roman numbers alone: (i), (ii)
        return 1
    return 2 if written in _ROMAN and (letter or written in ("ii", "iii", "iv")) else 1


def inline_items(text: str) -> tuple[str, list[tuple[Label, str]]]:
    """What opens a list within a paragraph, and its items: "We will not pay for: (i) theft; or (ii) fire".

    >>> inline_items("We will not pay for: (i) theft; or (ii) fire.")[1][1]
    (Label(written='(ii)', level=2), 'fire.')
    """
    found = list(_INLINE.finditer(text))
    if len(found) < 2 or found[0]["written"] not in ("a", "i"):
        return text, []
    level = 2 if found[0]["written"] == "i" else 1
    ends = [*(one.start() for one in found[1:]), len(text)]
    items = [(Label(f"({one['written']})", level), text[one.end() : end]) for one, end in zip(found, ends, strict=True)]
    return text[: found[0].start()], items


def split_run_on(line: str, last: str) -> list[str]:
    """A paragraph in which the next clauses go on without a new line, as PDFs have them, at their labels.

    >>> split_run_on("We pay once. B3.2 We will also pay.", "B3.1")
    ['We pay once.', 'B3.2 We will also pay.']
    """
    parts: list[str] = []
    start, current = 0, _opening(line) or last
    for found in _RUN_ON.finditer(line):
        number = _opening(line, found.end())
        if number and current and _follows(current, number):
            parts.append(line[start : found.start()])
            start, current = found.end(), number
    return [*parts, line[start:]]


def _opening(line: str, at: int = 0) -> str:
    """The clause's number that stands there."""
    found = _LABEL.match(line, at)
    return (found["clause"] or "") if found else ""


def _follows(one: str, other: str) -> bool:
    """Whether a number is the next after another: B3.1, B3.2."""
    (head, last), (start, end) = _parted(one), _parted(other)
    return head == start and end == last + 1


def _parted(number: str) -> tuple[str, int]:
    found = re.fullmatch(r"(.*?)(\d+)", number)
    return (found[1], int(found[2])) if found else (number, -1)


def in_heading(heading: str) -> str:
    """The number a heading begins with: "3.2 Windscreen excess", "Section 4 – Damage", "Endorsement L – Sewage".

    >>> in_heading("3.2 Windscreen excess"), in_heading("Endorsement L – Sewage"), in_heading("Complaints")
    ('3.2', 'Endorsement L', '')
    >>> in_heading("PART 4 – TABLE OF LIMITS")
    'PART 4'
    """
    found = re.match(
        rf"(?P<named>(?:[A-Z][A-Za-z]+\s+)?)(?P<number>{_NUMBER}|\d{{1,3}}[A-Z]?|[A-Z])(?=[.):]?\s|\s*[–—:-])", heading
    )
    if not found:
        return ""
    return f"{found['named']}{found['number']}".strip()


def bare_heading(heading: str) -> str:
    """A heading without the number it begins with.

    >>> bare_heading("PART 4 – TABLE OF LIMITS"), bare_heading("3.2 Windscreen excess"), bare_heading("Complaints")
    ('TABLE OF LIMITS', 'Windscreen excess', 'Complaints')
    """
    return heading.removeprefix(in_heading(heading)).lstrip(" .):–—-")


def without_items(number: str) -> str:
    """The number of the clause that an item stands in.

    >>> without_items("4.2(b)(iii)")
    '4.2'
    """
    return _ITEMS.sub("", number)


def borne(name: str) -> set[str]:
    """The numbers of clauses that a row bears in its name: "Contents (4.1)", "Clause 5.2 Towing".

    >>> sorted(borne("Contents (4.1) and B2")), borne("Tyres (2 of them)")
    (['4.1', 'B2'], set())
    """
    return {one["number"] for one in _NAMED.finditer(name)}


def numbers_in(text: str) -> tuple[str, ...]:
    """The clauses, sections, tables and endorsements a text refers to, by their numbers.

    >>> numbers_in("Clauses 4.2 and 4.4 apply, as clause 3.1(b) and Table 2 say.")
    ('4.2', '4.4', '3.1(b)', 'Table 2')
    >>> numbers_in("The exclusions in 3.7 (g) and 8.1 are deleted, save for a boat of 4.5, up to 3.5%.")
    ('3.7(g)', '8.1', '4.5')
    """
    found: list[str] = []
    for reference in _REFERS.finditer(text):
        named = [one["number"].replace(" ", "") for one in _NAMED.finditer(reference["list"])]
        if not named:
            named = [f"{reference['kind'].rstrip('s').capitalize()} {reference['list'].strip()}"]
        found += named
    return tuple(dict.fromkeys(found))
