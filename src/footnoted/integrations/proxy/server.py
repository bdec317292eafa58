"""The proxy's server: a request goes upstream as it came; its reply is weighed where the conversation holds sources.

Two roads. Nothing to check: bytes are relayed, and only an ending that never came is added to them. Something to check:
events are read (`replies.py`). On both a fault upstream has a type, and a client who leaves closes upstream.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import Literal, cast
from urllib.parse import urlsplit

import aiohttp
from aiohttp import web

from footnoted.answering.generator import shipped_checker
from footnoted.answering.watch import Watch
from footnoted.answering.weighing import Checking, Mode
from footnoted.errors import BadProviderReply, ConfigurationError
from footnoted.grounding.judge import Weigher
from footnoted.integrations.proxy.acts import ActingChecking
from footnoted.integrations.proxy.conversation import Held, Protocol, held, unharmed
from footnoted.integrations.proxy.replies import REPLYING, Replying
from footnoted.integrations.proxy.shelf import PATH, POLICY, Shelf
from footnoted.providers._sse import Decoder
from footnoted.types import Source

log = logging.getLogger("footnoted.proxy")

MODES = ("mark", "hold", "amend", "off")
MODE_HEADER = "X-Footnoted-Checking"
_MOST_BODY = 64 * 1024 * 1024
_MOST_REPLY = 64 * 1024 * 1024
_LARGE = 200_000  # bytes of a request from which on it is read off the event loop
_TAIL = 4096  # bytes of a relayed stream in which its last word is looked for
_MOST_EVENT = 1_000_000  # bytes; a longer one is not waited for
_CONNECTING = 10.0
_ENDPOINTS: dict[str, Protocol] = {"/chat/completions": "chat", "/responses": "responses", "/messages": "messages"}
# A hop's own (RFC 9110, 7.6.1), what is told anew, and what is ours.
_HOP = frozenset(
    "connection keep-alive proxy-authenticate proxy-authorization proxy-connection te trailer transfer-encoding upgrade"
    " host content-length accept-encoding".split()
)
_LAST_WORDS = {  # one of which ends a stream, whatever white space is between them
    "chat": (b'"finish_reason":"', b"[DONE]", b'"error":'),
    "responses": (b'"response.completed"', b'"response.incomplete"', b'"response.failed"', b'"type":"error"'),
    "messages": (b'"stop_reason":"', b"message_stop", b'"type":"error"'),
}


class UpstreamFault(Exception):
    """Upstream did not do its part: a status, a code, and words for a person."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status, self.code, self.message = status, code, message

    @classmethod
    def of(cls, error: Exception) -> UpstreamFault:
        """What an exception in the middle of a reply comes to."""
        if isinstance(error, TimeoutError):
            return cls(504, "upstream_timeout", "upstream fell silent")
        if isinstance(error, aiohttp.ClientError):
            return cls(502, "truncated", f"upstream broke off: {_said(error)}")
        return cls(502, "bad_reply", str(error)[:300])


@dataclass(frozen=True, slots=True)
class ProxySettings:
    """How a proxy works. Times in seconds: to the first bytes, and between two.

    ``mode``: ``mark``, ``hold``, ``amend`` or ``off``; a request's own header wins. ``public_url`` is what citations
    link to, the address a client used unless given. ``keep``: answers whose page is kept.
    """

    upstream: str
    mode: Literal["mark", "hold", "amend", "off"] = "mark"
    public_url: str | None = None
    first: float = 120.0
    between: float = 60.0
    verdict_wait: float = 5.0
    keep: int = 500

    def __post_init__(self) -> None:
        parts = urlsplit(self.upstream)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ConfigurationError("upstream must look like https://api.openai.com/v1 or http://127.0.0.1:11434/v1")
        if self.mode not in MODES:
            raise ConfigurationError(f"mode is one of {', '.join(MODES)}; got {self.mode!r}")

    def url(self, path_and_query: str) -> str:
        """Where a request goes: below upstream, whose own ``/v1`` is not said twice."""
        base = self.upstream.rstrip("/")
        doubled = base.endswith("/v1") and f"{path_and_query}/".startswith(("/v1/", "/v1?"))
        return base + (path_and_query[3:] if doubled else path_and_query)


