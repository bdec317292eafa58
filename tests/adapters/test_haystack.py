"""Haystack: components in real pipelines, streamed, written down and read back."""

import asyncio

import pytest
from haystack import Document, Pipeline
from haystack.components.retrievers.in_memory import InMemoryBM25Retriever
from haystack.core.errors import SerializationError
from haystack.dataclasses import ChatMessage
from haystack.document_stores.in_memory import InMemoryDocumentStore
from haystack.utils import Secret

from footnoted.adapters.haystack import GroundedAnswerer, GroundingChecker, contexts
from footnoted.errors import ConfigurationError, ProviderError
from footnoted.testing import Reply, ScriptedLLM, faults, scripted_provider
from tests.adapters.words import GLASS, QUESTION, RACING, REPLY, WRONG

DOCUMENTS = [
    Document(content=RACING, meta={"file_path": "car.pdf", "page_number": 7}),
    Document(content=GLASS, meta={"file_path": "car.pdf", "page_number": 3}, score=0.8),
]
heard = []


def hear(chunk):
    heard.append(chunk)


@pytest.fixture(autouse=True)
def _quiet():
    heard.clear()


def pipeline(answerer):
    """Retriever to answerer to checker, as one builds it."""
    store = InMemoryDocumentStore()
    store.write_documents(DOCUMENTS)
    made = Pipeline()
    made.add_component("retriever", InMemoryBM25Retriever(store, top_k=2))
    made.add_component("answerer", answerer)
    made.connect("retriever.documents", "answerer.documents")
    return made


ASKED = {"retriever": {"query": QUESTION}, "answerer": {"question": QUESTION}}


async def test_in_a_pipeline_blocking_and_awaited():
    """Replies, answers and citations come out; the source index counts the documents of the answer."""
    made = pipeline(GroundedAnswerer())
    for out in (await asyncio.to_thread(made.run, ASKED), await made.run_async(ASKED)):
        told = out["answerer"]
        answer = told["answers"][0]
        assert told["replies"][0].text == answer.data
        assert answer.query == QUESTION
        assert answer.meta["finish_reason"] == "complete"
        citation = told["citations"][0]
        content = answer.documents[citation["source_index"]].content
        assert content[citation["source_start"] : citation["source_end"]] == citation["source_quote"]
        assert citation["source_title"] == "car.pdf › page 3"


async def test_pieces_are_told_as_they_come():
    """To a callback of the component or of the run, plain or asynchronous; the last one has the finish reason."""

    async def aheard(chunk):
        heard.append(chunk)

    await asyncio.to_thread(GroundedAnswerer(streaming_callback=hear).run, QUESTION, DOCUMENTS)
    once = "".join(chunk.content for chunk in heard)
    assert "£75" in once
    assert heard[0].start
    assert [chunk.finish_reason for chunk in heard][-1] == "stop"
    assert heard[0].component_info.type.endswith("GroundedAnswerer")
    heard.clear()
    out = await GroundedAnswerer().run_async(QUESTION, DOCUMENTS, streaming_callback=aheard)
    assert "".join(chunk.content for chunk in heard) == once == out["replies"][0].text


async def test_it_is_written_down_without_its_key_and_read_back(monkeypatch):
    """A pipeline's YAML names the key's variable; what is read back answers with it, on the wire."""
    monkeypatch.setenv("HAYSTACK_TEST_KEY", "sk-very-secret")
    async with ScriptedLLM(REPLY, api_key="sk-very-secret") as llm:
        answerer = GroundedAnswerer(
            "openai",
            model="m",
            base_url=llm.url("openai"),
            api_key=Secret.from_env_var("HAYSTACK_TEST_KEY"),
            config={"citation_style": "inline"},
            streaming_callback=hear,
        )
        written = pipeline(answerer).dumps()
        assert "sk-very-secret" not in written
        allowed = ["footnoted.adapters.haystack", "tests.adapters.test_haystack"]
        again = Pipeline.loads(written, allowed_modules=allowed).get_component("answerer")
        assert again.to_dict() == answerer.to_dict()
        out = await again.run_async(QUESTION, DOCUMENTS[::-1])
        assert out["replies"][0].text == "The excess is £75 for a repair [Source 1]."
        assert llm.requests[0].key == "sk-very-secret"
    with pytest.raises(SerializationError, match="give its name"):
        GroundedAnswerer(scripted_provider(REPLY)).to_dict()


