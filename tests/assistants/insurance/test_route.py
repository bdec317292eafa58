"""The responder over HTTP: a real process, documents uploaded, answers whole and streamed."""

import asyncio
from pathlib import Path

import pytest

from tests.service.replicas import Client, Replica, collect, start

POLICIES = Path(__file__).parents[3] / "examples" / "policies"
QUESTION = {"message": "Am I covered for a cracked windscreen?"}


@pytest.fixture(scope="module")
def replica(tmp_path_factory):
    """One `footnoted serve` with no model."""
    made = Replica(tmp_path_factory.mktemp("insurance"), "insurance", provider="extractive")
    asyncio.run(start(made))
    yield made
    made.stop()


@pytest.fixture
async def client(replica):
    """A caller whose policies are uploaded."""
    async with Client(replica.url) as caller:
        for name in ("comprehensive", "third-party-fire-and-theft"):
            status, _ = await caller.upload((POLICIES / "car" / f"{name}.md").read_bytes(), f"{name}.md")
            assert status in (200, 201)
        yield caller


async def test_a_message_is_answered_product_by_product(client):
    """Both products, under their names, with intent, confidence and exact places in the documents."""
    status, told = await client.json("POST", "/api/v1/insurance/message", QUESTION)
    assert status == 200
    text = told["response"]["response"]
    assert "**Harbour Mutual Car Comprehensive:** We pay to repair or replace a broken windscreen" in text
    assert "**Harbour Mutual Car Third Party, Fire and Theft:** Windscreens and windows are not covered" in text
    assert told["intent"]["kind"] == "eligibility"
    assert told["insurance"]["confidence_score"] > 0.3
    assert told["insurance"]["citations"][0]["section_hierarchy"][-1] == "3.1 Windscreen cover"
    for citation in told["response"]["citations"]:
        assert text[citation["start_pos"] : citation["end_pos"]] == f"[{citation['number']}]"
        source = told["sources"][citation["source_index"]]
        assert source["document_id"]


async def test_a_stream_tells_the_same_and_can_be_joined_again(client):
    """start, chunks, citations, claims, done; the whole once more from its id."""
    async with client.ask(QUESTION, "/api/v1/insurance/stream") as response:
        events = await collect(response)
    assert [events[0].name, events[-1].name] == ["start", "done"]
    assert [event.id for event in events] == list(range(1, len(events) + 1))
    text = "".join(event.data["content"] for event in events if event.name == "chunk")
    assert text == events[-1].data["response"]["response"]
    for event in events:
        if event.name == "citation":
            assert text[event.data["start_pos"] : event.data["end_pos"]] == f"[{event.data['number']}]"
            assert event.data["document_start"] is not None
    async with client.join(events[0].data["stream_id"], 2) as response:
        assert [event.id for event in await collect(response)] == [event.id for event in events[2:]]


async def test_a_question_the_policies_do_not_answer_is_refused(client):
    """A refusal is an answer with 200, confidence and next steps."""
    status, told = await client.json("POST", "/api/v1/insurance/message", {"message": "Do you insure racehorses?"})
    assert status == 200
    assert told["response"]["finish_reason"] == "refused"
    assert "customer service" in told["response"]["response"]
    assert told["insurance"]["refused"]


async def test_a_follow_up_remembers_its_conversation(client):
    """The follow-up "and with third party?" means the windscreen of the message before."""
    talk = {"conversation_id": "talk-windscreen"}
    await client.json("POST", "/api/v1/insurance/message", {"message": "What is the windscreen excess?", **talk})
    _, told = await client.json(
        "POST", "/api/v1/insurance/message", {"message": "And with third party, fire and theft?", **talk}
    )
    text = told["response"]["response"]
    assert text.startswith("**Harbour Mutual Car Third Party, Fire and Theft:**")
    assert "glass" in text


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({}, 422),
        ({"message": ""}, 422),
        ({"message": "   "}, 422),
        ({"message": 7}, 422),
        ({"message": "x" * 10_000}, 413),
        ({"message": "?", "style": "rude"}, 422),
        ({"message": "?", "language": "xx"}, 422),
        ({"message": "?", "max_response_length": 1}, 422),
        ({"message": "?", "unknown": 1}, 422),
        ({"message": "\x00"}, 422),
    ],
)
async def test_bad_input_is_told_in_words(client, body, status):
    """4xx with a code and a message, never 500."""
    got, told = await client.json("POST", "/api/v1/insurance/message", body)
    assert got == status
    assert told["error"]["message"]


@pytest.mark.parametrize(
    "message", ["hello", "???", "\ud83d\ude00", "covered?", "a" * 5_000, "' OR 1=1 --", "<script>"]
)
async def test_odd_messages_are_answered(client, message):
    """200 and something to read."""
    status, told = await client.json("POST", "/api/v1/insurance/message", {"message": message})
    assert status == 200
    assert told["response"]["response"]


async def test_without_documents_there_is_a_plain_answer(client):
    """A document that is not there: no error, the refusal with next steps."""
    body = {**QUESTION, "document_ids": ["00000000-0000-4000-8000-000000000000"]}
    status, told = await client.json("POST", "/api/v1/insurance/message", body)
    assert status == 200
    assert "don't have enough information" in told["response"]["response"]


async def test_each_style_of_citation_goes_over_the_wire(client):
    """Inline marks name product and section."""
    body = {**QUESTION, "citation_style": "inline", "max_response_length": 4_000}
    _, told = await client.json("POST", "/api/v1/insurance/message", body)
    assert "(Source: Harbour Mutual Car Comprehensive Policy wording - 3. Windscreen" in told["response"]["response"]
