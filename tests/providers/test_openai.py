"""OpenAI: what a prompt becomes on the wire, and what is given up when a model does not know it."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from footnoted.errors import ProviderRejected
from footnoted.providers import build
from footnoted.providers.openai import least_effort
from footnoted.testing import Reply, ScriptedLLM
from footnoted.types import Delta, FinishReason, Prompt, Sampling, Schema, Usage
from tests.providers.conftest import answering, http, sse

SCHEMA = Schema("An answer", {"type": "object", "properties": {"a": {"type": "integer", "minimum": 0}}})
DONE = sse('{"choices": [{"delta": {"content": "Hi"}, "finish_reason": "stop"}]}', "[DONE]")


async def sent(prompt: Prompt, **options) -> dict:
    """The body of the request a prompt becomes."""
    async with ScriptedLLM("Hi.") as llm:
        provider = build("openai", api_key="k", base_url=llm.url(), **options)
        assert [delta async for delta in provider.stream(prompt)]
        await provider.aclose()
        return dict(llm.requests[0].json)


async def test_a_prompt_becomes_messages(prompt):
    """System, turns, then context and ask in one user message; streamed, with usage."""
    body = await sent(prompt)
    assert body["messages"] == [
        {"role": "system", "content": "Answer from the sources."},
        {"role": "user", "content": "Hello?"},
        {"role": "assistant", "content": "Good day."},
        {"role": "user", "content": "[1] Grass is green.\n\nWhat colour is grass? Cite."},
    ]
    assert body["stream"] is True
    assert body["stream_options"] == {"include_usage": True}


async def test_a_bare_question_is_one_message():
    """Without context or system there is nothing but the question."""
    assert (await sent(Prompt("Why?")))["messages"] == [{"role": "user", "content": "Why?"}]
    assert (await sent(Prompt("Why?", ask="Say why.")))["messages"] == [{"role": "user", "content": "Say why."}]


async def test_models_that_reason_think_as_little_as_they_can():
    """A model that can stop thinking does, and takes sampling; one that cannot gets room for it, and none."""
    sampling = Sampling(max_tokens=100, temperature=0.1, top_p=0.8, top_k=40)
    body = await sent(Prompt("q", sampling=sampling), model="gpt-5.6-terra")
    assert (body["reasoning_effort"], body["temperature"], body["top_p"]) == ("none", 0.1, 0.8)
    assert (body["max_completion_tokens"], body.get("top_k")) == (100, None)
    body = await sent(Prompt("q", sampling=sampling), model="o3")
    assert body["reasoning_effort"] == "low"
    assert "temperature" not in body
    assert body["max_completion_tokens"] > 1000
    body = await sent(Prompt("q", sampling=sampling), model="gpt-4.1")
    assert "reasoning_effort" not in body
    assert (await sent(Prompt("q"), effort="high"))["reasoning_effort"] == "high"


@pytest.mark.parametrize(
    ("model", "effort"),
    [
        ("gpt-5", "minimal"),
        ("gpt-5-nano-2025-08-07", "minimal"),
        ("gpt-5.1", "none"),
        ("openai/gpt-5.4-mini", "none"),
        ("gpt-5.4-pro", "low"),
        ("gpt-6", "none"),
        ("gpt-5.3-chat-latest", None),
        ("gpt-4o", None),
        ("o4-mini", "low"),
        ("llama-4", None),
    ],
)
def test_the_least_effort_by_name(model, effort):
    """A model's name says how little it can think."""
    assert least_effort(model) == effort


async def test_a_prompts_model_wins(prompt):
    """The prompt's model is asked, else the provider's."""
    assert (await sent(replace(prompt, model="gpt-x"), model="gpt-y"))["model"] == "gpt-x"
    assert (await sent(prompt, model="gpt-y"))["model"] == "gpt-y"


async def test_a_schema_is_sent_strict(prompt):
    """Structured output goes out as a strict json_schema under a name the API takes; the reply is its JSON."""
    async with ScriptedLLM(Reply(json={"a": 1}, usage=(9, 2, 3))) as llm:
        provider = build("openai", api_key="k", base_url=llm.url())
        deltas = [delta async for delta in provider.stream(replace(prompt, schema=SCHEMA))]
        await provider.aclose()
        form = llm.requests[0].json["response_format"]
    assert form["type"] == "json_schema"
    assert form["json_schema"] == {
        "name": "An_answer",
        "strict": True,
        "schema": {
            "type": "object",
            "properties": {"a": {"type": "integer"}},
            "required": ["a"],
            "additionalProperties": False,
        },
    }
    assert json.loads("".join(delta.text for delta in deltas)) == {"a": 1}
    assert deltas[-1] == Delta(finish_reason=FinishReason.COMPLETE, usage=Usage(9, 2, 3))


async def test_an_open_schema_is_sent_as_it_is(prompt):
    """An object with free keys cannot be strict, so it is not claimed to be."""
    schema = Schema("map", {"type": "object", "additionalProperties": {"type": "string"}})
    form = (await sent(replace(prompt, schema=schema)))["response_format"]
    assert form["json_schema"]["strict"] is False
    assert form["json_schema"]["schema"] == schema.json


def refusal(message: str) -> bytes:
    return http("400 Bad Request", json.dumps({"error": {"message": message}}).encode())


def bodies(requests: list[bytes]) -> list[dict]:
    return [json.loads(request.partition(b"\r\n\r\n")[2]) for request in requests]


GIVEN_UP = [
    ("Unsupported value: 'temperature' does not support 0.3 with this model.", "temperature"),
    ("Unsupported parameter: 'reasoning_effort'", "reasoning_effort"),
    ("Unrecognized request argument supplied: stream_options", "stream_options"),
    ("Invalid parameter: 'response_format' of type 'json_schema' is not supported", "json_schema"),
    ("Unrecognized request argument: max_completion_tokens", "max_completion_tokens"),
]


@pytest.mark.parametrize(("message", "knob"), GIVEN_UP)
async def test_what_a_model_does_not_know_is_given_up_once_and_remembered(message, knob):
    """A 400 that names an optional field is asked again without it; the next request knows."""
    prompt = Prompt("q", schema=SCHEMA)
    async with answering(refusal(message), DONE) as (url, requests):
        provider = build("openai", api_key="k", base_url=f"{url}/v1")
        for _ in range(2):
            assert [delta.text async for delta in provider.stream(prompt)] == ["Hi", ""]
        await provider.aclose()
    first, second, third = bodies(requests)
    assert second == third != first
    if knob == "json_schema":
        assert second["response_format"] == {"type": "json_object"}
        assert '"minimum":0' in second["messages"][0]["content"]
    else:
        assert knob in first
        assert knob not in second
    if knob == "max_completion_tokens":
        assert second["max_tokens"] == 1000


async def test_what_cannot_be_given_up_is_raised():
    """Another complaint, or the same one again, is the provider's last word."""
    for message in ("your prompt is too long", "'temperature' again and again"):
        async with answering(refusal(message)) as (url, requests):
            provider = build("openai", api_key="k", base_url=f"{url}/v1")
            with pytest.raises(ProviderRejected, match=message):
                await anext(provider.stream(Prompt("q")))
            await provider.aclose()
            assert len(requests) <= 2


async def test_a_lone_surrogate_in_a_prompt_harms_nobody():
    """Text that is no valid Unicode still makes a request."""
    assert (await sent(Prompt("broken \ud800 text")))["messages"][0]["content"] == "broken ? text"
