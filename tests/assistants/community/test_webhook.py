"""The webhook over a real wire: signed conversations in, signed decisions back, everything else refused."""

import asyncio
import json
import time

import aiohttp
import pytest

from footnoted.assistants.community.config import WebhookConfig
from footnoted.assistants.community.webhook import _AT_ONCE, LARGEST, OLDEST, sign, webhook_served
from footnoted.errors import ConfigurationError

from .conftest import ASKED, saying

SECRET = "a shared secret"


@pytest.fixture
async def post(monkeypatch, brain):
    """Post a body to the webhook: status, JSON, and whether the answer is rightly signed."""
    monkeypatch.setenv("COMMUNITY_WEBHOOK_SECRET", SECRET)
    async with (
        webhook_served(brain(saying()), WebhookConfig(port=0, bot="helper")) as port,
        aiohttp.ClientSession() as http,
    ):

        async def send(body, *, secret=SECRET, stamp=None):
            stamp = str(int(time.time())) if stamp is None else stamp
            headers = {"X-Timestamp": stamp, "X-Signature": sign(secret, stamp, body)}
            async with http.post(f"http://127.0.0.1:{port}/reply", data=body, headers=headers) as reply:
                told = await reply.read()
                signed = reply.headers.get("X-Signature") == sign(SECRET, reply.headers.get("X-Timestamp", ""), told)
                return reply.status, told, signed

        yield send


async def test_a_conversation_is_answered(post):
    """The reply with its citations, signed, and nothing of how it was decided."""
    talk = {"platform": "matrix", "channel_id": "c", "message_id": "m", "messages": [{"author": "ann", "text": ASKED}]}
    status, told, signed = await post(json.dumps(talk).encode())
    result = json.loads(told)
    assert (status, signed) == (200, True)
    assert result["should_reply"]
    assert "`!sold`" in result["reply_text"]
    assert result["citations"][0]["source_id"] == "market.md"
    assert "debug" not in result


# body, how it is signed → the status
REFUSED = {
    "another secret": (b'{"messages": []}', {"secret": "x"}, 401),
    "too old": (b'{"messages": []}', {"stamp": str(int(time.time()) - OLDEST - 60)}, 401),
    "no time": (b'{"messages": []}', {"stamp": "soon"}, 401),
    "no JSON": (b"hello", {}, 400),
    "no messages": (b"{}", {}, 400),
    "messages of another kind": (b'{"messages": [1]}', {}, 400),
    "too large": (b'{"messages": ["' + b"x" * LARGEST + b'"]}', {}, 413),
}


@pytest.mark.parametrize("name", REFUSED)
async def test_what_is_no_signed_conversation_is_refused(post, name):
    """With a status that says why."""
    body, how, status = REFUSED[name]
    assert (await post(body, **how))[0] == status


async def test_without_a_secret_it_does_not_start(monkeypatch, brain):
    """A front that anybody may post to is none."""
    monkeypatch.delenv("COMMUNITY_WEBHOOK_SECRET", raising=False)
    with pytest.raises(ConfigurationError, match="COMMUNITY_WEBHOOK_SECRET"):
        async with webhook_served(brain(saying()), WebhookConfig(port=0)):
            pass
    async with webhook_served(brain(saying()), WebhookConfig()) as port:
        assert port is None


async def test_a_port_that_is_taken_is_told(monkeypatch, brain):
    """With the key it stands under, before anything is served."""
    monkeypatch.setenv("COMMUNITY_WEBHOOK_SECRET", SECRET)
    async with webhook_served(brain(saying()), WebhookConfig(port=0)) as port:
        with pytest.raises(ConfigurationError, match=rf"webhook\.port: 127\.0\.0\.1:{port}"):
            async with webhook_served(brain(saying()), WebhookConfig(port=port)):
                pass


async def test_more_than_it_can_hold_is_told_to_come_again(monkeypatch, brain):
    """The rest gets a signed 503 at once, and those that wait get their replies."""
    monkeypatch.setenv("COMMUNITY_WEBHOOK_SECRET", SECRET)
    go_on = asyncio.Event()
    waiting = asyncio.Semaphore(0)

    async def slow(call):
        waiting.release()
        await go_on.wait()
        return json.dumps({"is_question": False, "is_answerable": False})

    body = json.dumps({"messages": [{"author": "ann", "text": ASKED}]}).encode()
    client = brain(saying(gating=slow), llm_timeout_seconds=300, request_timeout_seconds=300)
    connector = aiohttp.TCPConnector(limit=0)
    async with (
        webhook_served(client, WebhookConfig(port=0)) as port,
        aiohttp.ClientSession(connector=connector) as http,
    ):

        async def status():
            stamp = str(int(time.time()))
            headers = {"X-Timestamp": stamp, "X-Signature": sign(SECRET, stamp, body)}
            async with http.post(f"http://127.0.0.1:{port}/reply", data=body, headers=headers) as reply:
                await reply.read()
                return reply.status

        held = [asyncio.create_task(status()) for _ in range(_AT_ONCE)]
        for _ in held:
            await asyncio.wait_for(waiting.acquire(), 60)
        assert await status() == 503
        go_on.set()
        assert set(await asyncio.gather(*held)) == {200}
