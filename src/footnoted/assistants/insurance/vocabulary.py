"""The words a router knows: which products, topics and kind of question a message speaks of.

The hard thing is a product's name: customers shorten it ("Contents Select"), and its words mean other things ("fire").
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.resources import files
from itertools import takewhile
from pathlib import Path
from typing import Any

from footnoted.errors import ConfigurationError
from footnoted.text.phrases import whole

_SECTIONS = ("families", "topics", "kinds")
_LONGEST = 4_000  # code points of a message that are looked at
_TELLING = 4  # letters of a word that may name a product alone
_SORTS = ("policy", "plan", "cover", "insurance")  # what a word that names a product stands before


@dataclass(frozen=True, slots=True)
class Product:
    """A product by its full name, and the shorter names customers use for it."""

    name: str
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The words a router knows: kinds of insurance, topics and kinds of question, and the products' names."""

    families: Mapping[str, Sequence[str]] = field(default_factory=dict)
    topics: Mapping[str, Sequence[str]] = field(default_factory=dict)
    kinds: Mapping[str, Sequence[str]] = field(default_factory=dict)
    products: tuple[Product, ...] = ()

    @classmethod
    def load(cls, path: Path | None = None) -> Vocabulary:
        """The shipped vocabulary, with the sections of the JSON file at ``path`` over it."""
        shipped = dict(_shipped())
        if path is not None:
            try:
                own = json.loads(path.read_text(encoding="utf-8"))
            except (OSError, ValueError) as error:
                raise ConfigurationError(f"the vocabulary {path} cannot be read: {error}") from error
            unknown = set(own) - set(_SECTIONS) - {"products"}
            if unknown:
                raise ConfigurationError(f"the vocabulary {path} has unknown sections: {', '.join(sorted(unknown))}")
            shipped.update(own)
        named = shipped.pop("products", {})
        return cls(**shipped, products=tuple(Product(name, tuple(short)) for name, short in named.items()))

    def with_products(self, names: Iterable[str]) -> Vocabulary:
        """The same, knowing the products of these names besides its own, by the short names customers use."""
        known = {product.name: product for product in self.products}
        fresh = [name for name in dict.fromkeys(names) if name and name not in known]
        made = [
            Product(name, short)
            for name, short in short_names([*known, *fresh], not_names=self.families).items()
            if name not in known
        ]
        return replace(self, products=(*self.products, *made))

    def topics_in(self, text: str) -> list[str]:
        """The topics a text names, in the order of the first word of each in it."""
        return _named(text[:_LONGEST], self.topics)

    def families_in(self, text: str) -> list[str]:
        """The kinds of insurance a text names (car, home, travel …)."""
        return _named(text[:_LONGEST], self.families)

    def products_in(self, text: str) -> list[str]:
        """The products a text names; a longer name hides the shorter one in it.

        >>> both = Vocabulary().with_products(["Acme Home Contents", "Acme Home Contents Select"])
        >>> both.products_in("Is my bicycle covered by Contents Select?")
        ['Acme Home Contents Select']
        """
        return self._products(text)[0]

    def without_products(self, text: str) -> str:
        """A text less the products' names, for reading its topics: "Third Party, Fire and Theft" is about no fire."""
        return self._products(text)[1]

    def _products(self, text: str) -> tuple[list[str], str]:
        left = _plain(text[:_LONGEST])
        found: dict[str, int] = {}
        short = [(alias, one.name) for one in self.products for alias in (one.name, *one.aliases)]
        for alias, name in sorted(short, key=lambda pair: -len(pair[0])):
            match = whole(_plain(alias)).search(left)
            if match is not None:
                found.setdefault(name, match.start())
                left = left[: match.start()] + " " * len(match.group()) + left[match.end() :]
        return sorted(found, key=lambda name: found[name]), left

    def kind_of(self, text: str) -> str:
        """What kind of question this is: amount, eligibility, claim_procedure, comparison, else fact."""
        plain = _plain(text[:_LONGEST])
        for kind, patterns in self.kinds.items():
            if any(_pattern(pattern).search(plain) for pattern in patterns):
                return kind
        return "fact"


def short_names(names: Sequence[str], *, not_names: Iterable[str] = ()) -> dict[str, tuple[str, ...]]:
    """For each product the names that tell it from another.

    They are its title up to a word that any policy has ("insurance"), and what is left without the words both begin
    with. A word only one product has names it too when "policy", "plan", "cover" or "insurance" follows. ``not_names``
    are words that mean more than one product ("travel").

    >>> short_names(["Acme Car Basic", "Acme Car Plus"])["Acme Car Plus"]
    ('Plus', 'plus policy', 'plus plan', 'plus cover', 'plus insurance')
    >>> short_names(["Reed Canoe Insurance policy wording"])["Reed Canoe Insurance policy wording"][0]
    'Reed Canoe'
    """
    split = {name: name.replace(":", " ").split() for name in names}
    taken = {name.casefold() for name in (*names, *not_names)}
    found: dict[str, tuple[str, ...]] = {}
    for name, parts in split.items():
        own = _own(parts)
        others_names = "\n".join(other for other in names if other != name).casefold()
        short = [" ".join(own)] if len(own) > 1 and " ".join(own).casefold() not in others_names else []
        unique = [part.strip(",").casefold() for part in own or parts]
        for other, others in split.items():
            if other == name:
                continue
            same = _shared(parts, others)
            if 0 < same < len(parts):
                short.append(" ".join(parts[same:]))
                if same == len(others) and len(parts[same - 1]) >= _TELLING:
                    short.append(" ".join(parts[same - 1 :]))
            elif same == len(parts) > 1 and len(parts[-1]) >= _TELLING:
                short.append(parts[-1])
            unique = [word for word in unique if word not in {part.strip(",").casefold() for part in others}]
        kept = [one for one in sorted(set(short), key=len, reverse=True) if one.casefold() not in taken]
        telling = [word for word in unique if len(word) >= _TELLING] if kept or own else []
        found[name] = (*kept, *(f"{word} {sort}" for word in telling for sort in _SORTS))
    return found


def _own(parts: Sequence[str]) -> list[str]:
    """A title's first words, up to a dash, where a word that any policy has ("cover") stands behind them."""
    of_any = set(_shipped()["topics"]["cover"])
    first = list(takewhile(lambda part: part not in "–—-", parts))
    place = next((place for place, part in enumerate(parts) if part.strip(",.").casefold() in of_any), 0)
    return first[:place]


def _shared(one: Sequence[str], other: Sequence[str]) -> int:
    """How many words two names begin with alike."""
    pairs = zip(one, other, strict=False)
    return next((i for i, (a, b) in enumerate(pairs) if a.casefold() != b.casefold()), min(len(one), len(other)))


def _named(text: str, sections: Mapping[str, Sequence[str]]) -> list[str]:
    plain = _plain(text)
    places: dict[str, int] = {}
    for name, said in sections.items():
        for one in said:
            match = whole(_plain(one)).search(plain)
            if match is not None:
                places[name] = min(places.get(name, match.start()), match.start())
    return sorted(places, key=lambda name: places[name])


def _plain(text: str) -> str:
    return " ".join(text.replace("’", "'").casefold().split())


@cache
def _pattern(pattern: str) -> re.Pattern[str]:
    try:
        return re.compile(pattern, re.IGNORECASE)
    except re.error as error:
        raise ConfigurationError(f"the vocabulary's pattern {pattern!r} is no regular expression: {error}") from error


@cache
def _shipped() -> dict[str, Any]:
    text = files("footnoted.assistants.insurance").joinpath("vocabulary.json").read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(text)
    return found