@pytest.mark.parametrize(
    ("reply", "told", "kept"),
    [
        (Reply(text=REPLY), "stop", "complete"),
        (Reply(text=REPLY, finish="length"), "length", "length"),
        (Reply(text=REPLY, finish="filter"), "content_filter", "filtered"),
        (Reply(text=REPLY, fault=faults.missing_finish()), None, "truncated"),
    ],
)
async def test_a_cut_answer_says_so(reply, told, kept):
    """In the last chunk and in the reply's meta; only a whole one is stopped."""
    async with ScriptedLLM(reply) as llm:
        answerer = GroundedAnswerer("openai", api_key=Secret.from_token("any"), base_url=llm.url("openai"))
        for callback in (None, hear):
            out = await answerer.run_async(QUESTION, DOCUMENTS[::-1], streaming_callback=callback)
            assert out["replies"][0].meta["finish_reason"] == kept
            assert out["replies"][0].text.startswith(REPLY)
        assert heard[-1].finish_reason == told
        assert heard[-1].meta["finish_reason"] == kept


async def test_what_goes_wrong_is_said():
    """A failed provider, an unknown field, an empty question, a missing key: in words, when it is made or run."""
    async with ScriptedLLM(Reply(status=401, text="bad key")) as llm:
        answerer = GroundedAnswerer("openai", api_key=Secret.from_token("any"), base_url=llm.url("openai"))
        for callback in (None, hear):
            with pytest.raises(ProviderError, match="bad key"):
                await answerer.run_async(QUESTION, DOCUMENTS, streaming_callback=callback)
    with pytest.raises(ValueError, match="citation_stile"):
        GroundedAnswerer(config={"citation_stile": "inline"})
    with pytest.raises(ConfigurationError, match="question"):
        await GroundedAnswerer().run_async(" ", DOCUMENTS)
    with pytest.raises(ConfigurationError, match="unknown provider"):
        GroundedAnswerer("opnai").warm_up()


async def test_history_and_no_documents():
    """What was said before reaches the model; without documents there is a refusal, not a guess."""
    provider = scripted_provider(REPLY)
    history = [ChatMessage.from_user("Hello"), ChatMessage.from_assistant("Good day.")]
    await GroundedAnswerer(provider).run_async(QUESTION, DOCUMENTS, history=history)
    assert [(turn.user, turn.assistant) for turn in provider.prompts[0].history] == [("Hello", "Good day.")]
    out = await GroundedAnswerer().run_async(QUESTION, [])
    assert out["answers"][0].meta["finish_reason"] == "refused"
    assert contexts([Document(content=None)])[0].content == ""


async def test_a_checker_weighs_any_reply():
    """Which sentences stand, blocking and awaited, in a pipeline too."""
    checker = GroundingChecker()
    blocking = await asyncio.to_thread(checker.run, f"{REPLY} {WRONG}", DOCUMENTS)
    assert blocking == await checker.run_async(f"{REPLY} {WRONG}", DOCUMENTS)
    assert not blocking["grounded"]
    assert len(blocking["unsupported"]) == 1
    made = Pipeline()
    made.add_component("checker", checker)
    written = Pipeline.loads(made.dumps(), allowed_modules=["footnoted.adapters.haystack"])
    out = await asyncio.to_thread(
        written.run, {"checker": {"answer": "Racing is not covered.", "documents": DOCUMENTS}}
    )
    assert out["checker"]["grounded"]
