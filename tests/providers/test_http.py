"""The HTTP client: statuses become our errors, connections are kept, let go and never leaked."""

from __future__ import annotations

import asyncio
import email.utils
import gc
import json
import subprocess
import sys
import time

import aiohttp
import pytest

from footnoted.errors import (
    BadProviderReply,
    ConfigurationError,
    ProviderError,
    ProviderRejected,
    ProviderUnavailable,
    RateLimited,
)
from footnoted.providers import _http, build
from footnoted.providers._faults import MAX_MESSAGE, retry_after, words
from footnoted.testing import Reply, ScriptedLLM, closed_port
from footnoted.types import FinishReason, Prompt
from tests.providers.conftest import answering, http, sse
from tests.providers.lateness import closed_promptly, in_time
from tests.tables import every

KEY = "sk-do-not-print-me"
PROMPT = Prompt("q")
DONE = sse('{"choices": [{"delta": {"content": "Hi"}, "finish_reason": "stop"}]}', "[DONE]")


def openai(url: str, **options):
    return build("openai", api_key=KEY, base_url=f"{url}/v1", **options)


async def said(provider, prompt=PROMPT) -> str:
    return "".join([delta.text async for delta in provider.stream(prompt)])


async def failure(raw: bytes, **options) -> ProviderError:
    async with answering(raw) as (url, _):
        with pytest.raises(ProviderError) as caught:
            await said(openai(url, **options))
    error = caught.value
    assert error.provider == "openai"
    assert KEY not in str(error) + repr(error) + repr(error.__cause__)
    return error


def complaint(message: str, **more) -> bytes:
    return json.dumps({"error": {"message": message, **more}}).encode()


STATUSES = [
    ("400 Bad Request", ProviderRejected),
    ("401 Unauthorized", ProviderRejected),
    ("402 Payment Required", ProviderRejected),
    ("403 Forbidden", ProviderRejected),
    ("404 Not Found", ProviderRejected),
    ("408 Request Timeout", ProviderUnavailable),
    ("409 Conflict", ProviderUnavailable),
    ("413 Too Large", ProviderRejected),
    ("422 Unprocessable", ProviderRejected),
    ("425 Too Early", ProviderUnavailable),
    ("429 Too Many Requests", RateLimited),
    ("500 Oops", ProviderUnavailable),
    ("503 Unavailable", ProviderUnavailable),
    ("529 Overloaded", ProviderUnavailable),
    ("204 No Content", ProviderRejected),
]


@every(("status", "kind"), STATUSES)
async def test_a_status_is_sorted_by_what_the_caller_would_do(status, kind):
    """Each status becomes one error class, with the status and the provider's own words."""
    body = b"" if status.startswith("204") else complaint("the very words")
    error = await failure(http(status, body))
    assert type(error) is kind
    assert error.status == int(status[:3])
    assert ("the very words" in str(error)) is bool(body)


async def test_a_refused_key_says_which_one_to_check(monkeypatch):
    """401 names the place the key came from; a key the provider repeats is struck out."""
    error = await failure(http("401 Unauthorized", complaint(f"Incorrect API key provided: {KEY}.")))
    assert "check api_key=" in str(error)
    assert "provided: ***" in str(error)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    async with answering(http("401 Unauthorized", b"")) as (url, _):
        with pytest.raises(ProviderRejected, match="check OPENAI_API_KEY"):
            await said(build("openai", base_url=f"{url}/v1"))


async def test_geminis_bad_key_is_recognised_under_status_400():
    """Google answers 400 to a wrong key; the message still says what to check."""
    error = await failure(http("400 Bad Request", complaint("API key not valid. Please pass a valid API key.")))
    assert "refused the key" in str(error)


async def test_an_unknown_model_is_named():
    """404 says which model was asked for, and where."""
    async with ScriptedLLM(models=["m"]) as llm:
        with pytest.raises(ProviderRejected, match=r"unknown model .*'gpt-nope' at 127\.0\.0\.1"):
            await said(build("openai", api_key=KEY, base_url=llm.url(), model="gpt-nope"))


