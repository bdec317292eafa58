"""The anthropic SDK, its ``messages.stream`` helper; citations are its API's own, over document blocks."""

from __future__ import annotations

from contextlib import AsyncExitStack
from typing import Any

from _texts import QUESTION, SOURCES

from _peers.asked import MODEL, SYSTEM, USER, Read, Seen

LIMITS = "AsyncAnthropic(timeout=5, max_retries=2)"


async def opened(stack: AsyncExitStack, base_url: str, *, limits: bool = False, variant: str = "") -> Read:  # noqa: ARG001
    """One client for all streams."""
    from anthropic import AsyncAnthropic

    options: dict[str, Any] = {"timeout": 5, "max_retries": 2} if limits else {}
    client = await stack.enter_async_context(AsyncAnthropic(api_key="none", base_url=base_url, **options))
    messages = [{"role": "user", "content": USER}]

    async def read(seen: Seen) -> str | None:
        async with client.messages.stream(model=MODEL, max_tokens=1000, system=SYSTEM, messages=messages) as stream:
            async for text in stream.text_stream:
                if seen(text):
                    return None
            return stream.current_message_snapshot.stop_reason

    return read


async def cited(base_url: str, variant: str) -> dict[str, Any]:  # noqa: ARG001
    """Documents with citations enabled: each text block of the answer carries its own."""
    from anthropic import AsyncAnthropic

    documents = [
        {
            "type": "document",
            "title": title,
            "source": {"type": "text", "media_type": "text/plain", "data": text},
            "citations": {"enabled": True},
        }
        for title, text in SOURCES
    ]
    content: list[Any] = [*documents, {"type": "text", "text": QUESTION}]
    async with AsyncAnthropic(api_key="none", base_url=base_url) as client:
        reply = await client.messages.create(
            model=MODEL, max_tokens=1000, messages=[{"role": "user", "content": content}]
        )
    text, cites = "", []
    for block in reply.content:
        text += block.text
        for one in block.citations or []:
            known = one.document_index < len(SOURCES)
            cites.append({"at": len(text) - 1, "source": one.document_index + 1 if known else None})
    return {"text": text, "cites": cites, "flags": []}
