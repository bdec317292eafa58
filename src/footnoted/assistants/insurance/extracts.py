"""A prompt over policies of several products in; for each product its own sentences that answer, out. No model."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, cast

from footnoted.assistants.insurance.doubting import doubt
from footnoted.assistants.insurance.meaning import in_place, nearness
from footnoted.assistants.insurance.phrases import language_of
from footnoted.assistants.insurance.ranking import answerability, rank
from footnoted.assistants.insurance.telling import Telling
from footnoted.assistants.insurance.untold import not_sold, untold
from footnoted.assistants.insurance.vocabulary import Vocabulary
from footnoted.models import ModelUnavailable
from footnoted.orders import is_order
from footnoted.providers._choosing import Passage, passages
from footnoted.providers.extractive import before
from footnoted.relevance import ShippedMeaning
from footnoted.text import estimate_tokens
from footnoted.types import Delta, FinishReason, Prompt, Source, Usage

if TYPE_CHECKING:
    from footnoted.assistants.insurance.ranking import Scored
    from footnoted.relevance import Meaning

log = logging.getLogger(__name__)

THRESHOLD = 0.32
_NEAR = 6.0  # how far below the best product's score another may stand to be heard, in log-odds
_SHARES = 0.75  # of the best product's share of the question, what another needs to be heard
_TAKEN_UP = 4.0  # what it is worth that a whole question is taken up, in log-odds
_IN_SHAPE = 1.5  # the same for a figure where one is asked for, or a step where the way is
_NAMED = 6.0  # the same for the product the question names
_MEANT = 18.0  # the same for each unit of nearness in meaning
_AS_NEAR = 0.95  # of the best product's likeness in meaning, what another that takes up less needs to be heard
_MOST_PRODUCTS = 4
_SENTENCES = 3  # of one product


@dataclass(frozen=True, slots=True)
class Said:
    """What one product's documents say to a question.

    ``score`` orders products, in log-odds; ``cover`` is the share of the question (0–1) they take up; ``near`` their
    likeness to it in meaning, where that is known; ``chance`` (0–1) that of an answer.
    """

    product: str
    passages: tuple[Passage, ...]
    score: float
    cover: float
    near: float | None
    chance: float


@dataclass(frozen=True, slots=True)
class Weighed:
    """A sentence and what speaks for it."""

    scored: Scored
    said: str
    worth: float
    cover: float
    near: float | None


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
        if not_sold(prompt.question, prompt.sources, self._vocabulary):
            return []
        spoken = self.weigh(prompt)
        best = next(iter(spoken), None)
        if best is None or best.chance < self._threshold:
            return []
        heard = [
            one
            for one in spoken
            if best.score - one.score <= _NEAR
            and (one.cover >= _SHARES * best.cover or (one.near or 0.0) >= _AS_NEAR * (best.near or 1.0))
        ]
        return heard[:_MOST_PRODUCTS]

    def weigh(self, prompt: Prompt) -> list[Said]:
        """Every product's best sentences and how well they answer, the best first."""
        whole = question = f"{before(prompt.question, prompt.history)} {prompt.question}".strip()
        known = self._vocabulary.with_products(by_product(prompt.sources))
        named = known.products_in(prompt.question) or known.products_in(question)
        if named and (rest := known.without_products(question).strip(" ?!.,")):
            # Which product is meant is settled; its name's words ("fire", "theft") must not be looked for as well.
            question = f"{' '.join(rest.split())}?"
        telling = Telling(question, prompt.sources, self._vocabulary)
        asked = replace(prompt, question=telling.question, history=())
        ranked = [one for one in self._ranked(asked) if not is_order(one.sentence.text)]
        if not ranked:
            return []
        core = answerability(asked.question, ranked)
        meant = whole if language_of(prompt.question) == "en" else telling.question  # the policies' own language
        worth = self._worth(meant, ranked, prompt.sources, telling)
        most = max(one.worth for one in worth)
        said = []
        for product, places in by_product(prompt.sources).items():
            own = [one for one in worth if one.scored.source_index in places]
            if not own:
                continue
            own.sort(key=lambda one: -one.worth)
            told = _told(own, prompt)
            if not told:
                continue
            first = told[0]
            source = prompt.sources[first.pointers[0].source]
            if telling.only_asks and not _of_one(product, source, first.text, named, known):
                continue
            if not untold(prompt.question, first.text, source, self._vocabulary):
                best = own[0]
                score = best.worth + _NAMED * (product in named)
                against = most - best.worth + doubt(telling, best.scored, best.said, source, best.near)
                chance = telling.chance(core, best.cover, against)
                said.append(Said(product, _as_they_stand(told), score, best.cover, best.near, chance))
        return sorted(said, key=lambda one: -one.score)

    def _ranked(self, prompt: Prompt) -> list[Scored]:
        """The sentences, best first; by words alone where the shipped encoder cannot run."""
        try:
            return rank(prompt.question, prompt.sources, meaning=self._meaning)
        except ModelUnavailable as error:
            if not self._may_go_without:
                raise
            log.warning("answers are found by words alone: %s", error)
            self._meaning = None
            return rank(prompt.question, prompt.sources)

    def _worth(
        self, question: str, ranked: Sequence[Scored], sources: Sequence[Source], telling: Telling
    ) -> list[Weighed]:
        """What each sentence is worth as the first of its product."""
        near: list[float | None] = [None] * len(ranked)
        meaning = self._meaning  # another thread may find that the encoder cannot run
        if meaning is not None:
            texts = [in_place(sources[one.source_index], one.sentence) for one in ranked]
            near = [*nearness(meaning, question, texts)]
        found = []
        for one, meant in zip(ranked, near, strict=True):
            source = sources[one.source_index]
            leads = " ".join(source.text[lead.start : lead.end] for lead in one.sentence.leads)
            said = f"{leads} {one.sentence.text}"
            cover = telling.cover(said, source)
            worth = (
                one.score
                + _TAKEN_UP * cover
                + _IN_SHAPE * telling.in_shape(one.sentence.text)
                + _MEANT * (meant or 0.0)
            )
            found.append(Weighed(one, said, worth, cover, meant))
        return found

    async def aclose(self) -> None:
        """Nothing to close."""


def by_product(sources: Sequence[Source]) -> dict[str, list[int]]:
    """The places of each product's sources, products in the order they first come."""
    groups: dict[str, list[int]] = {}
    for place, source in enumerate(sources):
        groups.setdefault(str(source.metadata.get("product_name") or source.title), []).append(place)
    return groups


def _of_one(product: str, source: Source, text: str, named: Sequence[str], known: Vocabulary) -> bool:
    """Whether a sentence is of a product that was named, by its document or its own words; so if none was."""
    return not named or product in named or bool(set(known.products_in(f"{source.title} {text}")) & set(named))


def _told(own: Sequence[Weighed], prompt: Prompt) -> tuple[Passage, ...]:
    """One product's sentences, those worth most first."""
    ordered = [replace(one.scored, score=one.worth) for one in own]
    return passages(cast("Any", ordered), prompt.sources, limit=_SENTENCES, tokens=prompt.sampling.max_tokens)


def _as_they_stand(told: Sequence[Passage]) -> tuple[Passage, ...]:
    """Sentences, those of the first one's section in that section's order: an exception after its rule."""
    first = told[0].pointers[0].source
    own = [one for one in told if one.pointers[0].source == first]
    others = [one for one in told if one.pointers[0].source != first]
    return *sorted(own, key=lambda one: one.pointers[0].start), *others
