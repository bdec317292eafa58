"""Downloads a web address in such a way that nobody reaches by it what only this machine can.

The hard thing is that a name may stand for another address when it is connected to than when it was checked (DNS
rebinding), and that a page may lead on to another one. So each redirect is checked like the first address, a name is
looked up once, and the connection goes to an address that was looked at.
"""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, cast
from urllib.parse import urljoin, urlsplit

from footnoted.errors import SourceError

if TYPE_CHECKING:
    from aiohttp import ClientResponse, ClientSession

Why = Literal["address", "private", "time", "unreachable", "broken", "status", "redirects", "size"]
_LONGEST = 2_000  # characters of an address
_PIECE = 64 * 1024
_NAT64 = ipaddress.ip_network("64:ff9b::/96")  # IPv4 addresses behind a translator (RFC 6052)


class Unfetched(SourceError):
    """An address gave nothing. ``why`` sorts the reasons, for callers that word them themselves."""

    def __init__(self, why: Why, message: str) -> None:
        super().__init__(message)
        self.why = why


@dataclass(frozen=True, slots=True)
class Fetched:
    """What an address gave, and the address it was found at after redirects."""

    url: str
    data: bytes
    content_type: str
    disposition: str  # the header Content-Disposition, or nothing


def is_public(address: object) -> bool:
    """Whether an IP address belongs to the internet at large, and to nothing in it that leads elsewhere.

    >>> is_public("93.184.215.14"), is_public("10.0.0.1"), is_public("::ffff:127.0.0.1"), is_public("169.254.169.254")
    (True, False, False, False)
    """
    ip = ipaddress.ip_address(str(address).partition("%")[0])
    if isinstance(ip, ipaddress.IPv6Address):
        inner = ip.ipv4_mapped or ip.sixtofour or (ip.teredo[1] if ip.teredo else None)
        if ip in _NAT64:
            inner = ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF)
        if inner is not None:
            return is_public(inner)
    return ip.is_global and not ip.is_multicast and not ip.is_reserved


@dataclass(frozen=True, slots=True)
class Fetcher:
    """Downloads at most ``most_bytes`` within ``seconds``, over at most ``hops`` redirects.

    ``reaches`` says whether an IP address may be connected to. ``allows`` is told of the host and port of every hop and
    raises for what may not be asked.
    """

    most_bytes: int
    seconds: float
    hops: int = 5
    schemes: Collection[str] = ("http", "https")
    agent: str = "footnoted"
    reaches: Callable[[str], bool] = is_public
    allows: Callable[[str, int], None] | None = None

    async def fetch(self, url: str) -> Fetched:
        """What is at an address. Raises `Unfetched`, and what ``allows`` raises."""
        import aiohttp

        connector = aiohttp.TCPConnector(resolver=cast("Any", _Resolver(self.reaches)), limit=2, force_close=True)
        headers = {"User-Agent": self.agent, "Accept": "text/html, application/pdf, text/*;q=0.9, */*;q=0.5"}
        session = aiohttp.ClientSession(connector=connector, headers=headers, cookie_jar=aiohttp.DummyCookieJar())
        try:
            async with asyncio.timeout(self.seconds), session:
                return await self._follow(session, url)
        except TimeoutError:
            raise Unfetched("time", f"gave no page within {self.seconds:g} s") from None
        except aiohttp.ClientConnectorError as error:
            if isinstance(error.os_error, _Private):
                raise Unfetched("private", str(error.os_error)) from None
            raise Unfetched("unreachable", f"cannot be reached ({error.os_error})") from None
        except _Private as error:
            raise Unfetched("private", str(error)) from None
        except (aiohttp.ClientError, ValueError, OSError) as error:
            raise Unfetched("broken", f"cannot be fetched ({type(error).__name__})") from None

    async def _follow(self, session: ClientSession, url: str) -> Fetched:
        for _ in range(self.hops + 1):
            self.check(url)
            async with session.get(url, allow_redirects=False) as response:
                if response.status in (301, 302, 303, 307, 308) and "Location" in response.headers:
                    url = urljoin(url, response.headers["Location"])
                    continue
                if response.status != 200:
                    raise Unfetched("status", f"answers with status {response.status}")
                data = await self._read(response)
                return Fetched(url, data, response.content_type, response.headers.get("Content-Disposition", ""))
        raise Unfetched("redirects", f"redirects more than {self.hops} times")

    def check(self, url: str) -> None:
        """Raise for what may not be asked, before anything is asked."""
        try:
            parts = urlsplit(url)
            host, port = (parts.hostname or "").lower().rstrip("."), parts.port
        except ValueError:
            raise Unfetched("address", "is not a URL that can be read") from None
        if len(url) > _LONGEST:
            raise Unfetched("address", f"is longer than {_LONGEST:,} characters")
        if parts.scheme not in self.schemes:
            allowed = " and ".join(sorted(self.schemes))
            raise Unfetched("address", f"leads to {parts.scheme or 'no scheme'}:; only {allowed} is fetched")
        if not host:
            raise Unfetched("address", "names no host")
        if parts.username is not None:
            raise Unfetched("address", "carries a user name or password; leave it out")
        if self.allows is not None:
            self.allows(host, port if port is not None else 443 if parts.scheme == "https" else 80)
        try:
            literal = str(ipaddress.ip_address(host))
        except ValueError:
            return  # a name: the resolver looks at what it stands for
        if not self.reaches(literal):
            raise Unfetched("private", f"leads to {literal}, which is not a public address")

    async def _read(self, response: ClientResponse) -> bytes:
        data = bytearray()
        if (response.content_length or 0) <= self.most_bytes:
            async for piece in response.content.iter_chunked(_PIECE):
                data += piece
                if len(data) > self.most_bytes:
                    break
            else:
                return bytes(data)
        raise Unfetched("size", f"is larger than {self.most_bytes:,} bytes")


class _Private(OSError):
    """A name stands for an address that may not be reached."""


class _Resolver:
    """Looks names up, and gives the addresses to connect to; where one of them may not be reached, none."""

    def __init__(self, reaches: Callable[[str], bool]) -> None:
        self._reaches = reaches

    async def resolve(self, host: str, port: int = 0, family: int = socket.AF_UNSPEC) -> list[dict[str, Any]]:
        """The addresses of a host. Raises `OSError` where they may not be reached."""
        found = await asyncio.get_running_loop().getaddrinfo(host, port, family=family, type=socket.SOCK_STREAM)
        for *_, address in found:
            if not self._reaches(str(address[0])):
                raise _Private(f"{host} stands for {address[0]}, which is not a public address")
        return [
            {
                "hostname": host,
                "host": str(address[0]),
                "port": address[1],
                "family": kind,
                "proto": protocol,
                "flags": socket.AI_NUMERICHOST | socket.AI_NUMERICSERV,
            }
            for kind, _, protocol, _, address in found
        ]

    async def close(self) -> None:
        """Nothing is open."""
