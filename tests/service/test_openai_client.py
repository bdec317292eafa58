"""OpenAI's protocols through the clients people have: openai for Python, LangChain, and the Vercel AI SDK on Node."""

import openai
import pytest
from langchain_core.messages import HumanMessage
from langchain_openai import ChatOpenAI
from pydantic import BaseModel, Field

from tests.node import UNHURRIED, node
from tests.service.replicas import SOURCES, slow

QUESTION = [{"role": "user", "content": "What is the windscreen excess?"}]
OWN = {"footnoted": {"sources": SOURCES}}


class Excess(BaseModel):
    """The excess in a policy."""

    pounds: int = Field(description="the windscreen excess for a repair, in pounds")
    what: str = Field(description="what the excess is for")


@pytest.fixture
async def as_ada(keyed, keys):
    async with openai.AsyncOpenAI(base_url=f"{keyed.url}/v1", api_key=keys[1]["ada"], max_retries=0) as client:
        yield client


@pytest.fixture
async def anybody(one):
    """A client with whatever key it has: this service has none."""
    async with openai.AsyncOpenAI(base_url=f"{one.url}/v1", api_key="sk-anything", max_retries=0) as client:
        yield client


@pytest.fixture
async def weighing(checked):
    """Of a service that weighs what it says, its models open."""
    async with openai.AsyncOpenAI(base_url=f"{checked.url}/v1", api_key="sk-anything", max_retries=0) as client:
        for _ in range(10):
            done = await client.chat.completions.create(model="footnoted", messages=QUESTION, extra_body=OWN)
            if done.model_extra["footnoted"]["claims"][0]["verdict"] != "not_checked":
                break
        yield client


def points(text, citation, base):
    """A citation's offsets hold in the text, and its link leads into our page."""
    assert text[citation["start_index"] : citation["end_index"]] == "[1]"
    assert citation["url"].startswith(f"{base}/#answer=")
    assert citation["title"] == "Car policy"


async def test_a_completion_streams(as_ada, keyed):
    """Text piece by piece, citations as annotations, the finish reason and the usage at the end."""
    stream = await as_ada.chat.completions.create(
        model="footnoted", messages=QUESTION, stream=True, stream_options={"include_usage": True}, extra_body=OWN
    )
    text, annotations, finishes, usage, own = "", [], [], None, None
    async for chunk in stream:
        usage = chunk.usage or usage
        for choice in chunk.choices:
            text += choice.delta.content or ""
            annotations += (choice.delta.model_extra or {}).get("annotations", [])
            finishes.append(choice.finish_reason)
        own = (chunk.model_extra or {}).get("footnoted") or own
    assert "£75" in text
    points(text, annotations[0]["url_citation"], keyed.url)
    assert [each for each in finishes if each] == ["stop"]
    assert usage.total_tokens == usage.prompt_tokens + usage.completion_tokens > 0
    assert own["citations"][0]["source_quote"] in SOURCES[0]["text"]


async def test_a_completion_comes_whole_with_what_was_said_before(as_ada, keyed):
    """System, history and question in the protocol's own words; annotations of the protocol's own type."""
    talk = [
        {"role": "system", "content": "Answer briefly."},
        {"role": "user", "content": "Do you cover glass?"},
        {"role": "assistant", "content": "Yes."},
        {"role": "user", "content": [{"type": "text", "text": "What is the windscreen excess?"}]},
    ]
    done = await as_ada.chat.completions.create(
        model="footnoted", messages=talk, temperature=0, n=1, user="u", extra_body=OWN
    )
    said = done.choices[0].message
    assert "£75" in said.content
    assert done.choices[0].finish_reason == "stop"
    assert done.usage.completion_tokens > 0
    assert said.annotations[0].type == "url_citation"
    points(said.content, said.annotations[0].url_citation.model_dump(), keyed.url)
    assert (await as_ada.models.list()).data[0].id == "footnoted"


