"""Posts JSON and gives the bytes of the reply as they arrive, or one of our errors.

The one HTTP client of the house, on aiohttp, which is imported when a client is made: it costs a quarter second.
"""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from importlib import import_module
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary, finalize

from footnoted.errors import BadProviderReply, ConfigurationError, ProviderRejected, ProviderUnavailable
from footnoted.providers._faults import fault, shorten, words

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Mapping

    import aiohttp

MAX_REPLY = 64 * 1024 * 1024  # bytes of one reply
MAX_ERROR = 64 * 1024  # bytes of an error body worth reading
_ERROR_PATIENCE = 5.0  # seconds an error body may take
_DRAIN_PATIENCE = 0.02  # seconds to wait for the end of a finished reply, so that its connection can be used again
_IDLE = 15.0  # seconds an unused connection is kept


def encoded(body: Mapping[str, Any]) -> bytes:
    """A body as the bytes that are posted."""
    return json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


class Http:
    """Posts JSON over kept-alive connections, one session an event loop, made when first needed.

    Never closing it is allowed: the session closes itself when its loop shuts down or this object goes.
    """

    def __init__(self, session: aiohttp.ClientSession | None = None) -> None:
        import_module("aiohttp")  # now, not while an event loop and a deadline run
        self._injected = session
        self._opened: WeakKeyDictionary[asyncio.AbstractEventLoop, _Session] = WeakKeyDictionary()

    async def post(self, url: str, body: bytes, headers: Mapping[str, str], *, key_from: str, where: str) -> Reply:
        """The reply to a POST, once its status is known to be 200; whoever gets it closes it."""
        import aiohttp

        session = self._injected or await self._session()
        try:
            response = await session.post(
                url,
                data=body,
                headers=headers,
                allow_redirects=False,  # a key follows no redirect
                timeout=aiohttp.ClientTimeout(total=None),  # deadlines are on content, and kept elsewhere
            )
        except (aiohttp.InvalidURL, aiohttp.NonHttpUrlClientError) as error:
            raise ConfigurationError(f"base_url is not a URL that can be asked: {where}") from error
        except aiohttp.ClientResponseError as error:
            # Not chained: aiohttp's error shows the request's headers, the key among them.
            raise BadProviderReply(f"the reply is not HTTP ({where}): {shorten(error.message)}") from None
        except (aiohttp.ClientError, OSError, RuntimeError) as error:
            raise _unreachable(error, where) from error
        except (ValueError, TypeError):
            raise ConfigurationError(f"a header given cannot be sent: it must be text on one line ({where})") from None
        reply = Reply(response, where)
        if response.status == 200:
            return reply
        try:
            said = await reply.beginning()
        finally:
            reply.close()
        raise fault(response.status, response.headers, said, key_from=key_from, where=where)

    async def aclose(self) -> None:
        """Close this loop's session; an injected one is its owner's to close."""
        opened = self._opened.pop(asyncio.get_running_loop(), None)
        if opened is not None:
            await opened.aclose()

    async def _session(self) -> aiohttp.ClientSession:
        loop = asyncio.get_running_loop()
        opened = self._opened.get(loop)
        if opened is None:
            opened = self._opened[loop] = _Session()
            await opened.open()
        return opened.session


class _Session:
    """An aiohttp session that its event loop closes: an asynchronous generator waits for the loop's end."""

    def __init__(self) -> None:
        import aiohttp

        self.session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0, keepalive_timeout=_IDLE),
            cookie_jar=aiohttp.DummyCookieJar(),
            skip_auto_headers=("User-Agent",),
        )
        self._until_shutdown = _close_at_shutdown(self.session)
        finalize(self, _abandon, asyncio.get_running_loop(), self.session)

    async def open(self) -> None:
        """Let the loop know: `asyncio.run` closes every generator that was begun under it."""
        await anext(self._until_shutdown)

    async def aclose(self) -> None:
        await self._until_shutdown.aclose()


