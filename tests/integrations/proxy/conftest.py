"""A proxy before a scripted model, both real servers on loopback."""

import contextlib

import pytest
from aiohttp import web

from footnoted.integrations.proxy.server import Proxy, ProxySettings


@contextlib.asynccontextmanager
async def proxied(upstream, *, checker=None, **settings):
    """The address of a proxy before ``upstream``."""
    app = Proxy(ProxySettings(upstream, **settings), checker=checker).app()
    runner = web.AppRunner(app, handler_cancellation=True, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()


@pytest.fixture
def proxy():
    return proxied
