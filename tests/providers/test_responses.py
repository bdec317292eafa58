"""OpenAI's Responses protocol: the same prompts and endings under other names."""

from __future__ import annotations

import json

import pytest

from footnoted.errors import BadProviderReply, ConfigurationError, ProviderUnavailable, RateLimited
from footnoted.providers import build
from footnoted.providers.responses import ResponseReading
from footnoted.types import Delta, FinishReason, Prompt, Sampling, Schema, Usage
from tests.providers.conftest import answering, http, sse


def numbered(*events: dict) -> list[str]:
    return [json.dumps({"sequence_number": n, **event}) for n, event in enumerate(events)]


def words(text: str) -> dict:
    return {"type": "response.output_text.delta", "delta": text}


def ended(status: str = "completed", **fields) -> dict:
    usage = {"input_tokens": 9, "input_tokens_details": {"cached_tokens": 2}, "output_tokens": 3}
    return {"type": f"response.{status}", "response": {"status": status, "usage": usage, **fields}}


def read(*events: str) -> list[Delta]:
    stream = "".join(f"data: {event}\n\n" for event in events).encode()
    reading = ResponseReading()
    return reading.decode(stream) + reading.flush()


GOOD = numbered({"type": "response.created"}, words("Grass "), words("is green."), ended())


async def test_a_prompt_becomes_a_response_request(prompt):
    """The same wishes under the names of this protocol; nothing is stored at the vendor."""
    schema = Schema("s", {"type": "object", "properties": {"a": {"type": "string"}}})
    asked = Prompt("q", system="S", sampling=Sampling(100), schema=schema)
    async with answering(sse(*GOOD)) as (url, requests):
        provider = build("openai", api_key="k", base_url=f"{url}/v1", api="responses", model="gpt-5.6-terra")
        deltas = [delta async for delta in provider.stream(asked)]
        await provider.aclose()
    head, _, body = requests[0].partition(b"\r\n\r\n")
    sent = json.loads(body)
    assert head.startswith(b"POST /v1/responses ")
    assert sent["input"] == [{"role": "system", "content": "S"}, {"role": "user", "content": "q"}]
    assert (sent["stream"], sent["store"], sent["max_output_tokens"]) == (True, False, 100)
    assert sent["reasoning"] == {"effort": "none"}
    assert sent["text"]["format"]["type"] == "json_schema"
    assert sent["text"]["format"]["schema"]["required"] == ["a"]
    assert "messages" not in sent
    assert deltas == [
        Delta("Grass "),
        Delta("is green."),
        Delta(usage=Usage(9, 2, 3), finish_reason=FinishReason.COMPLETE),
    ]


async def test_what_a_model_does_not_know_is_given_up_here_too():
    """A 400 that names an optional field is asked again without it."""
    refusal = http("400 Bad Request", b'{"error": {"message": "Unsupported parameter: reasoning.effort"}}')
    async with answering(refusal, sse(*GOOD)) as (url, requests):
        provider = build("openai", api_key="k", base_url=f"{url}/v1", api="responses")
        assert len([delta async for delta in provider.stream(Prompt("q"))]) == 3
        await provider.aclose()
    assert [b'"reasoning"' in request for request in requests] == [True, False]


def test_it_is_chosen_for_the_models_that_speak_nothing_else():
    """Pro and codex models are asked this way at OpenAI's own address; elsewhere only when wished."""
    own = build("openai", api_key="k")
    assert own._url("gpt-5.4-pro").endswith("/v1/responses")
    assert own._url("gpt-5.6-luna").endswith("/v1/chat/completions")
    gateway = build("openai", api_key="k", base_url="http://gateway/v1")
    assert gateway._url("gpt-5.4-pro").endswith("/v1/chat/completions")
    with pytest.raises(ConfigurationError, match="api must be"):
        build("openai", api_key="k", api="soap")


def test_any_cut_and_any_repetition_gives_the_same_reply():
    """Events are numbered: told twice, or cut anywhere, they say the same."""
    whole = read(*GOOD)
    assert "".join(delta.text for delta in whole) == "Grass is green."
    assert read(*[event for event in GOOD for _ in range(2)]) == whole
    stream = "".join(f"event: x\ndata: {event}\n\n" for event in GOOD).encode()
    for cut in range(len(stream)):
        reading = ResponseReading()
        assert reading.decode(stream[:cut]) + reading.decode(stream[cut:]) + reading.flush() == whole


@pytest.mark.parametrize(
    ("event", "ending"),
    [
        (ended("incomplete", incomplete_details={"reason": "max_output_tokens"}), FinishReason.LENGTH),
        (ended("incomplete", incomplete_details={"reason": "content_filter"}), FinishReason.FILTERED),
        (ended("incomplete"), FinishReason.TRUNCATED),
        (ended("failed", error={"code": "server_error", "message": "oops"}), FinishReason.ERROR),
        ({"type": "error", "message": "oops"}, FinishReason.ERROR),
        ({"type": "response.in_progress"}, FinishReason.TRUNCATED),
    ],
)
def test_every_ending_is_typed(event, ending):
    """Each way a response can end after text is one typed ending with words for a person."""
    last = read(*numbered(words("x"), event))[-1]
    assert last.finish_reason is ending
    assert last.detail


def test_before_any_text_a_failure_is_an_error():
    """Errors, emptiness and a missing ending raise when nothing was said."""
    with pytest.raises(RateLimited):
        read(*numbered({"type": "error", "code": "rate_limit_exceeded", "message": "m"}))
    with pytest.raises(ProviderUnavailable):
        read(*numbered(ended("failed", error={"code": "server_error", "message": "m"})))
    with pytest.raises(BadProviderReply, match="empty"):
        read(*numbered(ended()))
    with pytest.raises(ProviderUnavailable, match="before its first word"):
        read(*numbered({"type": "response.created"}))


def test_a_refusal_is_a_filtered_ending():
    """The model's refusal is the reason of the ending, not the answer."""
    (only,) = read(*numbered({"type": "response.refusal.delta", "delta": "No."}, ended()))
    assert (only.finish_reason, only.detail) == (FinishReason.FILTERED, "No.")


def test_a_whole_response_is_read_too():
    """A server that ignores the wish to stream is understood; another shape is a bad reply."""
    content = [{"type": "output_text", "text": "Hi"}, {"type": "refusal", "refusal": ""}]
    output = [{"type": "reasoning"}, {"type": "message", "content": content}]
    reading = ResponseReading()
    deltas = reading.decode_whole(json.dumps({"status": "completed", "output": output}).encode()) + reading.flush()
    assert [delta.text for delta in deltas] == ["Hi", ""]
    with pytest.raises(BadProviderReply):
        ResponseReading().decode_whole(b'{"choices": []}')
    with pytest.raises(ProviderUnavailable):
        ResponseReading().decode_whole(b'{"error": {"message": "m"}}')
