"""Checks a claim against policy sections, hearing each product alone."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextvars import ContextVar
from dataclasses import replace
from typing import TYPE_CHECKING

from footnoted.assistants.insurance.citation import names
from footnoted.assistants.insurance.figures import follows, strange
from footnoted.assistants.insurance.quoted import sentence_said
from footnoted.assistants.insurance.tables import row_said
from footnoted.assistants.insurance.vocabulary import short_names
from footnoted.types import Evidence, Source, Verdict

if TYPE_CHECKING:
    from footnoted.grounding.judge import Weigher
    from footnoted.types import Ruling

ASKED: ContextVar[str] = ContextVar("asked", default="")  # what the customer said: their own figures are known, too
_TOGETHER = re.compile(
    r"\b(?:both|all|each|every|either|any|neither|none) (?:of )?(?:the |our |your |these )?(?:\w+ )?"
    r"(?:policies|policy|products?|plans?|covers?)\b|\b(?:kedua-dua|semua) (?:polisi|produk)\b|两种|所有(?:产品|保单)",
    re.IGNORECASE,
)


class ProductGuard:
    """Weighs a claim against the sections of the products it speaks of, and no other's.

    One that speaks of several must stand in each alone. A figure that stands in none of those sections is not
    supported, whatever the words around it.
    """

    def __init__(self, weigher: Weigher) -> None:
        self._weigher = weigher

    async def acheck(self, claim: str, sources: Sequence[Source], *, cited: Sequence[int] = ()) -> Verdict:
        """The verdict; its evidence points into ``sources``."""
        pointed = [place for place in dict.fromkeys(cited) if 0 <= place < len(sources)]
        if len(pointed) == 1:
            section = sources[pointed[0]]
            # Cell for cell under its column, or whole under its heading: more than its words strung together.
            if (said := row_said(claim, section.text) or sentence_said(claim, section)) is not None:
                words = section.text[slice(*said)]
                return Verdict("supported", 0.97, "exact", (Evidence(pointed[0], *said, words, 1.0),))
            quoted = await self._weighed(claim, claim, sources, pointed, pointed)
            if quoted.ruling == "supported" and quoted.tier == "exact":
                return quoted  # the section's own words, the products it names among them
        asked = spoken_of(claim, sources, cited)
        if not asked:
            return await self._of_product(claim, sources, range(len(sources)), cited)
        verdicts = [await self._of_product(claim, sources, speaking_for(name, sources), cited) for name in asked]
        failed = next((one for one in verdicts if one.ruling != "supported"), None)
        if len(verdicts) == 1:
            return verdicts[0]
        if failed is not None:
            reason = failed.reason or "one product's sections do not carry it"
            # What is not clear of several products is told of none, whatever a judge makes of it.
            ruling: Ruling = "unsupported" if failed.ruling == "unsure" else failed.ruling
            return replace(failed, ruling=ruling, reason=f"it speaks of several products at once, and {reason}")
        evidence = tuple(one for verdict in verdicts for one in verdict.evidence)
        score = min((one.score for one in verdicts if one.score is not None), default=None)
        return replace(verdicts[0], evidence=evidence, score=score)

    async def aprepare(self, sources: Sequence[Source]) -> None:
        """Read the sections ahead, where the weigher can."""
        prepare = getattr(self._weigher, "aprepare", None)
        if prepare is not None:
            await prepare(sources)

    async def _of_product(
        self, claim: str, sources: Sequence[Source], places: Sequence[int], cited: Sequence[int]
    ) -> Verdict:
        known = [_product(sources[place]) for place in places]
        bare = without_names(claim, _names_of(known, sources))
        return await self._weighed(claim, bare, sources, places, cited)

    async def _weighed(
        self, claim: str, bare: str, sources: Sequence[Source], places: Sequence[int], cited: Sequence[int]
    ) -> Verdict:
        """The verdict of these sections alone; no figure of the claim may be strange to all of them."""
        own = [sources[place] for place in places]
        if odd := strange(claim, "\n".join([ASKED.get(), *(f"{source.title}\n{source.text}" for source in own)])):
            reason = f"no section of it has {', '.join(odd)}"
            pointed = [sources[place].text for place in cited if place in places] or [one.text for one in own]
            if follows(odd, "\n".join([ASKED.get(), *pointed])):
                return Verdict("unsure", tier="exact", reason=f"{reason}, though it may be worked out of what it has")
            return Verdict("unsupported", score=0.0, tier="exact", reason=reason)
        local = {place: number for number, place in enumerate(places)}
        verdict = await self._weigher.acheck(bare, own, cited=[local[place] for place in cited if place in local])
        return replace(verdict, evidence=tuple(replace(one, source=places[one.source]) for one in verdict.evidence))


def products(sources: Sequence[Source]) -> dict[str, list[int]]:
    """The places of each product's sections."""
    groups: dict[str, list[int]] = {}
    for place, source in enumerate(sources):
        groups.setdefault(_product(source), []).append(place)
    return groups


