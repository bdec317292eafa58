"""Downloads a tenant's web address from the hosts and ports this service may ask, each tenant in turn."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from footnoted.fetching import Fetched as Download
from footnoted.fetching import Fetcher as Downloader
from footnoted.fetching import Unfetched, Why, is_public
from footnoted.service.faults import Fault
from footnoted.service.turns import Turns

_AT_ONCE = 8
_ENDINGS = {
    "text/html": ".html",
    "application/xhtml+xml": ".html",
    "application/pdf": ".pdf",
    "text/markdown": ".md",
    "text/plain": ".txt",
    "text/csv": ".csv",
}
_NAMED = re.compile(r'filename="?([^";]+)"?', re.IGNORECASE)
# Where a name leads to and what stands there is said to nobody: it may be this service's own network.
_FAULTS: dict[Why, tuple[int, str, str]] = {
    "address": (422, "invalid_request", "url: a web address begins with https:// and holds no name or password"),
    "private": (403, "not_allowed", "url: this address leads to a private network"),
    "size": (413, "too_large", "the file is larger than {most} bytes"),
    "time": (504, "fetch_failed", "the address did not answer within {seconds:g} s"),
    "unreachable": (502, "fetch_failed", "the address cannot be reached"),
    "broken": (502, "fetch_failed", "the address did not answer in a way that can be read"),
    "status": (502, "fetch_failed", "the address {told}"),
    "redirects": (502, "fetch_failed", "the address leads on more than {hops} times"),
}


@dataclass(frozen=True, slots=True)
class Fetched:
    """A file, and the name it goes by."""

    data: bytes
    name: str


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

        def allows(host: str, port: int) -> None:
            if not any(allowed in ("*", host) or host.endswith(f".{allowed}") for allowed in self._hosts):
                raise Fault(403, "not_allowed", f"url: {host[:100]} is not among the hosts this service may ask")
            if port not in ports:
                asked = ", ".join(map(str, sorted(ports)))
                raise Fault(403, "not_allowed", f"url: port {port} is not among those this service may ask ({asked})")

        downloader = Downloader(self._most, self._seconds, reaches=self._reaches, allows=allows)
        try:
            downloader.check(url)  # what may not be asked waits for no turn
            async with self._turns.take(tenant):
                found = await downloader.fetch(url)
        except Unfetched as error:
            status, code, words = _FAULTS[error.why]
            words = words.format(most=self._most, seconds=self._seconds, hops=downloader.hops, told=error)
            raise Fault(status, code, words) from None
        return Fetched(found.data, _name_of(found))


def _name_of(found: Download) -> str:
    """What a browser would save it as, with an ending that says what it is."""
    from footnoted.retrieval.load.found import FORMATS, ending_of

    named = _NAMED.search(found.disposition)
    parts = urlsplit(found.url)
    path = unquote(parts.path).rstrip("/").rsplit("/", 1)[-1]
    name = named[1] if named else path or (parts.hostname or "page")
    ending = _ENDINGS.get(found.content_type, "")
    known = FORMATS.get(ending_of(name))
    return name if known and (not ending or FORMATS.get(ending) == known or ending == ".txt") else f"{name}{ending}"
