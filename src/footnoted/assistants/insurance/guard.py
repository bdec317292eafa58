"""Checks a claim against policy sections, hearing each product alone.

The hard thing is that policies of one insurer say nearly the same: what is true of one is carried, word for word, by
the wrong section of another. So a claim is weighed against the sections of the product it names or cites and no others.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextvars import ContextVar
from dataclasses import replace
from typing import TYPE_CHECKING

from footnoted.assistants.insurance.citation import names
from footnoted.assistants.insurance.figures import follows, strange
from footnoted.assistants.insurance.sources import by_product, product_of
from footnoted.assistants.insurance.vocabulary import Vocabulary, short_names
from footnoted.grounding.exact import quotable
from footnoted.orders import is_order
from footnoted.providers import _wording
from footnoted.retrieval.relevance import read
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
            if (said := sentence_said(claim, section)) is not None:
                words = section.text[slice(*said)]
                return Verdict("supported", 0.97, "exact", (Evidence(pointed[0], *said, words, 1.0),))
            quoted = await self._weighed(claim, claim, sources, pointed, pointed)
            if quoted.ruling == "supported" and quoted.tier == "exact":
                return quoted  # the section's own words, the products it names among them
        asked = spoken_of(claim, sources, cited)
        if not asked:
            return await self._of_product(claim, sources, range(len(sources)), cited)
        verdicts = [await self._of_product(claim, sources, speaking_for(name, sources), cited) for name in asked]
        failed = next((verdict for verdict in verdicts if verdict.ruling != "supported"), None)
        if len(verdicts) == 1:
            return verdicts[0]
        if failed is not None:
            reason = failed.reason or "one product's sections do not carry it"
            # What is not clear of several products is told of none, whatever a judge makes of it.
            ruling: Ruling = "unsupported" if failed.ruling == "unsure" else failed.ruling
            return replace(failed, ruling=ruling, reason=f"it speaks of several products at once, and {reason}")
        evidence = tuple(piece for verdict in verdicts for piece in verdict.evidence)
        score = min((verdict.score for verdict in verdicts if verdict.score is not None), default=None)
        return replace(verdicts[0], evidence=evidence, score=score)

    async def aprepare(self, sources: Sequence[Source]) -> None:
        """Read the sections ahead, where the weigher can."""
        prepare = getattr(self._weigher, "aprepare", None)
        if prepare is not None:
            await prepare(sources)

    async def _of_product(
        self, claim: str, sources: Sequence[Source], places: Sequence[int], cited: Sequence[int]
    ) -> Verdict:
        """The verdict of these sections, the names of their products taken out of the claim."""
        short = short_names(list(by_product(sources)))
        known = dict.fromkeys(product_of(sources[place]) for place in places)
        bare = without_names(claim, [name for product in known for name in (product, *short[product]) if name])
        return await self._weighed(claim, bare, sources, places, cited)

    async def _weighed(
        self, claim: str, bare: str, sources: Sequence[Source], places: Sequence[int], cited: Sequence[int]
    ) -> Verdict:
        """The verdict of these sections alone; no figure of the claim may be strange to all of them."""
        own = [sources[place] for place in places]
        if odd := strange(claim, "\n".join([ASKED.get(), *(f"{source.title}\n{source.text}" for source in own)])):
            reason = f"no section of it has {', '.join(odd)}"
            pointed = [sources[place].text for place in cited if place in places] or [source.text for source in own]
            if follows(odd, "\n".join([ASKED.get(), *pointed])):
                return Verdict("unsure", tier="exact", reason=f"{reason}, though it may be worked out of what it has")
            return Verdict("unsupported", score=0.0, tier="exact", reason=reason)
        local = {place: number for number, place in enumerate(places)}
        verdict = await self._weigher.acheck(bare, own, cited=[local[place] for place in cited if place in local])
        return replace(verdict, evidence=tuple(replace(each, source=places[each.source]) for each in verdict.evidence))


def sentence_said(claim: str, source: Source) -> tuple[int, int] | None:
    """The span of the sentence that a claim repeats whole, or of the list item after the heading it stands under.

    Of a table's row some columns are enough, each with its name, if what the row is of comes first.
    An item alone is none: "racing" means one thing under "What we cover" and another under "What we never cover".
    """
    said = quotable(claim)
    hierarchy = source.metadata.get("section_hierarchy") or [source.title.rpartition("›")[2]]
    for sentence in read(source):
        if sentence.kind == "row" and sentence.leads:
            header = source.text[sentence.leads[-1].start : sentence.leads[-1].end]
            cells = list(map(quotable, _wording.row(sentence.text, header).split("; ")))
            told = list(map(quotable, claim.split("; ")))
            if len(told) > 1 and told[0] == cells[0] and set(told) <= set(cells):
                return sentence.start, sentence.end
        if sentence.leads or sentence.kind not in ("prose", "item") or is_order(sentence.text):
            continue
        heading = quotable(sentence.headings[-1] if sentence.headings else str(hierarchy[-1]))
        whole = sentence.text if sentence.kind == "prose" else _wording.listing(f"{heading}:", [sentence.text])
        if said == quotable(whole):
            return sentence.start, sentence.end
    return None


def speaking_for(product: str, sources: Sequence[Source]) -> list[int]:
    """The places of a product's own sections, and of others that name it: a schedule or guide for several products."""
    groups = by_product(sources)
    short = (product, *short_names(list(groups)).get(product, ()))
    own = groups.get(product, [])
    others = [n for n, source in enumerate(sources) if n not in own and any(names(source.text, name) for name in short)]
    return [*own, *others]


def spoken_of(claim: str, sources: Sequence[Source], cited: Sequence[int]) -> list[str]:
    """The products a claim speaks of: those it names, else those it cites; all cited ones where it says "both"."""
    groups = by_product(sources)
    named = Vocabulary().with_products(groups).products_in(claim)
    pointed = list(dict.fromkeys(product_of(sources[place]) for place in cited if 0 <= place < len(sources)))
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
