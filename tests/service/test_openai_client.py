"""The openai client, unmodified: whole, streamed, with history, citations and usage; and errors in its own classes."""

import openai
import pytest

from tests.service.replicas import SOURCES, slow

QUESTION = [{"role": "user", "content": "What is the windscreen excess?"}]
OWN = {"footnoted": {"sources": SOURCES}}


@pytest.fixture
async def as_ada(keyed, keys):
    async with openai.AsyncOpenAI(base_url=f"{keyed.url}/v1", api_key=keys[1]["ada"], max_retries=0) as client:
        yield client


async def test_it_streams(as_ada):
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
    assert annotations[0]["file_citation"]["quote"] in SOURCES[0]["text"]
    assert text[annotations[0]["file_citation"]["index"] :].startswith("[1]")
    assert [each for each in finishes if each] == ["stop"]
    assert usage.total_tokens == usage.prompt_tokens + usage.completion_tokens > 0
    assert own["citations"][0]["source_quote"] in SOURCES[0]["text"]


async def test_it_answers_whole_with_what_was_said_before(as_ada):
    """System, history and question in the protocol's own words."""
    talk = [
        {"role": "system", "content": "Answer briefly."},
        {"role": "user", "content": "Do you cover glass?"},
        {"role": "assistant", "content": "Yes."},
        {"role": "user", "content": [{"type": "text", "text": "What is the windscreen excess?"}]},
    ]
    done = await as_ada.chat.completions.create(model="footnoted", messages=talk, temperature=0, extra_body=OWN)
    assert "£75" in done.choices[0].message.content
    assert done.choices[0].finish_reason == "stop"
    assert done.usage.completion_tokens > 0
    assert (await as_ada.models.list()).data[0].id == "footnoted"


async def test_a_reader_who_leaves_stops_it(one, client):
    """Closing the stream early leaves nothing running."""
    body = {"messages": [{"role": "user", "content": slow(500, 0.02)["question"]}], "stream": True}
    body["footnoted"] = {"sources": SOURCES, "config": {"require_grounding": False}}
    async with client.session.post("/v1/chat/completions", json=body) as response:
        assert (await response.content.readline()).startswith(b"data: ")
    status, _ = await client.json("GET", "/healthz")
    assert status == 200


async def test_errors_are_the_clients_own(keyed, as_ada):
    """401, 422 and a wrong last message arrive as the client's exceptions, with words."""
    async with openai.AsyncOpenAI(base_url=f"{keyed.url}/v1", api_key="fn_wrong", max_retries=0) as stranger:
        with pytest.raises(openai.AuthenticationError, match="not known"):
            await stranger.chat.completions.create(model="footnoted", messages=QUESTION)
    with pytest.raises(openai.UnprocessableEntityError, match="question"):
        await as_ada.chat.completions.create(model="footnoted", messages=[{"role": "assistant", "content": "hi"}])
