"""Real clients through the proxy: what their model says, with the citations of their own protocol, and nothing harmed."""

import asyncio
import json

import aiohttp
import anthropic
import openai
import pytest
from aiohttp import web

from footnoted.testing import Reply, ScriptedLLM
from tests.node import UNHURRIED, node

SOURCE = "The windscreen excess is £75 for a repair. Racing on any track is not covered."
ASKED = f'<document title="Car policy">{SOURCE}</document> What is the excess?'
TRUE = "The windscreen excess is £75 for a repair."
FALSE = "The windscreen excess is £980 for a repair."
SAID = f"{TRUE} {FALSE}"
USER = [{"role": "user", "content": ASKED}]


@pytest.fixture
async def doors(proxy):
    """The URL of a proxy before a model that says `SAID`, and the model; the check's own models open."""
    async with ScriptedLLM(SAID) as llm:
        async with proxy(llm.url(), verdict_wait=60) as url:
            yield url, llm


@pytest.fixture
async def claude(proxy):
    async with ScriptedLLM(SAID) as llm:
        async with proxy(llm.url("anthropic"), verdict_wait=60) as url:
            yield url, llm


TOLD = {
    "mark": SAID,
    "hold": TRUE,
    "amend": f"{SAID}\n\nTaken back: “{FALSE}” The sources contradict this.",
}
WAYS = pytest.mark.parametrize("mode", TOLD)


async def cites(text, note, url):
    """A citation bounds the sentence that stands, and its page marks the very words it stands on."""
    assert text[note["start_index"] : note["end_index"]] == TRUE
    assert note["title"] == "Car policy"
    assert note["url"].startswith(f"{url}/footnoted/")
    await shows(note["url"])


async def shows(link):
    page, _, anchor = link.partition("#")
    async with aiohttp.ClientSession() as session, session.get(page) as response:
        told = await response.text()
    assert f'<span id="{anchor}"><mark>{TRUE}</mark>' in told
    assert "script" not in told


def found(own):
    return {claim["text"]: claim["verdict"] for claim in own["claims"]}


RIGHT = {TRUE: "supported", FALSE: "contradicted"}


@WAYS
async def test_chat_completions(doors, mode):
    """Whole and streamed, the client's own key and parameters going through."""
    url, llm = doors
    async with openai.AsyncOpenAI(base_url=f"{url}/v1", api_key="their-own", max_retries=0) as client:
        how = {"model": "m", "messages": USER, "extra_headers": {"X-Footnoted-Checking": mode}, "seed": 7}
        stream = await client.chat.completions.create(stream=True, **how)
        text, notes, own, finish = "", [], {}, None
        async for chunk in stream:
            own = (chunk.model_extra or {}).get("footnoted") or own
            for choice in chunk.choices:
                text += choice.delta.content or ""
                notes += (choice.delta.model_extra or {}).get("annotations") or []
                finish = choice.finish_reason or finish
        assert (text, finish) == (TOLD[mode], "stop")
        assert found(own) == RIGHT
        await cites(text, notes[0]["url_citation"], url)
        assert len(notes) == 1
        done = await client.chat.completions.create(**how)
        assert done.choices[0].message.content == text
        await cites(text, done.choices[0].message.annotations[0].url_citation.model_dump(), url)
    request = llm.requests[0]
    assert (request.key, request.json["seed"], request.json["messages"]) == ("their-own", 7, USER)
    assert not [name for name in request.headers if "footnoted" in name]


@WAYS
async def test_responses(doors, mode):
    url, _ = doors
    async with openai.AsyncOpenAI(base_url=f"{url}/v1", api_key="k", max_retries=0) as client:
        how = {"model": "m", "input": ASKED, "extra_headers": {"X-Footnoted-Checking": mode}}
        events = [event async for event in await client.responses.create(stream=True, **how)]
        assert [event.sequence_number for event in events] == list(range(len(events)))
        text = "".join(event.delta for event in events if event.type == "response.output_text.delta")
        final = events[-1].response
        assert text == final.output_text == TOLD[mode]
        notes = [event.annotation for event in events if event.type == "response.output_text.annotation.added"]
        assert [note.url for note in notes] == [note.url for note in final.output[0].content[0].annotations]
        await cites(text, notes[0].model_dump(), url)
        assert found(final.model_extra["footnoted"]) == RIGHT
        whole = await client.responses.create(**how)
        assert whole.output_text == text
        await cites(text, whole.output[0].content[0].annotations[0].model_dump(), url)


