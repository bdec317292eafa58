from __future__ import annotations

import asyncio
import json
import sys
from typing import Any

import aiohttp
import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnoted.testing import Reply, Request, ScriptedLLM, closed_port, faults
from footnoted.testing.script import ProtocolName, text_of
from tests.laws import tried

PROTOCOLS: tuple[ProtocolName, ...] = ("openai", "anthropic", "gemini", "responses")


def asked(
    llm: ScriptedLLM, protocol: ProtocolName, *, stream: bool = False, model: str = "m", key: str = "k"
) -> dict[str, Any]:
    """The arguments of a POST as each vendor's SDK makes it."""
    messages = [{"role": "user", "content": "Is grass green?"}]
    if protocol == "openai":
        return {
            "url": f"{llm.url('openai')}/chat/completions",
            "json": {"model": model, "messages": messages, "stream": stream, "stream_options": {"include_usage": True}},
            "headers": {"Authorization": f"Bearer {key}"} if key else {},
        }
    if protocol == "responses":
        return {
            "url": f"{llm.url('responses')}/responses",
            "json": {"model": model, "input": messages, "stream": stream},
            "headers": {"Authorization": f"Bearer {key}"} if key else {},
        }
    if protocol == "anthropic":
        return {
            "url": f"{llm.url('anthropic')}/v1/messages",
            "json": {"model": model, "messages": messages, "max_tokens": 9, "stream": stream},
            "headers": {"anthropic-version": "2023-06-01", **({"x-api-key": key} if key else {})},
        }
    how = "streamGenerateContent?alt=sse" if stream else "generateContent"
    return {
        "url": f"{llm.url('gemini')}/v1beta/models/{model}:{how}",
        "json": {"contents": [{"role": "user", "parts": [{"text": "Is grass green?"}]}]},
        "headers": {"x-goog-api-key": key} if key else {},
    }


def events(body: str) -> list[Any]:
    """The data of a stream's events, decoded."""
    data = [line.removeprefix("data: ") for line in body.splitlines() if line.startswith("data: ")]
    return [json.loads(each) if each != "[DONE]" else each for each in data]


def text_in(protocol: ProtocolName, said: list[Any]) -> str:
    """The text of a streamed or whole reply."""
    pieces = []
    for event in said:
        if protocol == "openai" and event != "[DONE]":
            pieces += [(c.get("delta") or c.get("message") or {}).get("content") or "" for c in event["choices"]]
        elif protocol == "responses":
            pieces.append(event["delta"] if event.get("type") == "response.output_text.delta" else "")
            pieces += [part["text"] for item in event.get("output", []) for part in item["content"]]
        elif protocol == "anthropic":
            pieces.append(event.get("delta", {}).get("text", ""))
            pieces += [block["text"] for block in event.get("content", [])]
        elif protocol == "gemini":
            parts = event["candidates"][0].get("content", {}).get("parts", [])
            pieces += [part["text"] for part in parts]
    return "".join(pieces)


@pytest.mark.parametrize("protocol", PROTOCOLS)
async def test_streamed_and_whole_replies_say_the_same(protocol: ProtocolName) -> None:
    """A reply has the same text whether the request asks for a stream or for the whole."""
    async with ScriptedLLM(Reply("Grass is green [1]. Ünï 漢字 🌱")) as llm, aiohttp.ClientSession() as session:
        async with session.post(**asked(llm, protocol, stream=True)) as response:
            assert response.headers["Content-Type"].startswith("text/event-stream")
            streamed = text_in(protocol, events(await response.text()))
        async with session.post(**asked(llm, protocol)) as response:
            whole = text_in(protocol, [await response.json()])
        assert streamed == whole == "Grass is green [1]. Ünï 漢字 🌱"
        assert llm.open_connections == 1, "the connection was kept for the second request"


@pytest.mark.parametrize("protocol", PROTOCOLS)
async def test_requests_are_on_record(protocol: ProtocolName) -> None:
    """What was asked can be asserted on: protocol, model, key, words, body, headers."""
    async with ScriptedLLM("Yes.") as llm, aiohttp.ClientSession() as session:
        async with session.post(**asked(llm, protocol, stream=True, model="tiny")) as response:
            await response.read()
        [request] = llm.requests
        assert (request.protocol, request.model, request.key, request.stream) == (protocol, "tiny", "k", True)
        assert request.prompt_text == "Is grass green?"
        assert request.headers["content-type"] == "application/json"
        assert request.json


