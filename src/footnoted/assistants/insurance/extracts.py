"""Answers without a model: for each product of a prompt, the sentences of its own policy that answer.

The hard thing is that sections of several products answer alike: all sentences are ranked together, and each product
tells its own best, so that none is blended with another.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from footnoted.assistants.insurance.rows import cut_to, key_of
from footnoted.assistants.insurance.sources import by_product
from footnoted.assistants.insurance.vocabulary import Vocabulary
from footnoted.models import ModelUnavailable
from footnoted.orders import is_order
from footnoted.providers import _wording
from footnoted.providers._choosing import Passage, passages
from footnoted.providers.extractive import before
from footnoted.retrieval.relevance import Reads, ShippedMeaning, answerability, rank, reread
from footnoted.text import content_stems, estimate_tokens
from footnoted.types import Delta, FinishReason, Prompt, Source, Usage

if TYPE_CHECKING:
    from footnoted.retrieval.relevance import Meaning, Scored

log = logging.getLogger(__name__)

THRESHOLD = 0.55
_NEAR = 6.0  # how far below the best product's score another may stand to be heard, in log-odds
_NAMED = 6.0  # what it is worth that the question names a product, in log-odds
_MOST_PRODUCTS = 4
_SENTENCES = 3  # of one product
_TITLE = 3  # words of a title that stands before its paragraph, as a sentence


@dataclass(frozen=True, slots=True)
class Said:
    """What one product's documents say to a question.

    ``score`` orders products, in log-odds; ``chance`` (0–1) is that of an answer.
    """

    product: str
    passages: tuple[Passage, ...]
    score: float
    chance: float


class PolicyExtracts:
    """A provider: the core's extractive one, asked once for each product, so that none is blended with another.

    ``vocabulary`` puts the customer's words into the policies'; ``meaning`` lets those meet that it does not know
    (the package's own encoder where it can run, unless ``None``). It refuses where the chance that any product's
    sentences answer is under ``threshold``.
    """

    name = "extractive"
    model = "extractive"

    def __init__(
        self,
        vocabulary: Vocabulary | None = None,
        *,
        threshold: float = THRESHOLD,
        meaning: Meaning | Literal["shipped"] | None = "shipped",
    ) -> None:
        self._vocabulary = vocabulary or Vocabulary.load()
        self._threshold = threshold
        self._may_go_without = meaning == "shipped"
        self._meaning: Meaning | None = ShippedMeaning() if meaning == "shipped" else meaning

    async def stream(self, prompt: Prompt) -> AsyncIterator[Delta]:
        """Yield the sentences product by product, each with its pointers; a refusal has no text."""
        said = await asyncio.to_thread(self.answer, prompt)
        read = estimate_tokens(prompt.question) + sum(estimate_tokens(source.text) for source in prompt.sources)
        written = 0
        for place, one in enumerate(said):
            for number, passage in enumerate(one.passages):
                opening = "" if not place and not number else " " if number else "\n\n"
                written += estimate_tokens(passage.text)
                yield Delta(text=opening + passage.text, pointers=passage.pointers)
        if said:
            yield Delta(usage=Usage(input=read, output=written), finish_reason=FinishReason.COMPLETE)
        else:
            yield Delta(usage=Usage(input=read), finish_reason=FinishReason.REFUSED, detail="no product's text answers")

    def answer(self, prompt: Prompt) -> list[Said]:
        """What each product says that answers, the best first; nothing when none does."""
        spoken = self.weigh(prompt)
        if not spoken or spoken[0].chance < self._threshold:
            return []
        near = [one for one in spoken[1:] if spoken[0].score - one.score <= _NEAR and one.chance >= self._threshold]
        return [spoken[0], *near][:_MOST_PRODUCTS]

    def weigh(self, prompt: Prompt) -> list[Said]:
        """Every product's best sentences and how well they answer, the best first."""
        question = f"{before(prompt.question, prompt.history)} {prompt.question}".strip()
        known = self._vocabulary.with_products(by_product(prompt.sources))
        named = known.products_in(prompt.question) or known.products_in(question)
        if named and (rest := known.without_products(question).strip(" ?!.,")):
            # Which product is meant is settled; its name's words ("fire", "theft") must not be looked for as well.
            question = f"{' '.join(rest.split())}?"
        ranked = [each for each in self._ranked(question, prompt.sources) if not is_order(each.sentence.text)]
        reads = self._meaning if isinstance(self._meaning, Reads) else None
        said = []
        for product, places in by_product(prompt.sources).items():
            own = [sentence for sentence in ranked if sentence.source_index in places]
            told = passages(
                _of_matter(question, own), prompt.sources, limit=_SENTENCES, tokens=prompt.sampling.max_tokens
            )
            if told:
                chance = answerability(question, own, sources=prompt.sources, reads=reads)
                score = own[0].score + _NAMED * (product in named)
                told = _less_columns(question, _as_they_stand(told), own, prompt.sources)
                said.append(Said(product, told, score, chance))
        spoken = sorted(said, key=lambda product: -product.score)
        return [one for one in spoken if one is spoken[0] or not named or _speaks_for(one.product, named)]

    def _ranked(self, question: str, sources: Sequence[Source]) -> list[Scored]:
        """The sentences, best first; by words alone where the shipped encoder cannot run."""
        try:
            ranked = rank(question, sources, likeness=self._meaning)
            return reread(question, ranked, sources, self._meaning) if isinstance(self._meaning, Reads) else ranked
        except ModelUnavailable as error:
            if not self._may_go_without:
                raise
            log.warning("answers are found by words alone: %s", error)
            self._meaning = None
            return rank(question, sources)

    async def aclose(self) -> None:
        """Nothing to close."""


def _of_matter(question: str, ranked: Sequence[Scored]) -> list[Scored]:
    """The sentences less run-in titles, and less a table's rows on other matters where it has one on what was asked."""
    asked = set(content_stems(question))
    rows = [one for one in ranked if one.sentence.kind == "row"]
    meant = [one for one in rows if asked & set(content_stems(key_of(one.sentence.text)))]
    tables = {_table(one) for one in meant}
    others = {id(one) for one in rows if _table(one) in tables} - set(map(id, meant))
    return [one for one in ranked if id(one) not in others and not _is_title(one, ranked)]


def _speaks_for(product: str, named: Sequence[str]) -> bool:
    """Whether a product is one of those named, or its documents are a guide to it: "Acme Car", of "Acme Car Plus"."""
    return any(name.casefold().startswith(product.casefold()) for name in named)


def _table(scored: Scored) -> tuple[int, int]:
    return scored.source_index, scored.sentence.block


def _is_title(scored: Scored, ranked: Sequence[Scored]) -> bool:
    """Whether a sentence is but the title of the paragraph it opens: "Windscreen." before what is said of it."""
    words = scored.sentence.text.split()
    if scored.sentence.kind != "prose" or len(words) > _TITLE or len(content_stems(scored.sentence.text)) < len(words):
        return False
    starts = [one.start for one in ranked if _table(one) == _table(scored)]
    return len(starts) > 1 and scored.start == min(starts)


def _less_columns(
    question: str, told: Sequence[Passage], ranked: Sequence[Scored], sources: Sequence[Source]
) -> tuple[Passage, ...]:
    """Passages, of a table's row the columns that the question names."""
    rows = {(one.source_index, one.start): one.sentence for one in ranked if one.sentence.kind == "row"}
    found = []
    for passage in told:
        row = rows.get((passage.pointers[0].source, passage.pointers[0].start))
        header = (
            sources[row.source_index].text[slice(row.leads[-1].start, row.leads[-1].end)] if row and row.leads else ""
        )
        if row is not None and header.lstrip().startswith("|"):
            head, cells = cut_to(header, row.text, question)
            found.append(replace(passage, text=_wording.row(cells, head)))
        else:
            found.append(passage)
    return tuple(found)


def _as_they_stand(told: Sequence[Passage]) -> tuple[Passage, ...]:
    """Sentences, those of the first one's section in that section's order: an exception after its rule."""
    first = told[0].pointers[0].source
    own = [one for one in told if one.pointers[0].source == first]
    others = [one for one in told if one.pointers[0].source != first]
    return *sorted(own, key=lambda one: one.pointers[0].start), *others
