"""The openai SDK, chat completions."""

from __future__ import annotations

from contextlib import AsyncExitStack
from typing import Any

from _texts import SOURCES

from _peers.asked import MESSAGES, MODEL, SYSTEM, USER, Read, Seen, by_regex

LIMITS = "AsyncOpenAI(timeout=5, max_retries=2)"


async def opened(stack: AsyncExitStack, base_url: str, *, limits: bool = False, variant: str = "") -> Read:  # noqa: ARG001
    """One client for all streams."""
    from openai import AsyncOpenAI

    options: dict[str, Any] = {"timeout": 5, "max_retries": 2} if limits else {}
    client = await stack.enter_async_context(AsyncOpenAI(api_key="none", base_url=base_url, **options))
    create = client.chat.completions.create

    async def read(seen: Seen) -> str | None:
        finish = None
        stream = await create(model=MODEL, messages=MESSAGES, stream=True, stream_options={"include_usage": True})
        async for chunk in stream:
            if chunk.choices:
                finish = chunk.choices[0].finish_reason or finish
                if (text := chunk.choices[0].delta.content) and seen(text):
                    break
        return finish

    return read


async def cited(base_url: str, variant: str) -> dict[str, Any]:  # noqa: ARG001
    """It has no seat for citations in chat completions: the usual regex over its text."""
    from openai import AsyncOpenAI

    async with AsyncOpenAI(api_key="none", base_url=base_url) as client:
        messages = [{"role": "system", "content": SYSTEM}, {"role": "user", "content": USER}]
        reply = await client.chat.completions.create(model=MODEL, messages=messages)
    text = reply.choices[0].message.content
    return {"text": text, "cites": by_regex(text, len(SOURCES)), "flags": []}
