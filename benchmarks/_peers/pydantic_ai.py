"""pydantic-ai: an agent over OpenAIChatModel, ``run_stream`` and ``stream_text``, a piece a chunk (no debounce)."""

from __future__ import annotations

from contextlib import AsyncExitStack
from typing import Any

from _texts import SOURCES

from _peers.asked import MODEL, SYSTEM, USER, Read, Seen, by_regex

LIMITS = "ModelSettings(timeout=5), AsyncOpenAI(max_retries=2), its default"


def _agent(base_url: str, *, limits: bool = False) -> Any:
    from pydantic_ai import Agent
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider

    model = OpenAIChatModel(MODEL, provider=OpenAIProvider(base_url=base_url, api_key="none"))
    return Agent(model, instructions=SYSTEM, model_settings={"timeout": 5} if limits else None)


async def opened(stack: AsyncExitStack, base_url: str, *, limits: bool = False, variant: str = "") -> Read:  # noqa: ARG001
    """One agent for all streams."""
    agent = _agent(base_url, limits=limits)

    async def read(seen: Seen) -> str | None:
        async with agent.run_stream(USER) as result:
            async for text in result.stream_text(delta=True, debounce_by=None):
                if seen(text):
                    return None
            return result.response.finish_reason

    return read


async def cited(base_url: str, variant: str) -> dict[str, Any]:  # noqa: ARG001
    """It has no seat for citations: the usual regex over its text."""
    text = (await _agent(base_url).run(USER)).output
    return {"text": text, "cites": by_regex(text, len(SOURCES)), "flags": []}