def _abandon(loop: asyncio.AbstractEventLoop, session: aiohttp.ClientSession) -> None:
    """A loop that was closed without its farewell can close nothing: mark the session as closed, quietly."""
    if loop.is_closed() and not session.closed:
        closing = session.close()
        with suppress(StopIteration, RuntimeError):
            closing.send(None)  # nothing is left to wait for
        closing.close()


async def _close_at_shutdown(session: aiohttp.ClientSession) -> AsyncGenerator[None]:
    try:
        yield
    finally:
        await session.close()


class Reply:
    """The body of a reply with status 200, read in the pieces it arrives in."""

    def __init__(self, response: aiohttp.ClientResponse, where: str) -> None:
        self._response = response
        self._where = where
        self._size = 0
        self.content_type: str = response.headers.get("content-type", "")

    async def piece(self) -> bytes:
        """The next bytes that arrived, ``b""`` at the end. Raises `ProviderUnavailable` when the connection breaks."""
        try:
            piece = await self._response.content.readany()
        except (OSError, ValueError, RuntimeError) as error:
            raise _unreachable(error, self._where) from error
        except Exception as error:
            import aiohttp

            if isinstance(error, aiohttp.ClientError | aiohttp.http.HttpProcessingError):
                raise _unreachable(error, self._where) from error
            raise
        self._size += len(piece)
        if self._size > MAX_REPLY:
            raise BadProviderReply(f"the reply is larger than {MAX_REPLY} bytes ({self._where})")
        return piece

    async def whole(self) -> bytes:
        """All of the body."""
        pieces = []
        while piece := await self.piece():
            pieces.append(piece)
        return b"".join(pieces)

    async def beginning(self) -> str:
        """Up to `MAX_ERROR` bytes of the body, as text; what had come when it breaks or dawdles."""
        pieces: list[bytes] = []
        with suppress(TimeoutError, ProviderUnavailable):
            async with asyncio.timeout(_ERROR_PATIENCE):
                while sum(map(len, pieces)) < MAX_ERROR and (piece := await self.piece()):
                    pieces.append(piece)
        return b"".join(pieces)[:MAX_ERROR].decode("utf-8", "replace")

    async def drain(self) -> None:
        """Read what is left of a finished reply, briefly, so that the connection can serve the next one."""
        if self._response.content.at_eof():
            return
        with suppress(TimeoutError, ProviderUnavailable, BadProviderReply):
            async with asyncio.timeout(_DRAIN_PATIENCE):
                while await self.piece():
                    pass

    def close(self) -> None:
        """Let go: what was read to its end goes back to the pool, anything else closes its connection now."""
        self._response.close()

    async def foreign(self) -> BadProviderReply:
        """The error for a body that came with status 200 and is not the protocol."""
        body = await self.beginning()
        if not body.strip():
            return BadProviderReply(f"the reply is empty ({self._where})")
        kind = self.content_type.partition(";")[0].strip()
        return BadProviderReply(
            f"the reply is not the provider's protocol ({kind}, {self._where}); check base_url. "
            f"It begins: {words(body)}"
        )


def _unreachable(error: Exception, where: str) -> ProviderUnavailable | ProviderRejected:
    import aiohttp

    if isinstance(error, aiohttp.ClientConnectorCertificateError):
        return ProviderRejected(f"the server's certificate is not trusted ({where})")
    if isinstance(error, aiohttp.ClientConnectorDNSError):
        said = "the host's name is unknown"
    elif isinstance(error, ConnectionRefusedError | aiohttp.ClientConnectorError):
        said = "no connection could be made"
    elif isinstance(error, RuntimeError):
        said = "the HTTP session is closed or belongs to another event loop"
    else:
        said = "the connection broke"
    known = isinstance(error, aiohttp.ClientPayloadError) or not str(error)
    reason = "" if known else f": {error}"
    return ProviderUnavailable(f"{said} ({where}){reason}")
