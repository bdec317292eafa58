"""Writes the sentences to weigh for a field of a structured answer, or says why there are none.

Text that states something is weighed as it stands, sentence by sentence. A number or a few words say nothing alone:
they are weighed as what the field is called, beside the short texts of the same object ("Amount, repair: £75.").
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise
from typing import TYPE_CHECKING

from footnoted.answering.blueprint import MISSING
from footnoted.grounding.claims import segment
from footnoted.text import UNSPACED, runs
from footnoted.text.marks import cited
from footnoted.text.numbers import is_day
from footnoted.text.phrases import whole
from footnoted.types import Span

if TYPE_CHECKING:
    from footnoted.answering.blueprint import Asked
    from footnoted.answering.fields import Field, Step
    from footnoted.types import Claim

_FEW_WORDS = 6  # from here on, words say something
_FEW_UNSPACED = 12  # characters of a script without spaces
_LONGEST_BESIDE = 60  # code points of a neighbour's text
MOST_BESIDE = 3  # neighbours that stand in a field's question
_STOPS, _AFTER_STOPS = tuple(".!?…。！？।؟"), "'\"”’»)]"
_VERB = whole(
    *"""is are was were has have had can cannot must may might will shall should do does did cost costs cover covers
    covered pay pays applies apply include includes exclude excludes require requires last lasts start starts end ends
    ist sind hat kann muss est sont son""".split()
)
_HUMPS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|[_\W]+")
_YEARS = (1000, 2100)

_UNITS = {
    **dict.fromkeys(("pounds", "gbp", "sterling"), "£{}"),
    **dict.fromkeys(("dollars", "usd"), "${}"),
    **dict.fromkeys(("euros", "eur"), "€{}"),
    **dict.fromkeys(("percent", "percentage", "pct"), "{}%"),
    **{
        unit: f"{{}} {unit}"
        for unit in """seconds minutes hours days weeks fortnights months quarters years decades km kilometres
        kilometers miles metres meters feet cm mm kg grams lb lbs tonnes tons litres liters kb mb gb tb pence cents
        yen rupees""".split()
    },
}
# Names made of these alone say how a value is kept, not what it is.
_NO_NAME = frozenset(
    """fact facts item items point points value values list entry entries text texts note notes answer answers summary
    conclusion title name description detail details field result results data content statement statements claim
    claims finding findings amount amounts key main similarity similarities difference differences contradiction
    contradictions""".split()
)
_CONFIDENCES = frozenset({"confidence", "confidence_score"})


@dataclass(frozen=True, slots=True)
class Part:
    """One sentence to weigh. ``places[i]`` is where its character ``i`` stands in the field's text, if there."""

    text: str
    cited: tuple[int, ...] = ()
    places: tuple[int | None, ...] = ()

    def in_field(self, span: Span) -> Span | None:
        """A stretch of the sentence as a stretch of the field's text."""
        there = [place for place in self.places[span.start : span.end] if place is not None]
        return Span(there[0], there[-1] + 1) if there else None


@dataclass(frozen=True, slots=True)
class Weighable:
    """What is asked about a field: each of ``parts`` of the sources; for a short value more of the words found.

    Its figures must stand in them as ``exact`` has them, and they must carry ``alone``: what the field is called and
    its value, without its neighbours. ``why_not`` says why nothing is asked.
    """

    parts: tuple[Part, ...] = ()
    exact: str = ""
    alone: str = ""
    why_not: str = ""


def is_statement(text: str) -> bool:
    """Whether a text says something by itself.

    >>> is_statement("Racing is excluded"), is_statement("repair of glass")
    (True, False)
    """
    words = text.split()
    stops = text.rstrip(_AFTER_STOPS).endswith(_STOPS)
    if len(words) >= _FEW_WORDS or (len(words) > 1 and stops) or "\n" in text.strip():
        return True
    if UNSPACED.search(text):
        return len(text) >= _FEW_UNSPACED or stops
    return len(words) >= 3 and _VERB.search(text) is not None


def states_nothing(field: Field, asked: Asked, *, told: bool, controls: Collection[str]) -> str:
    """Why a field is no claim about the sources; empty if it is one. ``told``: the reply itself gave it."""
    value, name = field.value, _name(field.steps)
    if value is None:
        return "a null states nothing"
    if isinstance(value, bool):
        return "a yes or no cannot be weighed against words"
    if asked.offers(value):
        return "a choice of the schema's own words"
    if not told and asked.default is not MISSING and asked.default == value:
        return "filled in by the schema, not by the model"
    if isinstance(value, str) and not any(char.isalnum() for char in value):
        return "there are no words in it"
    if name in controls:
        return "says how the answer stands, not what the sources say"
    if isinstance(value, float | int) and name in _CONFIDENCES and 0 <= value <= 1:
        return "says how the answer stands, not what the sources say"
    return ""


