"""litellm: ``acompletion(stream=True)`` to an OpenAI-shaped address."""

from __future__ import annotations

from contextlib import AsyncExitStack
from typing import Any

from _texts import SOURCES

from _peers.asked import MESSAGES, MODEL, Read, Seen, by_regex

LIMITS = "acompletion(timeout=5, stream_timeout=5, num_retries=2)"


async def opened(stack: AsyncExitStack, base_url: str, *, limits: bool = False, variant: str = "") -> Read:  # noqa: ARG001
    """It keeps its own clients."""
    import litellm

    options: dict[str, Any] = {"timeout": 5, "stream_timeout": 5, "num_retries": 2} if limits else {}

    async def read(seen: Seen) -> str | None:
        finish = None
        stream = await litellm.acompletion(
            model=f"openai/{MODEL}",
            messages=MESSAGES,
            stream=True,
            stream_options={"include_usage": True},
            api_base=base_url,
            api_key="none",
            **options,
        )
        async for chunk in stream:
            if chunk.choices:
                finish = chunk.choices[0].finish_reason or finish
                if (text := chunk.choices[0].delta.content) and seen(text):
                    break
        return finish

    return read


async def cited(base_url: str, variant: str) -> dict[str, Any]:  # noqa: ARG001
    """It has no seat for citations of given sources: the usual regex over its text."""
    import litellm

    reply = await litellm.acompletion(model=f"openai/{MODEL}", messages=MESSAGES, api_base=base_url, api_key="none")
    text = reply.choices[0].message.content
    return {"text": text, "cites": by_regex(text, len(SOURCES)), "flags": []}
