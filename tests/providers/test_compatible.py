"""Any server that speaks OpenAI's protocol: no key needed, plain parameters, and what it lacks is done without."""

from __future__ import annotations

import json

from footnoted.providers import build
from footnoted.testing import ScriptedLLM
from footnoted.types import Prompt, Sampling, Schema
from tests.providers.conftest import answering, http, sse

DONE = sse('{"choices": [{"delta": {"content": "{}"}, "finish_reason": "stop"}]}', "[DONE]")


async def sent(prompt: Prompt, **options):
    async with ScriptedLLM("Hi.") as llm:
        provider = build("compatible", base_url=llm.url(), **options)
        assert [delta async for delta in provider.stream(prompt)]
        await provider.aclose()
        return llm.requests[0]


async def test_no_key_is_needed():
    """Without a key no Authorization is sent; with one it is."""
    assert "authorization" not in (await sent(Prompt("q"))).headers
    assert (await sent(Prompt("q"), api_key="k")).headers["authorization"] == "Bearer k"


async def test_the_parameters_every_server_knows():
    """Tokens are ``max_tokens``; all of the sampling is sent."""
    body = (await sent(Prompt("q", sampling=Sampling(50, 0.1, 0.8, 40)), model="llama")).json
    assert {k: body[k] for k in ("model", "max_tokens", "temperature", "top_p", "top_k")} == {
        "model": "llama",
        "max_tokens": 50,
        "temperature": 0.1,
        "top_p": 0.8,
        "top_k": 40,
    }
    assert "max_completion_tokens" not in body
    assert "reasoning_effort" not in body


async def test_a_server_without_schemas_is_told_in_words():
    """json_schema refused: json_object and the schema in the prompt; that refused too: the prompt alone."""
    refusals = [
        http("400 Bad Request", json.dumps({"error": said}).encode())
        for said in ("json_schema is not supported", "'response_format.type' must be 'text'")
    ]
    schema = Schema("s", {"type": "object", "properties": {"answer": {"type": "string"}}})
    async with answering(*refusals, DONE) as (url, requests):
        provider = build("compatible", base_url=f"{url}/v1")
        assert [delta.text async for delta in provider.stream(Prompt("q", system="S", schema=schema))] == ["{}", ""]
        await provider.aclose()
    bodies = [json.loads(request.partition(b"\r\n\r\n")[2]) for request in requests]
    assert [body.get("response_format", {}).get("type") for body in bodies] == ["json_schema", "json_object", None]
    for body in bodies[1:]:
        assert body["messages"][0]["content"].startswith("S\n\nReply with one JSON object")
        assert '"answer"' in body["messages"][0]["content"]
