"""Answers made of the sources' own sentences, each with its pointer: no model that writes, no network.

The hard thing is to know when not to answer; `footnoted.retrieval.relevance` says how likely the sources do.
"""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from footnoted.errors import ConfigurationError
from footnoted.models import ModelUnavailable
from footnoted.providers._choosing import Passage, passages
from footnoted.providers._overview import told
from footnoted.retrieval.relevance import (
    OVERVIEW,
    Reads,
    ShippedMeaning,
    judged,
    parts,
    passage_of,
    tells,
)
from footnoted.text import content_stems, estimate_tokens, fold, runs, stem, words
from footnoted.text.language import language
from footnoted.text.phrases import whole
from footnoted.types import Delta, FinishReason, Pointer, Prompt, Usage

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator, Sequence

    from footnoted.retrieval.relevance import Meaning, Scored
    from footnoted.types import Source, Turn

THRESHOLD = (
    0.45  # of people's questions over documentation a quarter is refused there, and a fifth of near misses is not
)
_THREAD_FROM = 20_000  # code points; below it ranking is quicker than a reader can see
_SCHEMA_FIELDS = frozenset({"answer", "confidence", "sources_used", "key_facts", "limitations"})
_FOLLOWS = whole("and", "or", "but", "also", "what about", "how about", "what if", "so")
_POINTS_BACK = frozenset("it its they them their that this those these he she him her there one".split())
_THIN, _THIN_POINTING = 2, 4  # fewer words of content than this need the question before
_LOOKED_BACK = 3  # turns
_OF_A_PART = 2  # sentences for each part of a question that has several
_NEAR = 3  # places a refusal names
_NAMED = 4  # words it names
_LONG = 200  # words of a question
_FOREIGN = 0.6  # share of a question's words, small ones too, that no source has: asked in another language
_QUOTED = "the sources have hardly a word of the question; if they are in another language, their own words are quoted"


@dataclass(frozen=True, slots=True)
class Reply:
    """What the sources say to the question; no passages when they do not answer it.

    ``chance`` is that of an answer being in them; ``near`` the places that came nearest to one where there is none;
    ``cut`` tells that even the first sentence was too long.
    """

    passages: tuple[Passage, ...]
    chance: float
    reason: str = ""
    cut: bool = False
    near: tuple[Pointer, ...] = ()


