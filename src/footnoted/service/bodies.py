"""Reads a JSON body into plain bounded values, or raises a `Fault` that says what is wrong with them.

JSON can be dear to read out of proportion to its size: 5 MB hold 400,000 fields, or 100,000 levels. So what it is made
of is counted before anything is made of it, and large bodies are read in a thread, one at a time, tenant by tenant.
What PostgreSQL, UTF-8 or JSON itself cannot hold does not get past here: half a surrogate pair becomes U+FFFD, and a
number that is none (``NaN``, ``1e999``) is refused.
"""

from __future__ import annotations

import asyncio
import json
import math
import re
from collections.abc import Callable, Coroutine
from typing import Any, cast

from fastapi import Request
from fastapi.routing import APIRoute
from starlette.responses import Response

from footnoted.inert import storable
from footnoted.service.faults import Fault, too_large
from footnoted.service.turns import Turns

DEPTH = 40  # levels
PIECES = 20_000  # commas, colons, brackets: what fields and items are counted by
_LARGE = 64 * 1024  # bytes from which on a body is read in a thread
_TOKENS = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"?|[\[\]{},:]', re.DOTALL)


def read_json(data: bytes) -> Any:
    """The value a body holds. Raises `Fault` 400 or 413."""
    _count(data)
    try:
        value = json.loads(data.decode("utf-8-sig"), parse_constant=_refuse)
        return _plain(value)
    except UnicodeDecodeError:
        raise _no_json("it is not UTF-8") from None
    except json.JSONDecodeError as error:
        raise _no_json(f"{error.msg} at character {error.pos}") from None
    except (ValueError, RecursionError) as error:
        raise _no_json(str(error)) from None


def _count(data: bytes) -> None:
    """Raise `Fault` 413 where there is more than may be; strings are passed over, whatever they hold."""
    counts = [data.count(mark) for mark in (b"[", b"{", b",", b":")]
    if counts[0] + counts[1] <= DEPTH and sum(counts) <= PIECES:
        return  # even if all of it stood outside of strings
    depth = pieces = 0
    for token in _TOKENS.finditer(data):
        mark = data[token.start()]
        if mark in b"[{":
            depth += 1
        elif mark in b"]}":
            depth -= 1
        pieces += mark != 0x22 or token.end() - token.start() <= 2
        if depth > DEPTH:
            raise too_large(f"the body is nested more than {DEPTH} deep")
        if pieces > PIECES:
            raise too_large("the body has more fields and items than are read; send fewer")


def _plain(value: Any) -> Any:
    if isinstance(value, str):
        return storable(value)
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {_plain(name): _plain(item) for name, item in value.items()}
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError("a number is too large")
    return value


def _refuse(name: str) -> Any:
    raise ValueError(f"{name} is no number of JSON")


def _no_json(why: str) -> Fault:
    return Fault(400, "invalid_request", f"the body is no JSON: {why}")


class _Read(Request):
    async def json(self) -> Any:
        data = await self.body()
        if len(data) <= _LARGE:
            return read_json(data)
        turns: Turns = self.app.state.reading_bodies
        # The body is read before it is known whose it is: whoever brings the same key is the same for now.
        who = self.headers.get("authorization") or self.headers.get("x-api-key") or (self.client or ("",))[0]
        async with turns.take(who):
            return await asyncio.to_thread(read_json, data)


class Route(APIRoute):
    """A route whose JSON body is read as this module reads it, and that says so in our words what it tells."""

    def __init__(self, path: str, endpoint: Callable[..., Any], **options: Any) -> None:
        super().__init__(path, endpoint, **options)
        if self.response_field is not None:
            self.response_description = "told"

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The handler, given such a request."""
        handle = super().get_route_handler()

        async def read(request: Request) -> Response:
            return await handle(_Read(request.scope, request.receive, cast("Any", request)._send))  # noqa: SLF001

        return read
