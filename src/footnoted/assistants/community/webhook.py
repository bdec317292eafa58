"""A front for any other platform: it posts a conversation over HTTP and gets the decision back, signed both ways.

``POST /reply`` with the JSON ``{"platform", "channel_id", "thread_id", "message_id", "bot", "messages": [...]}``, a
message being ``text``, ``author``, and where there are any ``from_bot``, ``reply_to`` (its place in the list),
``mentions``, ``at``. The header ``X-Signature`` is the hex HMAC-SHA256 of ``timestamp.body`` under a shared secret,
``X-Timestamp`` the seconds since 1970; one older than five minutes is refused. The reply is the `AIResult` without
``debug``, signed the same way.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import hmac
import json
import os
import time
from typing import TYPE_CHECKING, Any

from footnoted.assistants.community.talk import Conversation, RequestContext
from footnoted.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from aiohttp import web

    from footnoted.assistants.community.client import AIClient
    from footnoted.assistants.community.config import WebhookConfig

LARGEST = 200_000  # bytes of a request
OLDEST = 300  # seconds a signature holds
_AT_ONCE = 64  # requests held at the same time; the rest is told to come again


def sign(secret: str, timestamp: str, body: bytes) -> str:
    """The signature of a body, in hexadecimal."""
    return hmac.new(secret.encode(), timestamp.encode() + b"." + body, hashlib.sha256).hexdigest()


@contextlib.asynccontextmanager
async def webhook_served(brain: AIClient, config: WebhookConfig) -> AsyncIterator[int | None]:
    """The webhook while inside; gives its port, or ``None`` where none is configured. Raises `ConfigurationError`."""
    if config.port is None:
        yield None
        return
    from aiohttp import web

    secret = os.environ.get(config.secret_env, "").strip()
    if not secret:
        raise ConfigurationError(f"webhook.port is set and {config.secret_env} is not: put the shared secret there")
    app = web.Application(client_max_size=LARGEST)
    app.router.add_post("/reply", _Front(brain, config, secret).reply)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=5)
    await runner.setup()
    try:
        try:
            await web.TCPSite(runner, config.host, config.port).start()
        except OSError as error:
            where = f"{config.host}:{config.port}"
            raise ConfigurationError(f"webhook.port: {where} cannot be listened on ({error.strerror})") from None
        yield runner.addresses[0][1]
    finally:
        await runner.cleanup()


class _Front:
    def __init__(self, brain: AIClient, config: WebhookConfig, secret: str) -> None:
        self._brain = brain
        self._config = config
        self._secret = secret
        self._held = 0

    async def reply(self, request: web.Request) -> web.Response:
        from aiohttp.web import HTTPRequestEntityTooLarge

        if self._held >= _AT_ONCE:
            return self._told({"error": "busy; try again"}, 503)
        self._held += 1
        try:
            try:
                async with asyncio.timeout(10):
                    body = await request.read()
            except HTTPRequestEntityTooLarge:
                return self._told({"error": f"a body holds {LARGEST:,} bytes at most"}, 413)
            stamp = request.headers.get("X-Timestamp", "")
            if not self._is_signed(stamp, request.headers.get("X-Signature", ""), body):
                return self._told({"error": "the signature does not fit, or is too old"}, 401)
            try:
                talk, where = self._read(body)
            except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
                return self._told({"error": f"this is no conversation: {error}"[:300]}, 400)
            result = await self._brain.generate_reply(talk, where)
            return self._told(result.model_dump(exclude={"debug"}), 200)
        finally:
            self._held -= 1

    def _read(self, body: bytes) -> tuple[Conversation, RequestContext]:
        given = json.loads(body)
        messages = given.get("messages") if isinstance(given, dict) else None
        if not isinstance(messages, list) or not all(isinstance(message, dict) for message in messages):
            raise ValueError("send an object with messages, a list of objects")
        talk = Conversation(messages, bot=str(given.get("bot") or self._config.bot))
        thread = given.get("thread_id")
        where = RequestContext(
            str(given.get("platform", "webhook")), str(given.get("channel_id", "")),
            None if thread is None else str(thread), str(given.get("message_id", "")),
        )  # fmt: skip
        return talk, where

    def _is_signed(self, stamp: str, signature: str, body: bytes) -> bool:
        if not stamp.isascii() or not stamp.isdigit() or abs(time.time() - int(stamp[:12])) > OLDEST:
            return False
        return hmac.compare_digest(sign(self._secret, stamp, body).encode(), signature.encode("utf-8", "replace"))

    def _told(self, data: dict[str, Any], status: int) -> web.Response:
        from aiohttp import web

        body = json.dumps(data, ensure_ascii=False).encode()
        stamp = str(int(time.time()))
        headers = {"X-Timestamp": stamp, "X-Signature": sign(self._secret, stamp, body)}
        return web.Response(body=body, status=status, content_type="application/json", headers=headers)
