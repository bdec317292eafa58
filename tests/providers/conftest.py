"""What the provider tests share: a server of raw bytes, a clean environment, and a prompt."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager

import pytest

from footnoted.types import Prompt, Source, Turn

VARIABLES = ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY", "CO_API_KEY", "COHERE_API_KEY")


@pytest.fixture(autouse=True)
def no_settings(monkeypatch):
    """No key or setting of whoever runs the tests reaches them."""
    for name in (*VARIABLES, *(f"FOOTNOTED_{what}" for what in ("PROVIDER", "MODEL", "BASE_URL", "API_KEY"))):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def prompt():
    """A prompt with every part set."""
    return Prompt(
        question="What colour is grass?",
        system="Answer from the sources.",
        history=(Turn("Hello?", "Good day."),),
        context="[1] Grass is green.",
        ask="What colour is grass? Cite.",
        sources=(Source("g", "Grass is green.", title="Botany"), Source("s", "The sky is blue.")),
    )


@asynccontextmanager
async def answering(*raw: bytes):
    """A server that answers the nth connection with the nth bytes, then closes; yields its root URL and a log."""
    requests: list[bytes] = []
    queue = list(raw)

    async def serve(reader, writer):
        try:
            head = await reader.readuntil(b"\r\n\r\n")
            size = int(head.lower().partition(b"content-length:")[2].split(b"\r\n")[0])
            requests.append(head + await reader.readexactly(size))
            writer.write(queue.pop(0) if len(queue) > 1 else queue[0])
            await writer.drain()
        except ConnectionError:
            pass  # the client had read enough
        finally:
            writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", requests
    finally:
        server.close()
        await server.wait_closed()


def http(status: str, body: bytes, *headers: str, kind: str = "application/json") -> bytes:
    """The bytes of one HTTP response."""
    lines = [f"HTTP/1.1 {status}", f"Content-Type: {kind}", f"Content-Length: {len(body)}", "Connection: close"]
    return "\r\n".join([*lines, *headers, "", ""]).encode() + body


def sse(*events: str) -> bytes:
    """A 200 response of these data lines as an event stream."""
    body = "".join(f"data: {event}\n\n" for event in events).encode()
    return http("200 OK", body, kind="text/event-stream")
