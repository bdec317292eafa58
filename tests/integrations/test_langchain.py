"""LangChain: real chains, real retrievers, a real chat model on a real socket."""

import asyncio
import gc

import httpx
import pytest
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.documents import Document
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.output_parsers import StrOutputParser
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import RunnableLambda, RunnablePassthrough
from langchain_openai import ChatOpenAI

from footnoted import GenerationRequest, GenerationResponse, GroundedGenerator
from footnoted.errors import ConfigurationError, ProviderError, ProviderTimeout
from footnoted.integrations.langchain import CheckRunnable, GroundedRunnable, LangChainProvider, contexts
from footnoted.retrieval.index import Index
from footnoted.testing import Reply, ScriptedLLM, faults, scripted_provider
from footnoted.types import FinishReason, Source
from tests.integrations.words import GLASS, QUESTION, RACING, REPLY, WRONG

DOCUMENTS = [
    Document(RACING, id="racing", metadata={"source": "car.pdf", "page": 7}),
    Document(GLASS, id="glass", metadata={"source": "car.pdf", "page": 3}),
]
GIVEN = {"question": QUESTION, "documents": DOCUMENTS}


class Words(BaseRetriever):
    """A retriever as anybody writes one: LangChain's base class over an index."""

    index: object

    def _get_relevant_documents(self, query, *, run_manager):
        return [Document(found.text, metadata=dict(found.metadata)) for found in self.index.search(query)]


@pytest.fixture
def retriever():
    sources = [Source("r", RACING, metadata={"title": "Racing"}), Source("g", GLASS, metadata={"title": "Glass"})]
    return Words(index=Index.of(sources))


def chat(llm, client, **options):
    return ChatOpenAI(
        api_key="any", base_url=llm.url("openai"), model="m", max_retries=0, http_async_client=client, **options
    )


def test_the_whole_response_and_its_pointers(retriever):
    """Blocking, without a model: the source index counts the documents as they were given."""
    response = GroundedRunnable().invoke(GIVEN)
    assert isinstance(response, GenerationResponse)
    assert response.finish_reason is FinishReason.COMPLETE
    citation = response.citations[0]
    assert DOCUMENTS[citation.source_index].page_content[citation.source_start : citation.source_end] == (
        citation.source_quote
    )
    assert citation.source_title == "car.pdf › page 3"
    assert [one.chunk_id for one in contexts(DOCUMENTS)] == [one.chunk_id for one in contexts(DOCUMENTS)]


async def test_in_a_chain_with_a_retriever_it_streams(retriever):
    """Text pieces come as they do from a model, by all four doors, and say the same."""
    chain = {"documents": retriever, "question": RunnablePassthrough()} | GroundedRunnable(output="text")
    pieces = [piece async for piece in chain.astream(QUESTION)]
    assert len(pieces) > 1
    whole = "".join(pieces)
    assert "£75" in whole
    assert await chain.ainvoke(QUESTION) == whole
    assert await asyncio.to_thread(chain.invoke, QUESTION) == whole
    assert "".join(await asyncio.to_thread(lambda: list(chain.stream(QUESTION)))) == whole
    assert await chain.abatch([QUESTION, QUESTION]) == [whole, whole]


async def test_a_message_carries_the_response(retriever):
    """A chain that wants messages gets one; a parser of text reads it; the whole answer is in its metadata."""
    chain = {"context": retriever, "question": RunnablePassthrough()} | GroundedRunnable(output="message")
    message = await chain.ainvoke(QUESTION)
    assert isinstance(message, AIMessage)
    assert message.response_metadata["finish_reason"] == "complete"
    assert message.response_metadata["footnoted"]["citations"][0]["source_quote"] in GLASS
    chunks = [chunk async for chunk in chain.astream(QUESTION)]
    together = sum(chunks[1:], chunks[0])
    assert together.text == message.text
    assert together.response_metadata["finish_reason"] == "complete"
    assert together.usage_metadata == message.usage_metadata
    assert await (chain | StrOutputParser()).ainvoke(QUESTION) == message.text


async def test_a_response_streams_its_text_and_comes_last(retriever):
    """The default says something while it is made; what follows in a chain gets the whole response."""
    chain = {"context": retriever, "question": RunnablePassthrough()} | GroundedRunnable()
    *pieces, response = [piece async for piece in chain.astream(QUESTION)]
    assert len(pieces) > 1
    assert "".join(pieces) == response.response
    assert (await chain.ainvoke(QUESTION)).response == response.response
    finish = chain | RunnableLambda(lambda answer: answer.finish_reason.value)
    assert [piece async for piece in finish.astream(QUESTION)] == ["complete"]
    *blocking, last = await asyncio.to_thread(lambda: list(chain.stream(QUESTION)))
    assert ("".join(blocking), last.citations) == (response.response, response.citations)