@WAYS
async def test_messages(claude, mode):
    """Anthropic's client: a document block as the source, citations in its own deltas; none goes back upstream."""
    url, llm = claude
    document = {"type": "document", "title": "Car policy"}
    document["source"] = {"type": "text", "media_type": "text/plain", "data": SOURCE}
    asked = [{"role": "user", "content": [document, {"type": "text", "text": "What is the excess?"}]}]
    async with anthropic.AsyncAnthropic(base_url=url, api_key="k", max_retries=0) as client:
        how = {"model": "m", "max_tokens": 99, "extra_headers": {"X-Footnoted-Checking": mode}}
        async with client.messages.stream(messages=asked, **how) as stream:
            done = await stream.get_final_message()
        block = done.content[0]
        assert block.text == TOLD[mode]
        cited = block.citations[0]
        assert (cited.type, cited.cited_text, cited.title) == ("web_search_result_location", TRUE, "Car policy")
        await shows(cited.url)
        whole = await client.messages.create(messages=asked, **how)
        assert whole.content[0].text == TOLD[mode]
        assert whole.content[0].citations[0].cited_text == TRUE
        assert found(whole.model_extra["footnoted"]) == RIGHT
        again = [*asked, {"role": "assistant", "content": whole.model_dump()["content"]}, *asked]
        await client.messages.create(messages=again, **how)
    assert "citations" not in llm.requests[-1].json["messages"][1]["content"][0]


@UNHURRIED
async def test_the_ai_sdk_reads_both_protocols(doors, claude):
    """Vercel's providers for OpenAI and Anthropic, streamed and whole, their sources links into our page."""
    done = await node("proxy_doors.mjs", {"openai": f"{doors[0]}/v1", "anthropic": f"{claude[0]}/v1", "asked": ASKED})
    assert [each["name"] for each in done] == ["chat", "responses", "messages"]
    for each in done:
        for how in ("whole", "streamed"):
            assert each[how]["text"] == SAID
            assert each[how]["finish"] == "stop"
            assert "/footnoted/" in each[how]["sources"][0]["url"]


UNTOUCHED = [
    ("no sources", "no sources", {"messages": [{"role": "user", "content": "Hello?"}]}),
    ("several choices", "several choices", {"messages": USER, "n": 2}),
    ("a schema", "structured output", {"messages": USER, "response_format": {"type": "json_object"}}),
    ("logprobs", "logprobs", {"messages": USER, "logprobs": True}),
    ("sound", "audio", {"messages": USER, "modalities": ["text", "audio"]}),
]


def events(*data):
    return "".join(f"data: {json.dumps(each)}\n\n" for each in data) + "data: [DONE]\n\n"


def chunk(delta, finish=None, index=0):
    choice = {"index": index, "delta": delta, "logprobs": None, "finish_reason": finish}
    return {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}


@pytest.fixture
async def replays(proxy):
    """A proxy before a server that answers each POST with the bytes a test gives it."""
    given = {}

    async def answer(request):
        given["asked"] = await request.read()
        return web.Response(body=given["body"], content_type=given["kind"])

    app = web.Application()
    app.router.add_route("*", "/{path:.*}", answer)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    port = runner.addresses[0][1]
    async with proxy(f"http://127.0.0.1:{port}/v1", verdict_wait=60) as url:
        yield url, given
    await runner.cleanup()


@pytest.mark.parametrize(("why", "body"), [row[1:] for row in UNTOUCHED], ids=[row[0] for row in UNTOUCHED])
async def test_what_is_not_weighed_passes_byte_for_byte(replays, why, body):
    """Request and reply, streamed and whole, and a header says why."""
    url, given = replays
    sent = json.dumps({"model": "m", **body}, indent=1).encode()
    stream = events(chunk({"content": "Hi"}), chunk({"content": "Ho"}, index=1), chunk({}, "stop"))
    for kind, said in (("text/event-stream", stream), ("application/json", '{"choices": [ ]}')):
        given |= {"kind": kind, "body": said.encode()}
        async with aiohttp.ClientSession() as session:
            async with session.post(f"{url}/v1/chat/completions?a=b%20c", data=sent) as response:
                assert await response.read() == said.encode()
                assert response.headers["Footnoted-Passed"] == why
        assert given["asked"] == sent


