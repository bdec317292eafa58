"""The gate as a rail: NeMo Guardrails and LiteLLM's proxy as they are released, before a model on loopback."""

import asyncio
import contextlib
import socket

import openai
import pytest
import yaml
from aiohttp import web

from footnoted.testing import Reply, ScriptedLLM
from footnoted.testing import faults as wires
from tests.integrations.proxy.calling import ARGUMENTS, Calling
from tests.peers import UNHURRIED, environment, installed, peer
from tests.services import free_port

pytestmark = UNHURRIED
TRUE = "The windscreen excess is £75 for a repair."
FALSE = "The windscreen excess is £980 for a repair."
SOURCE = f"{TRUE} Racing on any track is not covered."
USER = [{"role": "user", "content": f'<document title="Car policy">{SOURCE}</document> What is the excess?'}]
REFUSED = "My sources do not carry an answer to that."


async def test_nemos_output_rail():
    """One flow lets nothing out of a message in which something falls, the other what stands; without chunks all passes."""
    given = {
        "asked": "What is the excess?",
        "flows": ["footnoted grounding", "footnoted hold"],
        "contexts": {"chunks": {"relevant_chunks": SOURCE}, "others": {"relevant_chunks": "Cats purr."}, "none": {}},
    }
    both = f"{TRUE} {FALSE}"
    async with ScriptedLLM(both) as llm:
        told = await peer("nemo_rail.py", {**given, "url": llm.url()})
    assert told == {
        "footnoted grounding: chunks": REFUSED,
        "footnoted grounding: others": REFUSED,
        "footnoted grounding: none": both,
        "footnoted hold: chunks": TRUE,
        "footnoted hold: others": REFUSED,
        "footnoted hold: none": both,
    }


@contextlib.asynccontextmanager
async def litellm(folder, upstream, checking):
    """The address of LiteLLM's proxy with our guardrail, before ``upstream``."""
    config = {
        "general_settings": {"dangerously_permit_weak_or_unset_master_key": True},
        "model_list": [
            {"model_name": "m", "litellm_params": {"model": "openai/m", "api_base": upstream, "api_key": "k"}}
        ],
        "guardrails": [
            {
                "guardrail_name": "footnoted",
                "litellm_params": {
                    "guardrail": "footnoted.integrations.litellm.GroundingGuardrail",
                    "mode": "post_call",
                    "default_on": True,
                    "checking": checking,
                    "verdict_wait": 90,
                },
            }
        ],
    }
    (folder / "config.yaml").write_text(yaml.safe_dump(config), encoding="utf-8")
    python, port = await asyncio.to_thread(installed), free_port()
    command = [str(python.parent / "litellm"), "--config", str(folder / "config.yaml"), "--port", str(port)]
    with (folder / "log").open("w+") as log:
        child = await asyncio.create_subprocess_exec(*command, env=environment(), cwd=folder, stdout=log, stderr=log)
        try:
            while True:
                with contextlib.suppress(OSError):
                    socket.create_connection(("127.0.0.1", port), 1).close()
                    break
                assert child.returncode is None, (folder / "log").read_text()[-3000:]
                await asyncio.sleep(0.2)
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            if child.returncode is None:
                child.terminate()
                await child.wait()


@pytest.fixture
def folder(tmp_path):
    return tmp_path


async def streamed(client, **how):
    text, notes, own, finish = "", [], {}, None
    async for chunk in await client.chat.completions.create(model="m", messages=USER, stream=True, **how):
        told = chunk.model_dump()
        for choice in told["choices"]:
            text += choice["delta"].get("content") or ""
            notes += choice["delta"].get("annotations") or []
            finish = choice["finish_reason"] or finish
        own = (told.get("provider_specific_fields") or {}).get("footnoted") or own
    return text, notes, own, finish


async def test_litellms_guardrail(folder):
    """OpenAI's client through LiteLLM's own proxy: whole and streamed, held to the sources, cited; a cut upstream is an error."""
    cut = Reply(f"{TRUE} {FALSE}", fault=wires.disconnect(after=9))
    async with ScriptedLLM(f"{TRUE} {FALSE}", f"{TRUE} {FALSE}", cut) as llm:
        async with litellm(folder, llm.url(), "hold") as url:
            async with openai.AsyncOpenAI(base_url=url, api_key="k", max_retries=0) as client:
                whole = (await client.chat.completions.create(model="m", messages=USER)).choices[0].message
                assert whole.content.strip() == TRUE
                note = whole.annotations[0].url_citation
                assert whole.content[note.start_index : note.end_index] == TRUE
                assert whole.model_extra["provider_specific_fields"]["footnoted"]["verdicts"]["supported"] == 1
                text, notes, own, finish = await streamed(client)
                assert (text.strip(), finish) == (TRUE, "stop")
                assert notes[0]["url_citation"]["end_index"] == len(TRUE)
                assert own["verdicts"]["supported"] == 1
                with pytest.raises(openai.APIError):
                    await streamed(client)


async def test_litellms_guardrail_lets_calls_pass(folder):
    """A sentence and a tool call, streamed and whole: the sentence is cited, the call is as it was."""
    model = Calling(TRUE)
    app = web.Application()
    app.router.add_post("/{path:.*}", model.answer)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    tool = {"type": "function", "function": {"name": "look_up", "parameters": {"type": "object", "properties": {}}}}
    try:
        async with litellm(folder, f"http://127.0.0.1:{runner.addresses[0][1]}/v1", "mark") as url:
            async with openai.AsyncOpenAI(base_url=url, api_key="k", max_retries=0) as client:
                how = {"model": "m", "messages": USER, "tools": [tool]}
                whole = (await client.chat.completions.create(**how)).choices[0].message
                assert (whole.content, whole.tool_calls[0].function.arguments) == (TRUE, ARGUMENTS)
                assert whole.annotations
                arguments = ""
                async for chunk in await client.chat.completions.create(stream=True, **how):
                    for choice in chunk.choices:
                        for call in choice.delta.tool_calls or []:
                            arguments += call.function.arguments or ""
                assert arguments == ARGUMENTS
    finally:
        await runner.cleanup()


async def test_litellms_reader_who_leaves_is_felt_upstream(folder):
    async with ScriptedLLM(Reply(pieces=["word "] * 4000, delay=0.02)) as llm:
        async with litellm(folder, llm.url(), "mark") as url:
            async with openai.AsyncOpenAI(base_url=url, api_key="k", max_retries=0) as client:
                stream = await client.chat.completions.create(model="m", messages=USER, stream=True)
                async for chunk in stream:
                    if chunk.choices and chunk.choices[0].delta.content:
                        break
                await stream.close()
                await llm.closed_within(10)
