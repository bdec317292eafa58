"""A prompt in; an answer made of the sources' own sentences, each with its pointer, out. No model, no network."""

from __future__ import annotations

import asyncio
import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from footnoted.errors import ConfigurationError
from footnoted.orders import is_order
from footnoted.providers import _wording
from footnoted.relevance import Scored, answerability, rank
from footnoted.text import content_stems, estimate_tokens
from footnoted.types import Delta, FinishReason, Pointer, Prompt, Source, Turn, Usage

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

_THREAD_FROM = 40_000  # code points; below it ranking is quicker than the hop to a thread
_SCHEMA_FIELDS = frozenset({"answer", "confidence", "sources_used", "key_facts", "limitations"})
THRESHOLD = 0.5


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of the answer: its text, and the words of the sources it is made of."""

    text: str
    pointers: tuple[Pointer, ...]
    score: float


@dataclass(frozen=True, slots=True)
class Reply:
    """What the sources say to the question; no passages when they do not answer it."""

    passages: tuple[Passage, ...]
    chance: float
    reason: str = ""


class Extractive:
    """Answers in the sources' own sentences, or refuses when the chance that they answer is under `threshold`.

    ``sentences`` bounds the answer's length. Nothing leaves the process.
    """

    name = "extractive"
    model = "extractive"

    def __init__(self, *, threshold: float | None = None, sentences: int = 4) -> None:
        if threshold is not None and not 0 <= threshold <= 1:
            raise ConfigurationError(f"threshold is a chance between 0 and 1, not {threshold}")
        if sentences < 1:
            raise ConfigurationError(f"an extractive answer has at least one sentence, not {sentences}")
        self.threshold = THRESHOLD if threshold is None else threshold
        self.sentences = sentences

    async def stream(self, prompt: Prompt) -> AsyncIterator[Delta]:
        """Yield the answer sentence by sentence; a schema's object as one text."""
        _check_schema(prompt)
        if sum(len(source.text) for source in prompt.sources) > _THREAD_FROM:
            reply = await asyncio.to_thread(self.answer, prompt)
        else:
            reply = self.answer(prompt)
        read = sum(estimate_tokens(source.text) for source in prompt.sources) + estimate_tokens(
            prompt.question
        )
        written = 0
        if prompt.schema is not None:
            text = json.dumps(_fields(prompt, reply), ensure_ascii=False)
            written = estimate_tokens(text)
            yield Delta(text=text)
        elif not reply.passages:
            usage = Usage(input=read)
            yield Delta(usage=usage, finish_reason=FinishReason.REFUSED, detail=reply.reason)
            return
        else:
            for number, passage in enumerate(reply.passages):
                text = _opening(number, bullets=prompt.bullets) + passage.text
                written += estimate_tokens(text)
                yield Delta(text=text, pointers=passage.pointers)
                await asyncio.sleep(0)
        yield Delta(usage=Usage(input=read, output=written), finish_reason=FinishReason.COMPLETE)

    async def aclose(self) -> None:
        """Nothing to close: the class holds no connection."""

    def answer(self, prompt: Prompt) -> Reply:
        """The passages that answer the prompt's question, in the order to write them."""
        if not prompt.sources:
            return Reply((), 0.0, "There are no sources to answer from.")
        question = in_context(prompt.question, prompt.history)
        # A sentence that orders about whoever answers tells nothing, however well its words fit.
        ranked = [one for one in rank(question, prompt.sources) if not is_order(_words(one, prompt.sources))]
        chance = answerability(question, ranked)
        if chance < self.threshold:
            return Reply((), chance, f"Nothing in the sources answers this (chance {chance:.2f}).")
        passages = _written(ranked, prompt.sources, limit=self.sentences, tokens=prompt.sampling.max_tokens)
        return Reply(passages, chance, "" if passages else "Nothing in the sources answers this.")


def in_context(question: str, history: Sequence[Turn]) -> str:
    """A follow-up that says too little alone, with the question before it; any other as it is."""
    thin = len(content_stems(question)) < 2 or re.match(
        r"\s*(?:and|what about|how about)\b", question, re.IGNORECASE
    )
    if history and thin:
        return f"{history[-1].user} {question}"
    return question


def _written(
    ranked: Sequence[Scored], sources: Sequence[Source], *, limit: int, tokens: int
) -> tuple[Passage, ...]:
    """The best sentences as passages, near copies left out, as many as fit."""
    passages: list[Passage] = []
    seen: list[frozenset[str]] = []
    left = tokens
    best = ranked[0].score
    for one in ranked[:50]:
        if len(passages) == limit or one.score < best / 2:
            break
        text = _wording.sentence(_words(one, sources))
        stems = frozenset(content_stems(text))
        if not stems or any(len(stems & other) > 0.7 * min(len(stems), len(other)) for other in seen):
            continue
        cost = estimate_tokens(text)
        if cost > left and passages:
            continue
        left -= cost
        seen.append(stems)
        passages.append(Passage(text, (Pointer(one.source_index, one.start, one.end),), one.score))
    return tuple(passages)


def _words(one: Scored, sources: Sequence[Source]) -> str:
    return sources[one.source_index].text[one.start : one.end]


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


def _fields(prompt: Prompt, reply: Reply) -> dict[str, object]:
    """The fields of an `AnswerWithSources`-like schema; sources counted from 1, as the markers are."""
    used = list(
        dict.fromkeys(pointer.source + 1 for passage in reply.passages for pointer in passage.pointers)
    )
    fields: dict[str, object] = {
        "answer": " ".join(
            passage.text + "".join(f" [{pointer.source + 1}]" for pointer in passage.pointers[:1])
            for passage in reply.passages
        )
        or reply.reason,
        "confidence": round(reply.chance, 3),
        "sources_used": used,
        "key_facts": [passage.text for passage in reply.passages],
        "limitations": reply.reason or None,
    }
    wanted = prompt.schema.json.get("properties", {}) if prompt.schema else {}
    return {name: value for name, value in fields.items() if name in wanted}