async def test_an_empty_account_is_not_a_rate_limit():
    """429 for want of quota is rejected: waiting would be vain."""
    error = await failure(http("429 Too Many", complaint("You exceeded your quota", code="insufficient_quota")))
    assert type(error) is ProviderRejected
    assert not error.transient


@every(
    ("header", "seconds"),
    [
        ("Retry-After: 7", 7),
        ("Retry-After: 0.5", 0.5),
        ("retry-after-ms: 250", 0.25),
        ("Retry-After: -3", 0),
        ("Retry-After: soon", None),
        ("Retry-After: inf", None),
        ("X-Nothing: 1", None),
    ],
)
@every("status", ["429 Too Many", "503 Unavailable"])
async def test_the_wish_to_wait_is_read(header, seconds, status):
    """Retry-After in seconds or milliseconds is on the error; nonsense is not."""
    error = await failure(http(status, b"{}", header))
    assert error.retry_after == seconds


def test_retry_after_may_be_a_date_or_a_duration_in_the_body():
    """An HTTP date counts from now; Google writes its wish into the body."""
    date = email.utils.formatdate(time.time() + 30, usegmt=True)
    assert retry_after({"retry-after": date}) == pytest.approx(30, abs=2)
    assert retry_after({"retry-after": email.utils.formatdate(0, usegmt=True)}) == 0
    assert retry_after({}, '{"details": [{"retryDelay": "34.5s"}]}') == 34.5


def test_the_words_of_an_error_body():
    """Whatever shape an error body has, its words for a person are found, on one line, bounded."""
    assert words('[{"error": {"message": "gone\\n away"}}]') == "gone away"
    assert words('{"detail": [{"msg": "field required"}]}') == "field required"
    assert words('{"error": "plain"}') == "plain"
    assert words("<html><title> 502 Bad\nGateway </title></html>") == "an HTML page, '502 Bad\\nGateway'"
    assert words('{"odd": 1}') == '{"odd": 1}'
    assert len(words("x" * 5000)) == MAX_MESSAGE


@pytest.mark.parametrize(
    ("kind", "body", "match"),
    [
        ("text/html", b"<!DOCTYPE html><title>Login</title>", "an HTML page, 'Login'"),
        ("application/json", b'{"id": 1, "choi', "not the provider's protocol"),
        ("text/plain", b"I am a teapot", "begins: I am a teapot"),
        ("text/event-stream", b"", "empty"),
        ("application/json", b"", "not the provider's protocol"),
        ("image/png", b"\x89PNG", "not the provider's protocol"),
    ],
)
async def test_status_200_proves_nothing(kind, body, match):
    """A page, broken JSON, another type or nothing at all under status 200 is a bad reply."""
    error = await failure(http("200 OK", body, kind=kind))
    assert type(error) is BadProviderReply
    assert match in str(error)


async def test_what_is_not_http_is_a_bad_reply_or_a_broken_connection():
    """Bytes that are no HTTP, and a server that hangs up, raise our errors."""
    assert type(await failure(b"SSH-2.0-OpenSSH_9.6\r\n\r\n")) in (BadProviderReply, ProviderUnavailable)
    assert type(await failure(b"")) is ProviderUnavailable


async def test_nobody_there_is_unavailable():
    """A refused connection and an unknown host are transient, and name the host."""
    with pytest.raises(ProviderUnavailable, match=r"no connection .*127\.0\.0\.1") as caught:
        await said(openai(closed_port()))
    assert caught.value.transient
    with pytest.raises(ProviderUnavailable, match=r"nowhere\.invalid"):
        await said(openai("http://nowhere.invalid"))


async def test_a_key_follows_no_redirect():
    """A redirect is refused, so that a key reaches only the host it was given for."""
    error = await failure(http("307 Temporary", b"", "Location: http://127.0.0.1:1/steal"))
    assert type(error) is ProviderRejected
    assert "redirects" in str(error)


