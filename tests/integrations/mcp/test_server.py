"""The MCP server, by the official SDK's own client: in memory, as a child on stdio, and over HTTP on loopback."""

import asyncio
import json
import os
import re
import sys

import httpx
import pytest
from mcp import MCPError
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from footnoted import GroundedGenerator
from footnoted.integrations.mcp import make_server
from footnoted.testing import Reply, ScriptedLLM, faults
from tests.conftest import COMMAND, run

QUESTION = "What is the windscreen excess?"
TOWER = {"text": "The tower is 90 m high. It was built in 1911.", "title": "Tower"}


async def call(client, tool, **arguments):
    """Structured result, and the progress that was told on the way."""
    steps = []

    async def told(progress, total, message):
        steps.append((progress, message))

    result = await client.call_tool(tool, arguments, progress_callback=told)
    assert not result.is_error, result.content[0].text
    return result, steps


async def refused(client, tool, **arguments):
    result = await client.call_tool(tool, arguments)
    assert result.is_error
    return result.content[0].text


async def converse(client):
    """What any client may do, over whatever carries it."""
    tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    assert set(tools) == {"ask", "check"}
    assert tools["ask"].annotations.read_only_hint
    assert "citations" in tools["ask"].output_schema["properties"]
    result, steps = await call(client, "ask", question=QUESTION)
    told = result.structured_content
    assert told["finish_reason"] == "complete"
    assert "£75" in told["answer"]
    assert told["citations"][0]["file"] == "car.md"
    assert told["citations"][0]["quote"] in result.content[0].text
    assert [claim["verdict"] for claim in told["claims"]] == ["supported"] * len(told["claims"])
    assert [progress for progress, _ in steps] == sorted({progress for progress, _ in steps})
    assert any("supported" in message for _, message in steps)
    result, steps = await call(client, "check", answer="The windscreen excess is £80 for a repair.")
    assert not result.structured_content["stands"]
    assert "£75" in result.structured_content["claims"][0]["reason"]
    assert any("contradicted" in message for _, message in steps)


async def test_on_stdio_as_a_child(folder, env):
    """As an editor starts it: nothing but the protocol on standard output, and it ends with its client."""
    child = StdioServerParameters(
        command=COMMAND[0],
        args=[*COMMAND[1:], "mcp", str(folder)],
        env={**env, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    async with Client(stdio_client(child)) as client:
        await converse(client)


async def test_over_http_on_loopback(folder, env):
    """Streamable HTTP, on a free port; another host's name in the request, and a huge one, are turned away."""
    child = await asyncio.create_subprocess_exec(
        *COMMAND, "mcp", str(folder), "--http", "--port", "0", env=env, stderr=asyncio.subprocess.PIPE
    )
    try:
        said = (await child.stderr.readline()).decode()
        url = re.search(r"http://127\.0\.0\.1:\d+/mcp", said)[0]
        async with Client(url) as client:
            await converse(client)
        kind = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
        async with httpx.AsyncClient() as plain:
            elsewhere = await plain.post(url, json={}, headers={**kind, "Host": "evil.example"})
            assert elsewhere.status_code in (403, 421)
            huge = await plain.post(url, content=b'"' + b"x" * 25_000_000 + b'"', headers=kind)
            assert huge.status_code == 413
    finally:
        child.terminate()
        await asyncio.wait_for(child.communicate(), 15)


async def test_documents_and_passages_are_resources(folder, monkeypatch):
    """Each document is listed and read; a citation's offsets count in its passage; what is not there is an error."""
    monkeypatch.setenv("FOOTNOTED_CACHE", "off")
    async with Client(make_server([folder])) as client:
        listed = (await client.list_resources()).resources
        car = next(each for each in listed if each.name == "car.md")
        assert "£75" in (await client.read_resource(car.uri)).contents[0].text
        all_of_them = json.loads((await client.read_resource("footnoted://documents")).contents[0].text)
        assert {each["uri"] for each in all_of_them} == {str(each.uri) for each in listed[1:]}
        result, _ = await call(client, "ask", question=QUESTION)
        cited = result.structured_content["citations"][0]
        passage = (await client.read_resource(cited["passage"])).contents[0].text
        assert passage[cited["start"] : cited["end"]] == cited["quote"]
        assert cited["passage"] in {one["uri"] for each in all_of_them for one in each["passages"]}
        for nowhere in ("footnoted://documents/x", "footnoted://passages/x"):
            with pytest.raises(MCPError, match="no such"):
                await client.read_resource(nowhere)


TALK = {
    "chat": [
        {"role": "user", "content": "How high is the tower?"},
        {"role": "tool", "tool_call_id": "1", "content": TOWER["text"]},
        {"role": "assistant", "content": "The tower is 80 m high."},
    ],
    "messages": [
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "1", "content": TOWER["text"]}]},
        {"role": "assistant", "content": [{"type": "text", "text": "The tower is 80 m high."}]},
    ],
    "responses": [
        {"type": "function_call_output", "call_id": "1", "output": TOWER["text"]},
        {
            "type": "message",
            "role": "assistant",
            "content": [{"type": "output_text", "text": "The tower is 80 m high."}],
        },
    ],
}


