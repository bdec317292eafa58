"""Finds the policy sections that speak of a classified question, best first.

The hard thing is that every policy speaks of cover and excess, and none in the customer's words. So a section counts by
the meaning of its nearest sentence more than by its words, and one of another product than the one named counts for
less. Where clauses have numbers, each is a section of its own, and the nearest are read together with the question.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, overload

from footnoted.assistants.insurance.citation import ChunkResult
from footnoted.assistants.insurance.clauses import read_policy
from footnoted.assistants.insurance.deciding import READ, answers
from footnoted.assistants.insurance.intent import IntentClassification, IntentRouter
from footnoted.assistants.insurance.linked import passages_joined
from footnoted.assistants.insurance.meaning import Shelf
from footnoted.assistants.insurance.passages import Clauses, passages_of, said_of, unbroken
from footnoted.assistants.insurance.phrases import language_of
from footnoted.assistants.insurance.sources import as_chunk, product_of
from footnoted.assistants.insurance.vocabulary import Vocabulary
from footnoted.models.files import encoder_mark
from footnoted.retrieval.relevance import ShippedMeaning
from footnoted.retrieval.relevance.logistic import chance_of
from footnoted.retrieval.relevance.meaning import in_english
from footnoted.retrieval.relevance.rarity import UNSEEN, rarity
from footnoted.text import content_stems
from footnoted.text.language import language

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable

    from footnoted.retrieval import Index
    from footnoted.types import Source

_CANDIDATES = 24
_NAMED, _KIN, _OTHER = 1.0, 0.95, 0.75  # weight of the product asked for, of its family, of all others
_MEANT = 0.15  # nearness in meaning from which a section comes along that shares no word with the question
_BY_MEANING = 0.8  # of a section's relevance, what its nearest sentence's meaning makes up; the rest are words
_SYLLABLE = 2  # letters that are no question in any script
_NEAR = 0.6  # of the best score, what a section needs to come along
_ON_CLAIMS = 1.15  # of a section on claiming, where that is asked
_TITLED = 0.8  # of the best, what a section counts whose document is named for the thing asked about
_ASKS_MEANING = re.compile(
    r"\b(?:what|who) (?:is|are|counts as|count as|does|do) (?!the |my |your )|\bmean(?:s|ing)?\b|\bdefin", re.IGNORECASE
)
_DEFINED = re.compile(r"\*\*([^*\n]{2,40})\*\*:")
_ASKING = frozenset(content_stems("what who which is are does do mean means meaning counts count definition define"))
_A_PRODUCT = 4  # sections of one product at most, unless it was asked for by name
_FAVOUR = (
    0.04  # nearness that clauses of a document get which the question names: its product, its title's words, a plan
)
_USUAL, _SCALE = 0.858, 0.02  # nearness of a clause that is as likely as not to speak of the matter, and its spread
_WEIGHT = 0.7  # of nearness so scaled, and of the reader's log-odds, in those of a clause's relevance
_LEVEL = 3.2  # added to these, so that what a policy does not speak of stays under `desk.NEAR_ENOUGH`, and no more
_NAMING, _ALONG = 3, 2  # passages whose references are followed, and that come along for that
_LEAST = 0.001  # relevance from which a clause is worth telling


@dataclass(frozen=True, slots=True)
class RetrievalRequest:
    """What to look for. ``query`` takes the place of the intent's own where given; ``before`` was asked before it."""

    intent_classification: IntentClassification
    query: str = ""
    top_k: int = 8
    before: str = ""


@dataclass(frozen=True, slots=True)
class RetrievalResult:
    """The sections found, best first; reads like the list of them."""

    chunks: tuple[ChunkResult, ...] = ()
    query: str = ""
    products: tuple[str, ...] = field(default=())

    def __iter__(self) -> Iterator[ChunkResult]:
        return iter(self.chunks)

    def __len__(self) -> int:
        return len(self.chunks)

    @overload
    def __getitem__(self, place: int) -> ChunkResult: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[ChunkResult, ...]: ...
    def __getitem__(self, place: int | slice) -> ChunkResult | tuple[ChunkResult, ...]:
        return self.chunks[place]


