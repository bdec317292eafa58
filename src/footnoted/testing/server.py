"""A model on loopback that speaks eight protocols over real HTTP and says what a script tells it."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import struct
from functools import cache
from typing import TYPE_CHECKING, Self, cast

from footnoted.testing.anthropic import Anthropic
from footnoted.testing.azure import Azure
from footnoted.testing.bedrock import Bedrock
from footnoted.testing.cohere import Cohere
from footnoted.testing.dialect import Dialect, to_json
from footnoted.testing.gemini import Gemini, Vertex
from footnoted.testing.http import Message, head, parse
from footnoted.testing.openai import OpenAI
from footnoted.testing.responses import Responses
from footnoted.testing.script import ProtocolName, Request, Script, Scripted
from footnoted.testing.steps import Close, Hang, Head, Scene, Send, Step, Wait, perform, refused

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

DIALECTS: tuple[Dialect, ...] = (Azure(), OpenAI(), Responses(), Anthropic(), Gemini(), Vertex(), Bedrock(), Cohere())


JUDGING = "Decide for each numbered statement"  # how footnoted's request to judge claims begins
NO_VERDICTS = '{"verdicts": []}'


class ScriptedLLM:
    """A server that answers each request with the next scripted reply, the last one again and again.

    >>> async with ScriptedLLM("Grass is green [1].") as llm:
    ...     llm.url("openai")  # the base_url the vendor's own SDK takes
    'http://127.0.0.1:…/v1'

    A request to judge claims uses up no reply of the script: it is in ``judged`` and gets ``judge``'s reply, by default
    one that gives no verdict. With ``api_key`` a wrong or missing key gets the vendor's own error; with ``models`` an
    unknown model.
    """

    def __init__(
        self,
        *replies: Scripted,
        api_key: str | None = None,
        models: Sequence[str] | None = None,
        judge: Scripted = NO_VERDICTS,
        host: str = "127.0.0.1",
        port: int = 0,
    ) -> None:
        self.requests: list[Request] = []
        self.judged: list[Request] = []
        self._script = Script(replies)
        self._judge = Script([judge])
        self._api_key = api_key
        self._models = models
        self._host = host
        self._port = port
        self._server: asyncio.Server | None = None
        self._connections: set[_Connection] = set()
        self._changed = asyncio.Event()
        self._failure: Exception | None = None

    async def __aenter__(self) -> Self:
        loop = asyncio.get_running_loop()
        self._server = await loop.create_server(lambda: _Connection(self), self._host, self._port, backlog=2048)
        self._port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if self._server:
            self._server.close()
        playing = [connection.playing for connection in self._connections if connection.playing]
        for connection in list(self._connections):
            connection.leave()
        await asyncio.gather(*playing, return_exceptions=True)
        if self._failure and kind is None:
            raise self._failure

    def url(self, protocol: ProtocolName = "openai") -> str:
        """The base_url the vendor's own SDK takes: OpenAI's ends in ``/v1``, the others are the root."""
        root = f"http://{self._host}:{self._port}"
        return f"{root}/v1" if protocol in {"openai", "responses"} else root

    @property
    def open_connections(self) -> int:
        """Connections the clients hold, idle ones among them."""
        return len(self._connections)

    @property
    def open_replies(self) -> int:
        """Replies under way: neither finished nor left by the reader."""
        return sum(connection.playing is not None for connection in self._connections)

    async def asked(self, count: int = 1, *, within: float = 5.0) -> None:
        """Wait until ``count`` requests have come; fails after ``within`` seconds."""
        if not await self._until(lambda: len(self.requests) >= count, within):
            raise AssertionError(f"{len(self.requests)} of {count} requests came within {within} s")

    async def closed_within(self, seconds: float) -> float:
        """Seconds until every reader has its ending or has left; fails after ``seconds``."""
        loop = asyncio.get_running_loop()
        began = loop.time()
        if not await self._until(lambda: not self.open_replies, seconds):
            raise AssertionError(
                f"{self.open_replies} replies still under way after {seconds} s: the reader never left"
            )
        return loop.time() - began

    async def _until(self, come: Callable[[], bool], seconds: float) -> bool:
        """Whether it came true in time."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while not come():
                    self._changed.clear()
                    await self._changed.wait()
        return come()

    def answer(self, message: Message) -> Iterator[Step]:
        """The steps that answer one HTTP request."""
        for dialect in DIALECTS:
            request = dialect.read(message.path, message.query, message.headers, message.json)
            if request is None:
                continue
            judging = request.system_text.lstrip().startswith(JUDGING)
            (self.judged if judging else self.requests).append(request)
            self._changed.set()
            refusal = dialect.complaint(request)
            if self._api_key is not None and request.key != self._api_key:
                refusal = dialect.bad_key(request.key)
            elif self._models is not None and request.model not in self._models:
                refusal = dialect.unknown_model(request.model)
            if refusal:
                return refused(refusal.status, to_json(refusal.body))
            script = self._judge if judging else self._script
            return perform(Scene(dialect, request, script.reply(request)))
        return refused(404, to_json({"error": {"message": f"Unknown path {message.path}", "code": 404}}))

    def opened(self, connection: _Connection) -> None:
        """Count a connection."""
        self._connections.add(connection)

    def closed(self, connection: _Connection) -> None:
        """Forget a connection."""
        self._connections.discard(connection)
        self._changed.set()

    def settled(self, failure: Exception | None = None) -> None:
        """A reply came to its end; a script that failed in it is raised when the server stops."""
        self._failure = self._failure or failure
        self._changed.set()