def speaking_for(product: str, sources: Sequence[Source]) -> list[int]:
    """The places of a product's own sections, and of others that name it: a schedule or guide for several products."""
    groups = products(sources)
    short = (product, *short_names(list(groups)).get(product, ()))
    own = groups.get(product, [])
    others = [n for n, one in enumerate(sources) if n not in own and any(names(one.text, name) for name in short)]
    return [*own, *others]


def spoken_of(claim: str, sources: Sequence[Source], cited: Sequence[int]) -> list[str]:
    """The products a claim speaks of: those it names, else those it cites; all cited ones where it says "both"."""
    groups = products(sources)
    named = _named(claim, list(groups))
    pointed = list(dict.fromkeys(_product(sources[place]) for place in cited if 0 <= place < len(sources)))
    if _TOGETHER.search(claim):
        return list(dict.fromkeys([*named, *pointed])) if len({*named, *pointed}) > 1 else list(groups)
    return named or pointed


def without_names(claim: str, known: Sequence[str]) -> str:
    """The claim with product names taken out, its length kept: a policy does not name itself in every sentence.

    >>> without_names("With Home Plus the excess is £75.", ["Home Plus"])
    '               the excess is £75.'
    """
    for name in sorted(known, key=len, reverse=True):
        words = r"\s+".join(re.escape(word) for word in name.split())
        pattern = rf"(?P<by>\b(?:with|under|on|in|for|by|of|from)\s+)?(?:\b(?:the|your|our)\s+)?(?<!\w){words}(?!\w)"
        claim = re.sub(rf"{pattern}(?:'s\b)?(?:\s(?:policy|plan)\b)?,?", _blank, claim, flags=re.IGNORECASE)
    return claim


def _blank(found: re.Match[str]) -> str:
    """Nothing in a phrase's place, "we" in a subject's."""
    said = "" if found["by"] else "We"
    return said.ljust(len(found.group()))


def _names_of(own: Sequence[str], sources: Sequence[Source]) -> list[str]:
    """The names of these products, the short ones that tell them from the others among them."""
    every = short_names(list(products(sources)))
    return [one for name in dict.fromkeys(own) for one in (name, *every.get(name, ())) if one]


def _named(claim: str, known: Sequence[str]) -> list[str]:
    """The products named in full or by their short names; a longer name hides the shorter one within it."""
    left = claim
    found: list[str] = []
    aliases = short_names(known)
    pairs = [(one, name) for name in known for one in (name, *aliases.get(name, ()))]
    for alias, name in sorted(pairs, key=lambda pair: -len(pair[0])):
        if name not in found and names(left, alias):
            found.append(name)
            left = re.sub(re.escape(alias), " ", left, flags=re.IGNORECASE)
    return found


def _product(source: Source) -> str:
    return str(source.metadata.get("product_name") or source.title)