async def test_replies_come_in_order_and_the_last_repeats() -> None:
    """Each request takes the next reply; a function is asked with the request; the last one stays."""

    def echo(request: Request) -> str:
        return f"You asked: {request.prompt_text}"

    async with ScriptedLLM("One.", Reply(status=429), echo) as llm, aiohttp.ClientSession() as session:
        said = []
        for _ in range(4):
            async with session.post(**asked(llm, "openai")) as response:
                body = await response.json()
                said.append((response.status, text_in("openai", [body]) if response.ok else body["error"]["code"]))
    asked_back = (200, "You asked: Is grass green?")
    assert said == [(200, "One."), (429, "rate_limit_exceeded"), asked_back, asked_back]


@pytest.mark.parametrize(
    ("protocol", "wrong", "missing"),
    [("openai", 401, 401), ("responses", 401, 401), ("anthropic", 401, 401), ("gemini", 400, 403)],
)
async def test_keys_and_models_are_checked_the_vendors_way(protocol: ProtocolName, wrong: int, missing: int) -> None:
    """A wrong key, no key, and an unknown model each get the status and the error shape of the vendor."""
    async with ScriptedLLM("Yes.", api_key="k", models=["m"]) as llm, aiohttp.ClientSession() as session:
        cases = [({}, 200), ({"key": "x"}, wrong), ({"key": ""}, missing), ({"model": "none"}, 404)]
        for changes, status in cases:
            async with session.post(**asked(llm, protocol, **changes)) as response:
                body = await response.json()
                assert response.status == status, body
                if status != 200:
                    assert body["error"]["message"]


async def test_a_request_that_is_not_the_protocols_is_refused() -> None:
    """Missing fields, a missing version header and an unknown path are told, not answered."""
    async with ScriptedLLM("Yes.") as llm, aiohttp.ClientSession() as session:
        broken = asked(llm, "anthropic")
        del broken["json"]["max_tokens"]
        headless = {**asked(llm, "anthropic"), "headers": {}}
        turned = asked(llm, "gemini")
        turned["json"]["contents"][0]["role"] = "assistant"
        empty = {**asked(llm, "openai"), "json": {}}
        lost = {"url": f"{llm.url('gemini')}/v1/elsewhere", "json": {}}
        nothing = {**asked(llm, "responses"), "json": {"model": "m"}}
        cases = [(broken, 400), (headless, 400), (turned, 400), (empty, 400), (nothing, 400), (lost, 404)]
        for case, status in cases:
            async with session.post(**case) as response:
                assert response.status == status
                assert (await response.json())["error"]["message"]


@pytest.mark.parametrize("protocol", PROTOCOLS)
async def test_error_statuses_come_in_the_vendors_shape(protocol: ProtocolName) -> None:
    """A scripted status carries its headers and the vendor's body around the scripted words."""
    busy = Reply("Slow down.", status=429, headers={"Retry-After": "1.5"})
    async with ScriptedLLM(busy) as llm, aiohttp.ClientSession() as session:
        response = await session.post(**asked(llm, protocol, stream=True))
        body = await response.json()
    assert (response.status, response.headers["Retry-After"]) == (429, "1.5")
    assert body["error"]["message"].startswith("Slow down.")
    assert protocol != "gemini" or body["error"]["details"][0]["retryDelay"] == "1.5s"


async def test_usage_is_told_as_each_protocol_counts() -> None:
    """OpenAI and Gemini count cached tokens into the input, Anthropic beside it."""
    async with ScriptedLLM(Reply("Yes, it is.", usage=(100, 80, 7))) as llm, aiohttp.ClientSession() as session:
        said = {}
        for protocol in PROTOCOLS:
            async with session.post(**asked(llm, protocol, stream=True)) as response:
                said[protocol] = events(await response.text())
    openai = said["openai"][-2]["usage"]
    assert (openai["prompt_tokens"], openai["prompt_tokens_details"]["cached_tokens"]) == (100, 80)
    assert openai["completion_tokens"] == 7
    start = said["anthropic"][0]["message"]["usage"]
    assert (start["input_tokens"], start["cache_read_input_tokens"]) == (20, 80)
    assert said["anthropic"][-2]["usage"] == {"output_tokens": 7}
    responses = said["responses"][-1]["response"]["usage"]
    assert (responses["input_tokens"], responses["input_tokens_details"]["cached_tokens"]) == (100, 80)
    assert responses["output_tokens"] == 7
    gemini = said["gemini"][-1]["usageMetadata"]
    assert (gemini["promptTokenCount"], gemini["cachedContentTokenCount"]) == (100, 80)
    assert gemini["candidatesTokenCount"] == 7


async def test_a_script_that_fails_fails_the_test() -> None:
    """An error in a reply's own function drops the client, and is raised when the server stops."""

    def broken(request: Request) -> str:
        raise LookupError(request.prompt_text)

    with pytest.raises(LookupError, match="Is grass green"):
        async with ScriptedLLM(broken) as llm, aiohttp.ClientSession() as session:
            with pytest.raises(aiohttp.ClientError):
                await session.post(**asked(llm, "openai"))


