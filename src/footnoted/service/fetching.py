"""Downloads a web address in such a way that nobody reaches by it what only this machine can.

What is asked for is checked where it is connected to: the addresses a name stands for are looked up once, all that are
not public are left out, and the connection goes to one of those, so that a name that changes its mind (DNS rebinding)
gains nothing. Each redirect is a new address, checked like the first.
"""

from __future__ import annotations

import asyncio
import ipaddress
import re
import socket
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import unquote, urljoin, urlsplit

from footnoted.service.faults import Fault, too_large
from footnoted.service.turns import Turns

if TYPE_CHECKING:
    from aiohttp import ClientResponse

_REDIRECTS = 5
_AT_ONCE = 8
_LONGEST = 2_000  # characters of an address
_PIECE = 64 * 1024
_ENDINGS = {
    "text/html": ".html",
    "application/xhtml+xml": ".html",
    "application/pdf": ".pdf",
    "text/markdown": ".md",
    "text/plain": ".txt",
    "text/csv": ".csv",
}
_NAMED = re.compile(r'filename="?([^";]+)"?', re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Fetched:
    """A file, and the name it goes by."""

    data: bytes
    name: str


def is_public(address: str) -> bool:
    """Whether an IP address belongs to the internet at large, and to nothing in it that leads elsewhere.

    >>> is_public("93.184.215.14"), is_public("10.0.0.1"), is_public("::ffff:127.0.0.1"), is_public("169.254.169.254")
    (True, False, False, False)
    """
    ip = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(ip, ipaddress.IPv6Address):
        inner = ip.ipv4_mapped or ip.sixtofour or (ip.teredo[1] if ip.teredo else None)
        if inner is not None:
            return is_public(str(inner))
        if ip in ipaddress.ip_network("64:ff9b::/96"):  # an IPv4 address behind a translator (RFC 6052)
            return is_public(str(ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF)))
    return ip.is_global and not ip.is_multicast and not ip.is_reserved


class Fetcher:
    """``hosts`` may be asked, and their subdomains; ``*`` is all. ``reaches`` says of an IP address whether it may."""

    def __init__(
        self, hosts: Sequence[str], *, most: int, seconds: float, reaches: Callable[[str], bool] | None = None
    ) -> None:
        self._hosts = [host.lower().rstrip(".") for host in hosts]
        self._most = most
        self._seconds = seconds
        self._reaches = reaches or is_public
        self._turns = Turns(_AT_ONCE)

    async def fetch(self, url: str, *, tenant: str = "", ports: Collection[int] = (80, 443)) -> Fetched:
        """The file. Raises `Fault`: 403 not allowed, 413 too large, 422 no such address, 502 or 504 not had.

        ``ports`` are those that may be asked: another port is another service of that host, mostly one for few.
        """
        self._check(url, ports)
        async with self._turns.take(tenant):
            return await self._fetched(url, ports)

    async def _fetched(self, url: str, ports: Collection[int]) -> Fetched:
        import aiohttp

        connector = aiohttp.TCPConnector(resolver=cast("Any", _Checked(self._reaches)), limit=2, force_close=True)
        session = aiohttp.ClientSession(
            connector=connector, trust_env=False, cookie_jar=aiohttp.DummyCookieJar(), auto_decompress=True
        )
        try:
            async with asyncio.timeout(self._seconds), session:
                return await self._followed(session, url, ports)
        except TimeoutError:
            raise Fault(504, "fetch_failed", f"the address did not answer within {self._seconds:g} s") from None
        except _Private:
            raise _private() from None
        except aiohttp.ClientConnectorError as error:
            if isinstance(error.os_error, _Private):
                raise _private() from None
            raise Fault(502, "fetch_failed", "the address cannot be reached") from None
        except (aiohttp.ClientError, ValueError, OSError):
            raise Fault(502, "fetch_failed", "the address did not answer in a way that can be read") from None

    async def _followed(self, session: Any, url: str, ports: Collection[int]) -> Fetched:
        for _ in range(_REDIRECTS + 1):
            self._check(url, ports)
            headers = {"User-Agent": "footnoted", "Accept": "text/html, application/pdf, text/*;q=0.9, */*;q=0.5"}
            async with session.get(url, allow_redirects=False, headers=headers) as response:
                if response.status in (301, 302, 303, 307, 308) and "Location" in response.headers:
                    url = urljoin(url, response.headers["Location"])
                    continue
                if response.status != 200:
                    raise Fault(502, "fetch_failed", f"the address answers with status {response.status}")
                return Fetched(await self._read(response), _name_of(response, url))
        raise Fault(502, "fetch_failed", f"the address leads on more than {_REDIRECTS} times")

    def _check(self, url: str, ports: Collection[int]) -> None:
        """Raise `Fault` for what may not be asked, before anything is asked."""
        try:
            parts = urlsplit(url)
            host, port = (parts.hostname or "").lower().rstrip("."), parts.port
        except ValueError:
            raise _no_address() from None
        if len(url) > _LONGEST or parts.scheme not in ("http", "https") or not host or parts.username is not None:
            raise _no_address()
        if not any(each in ("*", host) or host.endswith(f".{each}") for each in self._hosts):
            raise Fault(403, "not_allowed", f"url: {host[:100]} is not among the hosts this service may ask")
        port = port if port is not None else 443 if parts.scheme == "https" else 80
        if port not in ports:
            asked = ", ".join(map(str, sorted(ports)))
            raise Fault(403, "not_allowed", f"url: port {port} is not among those this service may ask ({asked})")
        try:
            literal = ipaddress.ip_address(host)
        except ValueError:
            return
        if not self._reaches(str(literal)):
            raise _private()

    async def _read(self, response: ClientResponse) -> bytes:
        if (response.content_length or 0) > self._most:
            raise too_large(f"the file is larger than {self._most} bytes")
        data = bytearray()
        async for piece in response.content.iter_chunked(_PIECE):
            data += piece
            if len(data) > self._most:
                raise too_large(f"the file is larger than {self._most} bytes")
        return bytes(data)


