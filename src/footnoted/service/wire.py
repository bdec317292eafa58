"""uvicorn's HTTP/1.1 with a way to drop a connection whose reader takes nothing."""

from __future__ import annotations

import socket
from asyncio import Transport
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from footnoted.service.following import ABORT

STALLED_MS = 60_000
_UNSENT = 64 * 1024


class Protocol(HttpToolsProtocol):
    """uvicorn's own, and two things ASGI has no word for.

    The application can drop a connection (``scope["footnoted.abort"]``): closing one would wait for a reader that
    takes nothing. And the kernel drops those whose reader has acknowledged nothing for a minute (RFC 5482), whatever
    the response was; of what is not yet sent it holds little, so that slow readers cost little.
    """

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]
        """Set the time a silent reader has."""
        super().connection_made(transport)
        made: Any = transport.get_extra_info("socket")
        if (
            made is not None
            and made.family in (socket.AF_INET, socket.AF_INET6)
            and hasattr(socket, "TCP_USER_TIMEOUT")
        ):
            made.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, STALLED_MS)

    def on_message_begin(self) -> None:
        """Give each request its connection's abort."""
        super().on_message_begin()
        self.scope[ABORT] = self.transport.abort  # type: ignore[literal-required]
