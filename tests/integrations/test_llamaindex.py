"""LlamaIndex: a synthesizer in a real query engine, streamed and whole, and an LLM of its own as the provider."""

import asyncio

import pytest
from llama_index.core import SummaryIndex
from llama_index.core.base.llms.types import ChatMessage, ChatResponse, CompletionResponse, LLMMetadata, MessageRole
from llama_index.core.callbacks import CallbackManager, CBEventType, LlamaDebugHandler
from llama_index.core.llms import CustomLLM, MockLLM
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.schema import NodeRelationship, NodeWithScore, QueryBundle, RelatedNodeInfo, TextNode
from openai import AsyncOpenAI

from footnoted import GenerationRequest, GroundedGenerator
from footnoted.answering.generator import contexts as as_contexts
from footnoted.errors import ConfigurationError, ProviderError
from footnoted.integrations.llamaindex import GroundedSynthesizer, LlamaIndexProvider, contexts
from footnoted.testing import Reply, ScriptedLLM, faults
from tests.integrations.words import GLASS, QUESTION, RACING, REPLY

NODES = [
    TextNode(text=RACING, metadata={"file_name": "car.pdf", "page_label": "7"}),
    TextNode(text=GLASS, metadata={"file_name": "car.pdf", "page_label": "3"}),
]


class Wire(CustomLLM):
    """An LLM as a LlamaIndex integration is made: a vendor's client, whose chunks it hands on as ``raw``."""

    client: object

    @property
    def metadata(self):
        return LLMMetadata(model_name="m", is_chat_model=True)

    async def astream_chat(self, messages, **_):
        asked = [{"role": one.role.value, "content": one.content} for one in messages]
        stream = await self.client.chat.completions.create(model="m", messages=asked, stream=True)

        async def replies():
            async for chunk in stream:
                delta = (chunk.choices[0].delta.content or "") if chunk.choices else ""
                yield ChatResponse(message=ChatMessage(role=MessageRole.ASSISTANT), delta=delta, raw=chunk)

        return replies()

    def complete(self, prompt, formatted=False, **_):
        return CompletionResponse(text="")

    def stream_complete(self, prompt, formatted=False, **_):
        yield CompletionResponse(text="")


def client_of(llm):
    return AsyncOpenAI(api_key="any", base_url=llm.url("openai"), max_retries=0)


def engine(synthesizer):
    return RetrieverQueryEngine(SummaryIndex(NODES).as_retriever(), response_synthesizer=synthesizer)


def held(response):
    """The first citation's words, as its metadata says they stand in the source nodes."""
    citation = response.metadata["citations"][0]
    text = response.source_nodes[citation["source_index"]].node.get_content()
    assert text[citation["source_start"] : citation["source_end"]] == citation["source_quote"]
    return citation


async def test_in_a_query_engine_blocking_and_awaited():
    """The answer, its nodes in order, each node's metadata, and citations that point into them."""
    asked = engine(GroundedSynthesizer())
    for response in (await asyncio.to_thread(asked.query, QUESTION), await asked.aquery(QUESTION)):
        assert "£75" in str(response)
        assert held(response)["source_title"] == "car.pdf › page 3"
        assert response.metadata[NODES[0].node_id] == NODES[0].metadata
        assert response.metadata["footnoted"]["finish_reason"] == "complete"


async def test_it_streams():
    """Pieces first; with the last one the metadata is there."""
    asked = engine(GroundedSynthesizer(streaming=True))
    response = await asyncio.to_thread(asked.query, QUESTION)
    assert "citations" not in response.metadata
    pieces = await asyncio.to_thread(list, response.response_gen)
    assert len(pieces) > 1
    assert held(response)
    response = await asked.aquery(QUESTION)
    assert [piece async for piece in response.response_gen] == pieces
    assert held(response)