class _Private(OSError):
    """A name that stands for nothing but addresses that are not public."""


class _Checked:
    """Looks names up, and gives the addresses that may be connected to; what it gives is what is connected to."""

    def __init__(self, reaches: Callable[[str], bool]) -> None:
        self._reaches = reaches

    async def resolve(self, host: str, port: int = 0, family: int = socket.AF_UNSPEC) -> list[dict[str, Any]]:
        """The addresses of a host. Raises `OSError` where there are none that may be reached."""
        found = await asyncio.get_running_loop().getaddrinfo(host, port, family=family, type=socket.SOCK_STREAM)
        known = [(family, proto, address[0], address[1]) for family, _, proto, _, address in found]
        told = [
            {
                "hostname": host,
                "host": str(address),
                "port": port,
                "family": family,
                "proto": proto,
                "flags": socket.AI_NUMERICHOST | socket.AI_NUMERICSERV,
            }
            for family, proto, address, port in known
            if self._reaches(str(address))
        ]
        if known and not told:
            raise _Private
        return told

    async def close(self) -> None:
        """Nothing is open."""


def _name_of(response: ClientResponse, url: str) -> str:
    """What a browser would save it as, with an ending that says what it is."""
    from footnoted.retrieval.load.found import FORMATS, ending_of

    named = _NAMED.search(response.headers.get("Content-Disposition", ""))
    path = unquote(urlsplit(url).path).rstrip("/").rsplit("/", 1)[-1]
    name = named[1] if named else path or (urlsplit(url).hostname or "page")
    ending = _ENDINGS.get(response.content_type, "")
    known = FORMATS.get(ending_of(name))
    return name if known and (not ending or FORMATS.get(ending) == known or ending == ".txt") else f"{name}{ending}"


def _no_address() -> Fault:
    return Fault(422, "invalid_request", "url: a web address begins with https:// and holds no name or password")


def _private() -> Fault:
    return Fault(403, "not_allowed", "url: this address leads to a private network")
