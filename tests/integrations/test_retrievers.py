"""The retrievers of other libraries where ours stands: they find, a generator answers from what they found."""

import pytest
from haystack import Document as HaystackDocument
from haystack.components.retrievers.in_memory import InMemoryBM25Retriever
from haystack.document_stores.in_memory import InMemoryDocumentStore
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from llama_index.core.base.base_retriever import BaseRetriever as NodeRetriever
from llama_index.core.schema import NodeWithScore, TextNode

from footnoted import GenerationRequest, GroundedGenerator
from footnoted.integrations.haystack import HaystackRetriever
from footnoted.integrations.langchain import LangChainRetriever
from footnoted.integrations.llamaindex import LlamaIndexRetriever
from footnoted.retrieval import Retriever
from tests.integrations.words import GLASS, QUESTION, RACING

TEXTS = [(GLASS, "car"), (RACING, "track")]


class Chain(BaseRetriever):
    def _get_relevant_documents(self, query, *, run_manager):
        return [Document(text, metadata={"document_id": name}) for text, name in TEXTS]


class Nodes(NodeRetriever):
    def _retrieve(self, query_bundle):
        nodes = [TextNode(text=text, metadata={"document_id": name}) for text, name in TEXTS]
        return [NodeWithScore(node=node, score=1.0) for node in nodes]


def haystack():
    store = InMemoryDocumentStore()
    store.write_documents([HaystackDocument(content=text, meta={"document_id": name}) for text, name in TEXTS])
    return HaystackRetriever(InMemoryBM25Retriever(store))


MADE = {
    "langchain": lambda: LangChainRetriever(Chain()),
    "llamaindex": lambda: LlamaIndexRetriever(Nodes()),
    "haystack": haystack,
}


@pytest.mark.parametrize("name", MADE)
async def test_it_finds_for_a_generator(name):
    retriever = MADE[name]()
    assert isinstance(retriever, Retriever)
    async with GroundedGenerator(retriever=retriever) as generator:
        response = await generator.generate(GenerationRequest(query=QUESTION))
    assert response.citations[0].source_quote in GLASS


@pytest.mark.parametrize("name", MADE)
async def test_a_search_is_bound_and_cut(name):
    """What the library cannot filter by is held against the metadata of what it found."""
    found = await MADE[name]().retrieve("windscreen racing track", filters={"document_id": ["track"]})
    assert [one.content for one in found] == [RACING]
    assert len(await MADE[name]().retrieve("windscreen racing track", k=1)) == 1
