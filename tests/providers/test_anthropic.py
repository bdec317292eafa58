"""Anthropic: blocks with caching marks, documents with citations, schemas, and each model's own manners."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from footnoted.providers import build
from footnoted.providers.anthropic import samples, thinking
from footnoted.testing import Pin, Reply, ScriptedLLM
from footnoted.types import Delta, FinishReason, Pointer, Prompt, Sampling, Schema, Source, Turn, Usage
from tests.providers.conftest import answering, http, sse

MARK = {"type": "ephemeral"}
SCHEMA = Schema("s", {"type": "object", "properties": {"a": {"type": "integer", "maximum": 9}}})
DONE = sse(
    '{"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Hi"}}',
    '{"type": "message_delta", "delta": {"stop_reason": "end_turn"}}',
)


async def sent(prompt: Prompt, **options):
    async with ScriptedLLM("Hi.") as llm:
        provider = build("anthropic", api_key="k", base_url=llm.url("anthropic"), **options)
        assert [delta async for delta in provider.stream(prompt)]
        await provider.aclose()
        return llm.requests[0]


async def test_a_prompt_becomes_blocks_with_caching_marks(prompt):
    """The stable system prefix and the context carry cache marks; the ask stands after them."""
    request = await sent(prompt)
    assert request.path == "/v1/messages"
    assert (request.headers["x-api-key"], request.headers["anthropic-version"]) == ("k", "2023-06-01")
    assert request.json["system"] == [{"type": "text", "text": "Answer from the sources.", "cache_control": MARK}]
    assert request.json["messages"] == [
        {"role": "user", "content": "Hello?"},
        {"role": "assistant", "content": "Good day."},
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "[1] Grass is green.", "cache_control": MARK},
                {"type": "text", "text": "What colour is grass? Cite."},
            ],
        },
    ]


async def test_nothing_empty_is_sent():
    """The API refuses empty text: no system, no context, no half turns."""
    body = (await sent(Prompt("Why?", context=" ", history=(Turn("a", " "), Turn("b", "c "))))).json
    assert "system" not in body
    assert body["messages"] == [
        {"role": "user", "content": "b"},
        {"role": "assistant", "content": "c"},
        {"role": "user", "content": [{"type": "text", "text": "Why?"}]},
    ]


async def test_a_base_url_with_v1_is_understood():
    """The SDK's base_url has no /v1; one that has it works too."""
    async with ScriptedLLM("Hi.") as llm:
        provider = build("anthropic", api_key="k", base_url=llm.url("anthropic") + "/v1/")
        assert [delta async for delta in provider.stream(Prompt("q"))]
        await provider.aclose()
        assert llm.requests[0].path == "/v1/messages"


MANNERS = [
    ("claude-3-5-sonnet-20241022", True, {}, False),
    ("claude-sonnet-4-20250514", True, {}, False),
    ("claude-opus-4-6", True, {}, False),
    ("claude-opus-4-7", False, {}, False),
    ("claude-haiku-5-5", False, {"thinking": {"type": "disabled"}}, False),
    ("claude-sonnet-5", False, {"thinking": {"type": "disabled"}}, False),
    ("anthropic/claude-sonnet-5.5", False, {"thinking": {"type": "between_tools"}}, False),
    ("claude-opus-5-5", False, {"output_config": {"effort": "low"}}, True),
    ("my-own-model", True, {}, False),
]


@pytest.mark.parametrize(("model", "sampled", "knobs", "thinks"), MANNERS)
def test_each_model_is_asked_in_its_own_manner(model, sampled, knobs, thinks):
    """Sampling goes to models that take it; thinking is kept as short as each allows."""
    assert samples(model) is sampled
    assert thinking(model, None, set()) == (knobs, thinks)


async def test_sampling_and_room_to_think():
    """Older models get one of temperature and top_p; models that must think get tokens for it."""
    sampling = Sampling(100, 0.1, 0.8, 40)
    body = (await sent(Prompt("q", sampling=sampling), model="claude-sonnet-4-5")).json
    assert (body["temperature"], body["top_k"], body["max_tokens"]) == (0.1, 40, 100)
    assert "top_p" not in body
    body = (await sent(Prompt("q", sampling=sampling), model="claude-opus-5-5")).json
    assert "temperature" not in body
    assert body["max_tokens"] > 1000
    assert (await sent(Prompt("q"), effort="high")).json["output_config"] == {"effort": "high"}


