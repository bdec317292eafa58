"""The google-genai SDK, ``aio.models.generate_content_stream``."""

from __future__ import annotations

from contextlib import AsyncExitStack
from typing import Any

from _texts import SOURCES

from _peers.asked import MODEL, SYSTEM, USER, Read, Seen, by_regex

LIMITS = "HttpOptions(timeout=5000 ms, retry_options=HttpRetryOptions(attempts=3))"


def _client(base_url: str, *, limits: bool = False) -> Any:
    from google import genai
    from google.genai import types

    options: dict[str, Any] = {}
    if limits:
        options = {"timeout": 5000, "retry_options": types.HttpRetryOptions(attempts=3)}
    return genai.Client(api_key="none", http_options=types.HttpOptions(base_url=base_url, **options))


async def opened(stack: AsyncExitStack, base_url: str, *, limits: bool = False, variant: str = "") -> Read:  # noqa: ARG001
    """One client for all streams."""
    from google.genai import types

    client = await stack.enter_async_context(_client(base_url, limits=limits).aio)
    config = types.GenerateContentConfig(system_instruction=SYSTEM)

    async def read(seen: Seen) -> str | None:
        finish = None
        stream = await client.models.generate_content_stream(model=MODEL, contents=USER, config=config)
        async for chunk in stream:
            if chunk.candidates and chunk.candidates[0].finish_reason:
                finish = chunk.candidates[0].finish_reason.value
            if chunk.text and seen(chunk.text):
                break
        return finish

    return read


async def cited(base_url: str, variant: str) -> dict[str, Any]:  # noqa: ARG001
    """Its grounding metadata comes with Google's own search tools only: the usual regex over its text."""
    async with _client(base_url).aio as client:
        reply = await client.models.generate_content(model=MODEL, contents=f"{SYSTEM}\n\n{USER}")
    return {"text": reply.text, "cites": by_regex(reply.text, len(SOURCES)), "flags": []}
