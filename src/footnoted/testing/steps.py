"""The steps a server takes on the connection to send a reply."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from footnoted.testing.dialect import Dialect, Frame, to_json

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from footnoted.testing.script import Reply, Request


@dataclass(frozen=True, slots=True)
class Head:
    """The status line and headers."""

    status: int
    headers: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Send:
    """One chunk of the body, in one write. ``part`` is what it carries: ``text``, or anything around it."""

    data: bytes
    part: str


@dataclass(frozen=True, slots=True)
class Wait:
    """Seconds of nothing; lateness is made up for in the next wait, so that a pace holds."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Hang:
    """Nothing more, until the client leaves."""


@dataclass(frozen=True, slots=True)
class Close:
    """``end`` ends the body and keeps the connection; ``fin`` and ``reset`` end the connection."""

    how: Literal["end", "fin", "reset"] = "end"


Step = Head | Send | Wait | Hang | Close


@dataclass(frozen=True, slots=True)
class Scene:
    """One request, its reply, and the protocol they are in."""

    dialect: Dialect
    request: Request
    reply: Reply


def perform(scene: Scene) -> Iterator[Step]:
    """The steps of a reply, its fault played."""
    fault = scene.reply.fault
    blocked = scene.dialect.blocked(scene.reply) if scene.reply.finish == "blocked" else None
    if blocked is not None:
        steps = refused(blocked.status, to_json(blocked.body))
    else:
        steps = failed(scene) if scene.reply.status != 200 else told(scene)
    return fault.steps(steps, scene) if fault and fault.steps else steps


def failed(scene: Scene) -> Iterator[Step]:
    """An error status with the vendor's own body."""
    reply = scene.reply
    wish = next((value for name, value in reply.headers.items() if name.lower() == "retry-after"), None)
    body = scene.dialect.error(reply.status, reply.text or f"Scripted status {reply.status}.", retry_after=wish)
    yield from refused(reply.status, to_json(body), reply.headers)


def refused(status: int, body: bytes, headers: Mapping[str, str] | None = None) -> Iterator[Step]:
    """A JSON body under a status."""
    yield Head(status, {"Content-Type": "application/json; charset=utf-8", **(headers or {})})
    yield Send(body, "error")
    yield Close()


def told(scene: Scene) -> Iterator[Step]:
    """A good reply, streamed or whole, as the request asked."""
    reply = scene.reply
    if scene.request.stream:
        kind = {"Content-Type": scene.dialect.stream_type, "Cache-Control": "no-cache"}
        yield Head(200, {**kind, **reply.headers})
        yield from streamed(scene)
    else:
        yield Head(200, {"Content-Type": "application/json; charset=utf-8", **reply.headers})
        yield from whole(scene)
    yield Close()


def streamed(scene: Scene) -> Iterator[Step]:
    """Events, paced."""
    reply, fault = scene.reply, scene.reply.fault
    frames = scene.dialect.frames(scene.request, reply)
    if fault and fault.frames:
        frames = fault.frames(frames, scene.dialect)
    pause = reply.first_delay
    for frame in frames:
        if frame.part == "text":
            if pause:
                yield Wait(pause)
            pause = reply.delay
        yield Send(scene.dialect.encode(frame), frame.part)


def whole(scene: Scene) -> Iterator[Step]:
    """One JSON body after the time its pieces would take, in as many slices, so that faults can cut it."""
    reply, fault = scene.reply, scene.reply.fault
    body = scene.dialect.body(scene.request, reply)
    data = fault.body(body, scene.dialect) if fault and fault.body else to_json(body)
    slices = max(1, len(reply.parts))
    seconds = reply.first_delay + reply.delay * (slices - 1)
    if seconds:
        yield Wait(seconds)
    size = max(1, -(-len(data) // slices))
    for start in range(0, len(data), size):
        yield Send(data[start : start + size], "text")


def without_finish(frame: Frame) -> Frame | None:
    """The frame without its finish reason; ``None`` when nothing else was in it."""
    if frame.part == "stop":
        return None
    if isinstance(frame.data, str) or not frame.data.get("candidates"):
        return frame
    candidate = {name: value for name, value in frame.data["candidates"][0].items() if name != "finishReason"}
    return replace(frame, data={**frame.data, "candidates": [candidate]})
