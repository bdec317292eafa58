"""Answers over HTTP, whole and streamed: what is told, kept, rejoined, stopped, and what a reader who leaves causes."""

import asyncio
import subprocess
import sys
import time

import aiohttp
import pytest

from footnoted import GenerationRequest, GroundedGenerator, SourceContext
from footnoted.service.app import make_generator
from footnoted.service.settings import Settings
from tests.service.replicas import (
    SOURCES,
    Client,
    collect,
    events_of,
    follow,
    numbered,
    slow,
    text_of,
    whole,
)

ASKED = {"question": "What is the windscreen excess?", "sources": SOURCES}


async def test_a_whole_answer_is_the_contracts_response(client):
    """The answer, its citations with exact words, and where its sources come from."""
    status, body = await client.json("POST", "/api/v1/answers", ASKED)
    assert status == 200
    citation = body["response"]["citations"][0]
    source = SOURCES[citation["source_index"]]
    assert source["text"][citation["source_start"] : citation["source_end"]] == citation["source_quote"]
    assert body["sources"][0]["id"] == "car"
    assert body["response"]["finish_reason"] == "complete"


@pytest.mark.parametrize(
    "wishes",
    [{}, {"provider": "compatible", "base_url": "http://127.0.0.1:9/v1", "model": "away", "fallback": ["extractive"]}],
)
async def test_without_a_model_the_service_reads_as_the_library_does(wishes):
    """Its own sentences are chosen, and refused, by meaning and with the reader: words alone would answer this."""
    source = SourceContext(
        content="We pay for emergency treatment on holiday. You can bring medicine and one bag. My home is covered for holidays."
    )
    request = GenerationRequest(query="Can I bring my dog on holiday?", context=[source])
    async with GroundedGenerator(likeness=None) as words_alone, make_generator(Settings(**wishes)) as generator:
        assert (await words_alone.generate(request)).finish_reason == "complete"
        assert (await generator.generate(request)).finish_reason == "refused"


async def test_a_stream_tells_the_same_as_the_whole(client):
    """Chunks add up to the response, citations are the response's, ids count from one."""
    async with client.ask(ASKED) as response:
        assert response.headers["Content-Type"].startswith("text/event-stream")
        events = await collect(response)
    whole(events)
    done = events[-1].data
    assert text_of(events) == done["response"]["response"]
    told = [event.data for event in events if event.name == "citation"]
    for mine, theirs in zip(told, done["response"]["citations"], strict=True):
        assert {name: mine[name] for name in theirs} == theirs
    assert events[0].data["stream_id"] == done["stream_id"]
    status, saved = await client.json("GET", f"/api/v1/answers/{done['answer_id']}")
    assert (status, saved["response"]) == (200, done["response"])


async def test_a_stream_counts_the_sources_sent(client):
    """Empty and repeated ones too: every pointer over the wire finds its exact words in the list the client has."""
    sent = [{"id": "empty", "text": " "}, *SOURCES, {"id": "twin", "text": SOURCES[0]["text"]}]
    async with client.ask({**ASKED, "sources": sent}) as response:
        events = await collect(response)
    told = [event.data for event in events if event.name == "citation"]
    told += [one for event in events if event.name == "claim" for one in event.data["evidence"]]
    told += events[-1].data["response"]["citations"]
    assert told
    for one in told:
        assert sent[one["source_index"]]["text"][one["source_start"] : one["source_end"]] == one["source_quote"]
    assert [one["id"] for one in events[0].data["sources"]] == [one["id"] for one in sent]


@pytest.mark.parametrize("checking", ["hold", "mark", "amend"])
async def test_claims_in_a_stream_are_the_responses(checking, tmp_path):
    """Evidence and offsets of a streamed verdict are those of the saved one, whichever way it is checked."""
    from footnoted import GroundedGenerator
    from footnoted.contract import GenerationConfig, GenerationRequest
    from footnoted.service.answering import _Telling
    from footnoted.service.asking import AnswerBody, from_sources
    from footnoted.service.settings import Settings
    from footnoted.testing import scripted_provider

    body = AnswerBody.model_validate(
        {**ASKED, "sources": [{"id": "empty", "text": " "}, *SOURCES, {"id": "twin", "text": SOURCES[0]["text"]}]}
    )
    asked = from_sources(body, "t", Settings())
    assert isinstance(asked.request, GenerationRequest)
    assert isinstance(asked.request.config, GenerationConfig)
    telling, claims = _Telling(asked), []
    provider = scripted_provider("The windscreen excess is £75 ", "for a repair [1]. ", "Glass is covered [1].")
    async with GroundedGenerator(provider, checking=checking) as generator:
        async for event in generator.stream(asked.request):
            if event.kind == "claim":
                claims.append(telling.claim(event))
            elif event.kind == "citation":
                assert telling.citation(event.citation)["source_index"] == 1
            elif event.kind == "finished":
                response = event.response.model_dump(mode="json")
    assert claims
    assert [claim["evidence"] for claim in claims] == [claim["evidence"] for claim in response["claims"]]


async def test_a_reader_who_leaves_and_comes_back_misses_nothing(client):
    """The answer goes on alone; a rejoin tells the rest, each event once."""
    async with client.ask(slow(30, 0.03)) as response:
        events = await collect(response, until=6)
    await asyncio.sleep(0.3)
    await follow([client], events[0].data["stream_id"], events)
    whole(events)
    assert text_of(events) == numbered(30)