@dataclass(frozen=True, slots=True)
class Considered:
    """A sentence ``sources[source_index].text[start:end]`` that might have answered.

    ``score`` is what it was chosen by, ``answers`` the chance (0–1) that its passage answers, read together with the
    question; None where nothing reads.
    """

    source_index: int
    start: int
    end: int
    text: str
    score: float
    answers: float | None


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why there was an answer, or none.

    The chance that the sources hold one beside the ``threshold`` it must reach, the ``missing`` words that no source
    has, the earlier questions it was ``understood_with``, and the sentences that came nearest, best first.
    """

    chance: float
    threshold: float
    missing: tuple[str, ...]
    understood_with: str
    considered: tuple[Considered, ...]


class Extractive:
    """Answers in the sources' own sentences, or refuses where the chance that they answer is under ``threshold``.

    ``sentences`` bounds the answer's length. ``likeness`` lets words that differ and mean the same meet:
    ``"shipped"`` is the package's encoder, opened at the first question and done without where it cannot be; or one
    of your own. Nothing leaves the process.
    """

    name = "extractive"
    model = "extractive"

    def __init__(
        self,
        *,
        threshold: float | None = None,
        sentences: int = 4,
        likeness: Meaning | Literal["shipped"] | None = None,
    ) -> None:
        if threshold is not None and not 0 <= threshold <= 1:
            raise ConfigurationError(f"threshold is a chance between 0 and 1, not {threshold}")
        if sentences < 1:
            raise ConfigurationError(f"an extractive answer has at least one sentence, not {sentences}")
        self.threshold = THRESHOLD if threshold is None else threshold
        self.sentences = sentences
        self.likeness: Meaning | None = ShippedMeaning() if likeness == "shipped" else likeness
        self._may_go_without = likeness == "shipped"

    async def stream(self, prompt: Prompt) -> AsyncIterator[Delta]:
        """Yield the answer sentence by sentence, or a schema's object as one text. A refusal has no text.

        Raises `ConfigurationError` for a schema it cannot fill.
        """
        _check_schema(prompt)
        size = sum(len(source.text) for source in prompt.sources)
        if size > _THREAD_FROM or self.likeness is not None:
            reply = await asyncio.to_thread(self.answer, prompt)
        else:
            reply = self.answer(prompt)
        read = estimate_tokens(prompt.question) + sum(estimate_tokens(source.text) for source in prompt.sources)
        if prompt.schema is not None:
            text = json.dumps(_fields(prompt, reply), ensure_ascii=False)
            yield Delta(text=text)
            yield _ending(reply, Usage(input=read, output=estimate_tokens(text)))
            return
        written = 0
        for text, pointers in _told(reply.passages, bullets=prompt.bullets):
            written += estimate_tokens(text)
            yield Delta(text=text, pointers=pointers)
            await asyncio.sleep(0)
        if reply.passages:
            yield _ending(reply, Usage(input=read, output=written))
        else:
            refused = FinishReason.REFUSED
            yield Delta(usage=Usage(input=read), finish_reason=refused, detail=reply.reason, near=reply.near)

    async def aclose(self) -> None:
        """Nothing to close: the class holds no connection."""

    def answer(self, prompt: Prompt) -> Reply:
        """The passages that answer the prompt's question, in the order to write them."""
        if not any(source.text.strip() for source in prompt.sources):
            return Reply((), 0.0, "There are no sources to answer from.")
        if any(OVERVIEW in source.metadata for source in prompt.sources):
            return Reply(told(prompt.sources, limit=2 * self.sentences), 1.0)
        about = before(prompt.question, prompt.history)
        ranked, chance = self._weighed(prompt.sources, prompt.question, about)
        room = prompt.sampling.max_tokens
        found = passages(ranked, prompt.sources, limit=self.sentences, tokens=room) if chance >= self.threshold else ()
        answered = self._answered_parts(prompt.sources, prompt.question, about)
        if found or len(answered) > 1:
            for others, likely in answered:
                chance = max(chance, likely)
                found = _joined(found, passages(others, prompt.sources, limit=_OF_A_PART, tokens=room), room)
        if not found:
            return Reply((), chance, _why_not(prompt, ranked), near=_nearest(ranked))
        if estimate_tokens(found[0].text) > room:
            return Reply((_shortened(found[0], room),), chance, cut=True)
        foreign = bool(ranked) and ranked[0].features.get("foreign", 0.0) >= _FOREIGN
        return Reply(found, chance, _QUOTED if foreign else "")

    def explain(
        self, question: str, sources: Sequence[Source], *, history: Sequence[Turn] = (), most: int = 5
    ) -> Explanation:
        """What `answer` saw in these sources. Raises what it raises."""
        if any(OVERVIEW in source.metadata for source in sources):  # asked of the collection: it is told what there is
            return Explanation(1.0, self.threshold, (), "", ())
        about = before(question, history)
        ranked, chance = self._weighed(sources, question, about)
        answered = self._answered_parts(sources, question, about)
        if chance >= self.threshold or len(answered) > 1:
            chance = max([chance, *(likely for _, likely in answered)])
        best = ranked[:most]
        read: list[float | None] = [None] * len(best)
        if isinstance(self.likeness, Reads):
            read = [*self.likeness.answers(question, [passage_of(one.sentence, sources) for one in best])]
        return Explanation(
            round(chance, 3),
            self.threshold,
            tuple(_missing(question, sources)[:_NAMED]),
            about,
            tuple(_considered(one, answers) for one, answers in zip(best, read, strict=True)),
        )

    def _answered_parts(self, sources: Sequence[Source], question: str, about: str) -> list[tuple[list[Scored], float]]:
        """Of a question of several parts, what `_weighed` gives for those that are answered."""
        asked = (self._weighed(sources, part, f"{about} {question}".strip()) for part in parts(question))
        return [(ranked, likely) for ranked, likely in asked if likely >= self.threshold]

    def _weighed(self, sources: Sequence[Source], question: str, about: str) -> tuple[list[Scored], float]:
        """The sentences, best first, and the chance that they answer."""
        try:
            return judged(question, sources, about=about, likeness=self.likeness)
        except ModelUnavailable:
            if not self._may_go_without:
                raise
            self.likeness = None
            return judged(question, sources, about=about, likeness=self.likeness)


def before(question: str, history: Sequence[Turn]) -> str:
    """The earlier questions a follow-up leans on (``and for theft?``); empty where it stands on its own.

    >>> before("And for theft?", [Turn("What is the windscreen excess?", "£75.")])
    'What is the windscreen excess?'
    """
    said: list[str] = []
    for turn in reversed(history[-_LOOKED_BACK:]):
        if not _leans(question):
            break
        said.insert(0, turn.user)
        question = turn.user
    return " ".join(said)


def _nearest(ranked: Sequence[Scored]) -> tuple[Pointer, ...]:
    """The best sentence of each of the best sources."""
    near: dict[int, Pointer] = {}
    for one in ranked:
        near.setdefault(one.source_index, Pointer(one.source_index, one.start, one.end))
    return tuple(near.values())[:_NEAR]


def _joined(found: tuple[Passage, ...], more: tuple[Passage, ...], room: int) -> tuple[Passage, ...]:
    """The passages, and those of a part of the question that tell something else, as far as there is room."""
    used = {pointer for one in found for pointer in one.pointers}
    left = room - sum(estimate_tokens(one.text) for one in found)
    for one in more:
        cost = estimate_tokens(one.text)
        if cost <= left and used.isdisjoint(one.pointers):
            found, left = (*found, one), left - cost
    return found