class Proxy:
    """A proxy before one upstream. `app` is what an aiohttp server runs."""

    def __init__(self, settings: ProxySettings, *, checker: Weigher | None = None) -> None:
        self._settings = settings
        self._checker = checker
        self._shelf = Shelf(settings.keep)
        self._session: aiohttp.ClientSession | None = None

    def app(self) -> web.Application:
        """The application."""
        app = web.Application(client_max_size=_MOST_BODY)
        app.cleanup_ctx.append(self._opened)
        app.router.add_get(PATH + "{name}", self._page)
        app.router.add_route("*", "/{path:.*}", self._serve)
        return app

    async def _opened(self, _: web.Application) -> AsyncIterator[None]:
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0, keepalive_timeout=15),
            cookie_jar=aiohttp.DummyCookieJar(),
            auto_decompress=False,
            skip_auto_headers=("User-Agent", "Accept", "Content-Type"),
            timeout=aiohttp.ClientTimeout(total=None, sock_connect=_CONNECTING),
        )
        warming = asyncio.create_task(self._warm())
        try:
            yield
        finally:
            warming.cancel()
            await self._session.close()

    async def _warm(self) -> None:
        """The first answer does not wait for the model."""
        if self._settings.mode != "off" and self._checker is None:
            try:
                await shipped_checker().acheck("It is open.", [Source(id="warm", text="It opens the model.")])
            except Exception:
                log.exception("the model could not be opened ahead")

    async def _page(self, request: web.Request) -> web.StreamResponse:
        record = self._shelf.get(request.match_info["name"])
        headers = {
            "Content-Security-Policy": POLICY,
            "X-Content-Type-Options": "nosniff",
            "Referrer-Policy": "no-referrer",
        }
        if record is None:
            return web.Response(status=404, text="This answer is no longer kept.\n", headers=headers)
        return web.Response(text=record.page(), content_type="text/html", charset="utf-8", headers=headers)

    async def _serve(self, request: web.Request) -> web.StreamResponse:
        protocol = next((name for path, name in _ENDPOINTS.items() if request.path.endswith(path)), None)
        if request.method != "POST":
            protocol = None
        body = await request.read() if request.can_read_body else b""
        mode = request.headers.get(MODE_HEADER, self._settings.mode).strip().lower()
        try:
            if mode not in MODES:
                raise UpstreamFault(400, "invalid_request", f"{MODE_HEADER} is one of {', '.join(MODES)}")
            return await self._forward(request, body, protocol, await self._held(protocol, body, mode), mode)
        except UpstreamFault as fault:
            return web.json_response(REPLYING[protocol or "chat"].fault(fault.code, fault.message), status=fault.status)

    async def _held(self, protocol: Protocol | None, body: bytes, mode: str) -> Held | str:
        """What to weigh the reply by, or why it passes untouched."""
        if protocol is None:
            return "not a conversation"
        if mode == "off":
            return "off"
        return await asyncio.to_thread(_read, protocol, body) if len(body) > _LARGE else _read(protocol, body)

    async def _forward(
        self,
        request: web.Request,
        body: bytes,
        protocol: Protocol | None,
        found: Held | str,
        mode: str,
    ) -> web.StreamResponse:
        async with self._asked(request, _without_ours(protocol, body)) as upstream:
            headers = {name: value for name, value in upstream.headers.items() if name.lower() not in _HOP}
            kind = upstream.content_type
            passed = found if isinstance(found, str) else ""
            if protocol is None or upstream.status != 200:
                headers["Footnoted-Passed"] = passed or f"upstream answered {upstream.status}"
                return await self._relay(request, upstream, headers, None)
            if kind not in ("text/event-stream", "application/json"):
                raise UpstreamFault(502, "bad_reply", f"upstream's reply is not the protocol ({kind or 'no type'})")
            if isinstance(found, str) or upstream.headers.get("Content-Encoding", "identity") != "identity":
                headers["Footnoted-Passed"] = passed or "encoded"
                if kind == "application/json":
                    return web.Response(body=await self._whole(upstream), headers=headers)
                return await self._relay(request, upstream, headers, protocol)
            base = self._settings.public_url or f"{request.scheme}://{request.host}"
            record = self._shelf.open(base.rstrip("/"), found.sources, found.question, mode)
            headers |= {"Footnoted-Checking": mode, "Footnoted-Sources": str(len(found.sources))}
            headers["Footnoted-Page"] = record.url
            if found.left_out:
                headers["Footnoted-Left-Out"] = str(found.left_out)
            checking = ActingChecking(
                self._checker or shipped_checker(),
                cast("Mode", mode),
                wait=self._settings.verdict_wait,
                doubt="mark",
                watch=Watch(found.question, found.sources) if found.sources else None,
                acts=found.acts,
                sourced=found.sourced,
            )
            replying = REPLYING[protocol](record, checking)
            try:
                if kind == "application/json":
                    return await self._weighed(upstream, headers, replying)
                return await self._streamed(request, upstream, headers, replying)
            finally:
                replying.cancel()

    @asynccontextmanager
    async def _asked(self, request: web.Request, body: bytes) -> AsyncIterator[aiohttp.ClientResponse]:
        """Upstream's response. Closed here whatever happens, so that a client who leaves is felt there at once."""
        assert self._session is not None  # noqa: S101 - it opens with the application
        dropped = _HOP | {MODE_HEADER.lower()}
        headers = [(name, value) for name, value in request.headers.items() if name.lower() not in dropped]
        headers.append(("Accept-Encoding", "identity"))
        upstream = None
        try:
            async with asyncio.timeout(self._settings.first):
                upstream = await self._session.request(
                    request.method,
                    self._settings.url(request.raw_path),
                    data=body or None,
                    headers=headers,
                    allow_redirects=False,
                )
            yield upstream
        except TimeoutError:
            raise UpstreamFault(504, "upstream_timeout", "upstream said nothing in time") from None
        except aiohttp.InvalidURL:
            raise UpstreamFault(400, "invalid_request", "this is no path that can be asked") from None
        except (aiohttp.ClientError, OSError) as error:
            if isinstance(error, ConnectionError) and upstream is not None and request.transport is None:
                raise  # the client has left
            raise UpstreamFault(502, "upstream_unavailable", f"upstream cannot be reached: {_said(error)}") from None
        finally:
            if upstream is not None:
                upstream.close()

    async def _whole(self, upstream: aiohttp.ClientResponse) -> bytes:
        """All of a reply that is one JSON value. Raises `UpstreamFault` for a part of one."""
        pieces, size = [], 0
        async with asyncio.timeout(self._settings.first):
            while piece := await upstream.content.readany():
                pieces.append(piece)
                size += len(piece)
                if size > _MOST_REPLY:
                    raise UpstreamFault(502, "bad_reply", f"upstream's reply is larger than {_MOST_REPLY} bytes")
        return b"".join(pieces)

    async def _weighed(
        self, upstream: aiohttp.ClientResponse, headers: dict[str, str], replying: Replying
    ) -> web.Response:
        data = await self._whole(upstream)
        try:
            reply = json.loads(data)
            if not reply.get("error"):
                reply = await replying.whole(reply)
        except (ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError):
            raise UpstreamFault(502, "bad_reply", "upstream's reply is not the protocol") from None
        headers["Footnoted-Verdicts"] = _counted(replying.counts)
        headers.pop("Content-Type", None)
        return web.json_response(reply, headers=headers, dumps=partial(json.dumps, ensure_ascii=False))

    async def _relay(
        self,
        request: web.Request,
        upstream: aiohttp.ClientResponse,
        headers: dict[str, str],
        protocol: Protocol | None,
    ) -> web.StreamResponse:
        """Bytes as they come; of a stream, the fault too that its protocol did not get to say."""
        response = web.StreamResponse(status=upstream.status, headers=headers)
        if protocol is None and (length := upstream.headers.get("Content-Length")):
            response.headers["Content-Length"] = length
        await response.prepare(request)
        tail, open_event, fault = b"", b"", _unfinished()
        try:
            while True:
                async with asyncio.timeout(self._settings.between):
                    piece = await upstream.content.readany()
                if not piece:
                    break
                if protocol is not None:
                    piece, open_event = _whole_events(open_event + piece)
                    tail = piece[-_TAIL:] if len(piece) >= _TAIL else (tail + piece)[-_TAIL:]
                if piece:
                    await response.write(piece)
            await response.write(open_event)  # a server may forget the last blank line
            tail += open_event
        except (TimeoutError, aiohttp.ClientError) as error:
            fault = UpstreamFault.of(error)
        told = b"".join(tail.split())
        if protocol is not None and not any(words in told for words in _LAST_WORDS[protocol]):
            record = self._shelf.open("", (), "", "off", keep=False)
            await response.write(b"\n\n" + REPLYING[protocol](record, _UNCHECKED).broke(fault.code, fault.message))
        await response.write_eof()
        return response

    async def _streamed(
        self, request: web.Request, upstream: aiohttp.ClientResponse, headers: dict[str, str], replying: Replying
    ) -> web.StreamResponse:
        """Events, read and told on. The head goes out with the first, so that a fault before it has a status."""
        response = web.StreamResponse(status=200, headers=headers)
        decoder = Decoder()
        fault = _unfinished()
        clock = asyncio.get_running_loop()
        until = clock.time() + self._settings.first
        try:
            while True:
                async with asyncio.timeout_at(until):
                    piece = await upstream.content.readany()
                events = decoder.decode(piece) if piece else decoder.flush()
                for event in events:
                    sent = await replying.decode(event)
                    if not response.prepared:
                        await response.prepare(request)
                    if sent:
                        await response.write(b"".join(sent))
                if not piece:
                    break
                if events:  # a comment that keeps the line open is none, and resets nothing
                    until = clock.time() + self._settings.between
        except (TimeoutError, aiohttp.ClientError, ValueError, BadProviderReply) as error:
            fault = UpstreamFault.of(error)
        if not response.prepared:
            raise fault
        if not replying.over:
            for held_back in await replying.ended():
                await response.write(held_back)
            await response.write(replying.broke(fault.code, fault.message))
        else:
            await response.write(f": footnoted.verdicts {_counted(replying.counts)}\n\n".encode())
        await response.write_eof()
        return response


