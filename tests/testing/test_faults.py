from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

import aiohttp
import pytest

from footnoted.testing import Fault, Reply, ScriptedLLM, faults
from footnoted.testing.script import ProtocolName

PIECES = ["Grün ", "ist ", "漢字 ", "🌱."]
MESSAGES = [{"role": "user", "content": "?"}]
SHORT = 0.08  # seconds a client waits where nothing more will come
LONG = 20.0  # and where something will
PROTOCOLS: tuple[ProtocolName, ...] = ("openai", "anthropic", "gemini", "responses")
BOTH = pytest.mark.parametrize("stream", [True, False], ids=["streamed", "whole"])
ALL = pytest.mark.parametrize("protocol", PROTOCOLS)


async def heard(
    protocol: ProtocolName,
    fault: Fault,
    *,
    stream: bool = True,
    patience: float = 5.0,
    enough: Callable[[Heard], bool] = lambda _: False,
) -> Heard:
    """What a bare HTTP client hears of a reply with this fault, in ``patience`` seconds or until it is ``enough``."""
    async with ScriptedLLM(Reply(pieces=PIECES, fault=fault)) as llm, aiohttp.ClientSession() as session:
        how = "streamGenerateContent?alt=sse" if stream else "generateContent"
        path, body = {
            "openai": ("/v1/chat/completions", {"model": "m", "messages": MESSAGES, "stream": stream}),
            "responses": ("/v1/responses", {"model": "m", "input": MESSAGES, "stream": stream}),
            "anthropic": ("/v1/messages", {"model": "m", "messages": MESSAGES, "max_tokens": 9, "stream": stream}),
            "gemini": (f"/v1beta/models/m:{how}", {"contents": [{"parts": [{"text": "?"}]}]}),
        }[protocol]
        got = Heard()
        headers = {"anthropic-version": "2023-06-01"}
        try:
            async with asyncio.timeout(patience):
                async with session.post(llm.url("gemini") + path, json=body, headers=headers) as response:
                    got.status = response.status
                    got.type = response.headers["content-type"].split(";")[0]
                    while piece := await response.content.readany():
                        got.body += piece
                        got.reads += 1
                        if enough(got):
                            raise TimeoutError
                got.ending = "end"
        except TimeoutError:
            got.ending = "nothing more"
        except aiohttp.ClientPayloadError as error:
            got.ending = "reset" if "ConnectionResetError" in str(error) else "broken off"
        await llm.closed_within(1)
        return got


class Heard:
    """The status, content type, bytes and ending of a reply."""

    def __init__(self) -> None:
        self.status = 0
        self.type = ""
        self.body = b""
        self.reads = 0
        self.ending = ""

    def data(self) -> list[Any]:
        """The data of all whole events that are JSON."""
        events = self.body.replace(b"\r\n", b"\n").split(b"\n\n")[:-1]
        lines = [line[5:].strip() for event in events for line in event.split(b"\n") if line.startswith(b"data:")]
        return [json.loads(line) for line in lines if line.endswith(b"}")]

    def text(self) -> str:
        """The text said in whole events."""
        said = ""
        for event in self.data():
            for choice in event.get("choices", []):
                said += choice["delta"].get("content") or ""
            for candidate in event.get("candidates", []):
                parts = candidate.get("content", {}).get("parts", [])
                said += "".join(part["text"] for part in parts if not part.get("thought"))
            delta = event.get("delta", {})
            if event.get("type") == "response.output_text.delta":
                said += delta
            elif event.get("type") == "content_block_delta":
                said += delta.get("text", "") if delta["type"] == "text_delta" else ""
        return said


@BOTH
@ALL
async def test_hangs_say_nothing(protocol: ProtocolName, stream: bool) -> None:
    """A hang gives no status, or a status and no body; either way nothing follows."""
    before = await heard(protocol, faults.hang_before_headers(), stream=stream, patience=SHORT)
    assert (before.status, before.body, before.ending) == (0, b"", "nothing more")
    after = await heard(protocol, faults.hang_after_headers(), stream=stream, patience=SHORT)
    assert (after.status, after.body, after.ending) == (200, b"", "nothing more")


@ALL
async def test_silence_keeps_the_text_before_it(protocol: ProtocolName) -> None:
    """Two pieces arrive, then nothing, or only what keeps a connection alive."""
    quiet = await heard(protocol, faults.silence(after=2), patience=SHORT)
    assert (quiet.text(), quiet.ending) == ("Grün ist ", "nothing more")
    sign = b"ping" if protocol == "anthropic" else b": keep-alive"
    kept_alive = faults.silence(after=2, keep_alive=0.01)
    alive = await heard(protocol, kept_alive, patience=LONG, enough=lambda got: got.body.count(sign) >= 3)
    assert (alive.text(), alive.ending) == ("Grün ist ", "nothing more")
    assert alive.body.count(sign) >= 3
    chatty = faults.chatter_without_text(every=0.01)
    chatter = await heard(protocol, chatty, patience=LONG, enough=lambda got: got.reads >= 3)
    assert (chatter.text(), chatter.ending) == ("", "nothing more")
    assert chatter.reads >= 3


