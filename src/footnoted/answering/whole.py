"""Asks for a reply that is of no use when cut, whole or as it comes."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass, field

from footnoted.answering.answer import Answering
from footnoted.errors import BadProviderReply, ProviderRejected, StructuredOutputError
from footnoted.providers.patience import patient
from footnoted.types import Attempt, FinishReason, Prompt, Usage


@dataclass(slots=True)
class Said:
    """What a provider has said so far, and what that cost once it told."""

    pieces: list[str] = field(default_factory=list)
    usage: Usage | None = None

    @property
    def text(self) -> str:
        """The reply."""
        return "".join(self.pieces)


async def whole_reply(prompt: Prompt, how: Answering, said: Said | None = None) -> str:
    """The reply's text, only if the provider finished it; ``said`` is filled either way. Raises as `pieces_of` does."""
    said = said or Said()
    async with aclosing(pieces_of(prompt, how, said)) as pieces:
        async for _ in pieces:
            pass
    return said.text


async def pieces_of(prompt: Prompt, how: Answering, said: Said) -> AsyncGenerator[str]:
    """The reply's text as it comes, also gathered in ``said``.

    Raises, after the last piece, `StructuredOutputError` when it was cut at ``max_tokens``, `ProviderError` when it
    was filtered, broke off, or never came.
    """
    attempts: list[Attempt] = []
    deltas = patient(how.provider, prompt, deadlines=how.deadlines, retry=how.retry, attempts=attempts)
    finish, detail = FinishReason.COMPLETE, ""
    async with aclosing(deltas):
        async for delta in deltas:
            said.usage = delta.usage or said.usage
            if delta.finish_reason is not None:
                finish, detail = delta.finish_reason, delta.detail
            if delta.text:
                said.pieces.append(delta.text)
                yield delta.text
    served = attempts[-1].provider if attempts else ""
    if finish is FinishReason.LENGTH:
        raise StructuredOutputError(
            f"the reply was cut at {prompt.sampling.max_tokens} tokens; raise config.max_tokens", reply=said.text
        )
    if finish in (FinishReason.FILTERED, FinishReason.REFUSED):
        raise ProviderRejected(detail or f"no reply was given: {finish}", provider=served, attempts=tuple(attempts))
    if finish is not FinishReason.COMPLETE:
        raise BadProviderReply(detail or "the reply broke off", provider=served, attempts=tuple(attempts))
