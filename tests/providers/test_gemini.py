"""Gemini: contents, system instruction and generation config; blocked prompts; schemas."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from footnoted.providers import build
from footnoted.providers.gemini import thinking
from footnoted.testing import Reply, ScriptedLLM
from footnoted.types import Delta, FinishReason, Prompt, Sampling, Schema, Usage
from tests.providers.conftest import answering, http, sse

SCHEMA = Schema("s", {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]})
DONE = sse('{"candidates": [{"content": {"parts": [{"text": "Hi"}]}, "finishReason": "STOP"}]}')


async def sent(prompt: Prompt, **options):
    async with ScriptedLLM("Hi.") as llm:
        provider = build("gemini", api_key="k", base_url=llm.url("gemini"), **options)
        assert [delta async for delta in provider.stream(prompt)]
        await provider.aclose()
        return llm.requests[0]


async def test_a_prompt_becomes_contents(prompt):
    """Turns alternate user and model, the system instruction stands apart, the key goes in a header."""
    request = await sent(prompt, model="models/gemini-3.5-flash")
    assert request.path == "/v1beta/models/gemini-3.5-flash:streamGenerateContent"
    assert request.query == {"alt": "sse"}
    assert request.headers["x-goog-api-key"] == "k"
    assert request.json["systemInstruction"] == {"parts": [{"text": "Answer from the sources."}]}
    assert request.json["contents"] == [
        {"role": "user", "parts": [{"text": "Hello?"}]},
        {"role": "model", "parts": [{"text": "Good day."}]},
        {"role": "user", "parts": [{"text": "[1] Grass is green.\n\nWhat colour is grass? Cite."}]},
    ]


async def test_sampling_goes_into_the_generation_config():
    """Temperature, top-p, top-k and the token limit, under Gemini's names; what is unset is left out."""
    config = (await sent(Prompt("q", sampling=Sampling(1024, 0.1, 0.8, 40)))).json["generationConfig"]
    assert (config["temperature"], config["topP"], config["topK"], config["maxOutputTokens"]) == (0.1, 0.8, 40, 1024)
    assert "responseMimeType" not in config
    body = (await sent(Prompt("q", sampling=Sampling(10, None)))).json
    assert set(body["generationConfig"]) == {"maxOutputTokens", "thinkingConfig"}
    assert "systemInstruction" not in body


@pytest.mark.parametrize(
    ("model", "config", "thinks"),
    [
        ("gemini-3.5-flash-lite", {"thinkingLevel": "minimal"}, False),
        ("gemini-3-flash-preview", {"thinkingLevel": "minimal"}, False),
        ("gemini-3.8-flash", {"thinkingLevel": "low"}, True),
        ("gemini-3.1-pro-preview", {"thinkingLevel": "low"}, True),
        ("gemini-2.5-flash", {"thinkingBudget": 0}, False),
        ("gemini-2.5-pro", {"thinkingBudget": 128}, True),
        ("gemini-2.0-flash", None, False),
        ("gemini-flash-latest", None, True),
        ("gemma-4", None, False),
    ],
)
def test_each_model_thinks_as_little_as_it_can(model, config, thinks):
    """The thinking level or budget by the model's name; one that thinks anyway gets room for it."""
    assert thinking(model, None) == (config, thinks)
    assert thinking(model, "high") == ({"thinkingLevel": "high"}, True)


async def test_a_schema_is_sent_as_json_schema(prompt):
    """Structured output has its MIME type and schema; the reply is its JSON, the usage by kind."""
    async with ScriptedLLM(Reply(json={"a": 1}, usage=(9, 2, 3))) as llm:
        provider = build("gemini", api_key="k", base_url=llm.url("gemini") + "/v1beta")
        deltas = [delta async for delta in provider.stream(replace(prompt, schema=SCHEMA))]
        await provider.aclose()
        config = llm.requests[0].json["generationConfig"]
    assert config["responseMimeType"] == "application/json"
    assert config["responseJsonSchema"] == SCHEMA.json
    assert json.loads("".join(delta.text for delta in deltas)) == {"a": 1}
    assert deltas[-1] == Delta(finish_reason=FinishReason.COMPLETE, usage=Usage(9, 2, 3))


async def test_a_blocked_prompt_is_a_filtered_ending():
    """A prompt that Google blocks ends filtered, with the reason in words."""
    async with ScriptedLLM(Reply(finish="blocked")) as llm:
        provider = build("gemini", api_key="k", base_url=llm.url("gemini"))
        (only,) = [delta async for delta in provider.stream(Prompt("q"))]
        await provider.aclose()
    assert only.finish_reason is FinishReason.FILTERED
    assert only.detail == "the prompt was blocked: SAFETY"


GIVEN_UP = [
    ("Thinking level is not supported for this model.", "thinkingConfig"),
    ('Invalid JSON payload received. Unknown name "responseJsonSchema"', "responseJsonSchema"),
    ("JSON mode is not enabled for models/gemma-4", "responseMimeType"),
    ("Developer instruction is not enabled for models/gemma-4", "systemInstruction"),
]


@pytest.mark.parametrize(("message", "knob"), GIVEN_UP)
async def test_what_a_model_does_not_know_is_given_up(message, knob):
    """A 400 that names an optional field is asked again without it, its meaning kept in words where it has one."""
    refusal = http("400 Bad Request", json.dumps({"error": {"code": 400, "message": message}}).encode())
    async with answering(refusal, DONE) as (url, requests):
        provider = build("gemini", api_key="k", base_url=url)
        prompt = Prompt("q", system="Be brief.", schema=SCHEMA)
        assert [delta.text async for delta in provider.stream(prompt)] == ["Hi", ""]
        await provider.aclose()
    first, second = (request.partition(b"\r\n\r\n")[2].decode() for request in requests)
    assert f'"{knob}"' in first
    assert f'"{knob}"' not in second
    assert "Be brief." in second
    if knob.startswith("response"):
        assert "JSON Schema" in second