async def test_a_schema_goes_out_as_output_config(prompt):
    """Structured output is ``output_config.format``, strict; the reply is its JSON text."""
    async with ScriptedLLM(Reply(json={"a": 1}, usage=(9, 2, 3))) as llm:
        provider = build("anthropic", api_key="k", base_url=llm.url("anthropic"), native_citations=True)
        deltas = [delta async for delta in provider.stream(replace(prompt, schema=SCHEMA))]
        await provider.aclose()
        body = llm.requests[0].json
    schema = body["output_config"]["format"]["schema"]
    assert body["output_config"]["format"]["type"] == "json_schema"
    assert (schema["additionalProperties"], schema["required"]) == (False, ["a"])
    assert schema["properties"] == {"a": {"type": "integer"}}
    assert body["messages"][-1]["content"][0]["type"] == "text", "native citations cannot go with a schema"
    assert json.loads("".join(delta.text for delta in deltas)) == {"a": 1}
    assert deltas[-1] == Delta(finish_reason=FinishReason.COMPLETE, usage=Usage(9, 2, 3))


async def test_a_model_without_schemas_is_told_in_words():
    """output_config refused: the schema stands in the system prompt, and that is remembered."""
    said = {
        "type": "error",
        "error": {"type": "invalid_request_error", "message": "output_config.format: Extra inputs"},
    }
    async with answering(http("400 Bad Request", json.dumps(said).encode()), DONE) as (url, requests):
        provider = build("anthropic", api_key="k", base_url=url)
        assert [delta.text async for delta in provider.stream(Prompt("q", schema=SCHEMA))] == ["Hi", ""]
        await provider.aclose()
    body = json.loads(requests[1].partition(b"\r\n\r\n")[2])
    assert "output_config" not in body
    assert "JSON Schema" in body["system"][0]["text"]


async def test_native_citations_are_pointers_into_the_prompts_sources():
    """Sources go out as documents; each citation points at the exact words, counted in the prompt's sources."""
    sources = (
        Source("empty", " "),
        Source("g", "🌿 Grass is green.", title="Botany " * 99),
        Source("s", "Sky is blue."),
    )
    prompt = Prompt("What is green?", ask="Say it.", context="not sent", sources=sources)
    pieces, pins = ["Grass", " is green", ", the sky blue."], [Pin(1, 0, 2, 17, "Grass is green."), Pin(2, 1, 0, 12)]
    async with ScriptedLLM(Reply(pieces=pieces, citations=pins)) as llm:
        provider = build("anthropic", api_key="k", base_url=llm.url("anthropic"), native_citations=True)
        deltas = [delta async for delta in provider.stream(prompt)]
        await provider.aclose()
        green, blue, ask = llm.requests[0].json["messages"][0]["content"]
    assert green["source"] == {"type": "text", "media_type": "text/plain", "data": sources[1].text}
    assert green["citations"] == blue["citations"] == {"enabled": True}
    assert len(green["title"]) <= 200
    assert "title" not in blue
    assert "cache_control" not in green
    assert blue["cache_control"] == MARK
    assert ask["text"].startswith("Say it.\n\n")
    assert "not sent" not in json.dumps(ask)
    assert [(d.text, d.pointers) for d in deltas[:-1]] == [
        ("Grass", ()),
        (" is green", ()),
        ("", (Pointer(1, 2, 17),)),
        (", the sky blue.", ()),
        ("", (Pointer(2, 0, 12),)),
    ]
    for delta in deltas:
        for pointer in delta.pointers:
            assert sources[pointer.source].text[pointer.start : pointer.end] in ("Grass is green.", "Sky is blue.")


async def test_native_citations_need_sources():
    """Without a source there is nothing to cite, and the prompt goes out as ever."""
    request = await sent(Prompt("q", context="c"), native_citations=True)
    assert [block["type"] for block in request.json["messages"][0]["content"]] == ["text", "text"]
