"""A prompt in; an answer made of the sources' own sentences, each with its pointer, out. No model, no network."""

from __future__ import annotations

import asyncio
import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from footnoted.encoder import EncoderUnavailable
from footnoted.errors import ConfigurationError
from footnoted.orders import is_order
from footnoted.providers._choosing import Passage, passages
from footnoted.relevance import EncoderLikeness, answerability, rank, tells
from footnoted.text import content_stems, estimate_tokens, fold, stem, words
from footnoted.types import Delta, FinishReason, Prompt, Usage

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from footnoted.relevance import Likeness, Scored
    from footnoted.types import Turn

THRESHOLD = 0.5  # where the weights were fitted to divide best
_THREAD_FROM = 20_000  # code points; below it ranking is quicker than a reader can see
_SCHEMA_FIELDS = frozenset({"answer", "confidence", "sources_used", "key_facts", "limitations"})
_FOLLOWS = re.compile(r"\s*(?:and|or|but|also|what about|how about|what if|so)\b", re.IGNORECASE)
_POINTS_BACK = re.compile(
    r"\b(?:it|its|they|them|their|that|this|those|these|he|she|him|her|there|one)\b", re.IGNORECASE
)
_THIN, _THIN_POINTING = 2, 4  # fewer words of content than this need the question before
_LOOKED_BACK = 3  # turns


@dataclass(frozen=True, slots=True)
class Reply:
    """What the sources say to the question; no passages when they do not answer it.

    ``chance`` is that of an answer being in them; ``cut`` tells that even the first sentence was too long.
    """

    passages: tuple[Passage, ...]
    chance: float
    reason: str = ""
    cut: bool = False


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
        likeness: Likeness | Literal["shipped"] | None = None,
    ) -> None:
        if threshold is not None and not 0 <= threshold <= 1:
            raise ConfigurationError(f"threshold is a chance between 0 and 1, not {threshold}")
        if sentences < 1:
            raise ConfigurationError(f"an extractive answer has at least one sentence, not {sentences}")
        self.threshold = THRESHOLD if threshold is None else threshold
        self.sentences = sentences
        self.likeness: Likeness | None = EncoderLikeness() if likeness == "shipped" else likeness
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
        for number, passage in enumerate(reply.passages):
            text = _opening(number, bullets=prompt.bullets) + passage.text
            written += estimate_tokens(text)
            yield Delta(text=text, pointers=passage.pointers)
            await asyncio.sleep(0)
        if reply.passages:
            yield _ending(reply, Usage(input=read, output=written))
        else:
            yield Delta(usage=Usage(input=read), finish_reason=FinishReason.REFUSED, detail=reply.reason)

    async def aclose(self) -> None:
        """Nothing to close: the class holds no connection."""

    def answer(self, prompt: Prompt) -> Reply:
        """The passages that answer the prompt's question, in the order to write them."""
        if not any(source.text.strip() for source in prompt.sources):
            return Reply((), 0.0, "There are no sources to answer from.")
        about = before(prompt.question, prompt.history)
        ranked = self._ranked(prompt, about)
        # A sentence that orders about whoever answers tells nothing, however well its words fit.
        ranked = [one for one in ranked if not is_order(one.sentence.text)]
        chance = answerability(f"{about} {prompt.question}", ranked)
        if chance < self.threshold:
            return Reply((), chance, _why_not(prompt, ranked))
        room = prompt.sampling.max_tokens
        found = passages(ranked, prompt.sources, limit=self.sentences, tokens=room)
        if not found:
            return Reply((), chance, _why_not(prompt, ranked))
        if estimate_tokens(found[0].text) > room:
            return Reply((_shortened(found[0], room),), chance, cut=True)
        return Reply(found, chance)

    def _ranked(self, prompt: Prompt, about: str) -> list[Scored]:
        try:
            return rank(prompt.question, prompt.sources, about=about, likeness=self.likeness)
        except EncoderUnavailable:
            if not self._may_go_without:
                raise
            self.likeness = None
            return rank(prompt.question, prompt.sources, about=about)


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


def _leans(question: str) -> bool:
    content = len(set(content_stems(question)))
    pointing = _POINTS_BACK.search(question) and content < _THIN_POINTING
    return content < _THIN or bool(_FOLLOWS.match(question)) or bool(pointing)


def _why_not(prompt: Prompt, ranked: Sequence[Scored]) -> str:
    """The plain reason of a refusal: the question's telling words that no source holds, if there are any."""
    texts = [f"{source.title} {source.text}".casefold() for source in prompt.sources]
    missing = [
        word
        for word, _, _ in words(prompt.question)
        if tells(word) and not any(_beginning(word) in text for text in texts)
    ]
    if missing:
        named = ", ".join(f"“{word}”" for word in dict.fromkeys(missing[:4]))
        return f"No source mentions {named}."
    if not ranked:
        return "No sentence of the sources shares a word with the question."
    return "The sources speak of this, but no sentence of theirs answers the question."


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
    return Delta(usage=usage, finish_reason=FinishReason.LENGTH if reply.cut else FinishReason.COMPLETE)


def _opening(number: int, *, bullets: bool) -> str:
    if bullets:
        return "\n- " if number else "- "
    return " " if number else ""


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
