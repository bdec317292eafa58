"""LangChain: ChatOpenAI streams; its how-to for citations is a structured answer with ids and quotes."""

from __future__ import annotations

from contextlib import AsyncExitStack
from typing import Any

from _texts import SOURCES

from _peers.asked import MESSAGES, MODEL, Read, Seen

LIMITS = "ChatOpenAI(timeout=5, max_retries=2)"


async def opened(stack: AsyncExitStack, base_url: str, *, limits: bool = False, variant: str = "") -> Read:  # noqa: ARG001
    """One model object for all streams."""
    from langchain_openai import ChatOpenAI

    options: dict[str, Any] = {"timeout": 5, "max_retries": 2} if limits else {}
    model = ChatOpenAI(model=MODEL, api_key="none", base_url=base_url, stream_usage=True, **options)
    messages = [(message["role"], message["content"]) for message in MESSAGES]

    async def read(seen: Seen) -> str | None:
        finish = None
        async for chunk in model.astream(messages):
            finish = chunk.response_metadata.get("finish_reason") or finish
            if chunk.text and seen(str(chunk.text)):
                break
        return finish

    return read


async def cited(base_url: str, variant: str) -> dict[str, Any]:  # noqa: ARG001
    """A structured answer of sentences, each with its source's id and a quote."""
    from langchain_openai import ChatOpenAI
    from pydantic import BaseModel, Field

    class Citation(BaseModel):
        """Where a sentence comes from."""

        source_id: int = Field(description="The number of the source that supports the sentence.")
        quote: str = Field(description="The words of that source, letter by letter.")

    class Sentence(BaseModel):
        """One sentence of the answer."""

        text: str
        citations: list[Citation]

    class CitedAnswer(BaseModel):
        """An answer from the given sources alone."""

        sentences: list[Sentence]

    model = ChatOpenAI(model=MODEL, api_key="none", base_url=base_url).with_structured_output(CitedAnswer)
    messages = [(message["role"], message["content"]) for message in MESSAGES]
    answer = await model.ainvoke(messages)
    text, cites = "", []
    for sentence in answer.sentences:
        text += sentence.text + " "
        for one in sentence.citations:
            known = 1 <= one.source_id <= len(SOURCES)
            cites.append({"at": len(text) - 2, "source": one.source_id if known else None})
    return {"text": text, "cites": cites, "flags": []}