async def test_an_ended_stream_is_read_again_or_not_at_all(client):
    """From any number on; 204 after the last, so that an EventSource stops."""
    async with client.ask(ASKED) as response:
        events = await collect(response)
    stream_id = events[0].data["stream_id"]
    async with client.join(stream_id) as response:
        assert [e.data for e in await collect(response)] == [e.data for e in events]
    async with client.join(stream_id, 2) as response:
        assert [e.id for e in await collect(response)] == [e.id for e in events[2:]]
    for after in (len(events), len(events) + 100):
        async with client.join(stream_id, after) as response:
            assert response.status == 204
    status, body = await client.json("GET", f"/api/v1/chat/stream/{stream_id}/status")
    assert (status, body["state"], body["events"]) == (200, "done", len(events))


async def test_a_stream_is_stopped(client):
    """DELETE ends it: readers are told, upstream is closed, a second DELETE finds it ended."""
    async with client.ask(slow(500, 0.05)) as response:
        events = await collect(response, until=4)
        stream_id = events[0].data["stream_id"]
        assert (await client.json("DELETE", f"/api/v1/chat/stream/{stream_id}"))[1]["stopped"] is True
        events += [event async for event in events_of(response)]
    whole(events)
    assert events[-1].data["code"] == "stopped"
    assert (await client.json("DELETE", f"/api/v1/chat/stream/{stream_id}"))[1]["stopped"] is False


async def test_cancel_stops_an_answer_nobody_reads(client):
    """With ``reader=cancel`` it ends a few seconds after its reader left."""
    async with client.ask(slow(2000, 0.02, reader="cancel")) as response:
        stream_id = (await collect(response, until=4))[0].data["stream_id"]
    deadline = time.monotonic() + 15
    while (await client.json("GET", f"/api/v1/chat/stream/{stream_id}/status"))[1]["state"] == "running":
        assert time.monotonic() < deadline
        await asyncio.sleep(0.2)
    events = await follow([client], stream_id, [])
    whole(events)
    assert events[-1].data["code"] == "reader_left"


async def test_a_quiet_line_is_kept_open(client):
    """Comments come while the model is silent, and are no events."""
    async with client.ask(slow(2, 1.5)) as response:
        raw = await response.content.read()
    assert raw.count(b": still here\n\n") >= 2


async def test_a_refusal_is_an_answer(client):
    """Sources that do not hold it: 200, and why."""
    status, body = await client.json("POST", "/api/v1/answers", {"question": "Who won the cup?", "sources": []})
    assert (status, body["response"]["finish_reason"]) == (200, "refused")


async def test_a_model_that_cannot_be_reached_is_said_so(model, tmp_path):
    """502 or 504 with words of ours, none of the provider's; in a stream, an error event."""
    from tests.service.replicas import Replica, start
    from tests.services import free_port

    replica = Replica(
        tmp_path, "nobody", provider="compatible", model="m", base_url=f"http://127.0.0.1:{free_port()}/v1"
    )
    await start(replica)
    try:
        async with Client(replica.url) as client:
            status, body = await client.json("POST", "/api/v1/answers", ASKED)
            assert (status, body["error"]["code"]) == (502, "provider_failed")
            assert "127.0.0.1" not in body["error"]["message"]
            async with client.ask(ASKED) as response:
                events = await collect(response)
            assert [event.name for event in events] == ["start", "error"]
    finally:
        replica.stop()


async def test_a_shutdown_ends_streams_and_says_so(model, tmp_path):
    """SIGTERM: new questions are refused, short answers are finished, long ones end with an error, the exit is clean."""
    import signal

    from tests.service.replicas import Replica, start

    replica = Replica(tmp_path, "leaving", **model, shutdown_seconds=4)
    await start(replica)
    async with Client(replica.url) as client:
        async with client.ask(slow(25, 0.04)) as short, client.ask(slow(900, 0.05)) as long:
            first, second = await collect(short, until=3), await collect(long, until=3)
            replica.kill(signal.SIGTERM)
            async with asyncio.timeout(20):
                status, told = await client.json("GET", "/readyz")
                while status == 200:
                    status, told = await client.json("GET", "/readyz")
            assert (status, told["checks"]["replica"]) == (503, "leaving")
            for path in ("/api/v1/answers", "/v1/chat/completions", "/api/v1/session", "/"):
                async with client.session.post(path, json={}) as refused:
                    assert (refused.status, refused.headers["Retry-After"]) == (503, "1")
                    assert (await refused.json())["error"]["code"] == "shutting_down"
            async with client.join(second[0].data["stream_id"], 1) as again:
                assert (await collect(again, until=2))[0].id == 2
            first += [event async for event in events_of(short)]
            second += [event async for event in events_of(long)]
        whole(first)
        assert text_of(first) == numbered(25)
        whole(second)
        assert second[-1].data["code"] == "shutting_down"
        async with asyncio.timeout(20):
            with pytest.raises(aiohttp.ClientError):
                while True:
                    await client.json("GET", "/healthz")
    assert replica.stop() == -signal.SIGTERM
    assert "Application shutdown complete" in replica.log


def test_the_model_is_open_before_anybody_asks(tmp_path):
    """Not the first answer opens it but the start of the service."""
    script = (
        "import asyncio; from footnoted.models import Reader\n"
        "from footnoted.service.app import create_app; from footnoted.service.settings import Settings\n"
        f"app = create_app(Settings(database_url='sqlite:///{tmp_path}/service.db'))\n"
        "async def main():\n"
        "    async with app.router.lifespan_context(app), asyncio.timeout(60):\n"
        "        while not Reader._loaded:\n"
        "            await asyncio.sleep(0.02)\n"
        "asyncio.run(main())"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