async def test_a_tool_call_passes_in_its_place(replays):
    """What is no text goes on as it came, in order, while the text around it is weighed."""
    url, given = replays
    call = {"index": 0, "id": "t", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    told = [
        chunk({"role": "assistant", "content": ""}),
        chunk({"content": TRUE}),
        chunk({"reasoning_content": "hm"}),
        chunk({"tool_calls": [call]}),
        chunk({}, "tool_calls"),
        {**chunk({}), "choices": [], "usage": {"total_tokens": 3}},
    ]
    given |= {"kind": "text/event-stream", "body": events(*told).encode()}
    async with aiohttp.ClientSession() as session:
        async with session.post(f"{url}/v1/chat/completions", json={"messages": USER, "stream": True}) as response:
            lines = (await response.text()).strip().split("\n\n")
    assert lines[-2] == "data: [DONE]"
    assert lines[-1].startswith(": footnoted.verdicts supported=1")
    got = [json.loads(each.removeprefix("data: ")) for each in lines[:-2]]
    ours = [each for each in got if each["choices"] and each["choices"][0]["delta"].get("annotations")]
    assert len(ours) == 1
    assert [{k: v for k, v in each.items() if k != "footnoted"} for each in got if each not in ours] == told


async def test_other_paths_pass(replays):
    """The list of models, embeddings, whatever a server has: both ways untouched."""
    url, given = replays
    given |= {"kind": "application/octet-stream", "body": bytes(range(256)) * 100}
    async with aiohttp.ClientSession() as session:
        for method, path in (("GET", "/v1/models"), ("POST", "/v1/audio/speech"), ("DELETE", "/v1/files/x")):
            async with session.request(method, url + path, data=b"\x00\xff" if method == "POST" else None) as response:
                assert await response.read() == given["body"]


@pytest.mark.parametrize("asked", [USER, [{"role": "user", "content": "Hello?"}]], ids=["checked", "relayed"])
async def test_a_reader_who_leaves_is_felt_upstream(proxy, asked):
    async with ScriptedLLM(Reply(pieces=["word "] * 500, delay=0.02)) as llm:
        async with proxy(llm.url()) as url, aiohttp.ClientSession() as session:
            body = {"model": "m", "messages": asked, "stream": True}
            async with session.post(f"{url}/v1/chat/completions", json=body) as response:
                await response.content.readline()
                assert llm.open_replies == 1
                response.close()
            await llm.closed_within(2)


async def test_a_wrong_mode_is_said(doors):
    async with openai.AsyncOpenAI(base_url=f"{doors[0]}/v1", api_key="k", max_retries=0) as client:
        with pytest.raises(openai.BadRequestError, match="mark, hold, amend, off"):
            await client.chat.completions.create(
                model="m", messages=USER, extra_headers={"X-Footnoted-Checking": "loud"}
            )


async def test_an_answer_comes_before_its_verdicts(proxy):
    """Under mark no text waits for a check, however long that takes."""

    class Slow:
        async def acheck(self, claim, sources, *, cited=()):
            await asyncio.Event().wait()

    async with ScriptedLLM(SAID) as llm, proxy(llm.url(), checker=Slow(), verdict_wait=0.5) as url:
        async with openai.AsyncOpenAI(base_url=f"{url}/v1", api_key="k", max_retries=0) as client:
            stream = await client.chat.completions.create(model="m", messages=USER, stream=True)
            told = [
                (c.choices[0].delta.content or "", c.choices[0].finish_reason, c.model_extra)
                async for c in stream
                if c.choices
            ]
    assert "".join(text for text, *_ in told) == SAID
    assert told[-1][1] == "stop"
    assert set(found(told[-1][2]["footnoted"]).values()) == {"not_checked"}