@pytest.mark.parametrize("protocol", TALK)
async def test_a_conversation_is_checked_by_what_it_holds(protocol):
    """Its last answer, or one that is given; without sources in it that is said."""
    async with Client(make_server()) as client:
        result, _ = await call(client, "check", conversation=TALK[protocol])
        assert result.structured_content["claims"][0]["verdict"] == "contradicted"
        result, _ = await call(client, "check", conversation=TALK[protocol], answer="The tower is 90 m high.")
        assert result.structured_content["stands"]
        assert "no sources" in await refused(client, "check", conversation=TALK[protocol][-1:])
        assert "nothing to check" in await refused(client, "check")


async def test_sources_may_come_with_the_call():
    """Without documents of its own the server answers from what it is given, or says what it needs."""
    async with Client(make_server()) as client:
        result, _ = await call(client, "ask", question="How high is the tower?", sources=[TOWER])
        assert "90 m" in result.structured_content["answer"]
        assert result.structured_content["citations"][0]["source"] == "Tower"
        result, _ = await call(client, "check", answer="The tower is 80 m high.", sources=[TOWER])
        assert result.structured_content["claims"][0]["verdict"] == "contradicted"
        for tool, arguments in (("ask", {"question": "How high?"}), ("check", {"answer": "It is 90 m."})):
            assert "pass sources" in await refused(client, tool, **arguments)


async def test_a_refusal_is_an_answer():
    """The documents do not hold it: said as such, with what came nearest; no error, no guess."""
    async with Client(make_server()) as client:
        result, _ = await call(client, "ask", question="Who won the cup in 1998?", sources=[TOWER])
        told = result.structured_content
        assert told["finish_reason"] == "refused"
        assert told["refusal"]
        assert not told["citations"]


@pytest.mark.parametrize(
    ("tool", "arguments", "words"),
    [
        ("ask", {"question": "  "}, "question is empty"),
        ("ask", {"question": "x" * 8_001}, "8000"),
        ("ask", {}, "question"),
        ("ask", {"question": "High?", "sources": [{"text": ""}]}, "at least 1"),
        ("ask", {"question": "High?", "sources": [{"text": "x", "path": "/etc/passwd"}]}, "path"),
        ("ask", {"question": "High?", "sources": [TOWER] * 101}, "100"),
        ("ask", {"question": "High?", "sources": [{"text": "x" * 900_000}] * 6}, "5,000,000"),
        ("check", {"answer": "x" * 200_001, "sources": [TOWER]}, "200000"),
        ("check", {"answer": "", "sources": [TOWER]}, "at least 1"),
    ],
)
async def test_inputs_are_bounded_and_the_bound_is_said(tool, arguments, words):
    """Nothing is read or asked before."""
    async with Client(make_server()) as client:
        assert words in await refused(client, tool, **arguments)


async def test_a_model_is_asked_and_its_failures_are_words():
    """On a real socket: its wrong sentence is withheld, a cut answer says so, a refused key is an error."""
    replies = (
        Reply(text="The tower is 90 m high [1]. It is made of cheese [1]."),
        Reply(text="The tower is 90 m high [1]. It was built in 1911 [1].", fault=faults.clean_cut(after=7)),
        Reply(status=401, text="bad key"),
    )
    async with ScriptedLLM(*replies) as llm:
        generator = GroundedGenerator("openai", api_key="any", base_url=llm.url("openai"))
        async with Client(make_server(generator=generator)) as client:
            asked = {"question": "Tell me about the tower.", "sources": [TOWER]}
            result, _ = await call(client, "ask", **asked)
            assert "cheese" not in result.structured_content["answer"]
            result, _ = await call(client, "ask", **asked)
            assert result.structured_content["finish_reason"] == "truncated"
            assert "not whole" in result.content[0].text
            said = await refused(client, "ask", **asked)
            assert "bad key" in said
            assert "any" not in said.split()


async def test_a_folder_that_cannot_be_read_and_one_that_changes(tmp_path, monkeypatch):
    """No document is an error in words; the next call looks again."""
    monkeypatch.setenv("FOOTNOTED_CACHE", "off")
    async with Client(make_server([tmp_path])) as client:
        assert await refused(client, "ask", question="How high is the tower?")
        (tmp_path / "tower.md").write_text(TOWER["text"], encoding="utf-8")
        result, _ = await call(client, "ask", question="How high is the tower?")
        assert "90 m" in result.structured_content["answer"]


async def test_a_client_that_gives_up_stops_the_model():
    """The call is cancelled; upstream is closed with it."""
    async with ScriptedLLM(Reply(text="The tower is 90 m high [1]. " * 100, delay=0.05)) as llm:
        generator = GroundedGenerator("openai", api_key="any", base_url=llm.url("openai"))
        async with Client(make_server(generator=generator)) as client:
            asked = {"question": "How high is the tower?", "sources": [TOWER]}
            calling = asyncio.create_task(client.call_tool("ask", asked))
            await llm.asked()
            calling.cancel()
            assert await llm.closed_within(3.0) < 3.0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nowhere"], "no such file"),
        (["--http", "--host", "0.0.0.0"], "no keys"),
        (["--http", "--host", "example.org"], "no keys"),
        (["--provider", "openai"], "OPENAI_API_KEY"),
    ],
)
def test_the_command_says_what_is_wrong(arguments, words, env):
    """One line, status 2, nothing served."""
    done = run("mcp", *arguments, env=env)
    assert done.returncode == 2
    assert words in done.stderr
    assert not done.stdout
