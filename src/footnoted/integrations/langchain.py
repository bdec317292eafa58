"""LangChain's documents, chains, retrievers and models: `GroundedRunnable`, `CheckRunnable`, `LangChainRetriever` ….

Needs langchain-core (``pip install 'footnoted[langchain]'``). Text streams; callbacks and traces see each run.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Mapping, Sequence
from contextlib import aclosing
from typing import TYPE_CHECKING, Any, Literal

from footnoted.contract import GenerationConfig, GenerationRequest, GenerationResponse, SourceContext
from footnoted.errors import ConfigurationError, ProviderUnavailable
from footnoted.grounding.detector import GroundingResult, HallucinationDetector
from footnoted.integrations._answering import ending, generator_of, pieces_and_response
from footnoted.integrations._documents import asked_of, bounded, context_of, question_of, turns
from footnoted.integrations._extra import needed
from footnoted.integrations._waiting import pieces_of, result_of
from footnoted.types import Delta, Usage

with needed("langchain"):
    from langchain_core.documents import Document
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
    from langchain_core.messages.ai import UsageMetadata
    from langchain_core.runnables import Runnable, RunnableConfig

if TYPE_CHECKING:
    from footnoted.retrieval.retriever import Filters
    from footnoted.types import Prompt

__all__ = ["CheckRunnable", "GroundedRunnable", "LangChainProvider", "LangChainRetriever", "contexts"]

Output = Literal["response", "text", "message"]
_ROLES = {"human": "user", "user": "user", "ai": "assistant", "assistant": "assistant", "AIMessageChunk": "assistant"}
_WHY = ("finish_reason", "stop_reason", "done_reason", "stopReason", "finishReason", "status")


def contexts(documents: Any) -> list[SourceContext]:
    """LangChain documents as footnoted's sources, in order. Texts, and what is a source already, are taken too."""
    if isinstance(documents, str | Document | SourceContext):
        documents = [documents]
    if not isinstance(documents, Sequence):
        raise ConfigurationError(f"documents must be a list of LangChain documents, not {type(documents).__name__}")
    return [_context(document) for document in documents]


def _context(document: Any) -> SourceContext:
    if isinstance(document, SourceContext):
        return document
    if isinstance(document, str):
        return context_of(document)
    if not isinstance(document, Document):
        raise ConfigurationError(f"a document must be a LangChain Document, not {type(document).__name__}")
    data = document.metadata
    return context_of(
        document.page_content, id_=document.id, metadata=data, score=data.get("relevance_score", data.get("score"))
    )


class LangChainRetriever:
    """A LangChain retriever, or any ``Runnable`` from a question to documents, as `footnoted.retrieval.Retriever`."""

    def __init__(self, retriever: Runnable[str, Any]) -> None:
        self._retriever = retriever

    async def retrieve(self, question: str, *, k: int = 8, filters: Filters | None = None) -> list[SourceContext]:
        """What it finds, in its order, cut to ``k``; ``filters`` are held against the documents' metadata."""
        return bounded(contexts(await self._retriever.ainvoke(question)), k, filters)