async def test_pieces_keep_their_pace() -> None:
    """Pieces arrive apart, and lateness does not add up: the last one is due when the script says."""
    pieces = [f"{n} " for n in range(10)]
    reply = Reply(pieces=pieces, first_delay=0.05, delay=0.02)
    loop = asyncio.get_running_loop()
    async with ScriptedLLM(reply) as llm, aiohttp.ClientSession() as session:
        began = loop.time()
        async with session.post(**asked(llm, "gemini", stream=True)) as response:
            arrived = [loop.time() - began async for _ in response.content.iter_any()]
    assert arrived[0] >= 0.05
    assert arrived[-1] >= 0.05 + 9 * 0.02 - 0.001
    assert len(arrived) >= 5, "the pieces came apart"


async def test_a_reader_who_leaves_is_noticed() -> None:
    """The server knows at once that a client went, and fails the test in which it stays."""
    async with ScriptedLLM(Reply("Yes, it is.", fault=faults.silence(after=1))) as llm:
        async with aiohttp.ClientSession() as session:
            response = await session.post(**asked(llm, "openai", stream=True))
            await response.content.readany()
            assert llm.open_replies == 1
            with pytest.raises(AssertionError, match="never left"):
                await llm.closed_within(0.02)
            response.close()
            assert await llm.closed_within(0.5) < 0.1
        assert llm.open_replies == llm.open_connections == 0


async def test_a_request_can_be_waited_for() -> None:
    """A test can wait until the server was asked, and fails when it never is."""
    async with ScriptedLLM("Yes.") as llm, aiohttp.ClientSession() as session:
        with pytest.raises(AssertionError, match="0 of 1 requests"):
            await llm.asked(within=0.01)
        asking = asyncio.create_task(session.post(**asked(llm, "openai")).__aenter__())
        await llm.asked()
        assert len(llm.requests) == 1
        (await asking).release()


async def test_chunked_and_split_requests_are_read() -> None:
    """A request may come in pieces and chunked; two in one packet are answered in turn."""
    body = json.dumps({"model": "m", "messages": [{"role": "user", "content": "漢字?"}]}).encode()
    head = b"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\n"
    chunked = head + b"Transfer-Encoding: chunked\r\n\r\n%x\r\n%b\r\n0\r\n\r\n" % (len(body), body)
    sized = head + b"Content-Length: %d\r\n\r\n%b" % (len(body), body)
    async with ScriptedLLM("One.", "Two.", "Three.") as llm:
        port = int(llm.url("gemini").rsplit(":", 1)[1])
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        for byte in chunked:
            writer.write(bytes([byte]))
            await asyncio.sleep(0)
        writer.write(sized + sized)
        for said in (b"One.", b"Two.", b"Three."):
            answer = await asyncio.wait_for(reader.readuntil(b"0\r\n\r\n"), 1)
            assert said in answer
        writer.close()
        await writer.wait_closed()
        assert [request.prompt_text for request in llm.requests] == ["漢字?"] * 3


async def test_nobody_listens_at_a_closed_port() -> None:
    """Connecting to a closed port is refused."""
    async with aiohttp.ClientSession() as session:
        with pytest.raises(aiohttp.ClientConnectorError):
            await session.post(closed_port())


async def test_the_stand_in_runs_from_the_command_line() -> None:
    """``python -m footnoted.testing`` prints three base_urls and answers from the sources it is shown."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "footnoted.testing", "--port", "0", stdout=asyncio.subprocess.PIPE
    )
    assert process.stdout
    try:
        lines = [(await process.stdout.readline()).decode().split() for _ in range(3)]
        assert [protocol for protocol, _ in lines] == ["openai", "anthropic", "gemini"]
        words = "== a1 1: Car\nThe windscreen excess is £75. Tyres are not covered.\n== a1 2\nHello.\n== a1 end\n"
        message = {"role": "user", "content": f"{words}What is the windscreen excess?"}
        async with aiohttp.ClientSession() as session:
            url = f"{lines[0][1]}/chat/completions"
            async with session.post(url, json={"model": "m", "messages": [message]}) as response:
                said = text_in("openai", [await response.json()])
        assert said == "The windscreen excess is £75. [1]"
    finally:
        process.terminate()
        await process.wait()


@tried(100)
@given(st.text())
def test_text_is_cut_without_loss(text: str) -> None:
    """However a text looks, its pieces put together are the text."""
    assert "".join(Reply(text).parts) == text


def test_words_are_found_in_every_shape_of_content() -> None:
    """Strings, parts, documents and nested content all count as what the user said."""
    document = {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "Grass."}}
    assert text_of("a") == "a"
    assert text_of([{"text": "a"}, document, {"parts": [{"text": "b"}]}, {"type": "image"}]) == "a\nGrass.\nb"
    assert text_of(None) == ""
