"""A model on loopback that speaks eight protocols over real HTTP and says what a script tells it."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
import struct
from functools import cache
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import parse_qsl, unquote, urlsplit

from footnoted.testing.anthropic import Anthropic
from footnoted.testing.azure import Azure
from footnoted.testing.bedrock import Bedrock
from footnoted.testing.cohere import Cohere
from footnoted.testing.dialect import Dialect, Message, to_json
from footnoted.testing.gemini import Gemini, Vertex
from footnoted.testing.openai import OpenAI
from footnoted.testing.responses import Responses
from footnoted.testing.script import ProtocolName, Request, Script, Scripted
from footnoted.testing.steps import Close, Hang, Head, Scene, Send, Step, Wait, perform, refused

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from aiohttp import web

DIALECTS: tuple[Dialect, ...] = (Azure(), OpenAI(), Responses(), Anthropic(), Gemini(), Vertex(), Bedrock(), Cohere())


JUDGING = "Decide for each numbered statement"  # how footnoted's request to judge claims begins
NO_VERDICTS = '{"verdicts": []}'
_LEAVING = 0.01  # seconds a reply may go on when the server stops


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
        self.open_replies = 0  # under way: neither finished nor left by the reader
        self._changed = asyncio.Event()
        self._failure: Exception | None = None

    async def __aenter__(self) -> Self:
        from aiohttp import web

        self._server = web.Server(self._serve, handler_cancellation=True, access_log=None)
        self._runner = web.ServerRunner(self._server, shutdown_timeout=_LEAVING)
        await self._runner.setup()
        await web.TCPSite(self._runner, self._host, self._port, backlog=2048).start()
        self._port = self._runner.addresses[0][1]
        return self

    async def __aexit__(self, kind: type[BaseException] | None, *_: object) -> None:
        for connection in self._server.connections:
            connection.force_close()
        await self._runner.cleanup()
        if self._failure and kind is None:
            raise self._failure

    def url(self, protocol: ProtocolName = "openai") -> str:
        """The base_url the vendor's own SDK takes: OpenAI's ends in ``/v1``, the others are the root."""
        root = f"http://{self._host}:{self._port}"
        return f"{root}/v1" if protocol in {"openai", "responses"} else root

    @property
    def open_connections(self) -> int:
        """Connections the clients hold, idle ones among them."""
        return sum(connection.connected for connection in self._server.connections)

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
            request = dialect.read(message)
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

    async def _serve(self, request: web.BaseRequest) -> web.StreamResponse:
        """Play the answer to a request; a script that fails in it is raised when the server stops."""
        from aiohttp import web

        self.open_replies += 1
        try:
            return await _played(self.answer(await _message(request)), request)
        except ConnectionError:  # the client has left
            return web.Response()
        except Exception as error:  # noqa: BLE001 - a script's own function may raise anything
            self._failure = self._failure or error
            if request.transport:
                request.transport.abort()
            return web.Response()
        finally:
            self.open_replies -= 1
            self._changed.set()


async def _message(request: web.BaseRequest) -> Message:
    """A request as read; its body where that is a JSON object."""
    target = urlsplit(request.raw_path)
    body: Any = None
    with contextlib.suppress(ValueError):
        body = json.loads(await request.content.read())
    return Message(
        path=unquote(target.path),
        query=dict(parse_qsl(target.query)),
        headers={name.lower(): value for name, value in request.headers.items()},
        json=body if isinstance(body, dict) else {},
    )


async def _played(steps: Iterator[Step], request: web.BaseRequest) -> web.StreamResponse:
    """The response of these steps, sent."""
    from aiohttp import web

    response = web.StreamResponse()
    response.enable_chunked_encoding()
    loop = asyncio.get_running_loop()
    due = loop.time()
    for step in steps:
        match step:
            case Head(status, headers):
                response.set_status(status)
                response.headers.update(headers)
                await response.prepare(request)
            case Send(data, _):
                await response.write(data)
            case Wait(seconds):
                due += seconds
                await asyncio.sleep(max(0.0, due - loop.time()))
            case Hang():
                await loop.create_future()
            case Close("fin") if request.transport:
                request.transport.close()
            case Close("reset") if request.transport:
                # Lingering zero seconds makes the kernel send RST instead of FIN (socket(7)).
                sock = request.transport.get_extra_info("socket")
                sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                request.transport.abort()
    return response


@cache
def closed_port(host: str = "127.0.0.1") -> str:
    """The root URL of a port where nobody listens: connecting is refused. It stays bound, so that nobody takes it."""
    sock = socket.socket()
    sock.bind((host, 0))
    port = sock.getsockname()[1]
    sock.detach()  # open as long as the process
    return f"http://{host}:{port}"
