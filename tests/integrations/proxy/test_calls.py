"""Tool calls through the proxy, in three protocols and three clients: the sentence is weighed, the call is as it was."""

import json

import anthropic
import openai
import pytest
from aiohttp import web

from tests.integrations.proxy.calling import ARGUMENTS, Calling
from tests.node import UNHURRIED, node

TRUE = "The windscreen excess is £75 for a repair."
ASKED = f'<document title="Car policy">{TRUE} Racing on any track is not covered.</document> What is the excess?'
USER = [{"role": "user", "content": ASKED}]
PARAMETERS = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
CALL = ("look_up", json.loads(ARGUMENTS))


@pytest.fixture
async def calling(proxy):
    """The URL of a proxy before a model that says a sentence and calls a tool, and that model."""
    model = Calling(TRUE)
    app = web.Application()
    app.router.add_post("/{path:.*}", model.answer)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    async with proxy(f"http://127.0.0.1:{runner.addresses[0][1]}/v1", verdict_wait=60) as url:
        yield f"{url}/v1", model
    await runner.cleanup()


async def test_a_response_with_a_call(calling):
    """OpenAI's Responses, whole and streamed; the call's result goes back upstream as the client sent it."""
    url, model = calling
    tool = {"type": "function", "name": "look_up", "description": "Look up.", "parameters": PARAMETERS}
    async with openai.AsyncOpenAI(base_url=url, api_key="k", max_retries=0) as client:
        how = {"model": "m", "tools": [tool]}
        whole = await client.responses.create(input=ASKED, **how)
        async with client.responses.stream(input=ASKED, **how) as stream:
            kinds = [event.type async for event in stream]
            streamed = await stream.get_final_response()
        for done in (whole, streamed):
            text, call = done.output
            assert (call.name, json.loads(call.arguments), call.call_id) == (*CALL, "t1")
            assert (text.content[0].text, len(text.content[0].annotations)) == (TRUE, 1)
        assert "response.function_call_arguments.done" in kinds
        back = [*whole.model_dump()["output"], {"type": "function_call_output", "call_id": "t1", "output": "42"}]
        await client.responses.create(input=[*USER, *back], **how)
    assert model.asked[-1]["input"][-2:] == [whole.model_dump()["output"][1], back[-1]]


async def test_a_message_with_a_call(calling):
    """Anthropic's Messages, whole and streamed, the input of the call put together by its own client."""
    url, model = calling
    tool = {"name": "look_up", "description": "Look up.", "input_schema": PARAMETERS}
    async with anthropic.AsyncAnthropic(base_url=url.removesuffix("/v1"), api_key="k", max_retries=0) as client:
        how = {"model": "m", "max_tokens": 99, "tools": [tool]}
        whole = await client.messages.create(messages=USER, **how)
        async with client.messages.stream(messages=USER, **how) as stream:
            streamed = await stream.get_final_message()
        for done in (whole, streamed):
            text, call = done.content
            assert (call.name, call.input, call.id, done.stop_reason) == (*CALL, "t1", "tool_use")
            assert (text.text, len(text.citations)) == (TRUE, 1)
        result = {"type": "tool_result", "tool_use_id": "t1", "content": "42"}
        said = {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "look_up", "input": CALL[1]}]}
        await client.messages.create(messages=[*USER, said, {"role": "user", "content": [result]}], **how)
    assert model.asked[-1]["messages"][1:] == [said, {"role": "user", "content": [result]}]


@UNHURRIED
async def test_the_ai_sdk_gets_its_calls(calling):
    """Vercel's providers, three protocols, whole and streamed: text, its source, and the call's name and input."""
    url, _ = calling
    done = await node("proxy_calls.mjs", {"url": url, "asked": ASKED})
    right = {"text": TRUE, "finish": "tool-calls", "sources": 1, "calls": [list(CALL)]}
    assert done == {name: {"whole": right, "streamed": right} for name in ("chat", "responses", "messages")}
