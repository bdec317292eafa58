"""A prompt in; the whole of a reply that must not be cut out."""

from __future__ import annotations

from contextlib import aclosing

from footnoted.answering.answer import Answering
from footnoted.errors import BadProviderReply, ProviderRejected, StructuredOutputError
from footnoted.providers.patience import patient
from footnoted.types import Attempt, FinishReason, Prompt


async def whole_reply(prompt: Prompt, how: Answering) -> str:
    """The reply's text, only if the provider finished it.

    Raises `StructuredOutputError` when it was cut at ``max_tokens``, `ProviderError` when it was filtered,
    broke off, or never came.
    """
    attempts: list[Attempt] = []
    deltas = patient(how.provider, prompt, deadlines=how.deadlines, retry=how.retry, attempts=attempts)
    pieces: list[str] = []
    finish, detail = FinishReason.COMPLETE, ""
    async with aclosing(deltas):
        async for delta in deltas:
            pieces.append(delta.text)
            if delta.finish_reason is not None:
                finish, detail = delta.finish_reason, delta.detail
    reply = "".join(pieces)
    served = attempts[-1].provider if attempts else ""
    if finish is FinishReason.LENGTH:
        raise StructuredOutputError(
            f"the reply was cut at {prompt.sampling.max_tokens} tokens; raise config.max_tokens", reply=reply
        )
    if finish in (FinishReason.FILTERED, FinishReason.REFUSED):
        raise ProviderRejected(detail or f"no reply was given: {finish}", provider=served, attempts=tuple(attempts))
    if finish is not FinishReason.COMPLETE:
        raise BadProviderReply(detail or "the reply broke off", provider=served, attempts=tuple(attempts))
    return reply
