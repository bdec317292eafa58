"""Two sentences that are word for word the same, or the same but for one figure or one negation.

The hard thing is to stop there: anything looser ("these words exclude one another") was right in hardly more than half
of the natural claims it spoke about. So a difference counts only between sentences that agree in every other word.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from footnoted.text.markdown import list_mark, without_links
from footnoted.text.marks import blanked, without_numbers
from footnoted.text.phrases import whole
from footnoted.types import Span

_EMPHASIS = str.maketrans("", "", "*_`#")
_EMPHASIS_BLANKED = str.maketrans("*_`#", "    ")
_WORD = re.compile(r"\d+(?:[.,:]\d+)*|[^\W\d_]+(?:['’][^\W\d_]+)*|[£$€¥%°]")
_SIGNS = ("£", "$", "€", "¥", "%", "°")
_LEAST = 4  # words two sentences must share before a difference between them says anything
_NEGATORS = frozenset("not never no".split())
_AUXILIARIES = frozenset("is are was were do does did has have had could would should must need".split())
_JOINT = re.compile(r"(?<!\s),?\s+and\s|;\s")
_CONDITION = whole(  # words after which a part of a sentence may not be told alone
    *"""if unless except only provided excluding when while until but although though however not never no nor without
    because as than whether which who both either neither between may said says""".split()
)
_CANNOT = {"cannot": "can", "can't": "can", "won't": "will"}
_LONGEST_DENIAL = 80  # code points
_DENIES = re.compile(
    r"(?:this|that|it|both|all of (?:this|that|it))\b[\w ]{0,30}\b(?:false|untrue|wrong|incorrect|invented|myth|rumou?r"
    r"|nonsense|not (?:true|right|correct|so|the case)|never happened|no evidence)\b|there is no (?:evidence|truth)\b",
    re.IGNORECASE,
)
_HELPERS = frozenset("do does did".split())


@dataclass(frozen=True, slots=True)
class Difference:
    """What one sentence says (``said``, at ``span`` in it) where the other says ``instead``; either may be empty."""

    span: Span
    said: str
    instead: str


def quotable(text: str) -> str:
    """A sentence for comparing: without case, emphasis, links' targets, list marks, and what closes it."""
    _, words = list_mark(text)
    bare = without_numbers(without_links(words)).translate(_EMPHASIS)
    plain = unicodedata.normalize("NFC", " ".join(bare.split())).casefold()
    for mark in ".,;:!?":  # before which a citation's marker stood
        plain = plain.replace(f" {mark}", mark)
    return plain.strip(" .!…。！।\"'“”„«»「」‚‘’")


def unmarked(text: str) -> str:
    """The text with spaces for its markers and its emphasis; lengths stay."""
    return blanked(text).translate(_EMPHASIS_BLANKED)


def first_clause(text: str) -> str:
    """What a sentence says before its first "and" or semicolon; "" where it has none, or sets a condition anywhere.

    >>> first_clause("The excess is £75 for a repair and £115 for a replacement.")
    'The excess is £75 for a repair'
    """
    joint = _JOINT.search(text)
    if joint is None or _CONDITION.search(text) or "n't" in text.replace("’", "'").lower():
        return ""
    return text[: joint.start()]


def is_in_quotation(text: str, at: int) -> bool:
    """Whether quotation marks that opened in the same paragraph are open there: others say it, not the text.

    >>> is_in_quotation('He said: "It was red. It drove off."', 22)
    True
    """
    before = text[text.rfind("\n\n", 0, at) + 1 : at]
    curled = sum(before.count(opening) - before.count(closing) for opening, closing in ("“”", "«»", "「」"))
    return before.count('"') % 2 == 1 or curled > 0


def is_denied(after: str) -> bool:
    """Whether the next sentence of a source only takes back the one before it, as "This is a myth" does."""
    return len(after) < _LONGEST_DENIAL and _DENIES.match(after) is not None


def difference(one: str, other: str) -> Difference | None:
    """The one figure or negation in which two sentences differ that are the same in every other word; else None.

    >>> difference("The excess is £75.", "The excess is £95.").instead
    '£95'
    """
    mine, theirs = _words(one), _words(other)
    if len(mine) == len(theirs):
        return _figure((one, other), mine, theirs)
    if abs(len(mine) - len(theirs)) <= 2:
        return _negation(one, mine, theirs)
    return None


def _figure(texts: tuple[str, str], mine: list[tuple[str, Span]], theirs: list[tuple[str, Span]]) -> Difference | None:
    unlike = [(a, b) for a, b in zip(mine, theirs, strict=True) if a[0] != b[0]]
    if len(unlike) != 1 or len(mine) - 1 < _LEAST:
        return None
    (said, here), (instead, there) = unlike[0]
    if not (said[0].isdigit() and instead[0].isdigit()) or _value(said) == _value(instead):
        return None
    (said, span), (instead, _) = _signed(texts[0], here), _signed(texts[1], there)
    return Difference(span, said, instead)


def _signed(text: str, span: Span) -> tuple[str, Span]:
    """A figure with the sign of its money or share."""
    start, end = span.start, span.end
    start -= text[start - 1 : start] in _SIGNS
    end += text[end : end + 1] in _SIGNS
    return text[start:end], Span(start, end)


def _negation(text: str, mine: list[tuple[str, Span]], theirs: list[tuple[str, Span]]) -> Difference | None:
    bare, others = _positive(mine), _positive(theirs)
    turned = [sum(word in _NEGATORS for word, _ in words) for words in (mine, theirs)]
    if sorted(turned) != [0, 1] or len(bare) < _LEAST:
        return None
    if [_base(word) for word, _ in bare] != [_base(word) for word, _ in others]:
        return None
    at = next((span for word, span in mine if word in _NEGATORS), mine[0][1])
    return Difference(at, text[at.start : at.end] if turned[0] else "", "" if turned[0] else "not")


def _positive(words: list[tuple[str, Span]]) -> list[tuple[str, Span]]:
    return [(word, span) for word, span in words if word not in _NEGATORS and word not in _HELPERS] or words


def _base(word: str) -> str:
    """A word without the ending by which "covers" differs from "does not cover"."""
    return word[:-2] if word.endswith("es") else word.removesuffix("s")


def _words(text: str) -> list[tuple[str, Span]]:
    found: list[tuple[str, Span]] = []
    for match in _WORD.finditer(unmarked(text)):
        word, span = match.group().casefold().replace("’", "'"), Span(*match.span())
        if word.endswith("n't") and word[:-3] in _AUXILIARIES:
            found += [(word[:-3], span), ("not", span)]
        elif word in _CANNOT:
            found += [(_CANNOT[word], span), ("not", span)]
        else:
            found.append((word, span))
    return found


def _value(figure: str) -> str:
    """The figure's digits: "99.9" and "99,9" say the same."""
    return "".join(filter(str.isdecimal, figure))