async def test_history_is_messages_or_pairs():
    """What was said before reaches the model either way."""
    seen = []
    for history in ([HumanMessage("Hello"), AIMessage("Good day."), HumanMessage("Well?")], [("Hello", "Good day.")]):
        provider = scripted_provider(REPLY)
        await GroundedRunnable(provider).ainvoke({**GIVEN, "history": history})
        seen.append([(turn.user, turn.assistant) for turn in provider.prompts[0].history])
    assert seen == [[("Hello", "Good day.")]] * 2


async def test_callbacks_see_the_run():
    """A tracer is told its beginning, its end and its failure."""
    told = []

    class Told(BaseCallbackHandler):
        def on_chain_start(self, *_, **__):
            told.append("start")

        def on_chain_end(self, outputs, **_):
            told.append(type(outputs).__name__)

        def on_chain_error(self, error, **_):
            told.append(type(error).__name__)

    config = {"callbacks": [Told()]}
    await GroundedRunnable().ainvoke(GIVEN, config)
    with pytest.raises(ConfigurationError):
        await GroundedRunnable().ainvoke({"question": QUESTION}, config)
    assert told == ["start", "GenerationResponse", "start", "ConfigurationError"]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("What?", "the input is"),
        ({"question": "What?"}, "it has question"),
        ({"question": " ", "documents": []}, "question must be words"),
        ({"question": "What?", "documents": 7}, "list of LangChain documents"),
        ({"question": "What?", "documents": [7]}, "not int"),
    ],
)
async def test_a_wrong_input_is_said(given, words):
    """Before anything is asked."""
    with pytest.raises(ConfigurationError, match=words):
        await GroundedRunnable().ainvoke(given)


def test_wrong_wishes_are_said():
    """An unknown output, and options for a generator that is already made."""
    with pytest.raises(ConfigurationError, match="output is"):
        GroundedRunnable(output="html")
    with pytest.raises(ConfigurationError, match="model cannot be applied"):
        GroundedRunnable(GroundedGenerator(), model="m")
    with pytest.raises(ConfigurationError, match="astream"):
        LangChainProvider(object())


async def test_a_chat_model_answers_and_is_held_to_the_sources():
    """LangChain's own OpenAI client on a real socket: prompt there, deltas and usage back, a wrong sentence withheld."""
    replies = Reply(text=f"{REPLY} {WRONG}", usage=(120, 20, 30)), Reply(text=REPLY)
    async with ScriptedLLM(*replies) as llm, httpx.AsyncClient() as client:
        model = chat(llm, client, stream_usage=True)
        response = await GroundedRunnable(model).ainvoke(GIVEN)
        asked = llm.requests[0]
        assert response.response.strip() == REPLY
        assert [claim.shown for claim in response.claims] == [True, False]
        assert (response.usage.input, response.usage.cached, response.usage.output) == (120, 20, 30)
        assert response.finish_reason is FinishReason.COMPLETE
        assert response.provider == "langchain:ChatOpenAI"
        assert GLASS in asked.prompt_text
        assert QUESTION in asked.prompt_text
        assert asked.system_text


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (Reply(text=REPLY), "complete"),
        (Reply(text=REPLY, finish="length"), "length"),
        (Reply(text=REPLY, finish="filter"), "filtered"),
        (Reply(text=REPLY, fault=faults.missing_finish()), "truncated"),
        (Reply(text=f"{REPLY} And racing is not covered [2].", fault=faults.clean_cut(after=9)), "truncated"),
        (Reply(text=f"{REPLY} And racing is not covered [2].", fault=faults.reset(after=9)), "error"),
    ],
    ids=["stop", "length", "filter", "no finish reason", "cut", "reset"],
)
async def test_an_ending_is_what_the_wire_said(reply, reason):
    """LangChain ends all of these alike; the text so far is kept, and only the first is complete."""
    async with ScriptedLLM(reply) as llm, httpx.AsyncClient() as client:
        response = await GroundedRunnable(chat(llm, client)).ainvoke(GIVEN)
        assert response.response.startswith(REPLY)
        assert response.finish_reason == reason
        chunks = [c async for c in GroundedRunnable(chat(llm, client), output="message").astream(GIVEN)]
        assert chunks[-1].response_metadata["finish_reason"] == reason