class GroundedRunnable(Runnable[Any, Any]):
    """``{"question", "documents"}`` in; a checked, cited answer out. ``context`` may stand for ``documents``.

    ``history`` (messages, or pairs of user and assistant) is taken where it is given. ``output``: ``response`` is
    the whole `GenerationResponse`, ``text`` its text, ``message`` an ``AIMessage`` with the response in
    ``response_metadata["footnoted"]``. All of them stream: a response its text in pieces, and last itself. Text that
    was cut off raises `ProviderError` after its last piece; a message or a response says so in its finish reason.

    ``provider`` is whatever `GroundedGenerator` takes, a LangChain chat model, or a generator that is already
    made; other keywords are the generator's.
    """

    def __init__(
        self,
        provider: Any = "extractive",
        *,
        output: Output = "response",
        config: GenerationConfig | None = None,
        **generator: Any,
    ) -> None:
        if output not in ("response", "text", "message"):
            raise ConfigurationError(f"output is 'response', 'text' or 'message', not {output!r}")
        if isinstance(provider, BaseChatModel):
            provider = LangChainProvider(provider)
        self.generator = generator_of(provider, **generator)
        self._output = output
        self._config = config or GenerationConfig()

    def invoke(self, input: Any, config: RunnableConfig | None = None, **_: Any) -> Any:  # noqa: A002
        """The answer; blocks until it is whole."""
        return self._call_with_config(lambda given: result_of(self._answer(given)), input, config)

    async def ainvoke(self, input: Any, config: RunnableConfig | None = None, **_: Any) -> Any:  # noqa: A002
        """The answer."""
        return await self._acall_with_config(self._answer, input, config)

    def stream(self, input: Any, config: RunnableConfig | None = None, **_: Any) -> Iterator[Any]:  # noqa: A002
        """The answer as it comes; where a ``response`` is asked for, its text in pieces, and then the response."""

        def answers(inputs: Iterator[Any]) -> Iterator[Any]:
            for asked in inputs:
                yield from pieces_of(self._pieces(asked))

        yield from self._transform_stream_with_config(iter([input]), answers, config)

    async def astream(self, input: Any, config: RunnableConfig | None = None, **_: Any) -> AsyncIterator[Any]:  # noqa: A002
        """The answer as it comes; where a ``response`` is asked for, its text in pieces, and then the response."""

        async def inputs() -> AsyncIterator[Any]:
            yield input

        async def answers(inputs: AsyncIterator[Any]) -> AsyncGenerator[Any]:
            async for asked in inputs:
                async with aclosing(self._pieces(asked)) as pieces:
                    async for piece in pieces:
                        yield piece

        async for piece in self._atransform_stream_with_config(inputs(), answers, config):
            yield piece

    async def _answer(self, given: Any) -> Any:
        request = self._request(given)
        if self._output == "text":
            async with aclosing(self._pieces(given)) as pieces:
                return "".join([piece async for piece in pieces])
        response = await self.generator.generate(request)
        return response if self._output == "response" else AIMessage(content=response.response, **_beside(response))

    async def _pieces(self, given: Any) -> AsyncGenerator[Any]:
        request = self._request(given)
        if self._output == "text":
            text = self.generator.generate_streaming(request)
            async with aclosing(text):
                async for piece in text:
                    yield piece
            return
        async with aclosing(pieces_and_response(self.generator, request)) as pieces:
            async for part in pieces:
                if self._output == "response":
                    yield part
                elif isinstance(part, str):
                    yield AIMessageChunk(content=part)
                else:
                    yield AIMessageChunk(content="", chunk_position="last", **_beside(part))

    def _request(self, given: Any) -> GenerationRequest:
        if not isinstance(given, Mapping):
            raise ConfigurationError(f'the input is {{"question", "documents"}}, not {type(given).__name__}')
        question = next((given[name] for name in ("question", "query", "input") if name in given), None)
        documents = next((given[name] for name in ("documents", "context") if name in given), None)
        if question is None or documents is None:
            raise ConfigurationError(f'the input needs "question" and "documents"; it has {", ".join(map(str, given))}')
        if isinstance(question, BaseMessage):
            question = str(question.text)
        return GenerationRequest(
            query=question_of(question),
            context=contexts(documents),
            config=self._config,
            conversation_history=_history(given.get("history") or given.get("chat_history") or ()),
        )


def _beside(response: GenerationResponse) -> dict[str, Any]:
    """What a message carries beside its text."""
    usage = response.usage
    return {
        "response_metadata": {
            "finish_reason": response.finish_reason.value,
            "footnoted": response.model_dump(mode="json"),
        },
        "usage_metadata": UsageMetadata(
            input_tokens=usage.input, output_tokens=usage.output, total_tokens=usage.input + usage.output
        ),
    }


def _history(messages: Sequence[Any]) -> list[tuple[str, str]]:
    """Messages, or pairs of user and assistant, as pairs."""
    if all(isinstance(message, BaseMessage) for message in messages):
        return turns([(_ROLES.get(message.type, ""), str(message.text)) for message in messages])
    return [(str(user), str(assistant)) for user, assistant in messages]


