"""What the adapters of other libraries share: a generator of any provider, its answer in pieces, a library's endings.

The hard thing is an ending: libraries have many words for why a model stopped, and some have none at all. Without a
word an answer is never ``complete``.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any

from footnoted.answering.generator import GroundedGenerator
from footnoted.contract import GenerationRequest, GenerationResponse
from footnoted.errors import BadProviderReply, ConfigurationError, ProviderError
from footnoted.providers import anthropic, gemini, openai
from footnoted.types import Delta, FinishReason, Usage

# Each vendor's own words, as its protocol has them, and those of the libraries between.
ENDINGS = {
    **{word.lower(): ending for vendor in (openai, anthropic, gemini) for word, ending in vendor.ENDINGS.items()},
    "completed": FinishReason.COMPLETE,  # OpenAI's Responses
    "complete": FinishReason.COMPLETE,
    "eos_token": FinishReason.COMPLETE,
    "max_output_tokens": FinishReason.LENGTH,
    "content_filtered": FinishReason.FILTERED,  # Bedrock
    "guardrail_intervened": FinishReason.FILTERED,
}
SILENT = (
    "the stream ended and its library gave no finish reason, so it may be cut; "
    "for a model that never gives one, set ends_silently=True"
)


def generator_of(provider: Any, **options: Any) -> GroundedGenerator:
    """The generator itself if it is one, else one around the provider."""
    if not isinstance(provider, GroundedGenerator):
        return GroundedGenerator(provider, **options)
    if options:
        raise ConfigurationError(f"{', '.join(options)} cannot be applied to a generator that is already made")
    return provider


async def pieces_and_response(
    generator: GroundedGenerator, request: GenerationRequest
) -> AsyncGenerator[str | GenerationResponse]:
    """The text as it comes, then the response, which tells how it ended. Raises only where nothing was said."""
    text = generator.generate_streaming(request)
    async with aclosing(text):
        try:
            async for piece in text:
                yield piece
        except ProviderError:
            if text.response is None:
                raise
    if text.response is None:
        raise BadProviderReply("the answer ended without an ending; this is a defect of footnoted")
    yield text.response


def ending(word: object, *, ends_silently: bool = False, usage: Usage | None = None) -> Delta:
    """The last delta. No word is ``truncated``, unless the model is known to give none; so is an unknown one."""
    if word in (None, ""):
        if ends_silently:
            return Delta(usage=usage, finish_reason=FinishReason.COMPLETE)
        return Delta(usage=usage, finish_reason=FinishReason.TRUNCATED, detail=SILENT)
    said = str(word).rpartition(".")[2]  # an enumeration's name, FinishReason.STOP
    reason = ENDINGS.get(said.lower(), FinishReason.TRUNCATED)
    detail = "" if reason is FinishReason.COMPLETE else f"the model stopped: {said}"
    return Delta(usage=usage, finish_reason=reason, detail=detail)
