"""Makes a generator of whatever a caller calls a provider, and gives its answer in pieces with the whole last."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any

from footnoted.answering.generator import GroundedGenerator
from footnoted.contract import GenerationRequest, GenerationResponse
from footnoted.errors import BadProviderReply, ConfigurationError, ProviderError


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