class CheckRunnable(Runnable[Any, GroundingResult]):
    """``{"answer", "documents"}`` in; which of the answer's sentences the documents carry, and by which words, out.

    The answer may be text or a message. No network, no key: the shipped tiers decide, unless a ``detector`` is given.
    """

    def __init__(self, detector: HallucinationDetector | None = None) -> None:
        self._detector = detector or HallucinationDetector()

    def invoke(self, input: Any, config: RunnableConfig | None = None, **_: Any) -> GroundingResult:  # noqa: A002
        """The verdicts; blocks until all are in."""
        return self._call_with_config(lambda given: result_of(self._check(given)), input, config)

    async def ainvoke(self, input: Any, config: RunnableConfig | None = None, **_: Any) -> GroundingResult:  # noqa: A002
        """The verdicts."""
        return await self._acall_with_config(self._check, input, config)

    async def _check(self, given: Any) -> GroundingResult:
        if not isinstance(given, Mapping) or "answer" not in given or not ({"documents", "context"} & set(given)):
            raise ConfigurationError('the input is {"answer", "documents"}')
        answer = given["answer"]
        if isinstance(answer, BaseMessage):
            answer = str(answer.text)
        if isinstance(answer, GenerationResponse):
            answer = answer.response
        if not isinstance(answer, str):
            raise ConfigurationError(f"the answer must be text or a message, not {type(answer).__name__}")
        return await self._detector.check_grounding(answer, contexts(given.get("documents", given.get("context"))))


class LangChainProvider:
    """A LangChain chat model as footnoted's provider: a prompt in, deltas out.

    Sampling is the model's own: set temperature and length on the model. An answer is ``complete`` only when the
    model's finish reason says so; a stream that just ends is ``truncated``, unless ``ends_silently`` says that
    this model never gives a reason (then a cut stream cannot be told from a whole one).
    """

    def __init__(self, model: Any, *, ends_silently: bool = False) -> None:
        if not callable(getattr(model, "astream", None)):
            raise ConfigurationError(f"a LangChain chat model has astream(); {type(model).__name__} has none")
        self._chat = model
        self._ends_silently = ends_silently
        self.name = f"langchain:{type(model).__name__}"
        self.model: str | None = getattr(model, "model_name", None) or getattr(model, "model", None)

    async def stream(self, prompt: Prompt) -> AsyncGenerator[Delta]:
        """The reply piece by piece; the last delta says how it ended."""
        why: Any = None
        usage: Usage | None = None
        try:
            async with aclosing(self._chat.astream(asked_of(prompt))) as chunks:
                async for chunk in chunks:
                    if isinstance(chunk, str):  # the chain's last step made text of it
                        yield Delta(chunk)
                        continue
                    usage = _counted(usage, getattr(chunk, "usage_metadata", None))
                    why = _why(chunk.response_metadata) or why
                    if text := str(chunk.text):
                        yield Delta(text)
        except RuntimeError as error:
            if "loop is closed" not in str(error):
                raise
            # LangChain shares its connections among event loops and keeps those of one that has ended; it lets go of
            # them now, so that another try finds a connection of its own.
            raise ProviderUnavailable("the model kept a connection of an event loop that has ended") from error
        yield ending(why, ends_silently=self._ends_silently, usage=usage)


def _why(metadata: Mapping[str, Any]) -> Any:
    """The vendor's reason for stopping, in a message's metadata."""
    cut = metadata.get("incomplete_details")
    if isinstance(cut, Mapping) and cut.get("reason"):
        return cut["reason"]
    return next((metadata[name] for name in _WHY if metadata.get(name)), None)


def _counted(sofar: Usage | None, more: Mapping[str, Any] | None) -> Usage | None:
    """Chunks carry what each adds."""
    if not more:
        return sofar
    before = sofar or Usage()
    cached = (more.get("input_token_details") or {}).get("cache_read") or 0
    return Usage(
        input=before.input + (more.get("input_tokens") or 0),
        cached=before.cached + cached,
        output=before.output + (more.get("output_tokens") or 0),
    )
