"""Haystack: `GroundedAnswerer` answers, `GroundingChecker` weighs; its chat generators and retrievers are taken.

Needs haystack-ai (``pip install 'footnoted[haystack]'``). Both components are serialisable, run blocking and awaited.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing, suppress
from inspect import isawaitable
from typing import TYPE_CHECKING, Any, Literal

from footnoted.answering.generator import GroundedGenerator
from footnoted.contract import GenerationConfig, GenerationRequest, GenerationResponse, SourceContext
from footnoted.errors import BadProviderReply, ConfigurationError
from footnoted.grounding.detector import GroundingResult, HallucinationDetector
from footnoted.integrations._answering import ending, pieces_and_response
from footnoted.integrations._documents import asked_of, bounded, context_of, question_of, turns
from footnoted.integrations._extra import needed
from footnoted.integrations._waiting import pieces_of, result_of
from footnoted.providers.responses import usage_of
from footnoted.types import Delta

with needed("haystack"):
    from haystack import Document, component, default_from_dict, default_to_dict
    from haystack.core.errors import SerializationError
    from haystack.dataclasses import ChatMessage, GeneratedAnswer, StreamingCallbackT, StreamingChunk
    from haystack.dataclasses.streaming_chunk import ComponentInfo, FinishReason, select_streaming_callback
    from haystack.utils import Secret
    from haystack.utils.callable_serialization import deserialize_callable, serialize_callable

if TYPE_CHECKING:
    from footnoted.retrieval.retriever import Filters
    from footnoted.types import Prompt

__all__ = ["GroundedAnswerer", "GroundingChecker", "HaystackProvider", "HaystackRetriever", "contexts"]

_REASONS: dict[str, FinishReason] = {"complete": "stop", "length": "length", "filtered": "content_filter"}


_MAKERS = {
    "system": ChatMessage.from_system,
    "user": ChatMessage.from_user,
    "assistant": ChatMessage.from_assistant,
}


def contexts(documents: Sequence[Document]) -> list[SourceContext]:
    """Haystack documents as footnoted's sources, in order; one without text stays in its place, empty."""
    return [
        context_of(document.content, id_=document.id, metadata=document.meta, score=document.score)
        for document in documents
    ]


class HaystackRetriever:
    """A Haystack retriever that takes ``query``, or what runs like one, as `footnoted.retrieval.Retriever`.

    Of a component with ``run_async`` that is awaited; ``run`` goes to a thread. What comes must have ``documents``.
    """

    def __init__(self, retriever: Any) -> None:
        self._retriever = retriever

    async def retrieve(self, question: str, *, k: int = 8, filters: Filters | None = None) -> list[SourceContext]:
        """What it finds, in its order, cut to ``k``; ``filters`` are held against the documents' metadata."""
        awaited = getattr(self._retriever, "run_async", None)
        if awaited is not None:
            found = await awaited(query=question)
        else:
            found = await asyncio.to_thread(self._retriever.run, query=question)
        return bounded(contexts(found["documents"]), k, filters)


