"""LlamaIndex: its OpenAI class streams; its CitationQueryEngine cites."""

from __future__ import annotations

from contextlib import AsyncExitStack
from typing import Any

from _texts import QUESTION, SOURCES

from _peers.asked import MESSAGES, MODEL, Read, Seen, by_regex

LIMITS = "OpenAI(timeout=5, max_retries=2)"


async def opened(stack: AsyncExitStack, base_url: str, *, limits: bool = False, variant: str = "") -> Read:  # noqa: ARG001
    """One model object for all streams."""
    from llama_index.core.llms import ChatMessage
    from llama_index.llms.openai import OpenAI

    options: dict[str, Any] = {"timeout": 5, "max_retries": 2} if limits else {}
    model = OpenAI(model=MODEL, api_key="none", api_base=base_url, **options)
    messages = [ChatMessage(role=message["role"], content=message["content"]) for message in MESSAGES]

    async def read(seen: Seen) -> str | None:
        finish = None
        async for reply in await model.astream_chat(messages):
            if reply.raw and reply.raw.choices:
                finish = reply.raw.choices[0].finish_reason or finish
            if reply.delta and seen(reply.delta):
                break
        return finish

    return read


async def cited(base_url: str, variant: str) -> dict[str, Any]:  # noqa: ARG001
    """CitationQueryEngine over the five sources: [n] of its text is the n-th of its source nodes."""
    from llama_index.core.query_engine import CitationQueryEngine
    from llama_index.core.retrievers import BaseRetriever
    from llama_index.core.schema import NodeWithScore, TextNode
    from llama_index.llms.openai import OpenAI

    class Given(BaseRetriever):
        """Finds the five sources, whatever is asked."""

        def _retrieve(self, _: Any) -> list[NodeWithScore]:
            return [NodeWithScore(node=TextNode(text=text), score=1) for _, text in SOURCES]

    model = OpenAI(model=MODEL, api_key="none", api_base=base_url)
    response = await CitationQueryEngine(Given(), llm=model, citation_chunk_size=2048).aquery(QUESTION)
    text = str(response)
    return {"text": text, "cites": by_regex(text, len(response.source_nodes)), "flags": []}
