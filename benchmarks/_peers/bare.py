"""The floor: read, split lines, parse JSON, take the text. No check of the ending, no deadline, no retry."""

from __future__ import annotations

import json
from contextlib import AsyncExitStack

from _peers.asked import MESSAGES, MODEL, SYSTEM, USER, Read, Seen

LIMITS = "aiohttp's sock_read=5"
BODIES = {
    "openai": {"model": MODEL, "messages": MESSAGES, "stream": True, "stream_options": {"include_usage": True}},
    "anthropic": {
        "model": MODEL,
        "max_tokens": 1000,
        "system": SYSTEM,
        "messages": [{"role": "user", "content": USER}],
        "stream": True,
    },
    "gemini": {
        "systemInstruction": {"parts": [{"text": SYSTEM}]},
        "contents": [{"role": "user", "parts": [{"text": USER}]}],
    },
}
PATHS = {
    "openai": "/chat/completions",
    "anthropic": "/v1/messages",
    "gemini": f"/v1beta/models/{MODEL}:streamGenerateContent?alt=sse",
}
HEADERS = {"Authorization": "Bearer none", "x-api-key": "none", "anthropic-version": "2023-06-01"}


def _openai(data: dict) -> tuple[str | None, str | None]:
    choices = data.get("choices")
    return (choices[0]["delta"].get("content"), choices[0].get("finish_reason")) if choices else (None, None)


def _anthropic(data: dict) -> tuple[str | None, str | None]:
    delta = data.get("delta") or {}
    return delta.get("text"), delta.get("stop_reason")


def _gemini(data: dict) -> tuple[str | None, str | None]:
    candidate = (data.get("candidates") or [{}])[0]
    parts = candidate.get("content", {}).get("parts") or [{}]
    return parts[0].get("text"), candidate.get("finishReason")


TEXTS = {"openai": _openai, "anthropic": _anthropic, "gemini": _gemini}


async def opened(stack: AsyncExitStack, base_url: str, *, limits: bool = False, variant: str = "openai") -> Read:
    """One session for all streams."""
    import aiohttp

    timeout = aiohttp.ClientTimeout(total=None, sock_read=5) if limits else aiohttp.ClientTimeout(total=300)
    connector = aiohttp.TCPConnector(limit=0)
    session = await stack.enter_async_context(aiohttp.ClientSession(connector=connector, timeout=timeout))
    url, body, text_of = base_url + PATHS[variant], BODIES[variant], TEXTS[variant]

    async def read(seen: Seen) -> str | None:
        rest, finish = b"", None
        async with session.post(url, json=body, headers=HEADERS) as response:
            async for piece in response.content.iter_any():
                *lines, rest = (rest + piece).split(b"\n")
                for line in lines:
                    if line.startswith(b"data: ") and line != b"data: [DONE]":
                        text, reason = text_of(json.loads(line[6:]))
                        finish = reason or finish
                        if text and seen(text):
                            return finish
        return finish

    return read