@component
class GroundedAnswerer:
    """A question and documents in; a checked, cited answer out.

    Out come ``replies`` (one message), ``answers`` (one `GeneratedAnswer` over the same documents, the whole
    response in its ``meta``) and ``citations`` (dicts; ``source_index`` counts the documents given). The finish
    reason stands in the reply's ``meta``: an answer that was cut off is ``truncated``, never ``complete``.

    ``provider`` is whatever `GroundedGenerator` takes, or a Haystack chat generator; ``model``, ``base_url``,
    ``checking``, ``deadlines`` and ``fallback`` are its as well;
    ``config`` the fields of `GenerationConfig`. Without ``api_key`` the vendor's own variable is read.
    """

    def __init__(
        self,
        provider: Any = "extractive",
        *,
        model: str | None = None,
        base_url: str | None = None,
        api_key: Secret | None = None,
        config: dict[str, Any] | None = None,
        checking: Literal["hold", "mark", "amend", "off"] | None = None,
        deadlines: dict[str, float | None] | None = None,
        fallback: str | None = None,
        streaming_callback: StreamingCallbackT | None = None,
    ) -> None:
        self.provider = provider
        self.model = model
        self.base_url = base_url
        self.api_key = api_key
        self.config = dict(config or {})
        self.checking = checking
        self.deadlines = deadlines
        self.fallback = fallback
        self.streaming_callback = streaming_callback
        self._config = GenerationConfig(**self.config)  # a wrong field is said here, not in the middle of a run
        self._generator: GroundedGenerator | None = None

    def warm_up(self) -> None:
        """Make the generator; a missing key or an unknown provider is said here. Run does it too."""
        if self._generator is None:
            asked = HaystackProvider(self.provider) if _is_chat_generator(self.provider) else self.provider
            self._generator = GroundedGenerator(
                asked,
                api_key=self.api_key.resolve_value() if self.api_key else None,
                base_url=self.base_url,
                model=self.model,
                checking=self.checking,
                deadlines=self.deadlines,
                fallback=self.fallback,
            )

    def to_dict(self) -> dict[str, Any]:
        """The component's settings; a key is named by its variable, never written."""
        if not isinstance(self.provider, str) and not _is_chat_generator(self.provider):
            raise SerializationError(
                f"this provider cannot be written down: {self.provider!r}; give its name, or a chat generator, instead"
            )
        callback = self.streaming_callback
        return default_to_dict(
            self,
            provider=self.provider,
            model=self.model,
            base_url=self.base_url,
            api_key=self.api_key,
            config=self._config.model_dump(mode="json", exclude_unset=True),
            checking=self.checking,
            deadlines=self.deadlines,
            fallback=self.fallback,
            streaming_callback=serialize_callable(callback) if callback else None,
        )

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> GroundedAnswerer:
        """The component that `to_dict` wrote down."""
        settings = dict(data.get("init_parameters", {}))
        if settings.get("streaming_callback"):
            settings["streaming_callback"] = deserialize_callable(settings["streaming_callback"])
        return default_from_dict(cls, {**data, "init_parameters": settings})

    @component.output_types(replies=list[ChatMessage], answers=list[GeneratedAnswer], citations=list[dict[str, Any]])
    def run(
        self,
        question: str,
        documents: list[Document],
        history: list[ChatMessage] | None = None,
        streaming_callback: StreamingCallbackT | None = None,
    ) -> dict[str, Any]:
        """The answer; ``streaming_callback`` is told each piece as it comes, in the caller's thread."""
        callback = select_streaming_callback(self.streaming_callback, streaming_callback, requires_async=False)
        request = self._request(question, documents, history)
        if callback is None:
            return _outputs(result_of(self._ready().generate(request)), documents)
        outputs: dict[str, Any] = {}
        for piece in pieces_of(self._pieces(request)):
            if isinstance(piece, GenerationResponse):
                outputs = _outputs(piece, documents)
            else:
                callback(piece)
        return outputs

    @component.output_types(replies=list[ChatMessage], answers=list[GeneratedAnswer], citations=list[dict[str, Any]])
    async def run_async(
        self,
        question: str,
        documents: list[Document],
        history: list[ChatMessage] | None = None,
        streaming_callback: StreamingCallbackT | None = None,
    ) -> dict[str, Any]:
        """The answer, awaited; ``streaming_callback`` may be asynchronous."""
        callback = select_streaming_callback(self.streaming_callback, streaming_callback, requires_async=True)
        request = self._request(question, documents, history)
        if callback is None:
            return _outputs(await self._ready().generate(request), documents)
        outputs: dict[str, Any] = {}
        async with aclosing(self._pieces(request)) as pieces:
            async for piece in pieces:
                if isinstance(piece, GenerationResponse):
                    outputs = _outputs(piece, documents)
                elif isawaitable(done := callback(piece)):
                    await done
        return outputs

    def _ready(self) -> GroundedGenerator:
        self.warm_up()
        assert self._generator is not None  # noqa: S101 - made by warm_up
        return self._generator

    def _request(
        self, question: str, documents: list[Document], history: list[ChatMessage] | None
    ) -> GenerationRequest:
        return GenerationRequest(
            query=question_of(question),
            context=contexts(documents),
            config=self._config,
            conversation_history=turns([(message.role.value, message.text or "") for message in history or ()]),
        )

    async def _pieces(self, request: GenerationRequest) -> AsyncGenerator[StreamingChunk | GenerationResponse]:
        """Chunks as they come, an empty one with the finish reason, and the whole response last."""
        info = ComponentInfo.from_component(self)
        first = True
        async with aclosing(pieces_and_response(self._ready(), request)) as pieces:
            async for piece in pieces:
                if isinstance(piece, str):
                    yield StreamingChunk(content=piece, index=0, start=first, component_info=info)
                    first = False
                    continue
                why = piece.finish_reason.value
                reason, meta = _REASONS.get(why), {"finish_reason": why}
                yield StreamingChunk(content="", index=0, component_info=info, finish_reason=reason, meta=meta)
                yield piece


