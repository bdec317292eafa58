"""Downloads a URL, bounded in size, time and hops, and from a private address only where that is allowed."""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin, urlsplit

from footnoted.errors import SourceError

if TYPE_CHECKING:
    import aiohttp

_KINDS = {
    "text/html": "html",
    "application/xhtml+xml": "html",
    "text/markdown": "markdown",
    "text/x-markdown": "markdown",
    "application/pdf": "pdf",
    "text/plain": "text",
}
_ENDINGS = {".md": "markdown", ".markdown": "markdown"}
_REDIRECTS = frozenset({301, 302, 303, 307, 308})


@dataclass(frozen=True, slots=True)
class Manners:
    """How pages are fetched: limits, and what is allowed beyond public https addresses."""

    most_bytes: int = 5_000_000
    seconds: float = 20.0  # for a page, its redirects included
    hops: int = 5
    pause: float = 1.0  # seconds between two pages of one host
    http: bool = False
    private: bool = False


@dataclass(frozen=True, slots=True)
class Page:
    """What a URL gave: its bytes, its kind, and where it was found after redirects."""

    url: str
    kind: str
    data: bytes


async def fetch(url: str, manners: Manners | None = None) -> Page:
    """The page at ``url``. Raises `SourceError` with the reason.

    Each hop is looked at anew: its scheme, and every address its host resolves to. The connection goes to an
    address that was looked at, so that a name cannot point elsewhere in between.
    """
    import aiohttp

    manners = manners or Manners()
    connector = aiohttp.TCPConnector(resolver=_looked_at(manners), use_dns_cache=False)
    headers = {"User-Agent": "footnoted-index (reads pages for a community's knowledge base)"}
    try:
        async with (
            asyncio.timeout(manners.seconds),
            aiohttp.ClientSession(connector=connector, headers=headers, cookie_jar=aiohttp.DummyCookieJar()) as session,
        ):
            return await _follow(session, url, manners)
    except TimeoutError:
        raise SourceError(f"gave no page within {manners.seconds:g} s") from None
    except aiohttp.ClientConnectorError as error:
        refused = error.os_error if isinstance(error.os_error, _Private) else None
        raise SourceError(str(refused) if refused else f"cannot be reached ({error.os_error})") from None
    except (aiohttp.ClientError, ValueError) as error:
        raise SourceError(f"cannot be fetched ({type(error).__name__})") from None


async def _follow(session: aiohttp.ClientSession, url: str, manners: Manners) -> Page:
    for _ in range(manners.hops + 1):
        _check(url, manners)
        async with session.get(url, allow_redirects=False) as reply:
            if reply.status in _REDIRECTS:
                url = urljoin(url, reply.headers.get("Location", ""))
                continue
            if reply.status != 200:
                raise SourceError(f"answered with status {reply.status}")
            kind = _kind(reply.content_type, urlsplit(url).path)
            data = await _bounded(reply, manners.most_bytes)
            return Page(url, kind, data)
    raise SourceError(f"redirects more than {manners.hops} times")


def _check(url: str, manners: Manners) -> None:
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        raise SourceError("is not a URL that can be read") from None
    allowed = {"https", "http"} if manners.http else {"https"}
    if parts.scheme not in allowed:
        raise SourceError(f"leads to {parts.scheme or 'no scheme'}:; only {' and '.join(sorted(allowed))} is fetched")
    if not host:
        raise SourceError("names no host")
    if parts.username or parts.password:
        raise SourceError("carries a user name or password; leave it out")
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return  # a name: the resolver looks at what it stands for
    if not manners.private and not is_public(address):
        raise SourceError(f"leads to {address}, which is not a public address")


def is_public(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> bool:
    """Whether an address is somebody's on the open internet, behind whatever form it is written in.

    >>> is_public(ipaddress.ip_address("::ffff:10.0.0.1"))
    False
    """
    if isinstance(address, ipaddress.IPv6Address):
        inner = address.ipv4_mapped or address.sixtofour or (address.teredo[1] if address.teredo else None)
        if address in _NAT64:
            inner = ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
        if inner is not None:
            return is_public(inner)
    return address.is_global and not address.is_multicast and not address.is_reserved


_NAT64 = ipaddress.ip_network("64:ff9b::/96")


class _Private(OSError):
    """A name stands for an address that is not public."""


def _looked_at(manners: Manners) -> Any:
    from aiohttp.abc import AbstractResolver
    from aiohttp.resolver import DefaultResolver

    class LookedAt(AbstractResolver):
        """The system's answers, refused whole where one of them is not public."""

        def __init__(self) -> None:
            self._inner: AbstractResolver | None = None

        async def resolve(self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET) -> Any:
            self._inner = self._inner or DefaultResolver()
            found = await self._inner.resolve(host, port, family)
            for one in found:
                address = ipaddress.ip_address(one["host"].partition("%")[0])
                if not manners.private and not is_public(address):
                    raise _Private(f"{host} stands for {address}, which is not a public address")
            return found

        async def close(self) -> None:
            if self._inner is not None:
                await self._inner.close()

    return LookedAt()


def _kind(content_type: str, path: str) -> str:
    kind = _KINDS.get(content_type.lower())
    if kind is None:
        raise SourceError(f"is {content_type}; pages are read as HTML, Markdown, PDF or plain text")
    ending = path[path.rfind(".") :].lower() if "." in path else ""
    return _ENDINGS.get(ending, kind) if kind == "text" else kind


async def _bounded(reply: aiohttp.ClientResponse, most: int) -> bytes:
    data = bytearray()
    async for piece in reply.content.iter_chunked(65_536):
        data += piece
        if len(data) > most:
            raise SourceError(f"is larger than {most:,} bytes")
    return bytes(data)
