from __future__ import annotations

import json
from typing import Any

import aiohttp
import pytest

from footnoted.testing import Pin, Reply, ScriptedLLM

FACTS = {"answer": "Grün ist Gras.", "sources_used": [1]}
MESSAGES = [{"role": "user", "content": "?"}]


async def said(llm: ScriptedLLM, path: str, body: dict[str, Any]) -> Any:
    """The JSON of a whole reply, or the events of a streamed one."""
    url = llm.url("gemini") + path
    headers = {"anthropic-version": "2023-06-01"}
    async with aiohttp.ClientSession() as session, session.post(url, json=body, headers=headers) as response:
        assert response.status == 200
        text = await response.text()
    if not (body.get("stream") or "stream" in path):
        return json.loads(text)
    return [json.loads(line[6:]) for line in text.splitlines() if line.startswith("data: {")]


async def test_openai_puts_json_into_text_or_into_the_chosen_function() -> None:
    """With a response format the object is the text; with a forced function it is the call's arguments."""
    async with ScriptedLLM(Reply(json=FACTS)) as llm:
        body = {"model": "m", "messages": MESSAGES}
        whole = await said(llm, "/v1/chat/completions", body)
        assert json.loads(whole["choices"][0]["message"]["content"]) == FACTS
        forced = {**body, "tool_choice": {"type": "function", "function": {"name": "answer"}}}
        choice = (await said(llm, "/v1/chat/completions", forced))["choices"][0]
        assert choice["finish_reason"] == "tool_calls"
        assert json.loads(choice["message"]["tool_calls"][0]["function"]["arguments"]) == FACTS
        events = await said(llm, "/v1/chat/completions", {**forced, "stream": True})
        calls = [call for e in events for c in e["choices"] for call in c["delta"].get("tool_calls", [])]
        assert calls[0]["function"]["name"] == "answer"
        assert json.loads("".join(call["function"]["arguments"] for call in calls)) == FACTS


async def test_anthropic_puts_json_into_text_or_into_the_tool() -> None:
    """With a tool the object is its input, streamed as partial JSON; without one it is the text."""
    async with ScriptedLLM(Reply(json=FACTS)) as llm:
        body = {"model": "m", "max_tokens": 9, "messages": MESSAGES}
        whole = await said(llm, "/v1/messages", body)
        assert json.loads(whole["content"][0]["text"]) == FACTS
        forced = {**body, "tools": [{"name": "answer"}], "tool_choice": {"type": "tool", "name": "answer"}}
        whole = await said(llm, "/v1/messages", forced)
        assert (whole["stop_reason"], whole["content"][0]["input"]) == ("tool_use", FACTS)
        events = await said(llm, "/v1/messages", {**forced, "stream": True})
        pieces = [e["delta"]["partial_json"] for e in events if e["type"] == "content_block_delta"]
        assert json.loads("".join(pieces)) == FACTS
        assert next(e for e in events if e["type"] == "message_delta")["delta"]["stop_reason"] == "tool_use"


async def test_gemini_puts_json_into_text() -> None:
    """The object is the candidate's text, whole and streamed."""
    async with ScriptedLLM(Reply(json=FACTS)) as llm:
        body = {"contents": [{"parts": [{"text": "?"}]}]}
        whole = await said(llm, "/v1beta/models/g:generateContent", body)
        assert json.loads(whole["candidates"][0]["content"]["parts"][0]["text"]) == FACTS


async def test_anthropic_citations_end_their_block() -> None:
    """A cited piece closes its text block, and the citation points at characters of the document."""
    pin = Pin(piece=1, document=0, start=3, end=8, quote="grass", title="Garden")
    reply = Reply(pieces=["The ", "grass", " grows."], citations=[pin])
    body = {"model": "m", "max_tokens": 9, "messages": MESSAGES}
    async with ScriptedLLM(reply) as llm:
        whole = await said(llm, "/v1/messages", body)
        events = await said(llm, "/v1/messages", {**body, "stream": True})
    assert [block["text"] for block in whole["content"]] == ["The grass", " grows."]
    [location] = whole["content"][0]["citations"]
    assert (location["type"], location["start_char_index"], location["end_char_index"]) == ("char_location", 3, 8)
    deltas = [(e["index"], e["delta"]["type"]) for e in events if e["type"] == "content_block_delta"]
    assert deltas == [(0, "text_delta"), (0, "text_delta"), (0, "citations_delta"), (1, "text_delta")]
    starts = [e["index"] for e in events if e["type"] == "content_block_start"]
    stops = [e["index"] for e in events if e["type"] == "content_block_stop"]
    assert starts == stops == [0, 1]