class RetrievalAgent:
    """Finds policy sections in a folder of documents, or in an `Index` at hand.

    A document's product is its ``product_name`` (Markdown front matter), else its title. Sections keep their
    headings, tables stay whole. Of wordings with numbered clauses a section is a clause with its items, or a table.
    """

    def __init__(self, paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]] | Index, **index: Any) -> None:
        from footnoted.retrieval import Index

        self.index: Index = paths if isinstance(paths, Index) else Index.open(paths, **index)
        self._vocabulary = Vocabulary.load()
        self._sources = self.index.sources()
        joined = unbroken(self._sources)
        passages = passages_of(read_policy(joined))
        self._clauses: Clauses | None = None
        if len(passages) > len(joined):  # some have numbers of their own
            self._sources = [one.source for one in passages]
            kept = self.index.location.parent / f"clauses-{encoder_mark()}" if self.index.location else None
            self._clauses = Clauses(passages, path=kept)
        self._heeded: dict[tuple[str, str], float] = {}
        self._by_id = {source.id: source for source in self._sources}
        self.products: tuple[str, ...] = tuple(dict.fromkeys(product_of(source) for source in self._sources))
        self._families = {name: self._vocabulary.families_in(name) for name in self.products}
        self._shelf = Shelf(self._sources, ShippedMeaning())

    def router(self, vocabulary: Vocabulary | None = None, **router: Any) -> IntentRouter:
        """An `IntentRouter` that knows the products of these documents, and what they speak of."""
        stems = frozenset(stem for source in self._sources for stem in content_stems(source.text))
        return IntentRouter(vocabulary, **{"products": self.products, "spoken_of": stems, **router})

    def retrieve(self, request: RetrievalRequest) -> RetrievalResult:
        """The ``top_k`` sections nearest to the question; those of a product it names come first.

        Of wordings with numbered clauses come up to two more: what the first of them name, and what names these.
        """
        intent = request.intent_classification
        query = request.query or intent.search or intent.query
        if self._clauses is not None:
            return self._of_clauses(self._clauses, request, query)
        asked = request.query or f"{intent.about} {intent.query}".strip()
        found = self._near(query, asked, max(_CANDIDATES, request.top_k)) if request.top_k > 0 else []
        weighed = {
            source.id: (self._weight(source, intent) * self._thanked(source) * score, source) for score, source in found
        }
        meant = self._meant(intent.query, query, max((score for score, _ in weighed.values()), default=0.0))
        for score, source in meant:
            if score > weighed.get(source.id, (0.0, source))[0]:
                weighed[source.id] = score, source
        kept = {*intent.products, *(product_of(source) for _, source in meant)}
        best_first = sorted(weighed.values(), key=lambda pair: -pair[0])
        return _result(_spread(best_first, kept, request.top_k), query)

    def _of_clauses(self, clauses: Clauses, request: RetrievalRequest, query: str) -> RetrievalResult:
        """The clauses and tables nearest in words, meaning and as read with the question, and what these name."""
        intent = request.intent_classification
        asked = f"{request.before} {request.query or intent.query}".strip()
        if request.top_k <= 0 or not any(char.isalnum() for char in asked):
            return RetrievalResult((), query)
        near = clauses.nearness(asked, products=intent.products, favour=_FAVOUR)
        if not any(near):
            return RetrievalResult((), query)
        passages = clauses.passages
        odds = [-math.inf] * len(passages)  # of each passage, by its best clause
        for (place, _), of_clause in zip(clauses.read, _read_beside(asked, clauses, near), strict=True):
            odds[place] = max(odds[place], of_clause)
        relevance = [
            self._thanked(passage.source) * chance_of(each) for each, passage in zip(odds, passages, strict=True)
        ]
        order = sorted((n for n, score in enumerate(relevance) if score >= _LEAST), key=lambda n: -relevance[n])
        best = order[: request.top_k]
        named = sorted(passages_joined(best[:_NAMING], passages), key=lambda n: -relevance[n])
        best += [n for n in named if n not in best][:_ALONG]
        return _result([(relevance[n], passages[n].source) for n in best], query)

    def _near(self, query: str, asked: str, most: int) -> list[tuple[float, Source]]:
        """The sections that share words with a question, and those that come near it in meaning; each 0–1."""
        worded = {one.id: one.score or 0.0 for one in self.index.search(query, k=most)}
        meant = self._shelf.nearness(asked, worded)
        share = _BY_MEANING if meant else 0.0
        places = set(worded)
        foreign = language_of(asked) != "en" or language(asked) not in ("", "en")
        foreign = foreign and sum(map(str.isalpha, asked)) > _SYLLABLE
        if foreign or any(rarity(stem) < UNSEEN for stem in content_stems(asked)):  # letters are near to something, too
            places.update(id_ for id_, near in meant.items() if near >= _MEANT)
        return [
            (share * max(0.0, meant.get(id_, 0.0)) + (1 - share) * worded.get(id_, 0.0), self._by_id[id_])
            for id_ in sorted(places)
        ]

    def heed(self, factors: Mapping[tuple[str, str], float]) -> None:
        """Let feedback move sections, by (file, section) as a citation names them; each by a tenth at most."""
        self._heeded = {place: min(1.1, max(0.9, factor)) for place, factor in factors.items()}

    def source(self, chunk: ChunkResult) -> Source | None:
        """The passage a chunk was made of."""
        return self._by_id.get(chunk.chunk_id)

    def _thanked(self, source: Source) -> float:
        place = str(source.metadata.get("file") or ""), " > ".join(source.metadata.get("section_hierarchy") or ())
        return self._heeded.get(place, 1.0)

    def _meant(self, asked: str, query: str, best: float) -> list[tuple[float, Source]]:
        """Sections words alone rank too low: what defines the thing asked about, what its document is named for."""
        wanted = set(content_stems(query)) - _ASKING
        if not wanted or not best:
            return []
        more = []
        for source in self._sources:
            terms = _DEFINED.findall(source.text) if _ASKS_MEANING.search(asked) else ()
            if any(set(content_stems(term)) == wanted for term in terms):
                more.append((best, source))
            elif wanted <= set(content_stems(str(source.metadata.get("title") or ""))):
                more.append((best * _TITLED, source))
        return more

    def _weight(self, source: Source, intent: IntentClassification) -> float:
        """How much a section of this product counts for a question about those."""
        name = product_of(source)
        own = self._families.get(name) or []
        if (
            intent.kind == "claim_procedure"
            and "claim" in f"{source.title} {source.metadata.get('document_type')}".casefold()
        ):
            return _NAMED * _ON_CLAIMS
        if intent.products:
            if name in intent.products:
                return _NAMED
            # A guide for all products of a family speaks of the one asked for, too; another product does not.
            guides = any(product.casefold().startswith(name.casefold()) for product in intent.products)
            families = {one for product in intent.products for one in self._families.get(product) or []}
            return _KIN if guides or not own else _OTHER if not families & set(own) else _OTHER * 1.2
        if intent.family is not None and own and intent.family not in own:
            return _OTHER
        return _NAMED