class _Connection(asyncio.Protocol):
    """One client's connection: bytes in, requests out of them, each answered before the next."""

    def __init__(self, server: ScriptedLLM) -> None:
        self._server = server
        self._bytes = bytearray()
        self._transport: asyncio.Transport | None = None
        self._writable = asyncio.Event()
        self._writable.set()
        self.playing: asyncio.Task[None] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        self._server.opened(self)

    def data_received(self, data: bytes) -> None:
        self._bytes += data
        self._read_on()

    def eof_received(self) -> bool:
        return False  # a client that stops sending has left: close, and connection_lost tells the rest

    def connection_lost(self, _: Exception | None) -> None:
        if self.playing:
            self.playing.cancel()
            self.playing = None
        self._server.closed(self)

    def pause_writing(self) -> None:
        self._writable.clear()

    def resume_writing(self) -> None:
        self._writable.set()

    def leave(self) -> None:
        """Drop the client."""
        if self.playing:
            self.playing.cancel()
        if self._transport:
            self._transport.abort()

    def _read_on(self) -> None:
        if self.playing:
            return
        message = parse(self._bytes)
        if message:
            self.playing = asyncio.ensure_future(self._play(message))

    async def _play(self, message: Message) -> None:
        failure: Exception | None = None
        try:
            await self._take(self._server.answer(message))
        except Exception as error:  # noqa: BLE001 - a script's own function may raise anything
            failure = error
            if self._transport:
                self._transport.abort()
        finally:
            if self.playing is asyncio.current_task():
                self.playing = None
            self._server.settled(failure)
        if self._transport and not self._transport.is_closing():
            self._read_on()

    async def _take(self, steps: Iterator[Step]) -> None:
        loop = asyncio.get_running_loop()
        transport = cast("asyncio.Transport", self._transport)
        due = loop.time()
        for step in steps:
            match step:
                case Head(status, headers):
                    transport.write(head(status, headers))
                case Send(data, _):
                    transport.write(b"%x\r\n%b\r\n" % (len(data), data))
                    await self._writable.wait()
                case Wait(seconds):
                    due += seconds
                    await asyncio.sleep(max(0.0, due - loop.time()))
                case Hang():
                    await loop.create_future()
                case Close("end"):
                    transport.write(b"0\r\n\r\n")
                case Close(how):
                    _close(transport, reset=how == "reset")


def _close(transport: asyncio.Transport, *, reset: bool) -> None:
    if not reset:
        transport.close()
        return
    # Lingering zero seconds makes the kernel send RST instead of FIN (socket(7)).
    sock = transport.get_extra_info("socket")
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    transport.abort()


@cache
def closed_port(host: str = "127.0.0.1") -> str:
    """The root URL of a port where nobody listens: connecting is refused. It stays bound, so that nobody takes it."""
    sock = socket.socket()
    sock.bind((host, 0))
    port = sock.getsockname()[1]
    sock.detach()  # open as long as the process
    return f"http://{host}:{port}"
