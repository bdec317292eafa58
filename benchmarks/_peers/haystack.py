"""Haystack: its OpenAIChatGenerator streams into a callback; its AnswerBuilder reads references."""

from __future__ import annotations

from contextlib import AsyncExitStack
from typing import Any

from _texts import QUESTION, SOURCES

from _peers.asked import MODEL, SYSTEM, USER, HasLeft, Read, Seen, by_regex

LIMITS = "OpenAIChatGenerator(timeout=5, max_retries=2)"


def _generator(base_url: str, **options: Any) -> Any:
    from haystack.components.generators.chat import OpenAIChatGenerator
    from haystack.utils import Secret

    return OpenAIChatGenerator(api_key=Secret.from_token("none"), model=MODEL, api_base_url=base_url, **options)


def _messages() -> list[Any]:
    from haystack.dataclasses import ChatMessage

    return [ChatMessage.from_system(SYSTEM), ChatMessage.from_user(USER)]


async def opened(stack: AsyncExitStack, base_url: str, *, limits: bool = False, variant: str = "") -> Read:  # noqa: ARG001
    """One generator for all streams."""
    options: dict[str, Any] = {"timeout": 5, "max_retries": 2} if limits else {}
    generator = _generator(base_url, generation_kwargs={"stream_options": {"include_usage": True}}, **options)
    messages = _messages()

    async def read(seen: Seen) -> str | None:
        async def heard(chunk: Any) -> None:
            if chunk.content and seen(chunk.content):
                raise HasLeft

        reply = await generator.run_async(messages=messages, streaming_callback=heard)
        return reply["replies"][0].meta.get("finish_reason")

    return read


async def cited(base_url: str, variant: str) -> dict[str, Any]:  # noqa: ARG001
    """AnswerBuilder with a reference pattern: the documents it keeps are those the text refers to."""
    from haystack import Document
    from haystack.components.builders import AnswerBuilder

    replies = (await _generator(base_url).run_async(messages=_messages()))["replies"]
    documents = [Document(content=text, meta={"title": title}) for title, text in SOURCES]
    builder = AnswerBuilder(reference_pattern=r"\[(\d+)\]")
    answer = builder.run(query=QUESTION, replies=replies, documents=documents)["answers"][0]
    kept = {document.meta["title"] for document in answer.documents}
    cites = by_regex(answer.data, len(SOURCES))
    for cite in cites:
        if cite["source"] and SOURCES[cite["source"] - 1][0] not in kept:
            cite["source"] = None
    return {"text": answer.data, "cites": cites, "flags": []}