def _read_beside(asked: str, clauses: Clauses, near: Sequence[float]) -> list[float]:
    """Each clause's log-odds of speaking of the matter: by nearness and, in English, as the nearest were read."""
    odds = [(score - _USUAL) / _SCALE for score in near]
    order = sorted(range(len(near)), key=lambda place: -near[place])[:READ]
    said = [said_of(clauses.read[place][1]) for place in order]
    if not in_english(asked, said):  # there, reading found no more than nearness does
        return odds
    read = dict(zip(order, answers(asked, said), strict=True))
    least = min(read.values())
    return [_WEIGHT * (each + read.get(place, least)) + _LEVEL for place, each in enumerate(odds)]


def _result(found: Sequence[tuple[float, Source]], query: str) -> RetrievalResult:
    chunks = tuple(as_chunk(source, score) for score, source in found)
    return RetrievalResult(chunks, query, tuple(dict.fromkeys(chunk.product_name for chunk in chunks)))


def _spread(weighed: Sequence[tuple[float, Source]], asked: Collection[str], most: int) -> list[tuple[float, Source]]:
    """The best, not too many of one product, so that each product that speaks of the matter is heard."""
    chosen: list[tuple[float, Source]] = []
    counts: Counter[str] = Counter()
    for score, source in weighed:
        product = product_of(source)
        if len(chosen) == most or score < _NEAR * weighed[0][0]:
            break
        if product in asked or counts[product] < _A_PRODUCT:
            counts[product] += 1
            chosen.append((score, source))
    return chosen