async def test_sizes_are_bounded(monkeypatch):
    """An endless error body is cut, an endless reply refused."""
    error = await failure(http("500 Oops", b"x" * 5_000_000))
    assert len(str(error)) < MAX_MESSAGE + 200
    monkeypatch.setattr(_http, "MAX_REPLY", 1000)
    assert "larger than 1000 bytes" in str(await failure(http("200 OK", b": x\n\n" * 1000, kind="text/event-stream")))


async def test_a_slow_error_body_is_not_waited_for(monkeypatch):
    """The status is enough when the body of an error never comes."""
    monkeypatch.setattr(_http, "_ERROR_PATIENCE", 0.05)
    error = await failure(b"HTTP/1.1 503 Slow\r\nContent-Length: 10\r\n\r\nhalf")
    assert error.status == 503


async def test_secrets_in_headers_are_struck_out_too():
    """A gateway's token that the server repeats does not reach the error."""
    raw = http("400 Bad Request", complaint("unknown token gw-secret-token"))
    error = await failure(raw, headers={"X-Gateway-Token": "gw-secret-token"})
    assert "unknown token ***" in str(error)


async def test_connections_are_kept_for_the_next_answer():
    """Two answers in turn use one connection; closing the provider lets it go."""
    async with ScriptedLLM("Hello there.") as llm:
        provider = build("openai", api_key=KEY, base_url=llm.url())
        assert await said(provider) == await said(provider) == "Hello there."
        assert llm.open_connections == 1
        await provider.aclose()
        for _ in range(20):
            await asyncio.sleep(0.005)
        assert llm.open_connections == 0
        assert await said(provider) == "Hello there."  # and it opens again when asked again
        await provider.aclose()


async def test_a_forgotten_provider_lets_its_connections_go():
    """A provider nobody closes frees its sockets when it is collected."""
    async with ScriptedLLM("Hello.") as llm:
        await said(build("openai", api_key=KEY, base_url=llm.url()))
        gc.collect()
        for _ in range(20):
            await asyncio.sleep(0.005)
        assert llm.open_connections == 0


@in_time
async def test_a_stream_left_early_closes_upstream():
    """Closing the generator closes the connection at once."""
    async with ScriptedLLM(Reply("one two three", delay=1.0)) as llm:
        provider = build("openai", api_key=KEY, base_url=llm.url())
        stream = provider.stream(Prompt("q"))
        assert (await anext(stream)).text == "one "
        await stream.aclose()
        await closed_promptly(llm)
        await provider.aclose()


async def test_an_injected_session_is_used_and_left_open():
    """A session of one's own carries the request, and stays its owner's; a closed one is an error of ours."""
    async with ScriptedLLM("Hello.") as llm:
        async with aiohttp.ClientSession(headers={"X-Mine": "1"}) as session:
            provider = build("openai", api_key=KEY, base_url=llm.url(), session=session)
            assert await said(provider) == "Hello."
            await provider.aclose()
            assert not session.closed
        assert llm.requests[0].headers["x-mine"] == "1"
        with pytest.raises(ProviderUnavailable, match="session is closed"):
            await said(provider)


async def test_extra_headers_win():
    """Headers given are sent, over the provider's own."""
    async with ScriptedLLM("Hello.") as llm:
        headers = {"Authorization": "Bearer other", "X-Title": "t"}
        provider = build("openai", api_key=KEY, base_url=llm.url(), headers=headers)
        await said(provider)
        await provider.aclose()
        assert llm.requests[0].headers["authorization"] == "Bearer other"
        assert llm.requests[0].headers["x-title"] == "t"


async def test_the_query_of_a_base_url_is_kept():
    """A gateway's query and path, even a whole endpoint, are asked as given."""
    async with answering(DONE) as (url, requests):
        for base in (f"{url}/gw/v1/?api-version=2", f"{url}/gw/v1/chat/completions?api-version=2"):
            provider = build("openai", api_key=KEY, base_url=base)
            assert await said(provider) == "Hi"
            await provider.aclose()
        assert all(r.startswith(b"POST /gw/v1/chat/completions?api-version=2 ") for r in requests)