async def test_a_response_comes_whole_and_is_referred_to(anybody, one):
    """The Responses API with any key, where none was ever made; an answer given may be named as history."""
    done = await anybody.responses.create(
        model="footnoted", input="What is the windscreen excess?", instructions="Be brief.", extra_body=OWN
    )
    assert done.status == "completed"
    assert "£75" in done.output_text
    note = done.output[0].content[0].annotations[0]
    assert note.type == "url_citation"
    points(done.output_text, note.model_dump(), one.url)
    assert done.usage.total_tokens > 0
    again = await anybody.responses.create(
        model="footnoted",
        input=[*QUESTION, {"type": "item_reference", "id": done.output[0].id}, *QUESTION],
        extra_body=OWN,
    )
    assert again.status == "completed"
    with pytest.raises(openai.NotFoundError):
        await anybody.responses.create(model="footnoted", input=[{"type": "item_reference", "id": "msg_other"}])


async def test_a_response_streams(anybody, one):
    """The protocol's own events, numbered; what they build up is what the last one tells."""
    text, notes, events = "", [], []
    stream = await anybody.responses.create(
        model="footnoted", input="What is the windscreen excess?", stream=True, extra_body=OWN
    )
    async for event in stream:
        events.append(event)
        if event.type == "response.output_text.delta":
            text += event.delta
        elif event.type == "response.output_text.annotation.added":
            notes.append(event.annotation)
    assert [event.sequence_number for event in events] == list(range(len(events)))
    assert [events[0].type, events[-1].type] == ["response.created", "response.completed"]
    final = events[-1].response
    assert final.output_text == text
    points(text, notes[0].model_dump(), one.url)
    assert final.model_extra["footnoted"]["finish_reason"] == "complete"


async def test_a_schema_is_filled_or_refused(weighing):
    """An object of the client's own schema, its fields checked; what no source carries is a refusal, not an object."""
    asked = {"model": "footnoted", "messages": QUESTION, "response_format": Excess, "extra_body": OWN}
    done = await weighing.chat.completions.parse(**asked)
    assert done.choices[0].message.parsed == Excess(pounds=75, what="windscreen repair")
    assert {each["verdict"] for each in done.model_extra["footnoted"]["claims"]} <= {"supported", "unsure"}
    made_up = [{"role": "user", "content": "Invent a windscreen excess."}]
    done = await weighing.chat.completions.parse(**{**asked, "messages": made_up})
    assert done.choices[0].message.parsed is None
    assert "$.pounds" in done.choices[0].message.refusal
    told = await weighing.responses.parse(model="footnoted", input=QUESTION, text_format=Excess, extra_body=OWN)
    assert told.output_parsed == Excess(pounds=75, what="windscreen repair")
    async with weighing.responses.stream(
        model="footnoted", input=made_up, text_format=Excess, extra_body=OWN
    ) as stream:
        told = await stream.get_final_response()
    assert told.output_parsed is None
    assert told.output[0].content[0].type == "refusal"


async def test_words_that_stop_an_answer(anybody):
    """`stop` is heeded, whole and streamed, and is not told."""
    asked = {"model": "footnoted", "messages": QUESTION, "extra_body": OWN, "stop": [" for a"]}
    done = await anybody.chat.completions.create(**asked)
    assert done.choices[0].message.content.endswith("£75")
    text = ""
    async for chunk in await anybody.chat.completions.create(**asked, stream=True):
        text += "".join(choice.delta.content or "" for choice in chunk.choices)
    assert text == done.choices[0].message.content


TOOL = {"type": "function", "function": {"name": "look", "parameters": {"type": "object", "properties": {}}}}
REFUSED = [
    ("tools", [TOOL]),
    ("n", 2),
    ("logprobs", True),
    ("frequency_penalty", 0.5),
    ("logit_bias", {"7": 3}),
    ("audio", {"voice": "alloy", "format": "wav"}),
    ("reasoning_effort", "high"),
    ("response_format", {"type": "json_object"}),
    ("invented", 1),
]


@pytest.mark.parametrize(("name", "value"), REFUSED, ids=[name for name, _ in REFUSED])
async def test_what_is_not_heeded_is_refused_by_name(anybody, name, value):
    """400 with the parameter's name; never an answer that passed it over."""
    with pytest.raises(openai.BadRequestError) as refused:
        await anybody.chat.completions.create(model="footnoted", messages=QUESTION, extra_body={**OWN, name: value})
    assert refused.value.param == name
    assert name in refused.value.message


