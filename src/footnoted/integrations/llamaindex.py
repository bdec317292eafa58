"""LlamaIndex: `GroundedSynthesizer` stands where a response synthesizer does; its LLMs and retrievers are taken.

Needs llama-index-core (``pip install 'footnoted[llamaindex]'``).
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Generator, Iterator, Mapping, Sequence
from contextlib import aclosing, contextmanager
from typing import TYPE_CHECKING, Any

from footnoted.contract import GenerationConfig, GenerationRequest, GenerationResponse, SourceContext
from footnoted.errors import ConfigurationError
from footnoted.integrations._answering import ending, generator_of
from footnoted.integrations._documents import asked_of, bounded, context_of, question_of
from footnoted.integrations._extra import needed
from footnoted.integrations._waiting import pieces_of, result_of
from footnoted.types import Delta

with needed("llamaindex"):
    from llama_index.core.base.llms.types import ChatMessage, MessageRole
    from llama_index.core.base.response.schema import AsyncStreamingResponse, Response, StreamingResponse
    from llama_index.core.callbacks import CallbackManager, CBEventType, EventPayload
    from llama_index.core.instrumentation.events.synthesis import SynthesizeEndEvent, SynthesizeStartEvent
    from llama_index.core.llms import LLM, MockLLM
    from llama_index.core.response_synthesizers import BaseSynthesizer
    from llama_index.core.schema import MetadataMode, NodeWithScore, QueryBundle
    from llama_index_instrumentation import get_dispatcher

if TYPE_CHECKING:
    from llama_index.core.base.base_retriever import BaseRetriever

    from footnoted.retrieval.retriever import Filters
    from footnoted.types import Prompt

__all__ = ["GroundedSynthesizer", "LlamaIndexProvider", "LlamaIndexRetriever", "contexts"]

_dispatcher = get_dispatcher(__name__)
_WHY = ("finish_reason", "stop_reason", "done_reason", "finishReason", "stopReason")


def contexts(nodes: Sequence[NodeWithScore | Any]) -> list[SourceContext]:
    """LlamaIndex nodes as footnoted's sources, in order: their own words, without the metadata put before them."""
    found = []
    for scored in nodes:
        node, score = (scored.node, scored.score) if isinstance(scored, NodeWithScore) else (scored, None)
        data = dict(node.metadata)
        if node.ref_doc_id:
            data.setdefault("document_id", node.ref_doc_id)
        text = node.get_content(metadata_mode=MetadataMode.NONE)
        found.append(context_of(text, id_=node.node_id, metadata=data, score=score))
    return found


class LlamaIndexRetriever:
    """A LlamaIndex retriever as `footnoted.retrieval.Retriever`."""

    def __init__(self, retriever: BaseRetriever) -> None:
        self._retriever = retriever

    async def retrieve(self, question: str, *, k: int = 8, filters: Filters | None = None) -> list[SourceContext]:
        """What it finds, in its order, cut to ``k``; ``filters`` are held against the nodes' metadata."""
        return bounded(contexts(await self._retriever.aretrieve(question)), k, filters)