@pytest.mark.parametrize("url", ["localhost:8000/v1", "ftp://x/v1", "http://", "not a url"])
def test_a_base_url_that_is_none_is_your_mistake(url):
    """A base_url without scheme or host is a configuration error that shows a good one."""
    with pytest.raises(ConfigurationError, match="base_url must look like"):
        build("openai", api_key=KEY, base_url=url)


def test_several_loops_one_provider_no_close_no_warning():
    """Two runs of asyncio on one provider that nobody closes: no warning, no leak, with warnings as errors."""
    script = """
import asyncio, gc
from footnoted.providers import build
from footnoted.testing import ScriptedLLM
from footnoted.types import FinishReason, Prompt
provider = build("openai", api_key="k", base_url="http://127.0.0.1:1/v1")
async def main():
    async with ScriptedLLM("Hello.") as llm:
        provider.base_url = llm.url()
        print("".join([delta.text async for delta in provider.stream(Prompt("q"))]))
asyncio.run(main())
asyncio.run(main())
del provider
gc.collect()
"""
    command = [sys.executable, "-X", "dev", "-W", "error", "-c", script]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stdout.split() == ["Hello.", "Hello."]
    assert "Warning" not in done.stderr
    assert "Error" not in done.stderr


def test_the_import_is_light():
    """Importing the room loads no HTTP client; making a provider does, before any clock runs."""
    script = """
import sys
import footnoted.providers, footnoted.providers.openai, footnoted.providers.anthropic, footnoted.providers.gemini
print("aiohttp" in sys.modules)
footnoted.providers.build("openai", api_key="k")
print("aiohttp" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "True"]


def test_a_loop_closed_without_farewell_leaves_no_complaint():
    """Where a loop is closed by hand and never shut down, the forgotten session says nothing either."""
    script = """
import asyncio, gc
from footnoted.providers import build
from footnoted.testing import ScriptedLLM
from footnoted.types import FinishReason, Prompt
async def main():
    async with ScriptedLLM("Hello.") as llm:
        provider = build("openai", api_key="k", base_url=llm.url())
        assert [delta async for delta in provider.stream(Prompt("q"))]
        return provider
loop = asyncio.new_event_loop()
provider = loop.run_until_complete(main())
loop.close()
del provider
gc.collect()
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stderr == ""


async def test_a_server_that_dawdles_after_the_end_does_not_hold_the_answer():
    """Once the finish reason came, neither silence nor endless comments make the answer late or truncated."""
    chunk = b'data: {"choices": [{"delta": {"content": "Hi"}, "finish_reason": "stop"}]}\n\n'

    async def serve(reader, writer):
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n" + chunk)
        try:
            while not writer.is_closing():
                await asyncio.sleep(0.02)
                writer.write(b": still here\n\n")
                await writer.drain()
        except ConnectionError:
            left.set()
        finally:
            writer.close()

    left = asyncio.Event()
    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    began = time.monotonic()
    provider = openai(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}")
    deltas = [delta async for delta in provider.stream(PROMPT)]
    assert time.monotonic() - began < 0.5
    assert [(delta.text, delta.finish_reason) for delta in deltas] == [("Hi", None), ("", FinishReason.COMPLETE)]
    await asyncio.wait_for(left.wait(), 1)
    await provider.aclose()
    server.close()


@pytest.mark.parametrize("value", ["two\r\nlines-secret", 7])
async def test_a_header_that_cannot_be_sent_is_your_mistake(value):
    """A header with a line break or no text is a configuration error that does not repeat it."""
    async with answering(DONE) as (url, _):
        with pytest.raises(ConfigurationError, match="header") as caught:
            await said(openai(url, headers={"X-Token": value}))
    assert "secret" not in str(caught.value)