@BOTH
@ALL
async def test_broken_connections(protocol: ProtocolName, stream: bool) -> None:
    """FIN and RST arrive as such, in the middle of an event, after the pieces before it."""
    fin = await heard(protocol, faults.disconnect(after=2), stream=stream)
    assert fin.ending == "broken off"
    rst = await heard(protocol, faults.reset(after=0), stream=stream)
    assert rst.ending == "reset"
    if stream:
        assert fin.text() == "Grün ist "
        assert not fin.body.endswith(b"\n\n")


@BOTH
@ALL
async def test_a_clean_cut_ends_as_http_asks(protocol: ProtocolName, stream: bool) -> None:
    """The body of a clean cut is well-formed HTTP; only the protocol's terminal signal is missing."""
    cut = await heard(protocol, faults.clean_cut(after=2), stream=stream)
    assert (cut.status, cut.ending) == (200, "end")
    if stream:
        assert cut.text() == "Grün ist "
        assert not any(word in cut.body for word in (b"[DONE]", b"_stop", b'"stop"', b"STOP", b"end_turn"))
    else:
        with pytest.raises(json.JSONDecodeError):
            json.loads(cut.body)


@ALL
async def test_endings_can_go_missing(protocol: ProtocolName) -> None:
    """The end event, the finish reason, or both stay away, and all text is there."""
    finish, end = {
        "openai": (b'"finish_reason":"stop"', b"[DONE]"),
        "anthropic": (b"end_turn", b"message_stop"),
        "gemini": (b"STOP", b"no end event"),
        "responses": (b'"status":"completed"', b"no end event"),
    }[protocol]
    cases = [
        (faults.missing_end(), True, False),
        (faults.missing_finish(), False, True),
        (faults.no_terminal(), False, False),
    ]
    for fault, has_finish, has_end in cases:
        said = await heard(protocol, fault)
        assert said.text() == "".join(PIECES)
        assert said.ending == "end"
        assert (finish in said.body) == has_finish
        assert (end in said.body) == (has_end and protocol in {"openai", "anthropic"})
    for fault in (faults.missing_finish(), faults.no_terminal()):
        whole = await heard(protocol, fault, stream=False)
        body = json.loads(whole.body)
        assert body["status"] is None if protocol == "responses" else finish not in whole.body


@ALL
async def test_events_that_should_not_be_there(protocol: ProtocolName) -> None:
    """Garbage and errors come between pieces; unknown and doubled events change no text."""
    garbage = await heard(protocol, faults.garbage_event(after=2))
    assert garbage.text() == "".join(PIECES)
    with pytest.raises(json.JSONDecodeError):
        json.loads((await heard(protocol, faults.garbage_event(), stream=False)).body)
    error = await heard(protocol, faults.error_event(after=2, message="Too busy."))
    assert error.text() == "Grün ist "
    last = error.data()[-1]
    assert last.get("error", last)["message"] == "Too busy."
    told = await heard(protocol, faults.error_event(message="Too busy."), stream=False)
    assert told.status == 200
    assert b"Too busy." in told.body
    plain = await heard(protocol, faults.cut_anywhere())
    for fault in (faults.unknown_events(), faults.duplicated()):
        odd = await heard(protocol, fault)
        assert odd.text() == "".join(PIECES)
        assert protocol == "gemini" or len(odd.data()) > len(plain.data())
    assert json.loads((await heard(protocol, faults.unknown_events(), stream=False)).body)["weather"]


@BOTH
@ALL
async def test_bodies_that_are_not_the_protocols(protocol: ProtocolName, stream: bool) -> None:
    """HTML, half a JSON and nothing at all come under status 200."""
    page = await heard(protocol, faults.html(), stream=stream)
    assert (page.status, page.type) == (200, "text/html")
    assert page.body.startswith(b"<!DOCTYPE")
    half = await heard(protocol, faults.broken_json(), stream=stream)
    assert half.status == 200
    with pytest.raises(json.JSONDecodeError):
        json.loads(half.body)
    empty = await heard(protocol, faults.empty_body(), stream=stream)
    assert (empty.status, empty.body, empty.ending) == (200, b"", "end")


@ALL
async def test_unkind_but_legal_bytes(protocol: ProtocolName) -> None:
    """One byte a chunk, a slow byte at a time, CRLF with comments: the same text, in other clothes."""
    plain = await heard(protocol, faults.missing_end())
    single = await heard(protocol, faults.cut_anywhere(size=1))
    assert single.text() == "".join(PIECES)
    assert single.reads > plain.reads
    dressed = await heard(protocol, faults.crlf_with_comments())
    assert dressed.text() == "".join(PIECES)
    assert b"\r\n: a comment\r\n" in dressed.body
    assert dressed.body.count(b"\n") == dressed.body.count(b"\r\n")
    for patience in (SHORT, 20 * SHORT):  # a busy machine may say nothing for so short a time
        slow = await heard(protocol, faults.trickle(seconds=0.005), patience=patience)
        if len(slow.body) >= 2:
            break
    assert slow.ending == "nothing more"
    assert 2 <= len(slow.body) <= patience / 0.005 + 1


@ALL
async def test_a_server_that_cannot_stream(protocol: ProtocolName) -> None:
    """A stream was asked for and the whole reply comes, as JSON."""
    whole = await heard(protocol, faults.not_streamed())
    assert whole.type == "application/json"
    assert "".join(PIECES) in whole.body.decode()


def test_each_fault_has_its_own_name() -> None:
    """The list of all faults names each once."""
    names = [fault.name for fault in faults.every()]
    assert len(names) == len(set(names)) == 22
