"""Gives every request an id, a bounded body and safe headers, and leaves a log line and a figure of it."""

from __future__ import annotations

import asyncio
import contextlib
import re
import time
from uuid import uuid4

import structlog
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from footnoted.service.faults import too_large
from footnoted.service.observe import traces
from footnoted.service.observe.metrics import METRICS

log = structlog.get_logger("footnoted.http")

_REQUEST_ID = re.compile(rb"[A-Za-z0-9._-]{1,128}")
_READ_PAST = 16 * 1024 * 1024  # bytes of a refused body
_READ_PAST_SECONDS = 2.0
_TAKES_FILES = frozenset({"/api/v1/documents", "/api/v1/findings", "/api/v1/kb"})
_STREAMS = "/api/v1/chat/stream/"  # what is being written here may be read, joined and stopped to its end
_TRACED = frozenset({b"traceparent", b"tracestate"})
_QUIET = frozenset({"/healthz", "/readyz", "/metrics"})
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_SAFE_HEADERS = [
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"x-frame-options", b"DENY"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), microphone=(), geolocation=()"),
]


class Door:
    """The outermost layer, in plain ASGI: nothing of it stands between a stream and its reader but one call."""

    def __init__(self, app: ASGIApp, *, body_bytes: int, file_bytes: int) -> None:
        self._app = app
        self._body_bytes = body_bytes
        self._file_bytes = file_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = dict(scope["headers"])
        request_id = headers.get(b"x-request-id", b"")
        if not _REQUEST_ID.fullmatch(request_id):
            request_id = uuid4().hex.encode()
        structlog.contextvars.clear_contextvars()
        structlog.contextvars.bind_contextvars(request_id=request_id.decode())
        began = time.perf_counter()
        status = 0

        async def answer(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                if status == 413 and b"expect" not in headers:
                    await _let_finish(receive)
                message["headers"] = [*message["headers"], *_SAFE_HEADERS, (b"x-request-id", request_id)]
                METRICS.request_seconds.labels(_route_of(scope)).observe(time.perf_counter() - began)
            await send(message)

        traced = {name.decode("latin-1"): value.decode("latin-1") for name, value in headers.items() if name in _TRACED}
        with traces.request(scope["method"], traced) as span:
            try:
                app = _leaving if _is_leaving(scope) else self._app
                await app(scope, self._bounded(scope, headers, receive), answer)
            finally:
                route = _route_of(scope)
                traces.responded(span, method=scope["method"], route=route, status=status)
                METRICS.requests.labels(route, scope["method"], str(status)).inc()
                if route not in _QUIET:
                    ms, tenant = (time.perf_counter() - began) * 1000, scope.get("footnoted.tenant")
                    log.info(
                        "request", method=scope["method"], route=route, status=status, tenant=tenant, ms=round(ms, 1)
                    )

    def _bounded(self, scope: Scope, headers: dict[bytes, bytes], receive: Receive) -> Receive:
        """The body, refused as soon as it is known to be too large, announced or not."""
        most = self._body_bytes
        if scope["path"] in _TAKES_FILES:
            most = self._file_bytes + 64 * 1024  # and the form around the file
        announced = headers.get(b"content-length", b"")
        excess = announced.isdigit() and int(announced[:20]) > most
        got = 0

        async def bounded() -> Message:
            nonlocal got
            if excess:
                raise too_large(f"the body is larger than {most} bytes")
            message = await receive()
            got += len(message.get("body", b""))
            if got > most:
                raise too_large(f"the body is larger than {most} bytes")
            return message

        return bounded


def _is_leaving(scope: Scope) -> bool:
    """Whether this replica is on its way out, and this is nothing that it still answers."""
    service = getattr(scope["app"].state, "service", None)
    path = scope["path"]
    return service is not None and service.streams.draining and path not in _QUIET and not path.startswith(_STREAMS)


async def _leaving(scope: Scope, receive: Receive, send: Send) -> None:
    told = {"code": "shutting_down", "message": "this replica is shutting down; try again", "type": "server_error"}
    await JSONResponse({"error": told}, 503, {"Retry-After": "1", "Connection": "close"})(scope, receive, send)


async def _let_finish(receive: Receive) -> None:
    """Read past what is left of a refused body, for a moment: a client that is still sending would miss the answer.

    A connection closed on unread bytes is reset, and the reset overtakes the answer (RFC 9112, section 9.6).
    """
    left = _READ_PAST
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(_READ_PAST_SECONDS):
            while left > 0:
                message = await receive()
                left -= len(message.get("body", b"")) or 1
                if message["type"] == "http.disconnect" or not message.get("more_body"):
                    return


def _route_of(scope: Scope) -> str:
    """The path's template; what matches none is one route, so that nobody can grow the figures."""
    route = scope.get("route")
    path = getattr(route, "path", None)
    if isinstance(path, str):
        return path
    return "page" if scope.get("footnoted.page") else "none"