@pytest.mark.parametrize(
    ("name", "value"),
    [("previous_response_id", "resp_1"), ("tools", [{"type": "web_search"}]), ("reasoning", {"effort": "high"})],
)
async def test_a_response_refuses_by_name_too(anybody, name, value):
    with pytest.raises(openai.BadRequestError) as refused:
        await anybody.responses.create(model="footnoted", input="Hi?", extra_body={**OWN, name: value})
    assert refused.value.param == name


async def test_a_picture_is_refused(anybody):
    """A part that is no text is not passed over."""
    part = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}}
    with pytest.raises(openai.BadRequestError, match="image_url"):
        await anybody.chat.completions.create(
            model="footnoted", messages=[{"role": "user", "content": [part]}], extra_body=OWN
        )


async def test_langchain_asks_for_an_object(one):
    """ChatOpenAI, with its own ways of asking for a schema, streamed and whole."""
    asked = {"base_url": f"{one.url}/v1", "api_key": "none", "model": "footnoted", "extra_body": OWN}
    model = ChatOpenAI(**asked)
    message = HumanMessage("What is the windscreen excess?")
    found = await model.with_structured_output(Excess, method="json_schema").ainvoke([message])
    assert found == Excess(pounds=75, what="windscreen repair")
    pieces = [each.text async for each in model.astream([message])]
    assert "£75" in "".join(pieces)
    told = await ChatOpenAI(**asked, use_responses_api=True).ainvoke([message])
    assert told.content[0]["annotations"][0]["type"] in ("citation", "url_citation")


@UNHURRIED
async def test_the_ai_sdk_reads_every_answer(one):
    """Its generateText and streamText, by both of its APIs: text, sources with links, objects, a second turn."""
    done = await node("openai_doors.mjs", {"base": f"{one.url}/v1", "own": OWN["footnoted"]})
    assert {each["api"] for each in done} == {"chat", "responses"}
    for each in done:
        for how in ("whole", "streamed"):
            assert "£75" in each[how]["text"]
            assert each[how]["finish"] == "stop"
            assert each[how]["sources"][0]["url"].startswith(f"{one.url}/#answer=")
        assert each["object"] == {"pounds": 75, "what": "windscreen repair"}
        assert "£75" in each["again"]


async def test_a_reader_who_leaves_stops_it(one, client):
    """Closing the stream early leaves nothing running."""
    body = {"messages": [{"role": "user", "content": slow(500, 0.02)["question"]}], "stream": True}
    body["footnoted"] = {"sources": SOURCES, "config": {"require_grounding": False}}
    async with client.session.post("/v1/chat/completions", json=body) as response:
        assert (await response.content.readline()).startswith(b"data: ")
    status, _ = await client.json("GET", "/healthz")
    assert status == 200


async def test_errors_are_the_clients_own(keyed, as_ada):
    """401 and 400 arrive as the client's exceptions, with words and the parameter at fault."""
    async with openai.AsyncOpenAI(base_url=f"{keyed.url}/v1", api_key="fn_wrong", max_retries=0) as stranger:
        with pytest.raises(openai.AuthenticationError, match="not known"):
            await stranger.chat.completions.create(model="footnoted", messages=QUESTION)
    for messages in ([{"role": "assistant", "content": "hi"}], []):
        with pytest.raises(openai.BadRequestError, match="messages") as refused:
            await as_ada.chat.completions.create(model="footnoted", messages=messages)
        assert refused.value.param == "messages"


async def test_a_schema_that_is_none_is_refused(anybody):
    """A reference to elsewhere, no object, no schema: 400 before anything is asked."""
    for schema in ({"type": "object", "properties": {"a": {"$ref": "http://127.0.0.1:1/x"}}}, {"type": "array"}):
        form = {"type": "json_schema", "json_schema": {"name": "x", "schema": schema}}
        with pytest.raises(openai.BadRequestError) as refused:
            await anybody.chat.completions.create(
                model="footnoted", messages=QUESTION, response_format=form, extra_body=OWN
            )
        assert refused.value.param == "response_format"