@pytest.mark.parametrize(
    ("finish", "openai", "anthropic", "gemini", "status", "reason"),
    [
        ("stop", "stop", "end_turn", "STOP", "completed", None),
        ("length", "length", "max_tokens", "MAX_TOKENS", "incomplete", "max_output_tokens"),
        ("filter", "content_filter", "refusal", "SAFETY", "incomplete", "content_filter"),
    ],
)
async def test_each_protocol_names_its_endings(
    finish: Any, openai: str, anthropic: str, gemini: str, status: str, reason: str | None
) -> None:
    """A finish is told in the protocol's own word, whole and streamed."""
    async with ScriptedLLM(Reply("Yes it is.", finish=finish)) as llm:
        body: dict[str, Any] = {"model": "m", "messages": MESSAGES}
        events = await said(llm, "/v1/chat/completions", {**body, "stream": True})
        assert events[-1]["choices"][0]["finish_reason"] == openai
        whole = await said(llm, "/v1/chat/completions", body)
        assert whole["choices"][0]["finish_reason"] == openai
        asked = {"model": "m", "input": "?"}
        events = await said(llm, "/v1/responses", {**asked, "stream": True})
        assert [event["sequence_number"] for event in events] == list(range(len(events)))
        for ended in (events[-1]["response"], await said(llm, "/v1/responses", asked)):
            assert ended["status"] == status
            assert (ended["incomplete_details"] or {}).get("reason") == reason
        body["max_tokens"] = 9
        events = await said(llm, "/v1/messages", {**body, "stream": True})
        assert events[-2]["delta"]["stop_reason"] == anthropic
        assert (await said(llm, "/v1/messages", body))["stop_reason"] == anthropic
        body = {"contents": [{"parts": [{"text": "?"}]}]}
        events = await said(llm, "/v1beta/models/g:streamGenerateContent?alt=sse", body)
        assert events[-1]["candidates"][0]["finishReason"] == gemini
        whole = await said(llm, "/v1beta/models/g:generateContent", body)
        assert whole["candidates"][0]["finishReason"] == gemini


async def test_a_blocked_prompt_is_told_the_vendors_way() -> None:
    """OpenAI answers with a refusal, Anthropic stops for refusal, Gemini gives feedback and no candidate."""
    async with ScriptedLLM(Reply("I can't help with that.", finish="blocked")) as llm:
        body: dict[str, Any] = {"model": "m", "messages": MESSAGES}
        message = (await said(llm, "/v1/chat/completions", body))["choices"][0]["message"]
        assert (message["content"], message["refusal"]) == (None, "I can't help with that.")
        [item] = (await said(llm, "/v1/responses", {"model": "m", "input": "?"}))["output"]
        assert item["content"] == [{"type": "refusal", "refusal": "I can't help with that."}]
        events = await said(llm, "/v1/responses", {"model": "m", "input": "?", "stream": True})
        assert "".join(e["delta"] for e in events if e["type"] == "response.refusal.delta") == "I can't help with that."
        assert (await said(llm, "/v1/messages", {**body, "max_tokens": 9}))["stop_reason"] == "refusal"
        contents = {"contents": [{"parts": [{"text": "?"}]}]}
        for how in ("generateContent", "streamGenerateContent?alt=sse"):
            whole = await said(llm, f"/v1beta/models/g:{how}", contents)
            first = whole[0] if isinstance(whole, list) else whole
            assert first["promptFeedback"]["blockReason"] == "SAFETY"
            assert "candidates" not in first