def _leans(question: str) -> bool:
    content = len(set(content_stems(question)))
    pointing = content < _THIN_POINTING and not _POINTS_BACK.isdisjoint(runs(question.casefold()))
    return content < _THIN or bool(_FOLLOWS.match(question.lstrip())) or pointing


def _why_not(prompt: Prompt, ranked: Sequence[Scored]) -> str:
    """The plain reason of a refusal: another language, or the question's telling words that no source holds, if any."""
    asked, there = language(prompt.question), language(ranked[0].sentence.text) if ranked else ""
    if asked and there and asked != there:  # its words stand nowhere, and that says nothing
        return (
            f"It is asked in another language ({asked}) than the sources' ({there}); whether they answer is not sure."
        )
    missing = _missing(prompt.question, prompt.sources)
    if missing:
        return f"No source mentions {', '.join(f'“{word}”' for word in missing[:_NAMED])}."
    if not ranked:
        return "No sentence of the sources shares a word with the question."
    return "The sources speak of this, but no sentence of theirs answers the question."


def _missing(question: str, sources: Sequence[Source]) -> list[str]:
    """The question's telling words that no source holds in any form, each once; of a page of words none is named."""
    if len(words(question)) > _LONG:
        return []
    texts = [f"{source.title} {source.text}".casefold() for source in sources]
    told = dict.fromkeys(word for word, _, _ in words(question) if tells(word))
    return [word for word in told if not any(_beginning(word) in text for text in texts)]


def _considered(one: Scored, answers: float | None) -> Considered:
    rounded = None if answers is None else round(answers, 3)
    return Considered(one.source_index, one.start, one.end, one.sentence.text, round(one.score, 3), rounded)


def _beginning(word: str) -> str:
    """What all forms of a word begin with: ``policies`` → polic."""
    one, folded = stem(word), fold(word)
    same = next((i for i, (a, b) in enumerate(zip(one, folded, strict=False)) if a != b), min(len(one), len(folded)))
    return folded[: max(1, min(6, same))]


def _shortened(passage: Passage, tokens: int) -> Passage:
    """As many whole words of a passage as fit."""
    kept = passage.text
    while kept and estimate_tokens(kept) > tokens:
        kept = kept[: max(0, min(len(kept) - 1, tokens * 4))].rpartition(" ")[0]
    return Passage(kept or passage.text[: max(1, tokens)], passage.pointers)


def _ending(reply: Reply, usage: Usage) -> Delta:
    reason = FinishReason.LENGTH if reply.cut else FinishReason.COMPLETE
    return Delta(usage=usage, finish_reason=reason, detail=reply.reason, near=())


def _told(found: Sequence[Passage], *, bullets: bool) -> Iterator[tuple[str, tuple[Pointer, ...]]]:
    """The passages as they are written, with what each piece points at: a list of several items a line each."""
    opening = ""
    for passage in found:
        if bullets:
            yield f"{opening}- {passage.text}", passage.pointers
            opening = "\n"
        elif passage.text.endswith("\n```"):  # a listing stands apart
            yield ("\n\n" if opening else "") + passage.text + "\n", passage.pointers
            opening = "\n\n"
        elif len(passage.items) > 1:
            yield opening + passage.lead, ()
            for one in passage.items:
                yield f"\n{one.text}", one.pointers
            opening = "\n\n"
        else:
            yield opening + passage.text, passage.pointers
            opening = " "


def _check_schema(prompt: Prompt) -> None:
    if prompt.schema is None:
        return
    properties = set(prompt.schema.json.get("properties", {}))
    if "answer" not in properties or not properties <= _SCHEMA_FIELDS:
        raise ConfigurationError(
            f"extractive cannot fill the schema {prompt.schema.name!r}: it only copies sentences; "
            "choose a model (provider='openai', 'anthropic', 'gemini' or 'compatible')"
        )


def _fields(prompt: Prompt, reply: Reply) -> dict[str, Any]:
    """The fields of an `AnswerWithSources`-like schema; sources counted from 1, as the markers are."""
    used = list(dict.fromkeys(pointer.source + 1 for passage in reply.passages for pointer in passage.pointers))
    marked = [f"{one.text} [{one.pointers[0].source + 1}]" for one in reply.passages]
    fields = {
        "answer": " ".join(marked) or reply.reason,
        "confidence": round(reply.chance, 3),
        "sources_used": used,
        "key_facts": [passage.text for passage in reply.passages],
        "limitations": reply.reason or None,
    }
    wanted = prompt.schema.json.get("properties", {}) if prompt.schema else {}
    return {name: value for name, value in fields.items() if name in wanted}
