"""Makes a provider of a Haystack chat generator. It tells its pieces to a callback; here they are awaited."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from footnoted.errors import BadProviderReply, ConfigurationError
from footnoted.integrations._endings import ending
from footnoted.integrations._extra import needed
from footnoted.providers._schema import in_words
from footnoted.providers.openai import messages
from footnoted.types import Delta, Usage

with needed("haystack"):
    from haystack.dataclasses import ChatMessage, StreamingChunk

if TYPE_CHECKING:
    from footnoted.types import Prompt

_MAKERS = {
    "system": ChatMessage.from_system,
    "user": ChatMessage.from_user,
    "assistant": ChatMessage.from_assistant,
}


def is_chat_generator(thing: Any) -> bool:
    """Whether it is a component that answers messages, rather than a provider."""
    return callable(getattr(thing, "run", None)) and hasattr(thing, "__haystack_input__")


class HaystackProvider:
    """A Haystack chat generator as footnoted's provider: a prompt in, deltas out.

    Sampling is the generator's own. An answer is ``complete`` only when its finish reason says so; one without is
    ``truncated``, unless ``ends_silently`` says that this generator never gives one. A generator that cannot be
    awaited runs in a thread, which goes on to its end when the reader leaves.
    """

    def __init__(self, generator: Any, *, ends_silently: bool = False) -> None:
        if not is_chat_generator(generator):
            raise ConfigurationError(f"a Haystack chat generator is needed, not {type(generator).__name__}")
        self._generator = generator
        self._ends_silently = ends_silently
        self.name = f"haystack:{type(generator).__name__}"
        self.model: str | None = getattr(generator, "model", None)

    async def stream(self, prompt: Prompt) -> AsyncGenerator[Delta]:
        """The reply piece by piece; the last delta says how it ended."""
        heard: asyncio.Queue[StreamingChunk | None] = asyncio.Queue()
        asking = asyncio.create_task(self._ask(prompt, heard))
        asking.add_done_callback(lambda _: heard.put_nowait(None))
        why: Any = None
        spoke = False
        try:
            while (chunk := await heard.get()) is not None:
                why = chunk.finish_reason or why
                if chunk.content:
                    spoke = True
                    yield Delta(chunk.content)
            replies = (await asking).get("replies")
            if not replies:
                raise BadProviderReply("the chat generator gave no reply", provider=self.name)
            meta = replies[0].meta
            if not spoke and replies[0].text:  # it does not stream
                yield Delta(replies[0].text)
            why = why or meta.get("finish_reason") or meta.get("stop_reason")
            yield ending(why, ends_silently=self._ends_silently, usage=_usage(meta.get("usage")))
        finally:
            asking.cancel()
            with suppress(asyncio.CancelledError, Exception):
                await asking

    async def _ask(self, prompt: Prompt, heard: asyncio.Queue[StreamingChunk | None]) -> dict[str, Any]:
        instruction = "" if prompt.schema is None else in_words(prompt.schema.json)
        asked = [_MAKERS[one["role"]](one["content"]) for one in messages(prompt, instruction=instruction)]
        loop = asyncio.get_running_loop()

        def told(chunk: StreamingChunk) -> None:
            loop.call_soon_threadsafe(heard.put_nowait, chunk)

        async def awaited(chunk: StreamingChunk) -> None:
            heard.put_nowait(chunk)

        if hasattr(self._generator, "run_async"):
            work = self._generator.run_async(messages=asked, streaming_callback=awaited)
        else:
            work = asyncio.to_thread(self._generator.run, messages=asked, streaming_callback=told)
        out: dict[str, Any] = await work
        return out


def _usage(told: Any) -> Usage | None:
    if not isinstance(told, dict):
        return None
    details = told.get("prompt_tokens_details") or {}
    return Usage(
        input=told.get("prompt_tokens") or 0,
        cached=(details.get("cached_tokens") if isinstance(details, dict) else 0) or 0,
        output=told.get("completion_tokens") or 0,
    )