class GroundedSynthesizer(BaseSynthesizer):
    """A question and nodes in; a checked, cited response out. For a `RetrieverQueryEngine`, or alone.

    The response has its ``source_nodes``, in the order that ``source_index`` counts, and in its ``metadata``, beside
    each node's own, ``citations`` and ``footnoted``: the whole answer, its finish reason and verdicts among it. With
    ``streaming`` both are there once the last piece is out; text that was cut off raises `ProviderError` after it.

    ``provider`` is whatever `GroundedGenerator` takes, a LlamaIndex LLM, or a generator that is already made; other
    keywords are the generator's.
    """

    def __init__(
        self,
        provider: Any = "extractive",
        *,
        config: GenerationConfig | None = None,
        streaming: bool = False,
        callback_manager: CallbackManager | None = None,
        **generator: Any,
    ) -> None:
        # The base class wants an LLM to size prompts that this one never writes; no model is asked through it.
        llm = provider if isinstance(provider, LLM) else MockLLM()
        super().__init__(llm=llm, callback_manager=callback_manager, streaming=streaming)
        if isinstance(provider, LLM):
            provider = LlamaIndexProvider(provider)
        self.generator = generator_of(provider, **generator)
        self._config = config or GenerationConfig()

    def _get_prompts(self) -> dict[str, Any]:
        return {}

    def _update_prompts(self, prompts: Any) -> None:
        """The prompts are footnoted's templates: ``templates=`` of the generator replaces them."""

    def synthesize(
        self,
        query: str | QueryBundle,
        nodes: list[NodeWithScore],
        additional_source_nodes: Sequence[NodeWithScore] | None = None,
        **_: Any,
    ) -> Response | StreamingResponse:
        """The response; blocks until it is whole, unless it streams."""
        request, shown = self._request(query, nodes), [*nodes, *(additional_source_nodes or ())]
        response: Response | StreamingResponse
        with self._traced(query, request) as end:
            if self._streaming:
                metadata = _of_nodes(shown)
                response = StreamingResponse(_sync(self._pieces(request, metadata)), shown, metadata)
            else:
                response = _response(result_of(self.generator.generate(request)), shown)
            end(response)
        return response

    async def asynthesize(
        self,
        query: str | QueryBundle,
        nodes: list[NodeWithScore],
        additional_source_nodes: Sequence[NodeWithScore] | None = None,
        **_: Any,
    ) -> Response | AsyncStreamingResponse:
        """The response, awaited."""
        request, shown = self._request(query, nodes), [*nodes, *(additional_source_nodes or ())]
        response: Response | AsyncStreamingResponse
        with self._traced(query, request) as end:
            if self._streaming:
                metadata = _of_nodes(shown)
                response = AsyncStreamingResponse(self._pieces(request, metadata), shown, metadata)
            else:
                response = _response(await self.generator.generate(request), shown)
            end(response)
        return response

    @contextmanager
    def _traced(self, query: str | QueryBundle, request: GenerationRequest) -> Iterator[Callable[[Any], None]]:
        """Callbacks and traces are told of a synthesis: its beginning, and the response that it ends with."""
        _dispatcher.event(SynthesizeStartEvent(query=query))
        asked: dict[str, Any] = {EventPayload.QUERY_STR: request.query}
        with self._callback_manager.event(CBEventType.SYNTHESIZE, payload=asked) as event:

            def end(response: Any) -> None:
                event.on_end(payload={EventPayload.RESPONSE: response})
                _dispatcher.event(SynthesizeEndEvent(query=query, response=response))

            yield end

    def get_response(self, query_str: str, text_chunks: Sequence[str], **_: Any) -> Any:
        """The text alone, from texts alone; `synthesize` keeps what the nodes know."""
        request = self._over(query_str, [context_of(text) for text in text_chunks])
        pieces = _sync(self._pieces(request, {}))
        return pieces if self._streaming else "".join(pieces)

    async def aget_response(self, query_str: str, text_chunks: Sequence[str], **_: Any) -> Any:
        """The same, awaited."""
        request = self._over(query_str, [context_of(text) for text in text_chunks])
        if self._streaming:
            return self._pieces(request, {})
        async with aclosing(self._pieces(request, {})) as pieces:
            return "".join([piece async for piece in pieces])

    async def _pieces(self, request: GenerationRequest, metadata: dict[str, Any]) -> AsyncGenerator[str]:
        text = self.generator.generate_streaming(request)
        async with aclosing(text):
            try:
                async for piece in text:
                    yield piece
            finally:
                if text.response is not None:
                    metadata |= _of_answer(text.response)

    def _request(self, query: str | QueryBundle, nodes: Sequence[NodeWithScore]) -> GenerationRequest:
        return self._over(query if isinstance(query, str) else query.query_str, contexts(nodes))

    def _over(self, question: str, sources: list[SourceContext]) -> GenerationRequest:
        return GenerationRequest(query=question_of(question), context=sources, config=self._config)


def _sync(pieces: AsyncGenerator[str]) -> Generator[str]:
    yield from pieces_of(pieces)


def _response(response: GenerationResponse, nodes: list[NodeWithScore]) -> Response:
    return Response(response.response, nodes, {**_of_nodes(nodes), **_of_answer(response)})


def _of_nodes(nodes: Sequence[NodeWithScore]) -> dict[str, Any]:
    """What LlamaIndex itself keeps in a response's metadata."""
    return {scored.node.node_id: scored.node.metadata for scored in nodes}


def _of_answer(response: GenerationResponse) -> dict[str, Any]:
    whole = response.model_dump(mode="json")
    return {"citations": whole["citations"], "footnoted": whole}


class LlamaIndexProvider:
    """A LlamaIndex LLM as footnoted's provider: a prompt in, deltas out.

    Sampling is the LLM's own. LlamaIndex has no finish reason of its own, so it is read from the vendor's raw chunks;
    where those give none the answer is ``truncated``, unless ``ends_silently`` says that this LLM never gives one.
    """

    def __init__(self, llm: LLM, *, ends_silently: bool = False) -> None:
        if not isinstance(llm, LLM):
            raise ConfigurationError(f"a LlamaIndex LLM is needed, not {type(llm).__name__}")
        self._llm = llm
        self._ends_silently = ends_silently
        self.name = f"llamaindex:{llm.class_name()}"
        self.model: str | None = llm.metadata.model_name

    async def stream(self, prompt: Prompt) -> AsyncGenerator[Delta]:
        """The reply piece by piece; the last delta says how it ended."""
        asked = [ChatMessage(role=MessageRole(said["role"]), content=said["content"]) for said in asked_of(prompt)]
        why: object = None
        replies = await self._llm.astream_chat(asked)
        async with aclosing(replies):
            async for reply in replies:
                why = _why(reply.raw) or _why(reply.additional_kwargs) or _why(reply.message.additional_kwargs) or why
                if reply.delta:
                    yield Delta(reply.delta)
        yield ending(why, ends_silently=self._ends_silently)


def _why(raw: Any) -> object:
    """The vendor's reason for stopping, in a chunk that is an object or a mapping."""
    for inner in (raw, *(_field(raw, "choices") or ())[:1], _field(raw, "delta")):
        for name in _WHY:
            if found := _field(inner, name):
                return found
    return None


def _field(raw: Any, name: str) -> Any:
    return raw.get(name) if isinstance(raw, Mapping) else getattr(raw, name, None)