def _outputs(response: GenerationResponse, documents: list[Document]) -> dict[str, Any]:
    whole = response.model_dump(mode="json")
    meta = {name: whole[name] for name in ("finish_reason", "confidence", "grounding_score", "usage", "provider")}
    answer = GeneratedAnswer(
        data=response.response, query=response.query, documents=documents, meta={**meta, "footnoted": whole}
    )
    reply = ChatMessage.from_assistant(response.response, meta=meta)
    return {"replies": [reply], "answers": [answer], "citations": whole["citations"]}


@component
class GroundingChecker:
    """An answer and documents in; which of its sentences the documents carry, and by which words, out.

    No network, no key. ``grounded`` is whether all stand; ``unsupported`` the sentences that do not; ``claims``
    every one with its verdict and evidence.
    """

    def __init__(self) -> None:
        self._detector = HallucinationDetector()

    @component.output_types(grounded=bool, unsupported=list[str], claims=list[dict[str, Any]])
    def run(self, answer: str, documents: list[Document]) -> dict[str, Any]:
        """The verdicts."""
        return _weighed(result_of(self._check(answer, documents)))

    @component.output_types(grounded=bool, unsupported=list[str], claims=list[dict[str, Any]])
    async def run_async(self, answer: str, documents: list[Document]) -> dict[str, Any]:
        """The verdicts, awaited."""
        return _weighed(await self._check(answer, documents))

    async def _check(self, answer: str, documents: list[Document]) -> GroundingResult:
        if not isinstance(answer, str):
            raise ConfigurationError(f"the answer must be text, not {type(answer).__name__}")
        return await self._detector.check_grounding(answer, contexts(documents))


def _weighed(result: GroundingResult) -> dict[str, Any]:
    return {
        "grounded": result.grounded,
        "unsupported": result.ungrounded_claims,
        "claims": [claim.model_dump(mode="json") for claim in result.claims],
    }


def _is_chat_generator(thing: Any) -> bool:
    """Whether it is a component that answers messages, rather than a provider."""
    return callable(getattr(thing, "run", None)) and hasattr(thing, "__haystack_input__")


class HaystackProvider:
    """A Haystack chat generator as footnoted's provider: a prompt in, deltas out.

    Sampling is the generator's own. An answer is ``complete`` only when its finish reason says so; one without is
    ``truncated``, unless ``ends_silently`` says that this generator never gives one. A generator that cannot be
    awaited runs in a thread, which goes on to its end when the reader leaves.
    """

    def __init__(self, generator: Any, *, ends_silently: bool = False) -> None:
        if not _is_chat_generator(generator):
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
            counts = meta.get("usage")
            usage = usage_of(counts) if isinstance(counts, dict) else None
            yield ending(why, ends_silently=self._ends_silently, usage=usage)
        finally:
            asking.cancel()
            with suppress(asyncio.CancelledError, Exception):
                await asking

    async def _ask(self, prompt: Prompt, heard: asyncio.Queue[StreamingChunk | None]) -> dict[str, Any]:
        messages = [_MAKERS[message["role"]](message["content"]) for message in asked_of(prompt)]
        loop = asyncio.get_running_loop()

        def hear(chunk: StreamingChunk) -> None:
            loop.call_soon_threadsafe(heard.put_nowait, chunk)

        async def hear_awaited(chunk: StreamingChunk) -> None:
            heard.put_nowait(chunk)

        if hasattr(self._generator, "run_async"):
            work = self._generator.run_async(messages=messages, streaming_callback=hear_awaited)
        else:
            work = asyncio.to_thread(self._generator.run, messages=messages, streaming_callback=hear)
        out: dict[str, Any] = await work
        return out
