"""Haystack: components in real pipelines, streamed, written down and read back."""

import asyncio

import pytest
from haystack import Document, Pipeline, component
from haystack.components.generators.chat import OpenAIChatGenerator
from haystack.components.retrievers.in_memory import InMemoryBM25Retriever
from haystack.core.errors import SerializationError
from haystack.dataclasses import ChatMessage, StreamingCallbackT, StreamingChunk
from haystack.document_stores.in_memory import InMemoryDocumentStore
from haystack.utils import Secret

from footnoted.errors import ConfigurationError, ProviderError
from footnoted.integrations.haystack import GroundedAnswerer, GroundingChecker, HaystackProvider, contexts
from footnoted.testing import Reply, ScriptedLLM, faults, scripted_provider
from tests.integrations.words import GLASS, QUESTION, RACING, REPLY, WRONG

DOCUMENTS = [
    Document(content=RACING, meta={"file_path": "car.pdf", "page_number": 7}),
    Document(content=GLASS, meta={"file_path": "car.pdf", "page_number": 3}, score=0.8),
]
COUNTED = {"stream_options": {"include_usage": True}}
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
        allowed = ["footnoted.integrations.haystack", "tests.integrations.test_haystack"]
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


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (Reply(text=REPLY, usage=(120, 20, 30)), "complete"),
        (Reply(text=REPLY, finish="length"), "length"),
        (Reply(text=REPLY, finish="filter"), "filtered"),
        (Reply(text=REPLY, fault=faults.missing_finish()), "truncated"),
        (Reply(text=f"{REPLY} And racing is not covered [2].", fault=faults.clean_cut(after=9)), "truncated"),
    ],
    ids=["stop", "length", "filter", "no finish reason", "cut"],
)
async def test_its_chat_generators_are_providers(reply, reason, monkeypatch):
    """Haystack's own OpenAI client on a real socket, written down with the component; endings are the wire's."""
    monkeypatch.setenv("OPENAI_API_KEY", "any")
    async with ScriptedLLM(reply) as llm:
        model = OpenAIChatGenerator(api_base_url=llm.url("openai"), model="m", max_retries=0, generation_kwargs=COUNTED)
        answerer = GroundedAnswerer.from_dict(GroundedAnswerer(model).to_dict())
        try:
            out = await answerer.run_async(QUESTION, DOCUMENTS[::-1])
            told = out["answers"][0].meta["footnoted"]
            assert told["response"].startswith(REPLY)
            assert told["finish_reason"] == reason
            assert told["provider"] == "haystack:OpenAIChatGenerator"
            assert GLASS in llm.requests[0].prompt_text
            if reply.usage:
                assert (told["usage"]["input"], told["usage"]["output"]) == (120, 30)
        finally:
            await answerer.provider.close_async()


async def test_a_chat_generator_that_can_only_block():
    """It runs in a thread, its pieces come as it tells them; one that gives nothing is an error."""

    @component
    class Blocking:
        def __init__(self, said):
            self.said = said

        @component.output_types(replies=list[ChatMessage])
        def run(self, messages: list[ChatMessage], streaming_callback: StreamingCallbackT | None = None):
            if streaming_callback and self.said:
                for word in self.said.split(" "):
                    streaming_callback(StreamingChunk(content=f"{word} "))
            meta = {"finish_reason": "stop"}
            return {"replies": [ChatMessage.from_assistant(self.said, meta=meta)] if self.said else []}

    out = await GroundedAnswerer(Blocking(REPLY)).run_async(QUESTION, DOCUMENTS[::-1])
    assert out["replies"][0].text.strip() == REPLY
    assert out["replies"][0].meta["finish_reason"] == "complete"
    with pytest.raises(ProviderError, match="no reply"):
        await GroundedAnswerer(Blocking("")).run_async(QUESTION, DOCUMENTS)
    with pytest.raises(ConfigurationError, match="chat generator is needed"):
        HaystackProvider(object())


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
    written = Pipeline.loads(made.dumps(), allowed_modules=["footnoted.integrations.haystack"])
    out = await asyncio.to_thread(written.run, {"checker": {"answer": REPLY, "documents": DOCUMENTS}})
    assert out["checker"]["grounded"]