async def test_text_that_was_cut_raises_after_its_last_piece():
    """A reader of text alone must not take a part for the whole."""
    cut = Reply(text=f"{REPLY} And racing is not covered [2].", fault=faults.clean_cut(after=9))
    async with ScriptedLLM(cut) as llm, httpx.AsyncClient() as client:
        runnable = GroundedRunnable(chat(llm, client), output="text")
        got = []
        with pytest.raises(ProviderError, match="no finish reason"):
            async for piece in runnable.astream(GIVEN):
                got.append(piece)
        assert "£75" in "".join(got)
        with pytest.raises(ProviderError):
            await runnable.ainvoke(GIVEN)


async def test_a_model_that_fails_falls_back():
    """A refused key is an error in words; with a fallback the sources' own words answer."""
    async with ScriptedLLM(Reply(status=401, text="bad key")) as llm, httpx.AsyncClient() as client:
        with pytest.raises(ProviderError, match="bad key"):
            await GroundedRunnable(chat(llm, client)).ainvoke(GIVEN)
        response = await GroundedRunnable(chat(llm, client), fallback="extractive").ainvoke(GIVEN)
        assert "£75" in response.response
        assert response.provider == "extractive"


async def test_a_model_that_never_answers_meets_the_deadline():
    """The clock is footnoted's, whatever the library waits for; the connection is closed."""
    async with ScriptedLLM(Reply(fault=faults.hang_before_headers())) as llm, httpx.AsyncClient() as client:
        runnable = GroundedRunnable(chat(llm, client), deadlines={"first_token": 0.2})
        with pytest.raises(ProviderTimeout, match="first token"):
            await runnable.ainvoke(GIVEN)
        await llm.closed_within(2.0)


async def test_leaving_early_leaves_nothing_open():
    """The reader goes after the first piece; the server sees it go."""
    slow = Reply(text=" ".join([REPLY] * 50), delay=0.02)
    async with ScriptedLLM(slow) as llm, httpx.AsyncClient() as client:
        stream = GroundedRunnable(chat(llm, client), output="text").astream(GIVEN)
        await anext(stream)
        await stream.aclose()
        assert await llm.closed_within(2.0) < 2.0


async def test_a_silent_model_is_believed_only_when_told():
    """A model of one's own process gives no finish reason: truncated, unless one says that it never does."""
    for silent, reason in ((False, "truncated"), (True, "complete")):
        model = GenericFakeChatModel(messages=iter([AIMessage(REPLY)]))
        provider = LangChainProvider(model, ends_silently=silent)
        async with GroundedGenerator(provider) as generator:
            request = GenerationRequest(query=QUESTION, context=contexts(DOCUMENTS))
            assert (await generator.generate(request)).finish_reason == reason


async def test_a_check_in_a_chain():
    """Any chain's answer, text or message, weighed against its documents."""
    for answer in ("The excess is £80 for a repair.", AIMessage("The excess is £80 for a repair.")):
        result = await CheckRunnable().ainvoke({"answer": answer, "documents": DOCUMENTS})
        assert not result.grounded
        assert result.claims[0].verdict == "contradicted"
    chain = GroundedRunnable() | (lambda response: {"answer": response, "documents": DOCUMENTS}) | CheckRunnable()
    assert (await chain.ainvoke(GIVEN)).grounded
    with pytest.raises(ConfigurationError, match="answer"):
        await asyncio.to_thread(CheckRunnable().invoke, {"documents": DOCUMENTS})


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # the sockets of loops that have ended
def test_one_loop_after_another_shares_the_model():
    """A client keeps the connections of a loop that has ended, as LangChain's own does; the next question still goes."""

    async def ask(client, port):
        async with ScriptedLLM(REPLY, port=port) as llm:
            async with GroundedGenerator(LangChainProvider(chat(llm, client))) as generator:
                request = GenerationRequest(query=QUESTION, context=contexts(DOCUMENTS))
                answer = await generator.generate(request)
            return answer, httpx.URL(llm.url("openai")).port

    def two_loops():
        client = httpx.AsyncClient()
        first, port = asyncio.run(ask(client, 0))
        second, _ = asyncio.run(ask(client, port))
        return first, second

    first, second = two_loops()
    gc.collect()
    assert (first.finish_reason, second.finish_reason) == (FinishReason.COMPLETE, FinishReason.COMPLETE)