async def test_nothing_found_is_a_refusal_and_callbacks_hear_it_all():
    """No node, no guess; LlamaIndex's own callbacks see the synthesis."""
    handler = LlamaDebugHandler(print_trace_on_end=False)
    synthesizer = GroundedSynthesizer(callback_manager=CallbackManager([handler]))
    response = await synthesizer.asynthesize(QueryBundle(QUESTION), [])
    assert response.metadata["footnoted"]["finish_reason"] == "refused"
    assert len(handler.get_event_pairs(CBEventType.SYNTHESIZE)) == 1


async def test_from_texts_alone():
    """The other two doors of a synthesizer, for callers that have no nodes."""
    plain = GroundedSynthesizer()
    assert "£75" in await plain.aget_response(QUESTION, [GLASS, RACING])
    assert "£75" in await asyncio.to_thread(plain.get_response, QUESTION, [GLASS, RACING])
    streaming = GroundedSynthesizer(streaming=True)
    pieces = await streaming.aget_response(QUESTION, [GLASS])
    assert "£75" in "".join([piece async for piece in pieces])


def test_nodes_keep_their_ids_scores_and_documents():
    """A node's own id, its score, the document it was cut from, and its words without metadata before them."""
    node = TextNode(text=GLASS, metadata={"file_name": "car.pdf"})
    node.relationships[NodeRelationship.SOURCE] = RelatedNodeInfo(node_id="whole")
    (found,) = contexts([NodeWithScore(node=node, score=0.5)])
    assert (str(found.chunk_id), found.content, found.relevance_score) == (node.node_id, GLASS, 0.5)
    assert found.document_id != found.chunk_id
    assert contexts([node])[0].relevance_score == 0.0


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (Reply(text=REPLY), "complete"),
        (Reply(text=REPLY, finish="length"), "length"),
        (Reply(text=REPLY, finish="filter"), "filtered"),
        (Reply(text=REPLY, fault=faults.missing_finish()), "truncated"),
        (Reply(text=f"{REPLY} And racing is not covered [2].", fault=faults.clean_cut(after=9)), "truncated"),
    ],
)
async def test_an_llm_answers_and_its_ending_is_the_wires(reply, reason):
    """Read from the vendor's raw chunks, because the library itself has no finish reason."""
    async with ScriptedLLM(reply) as llm, client_of(llm) as client:
        response = await engine(GroundedSynthesizer(Wire(client=client))).aquery(QUESTION)
        assert str(response).startswith(REPLY.replace("[1]", "[1]"))
        assert response.metadata["footnoted"]["finish_reason"] == reason
        assert GLASS in llm.requests[0].prompt_text


async def test_a_cut_stream_raises_after_its_last_piece():
    """And its metadata still tells what was said."""
    cut = Reply(text=f"{REPLY} And racing is not covered [2].", fault=faults.clean_cut(after=9))
    async with ScriptedLLM(cut) as llm, client_of(llm) as client:
        response = await engine(GroundedSynthesizer(Wire(client=client), streaming=True)).aquery(QUESTION)
        with pytest.raises(ProviderError, match="no finish reason"):
            async for _ in response.response_gen:
                pass
        assert response.metadata["footnoted"]["finish_reason"] == "truncated"


async def test_a_silent_llm_and_what_is_none():
    """A mock gives no reason: truncated unless told; what is no LLM is said; so are options that come too late."""
    request = GenerationRequest(query=QUESTION, context=as_contexts([GLASS]))
    for silent, reason in ((False, "truncated"), (True, "complete")):
        provider = LlamaIndexProvider(MockLLM(), ends_silently=silent)
        async with GroundedGenerator(provider, checking="off") as generator:
            assert (await generator.generate(request)).finish_reason == reason
    with pytest.raises(ConfigurationError, match="LLM is needed"):
        LlamaIndexProvider("gpt")
    with pytest.raises(ConfigurationError, match="model cannot be applied"):
        GroundedSynthesizer(GroundedGenerator(), model="m")