def of_text(text: str, weighs: Callable[[Claim], bool], sources: int) -> Weighable:
    """The sentences of a text that states something, without their markers; each points where those did."""
    parts = [_part(claim, sources) for claim in segment(text) if weighs(claim)]
    if not parts:
        return Weighable(why_not="it states nothing that needs support")
    return Weighable(tuple(parts))


def of_short(field: Field, asked: Asked, beside: Sequence[Field]) -> Weighable:
    """A number or a few words, as a sentence: what the field is called, what stands beside it, its value."""
    words, unit = _label(field.steps)
    if not unit and not isinstance(field.value, str):
        told = pairwise(runs(asked.description.lower()))
        unit = next((_UNITS[word] for before, word in told if before == "in" and word in _UNITS), "")
    value = _written(field.value, words, unit)
    near = [str(each.value) for each in beside if each.steps != field.steps][:MOST_BESIDE]
    name = " ".join(words)
    text = _sentence(", ".join(filter(None, (name, *near))), value)
    begin = len(text) - 1 - len(value)
    own = isinstance(field.value, str) and value == field.value
    places = (*(None for _ in range(begin)), *range(len(value)), None) if own else ()
    return Weighable((Part(text, places=places),), exact=value, alone=_sentence(name or ", ".join(near), value))


def _sentence(head: str, value: str) -> str:
    return f"{head[:1].upper()}{head[1:]}: {value}." if head else f"{value}."


def can_stand_beside(field: Field) -> bool:
    """Whether a field tells what its neighbours are about: a few words, not an amount or an address."""
    value = field.value
    return (
        isinstance(value, str)
        and isinstance(field.steps[-1], str)
        and 0 < len(value) <= _LONGEST_BESIDE
        and not is_statement(value)
        and any(char.isalpha() for char in value)
        and not any(char.isdecimal() for char in value)
        and "://" not in value
        and "@" not in value
    )


def object_of(steps: Sequence[Step]) -> tuple[Step, ...]:
    """The steps of the object a field belongs to; a list's items belong to the object that holds the list.

    >>> object_of(("amounts", 0, "fees", 1))
    ('amounts', 0)
    """
    last = max((place for place, step in enumerate(steps) if isinstance(step, str)), default=0)
    return tuple(steps[:last])


def _part(claim: Claim, sources: int) -> Part:
    places: list[int] = []
    gone: set[int] = set()
    for numbers, marker in cited(claim.text):
        if all(1 <= number <= sources for number in numbers):
            places += [number - 1 for number in numbers]
            gone.update(range(len(claim.text[: marker.start].rstrip(" ")), marker.end))
    kept = [place for place in range(len(claim.text)) if place not in gone]
    return Part(
        "".join(claim.text[place] for place in kept),
        tuple(dict.fromkeys(places)),
        tuple(claim.start + place for place in kept),
    )


def in_words(name: str) -> str:
    """A name that programs use, as words.

    >>> in_words("maxAmount_paid")
    'max Amount paid'
    """
    return " ".join(filter(None, _HUMPS.split(name)))


def _name(steps: Sequence[Step]) -> str:
    return next((step for step in reversed(steps) if isinstance(step, str)), "")


def _label(steps: Sequence[Step]) -> tuple[list[str], str]:
    """What a field is called, in words, and how its unit writes a number: its own name, else its object's."""
    unit = ""
    for name in reversed([step for step in steps if isinstance(step, str)]):
        words = in_words(name).lower().split()
        for word in words:
            unit = unit or _UNITS.get(word, "")
        said = [word for word in words if word not in _UNITS]
        if not _NO_NAME.issuperset(said):
            return said, unit
    return [], unit


def _is_clock(text: str) -> bool:
    return len(text) == len("12:30") and text[2] == ":" and text.replace(":", "", 1).isdecimal()


def _written(value: object, label: Sequence[str], unit: str) -> str:
    """A value as a sentence writes it.

    >>> _written(1000.0, ["excess"], "£{}"), _written(2024, ["tax", "year"], "")
    ('£1,000', '2024')
    """
    if isinstance(value, str):
        day, clock = value[:10], value[11:16]
        if not is_day(day) or value[10:11] not in ("T", " ") or len(value[10:].split()) != 1 or not _is_clock(clock):
            return value if value == value.strip() and "\n" not in value else " ".join(value.split())
        return day if clock == "00:00" else f"{day} {clock}"
    if not isinstance(value, int | float):
        return str(value)
    figures = f"{Decimal(repr(abs(value))):,f}".removesuffix(".0")
    if not unit and _YEARS[0] <= value <= _YEARS[1] and {"year", "years", "since"} & set(label):
        figures = figures.replace(",", "")  # "2,024" would be a count
    return ("-" if value < 0 else "") + (unit.format(figures) if unit else figures)