_UNCHECKED = cast("Checking", None)


def _unfinished() -> UpstreamFault:
    return UpstreamFault(502, "truncated", "upstream's stream ended without its last word")


def _read(protocol: Protocol, body: bytes) -> Held | str:
    """What a request's conversation holds, or why its reply passes untouched."""
    try:
        conversation = json.loads(body)
    except (ValueError, RecursionError):
        return "no JSON"
    if not isinstance(conversation, dict):
        return "no JSON"
    if why := unharmed(conversation):
        return why
    found = held(protocol, conversation)
    return found if found.sources or found.acts.any else "no sources"


def _whole_events(data: bytes) -> tuple[bytes, bytes]:
    """The events that are whole, and the beginning of the next: half of one could not be followed by a fault."""
    cut = max(data.rfind(b"\n\n") + 2, data.rfind(b"\r\n\r\n") + 4, data.rfind(b"\r\r") + 2)
    if cut < 4 and len(data) < _MOST_EVENT:
        return b"", data
    return (data[:cut], data[cut:]) if cut >= 4 else (data, b"")


def _without_ours(protocol: Protocol | None, body: bytes) -> bytes:
    """A request without citations that this proxy wrote: Anthropic's server reads an answer's citations again."""
    if protocol != "messages" or b'"citations"' not in body or PATH.encode() not in body:
        return body
    try:
        asked = json.loads(body)
        for message in asked["messages"]:
            for block in message["content"] if isinstance(message["content"], list) else ():
                if message["role"] == "assistant" and block.get("citations"):
                    kept = [note for note in block["citations"] if PATH not in str(note.get("url", ""))]
                    block["citations"] = kept or None
                    if not kept:
                        del block["citations"]
        return json.dumps(asked, ensure_ascii=False).encode()
    except (ValueError, KeyError, TypeError, AttributeError):
        return body


def _counted(counts: Mapping[str, int]) -> str:
    return "; ".join(f"{name}={count}" for name, count in counts.items()) or "none"


def _said(error: BaseException) -> str:
    return " ".join(str(error).split())[:200] or type(error).__name__


async def serve(settings: ProxySettings, *, host: str, port: int) -> None:
    """Serve until cancelled."""
    runner = web.AppRunner(Proxy(settings).app(), handler_cancellation=True, access_log=None)
    await runner.setup()
    try:
        await web.TCPSite(runner, host, port, backlog=1024).start()
        await asyncio.Event().wait()
    finally:
        await runner.cleanup()
