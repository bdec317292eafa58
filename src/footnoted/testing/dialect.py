"""What every wire protocol of the test server must be able to say."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from footnoted.testing.script import Request

if TYPE_CHECKING:
    from collections.abc import Mapping

    from footnoted.testing.script import ProtocolName, Reply

Part = Literal["open", "text", "stop", "usage", "end", "noise"]


@dataclass(frozen=True, slots=True)
class Frame:
    """One server-sent event. ``part`` says what it is for, so that a fault can find it."""

    part: Part
    data: Mapping[str, Any] | str
    event: str = ""

    def encode(self) -> bytes:
        """The event's bytes: ``event:`` where it has a name, ``data:``, a blank line."""
        data = self.data if isinstance(self.data, str) else to_json(self.data).decode()
        head = f"event: {self.event}\n" if self.event else ""
        return f"{head}data: {data}\n\n".encode()


def typed(part: Part, kind: str, /, **fields: Any) -> Frame:
    """An event that says what it is in its name and in its data."""
    return Frame(part, {"type": kind, **fields}, event=kind)


def to_json(value: object) -> bytes:
    """Compact JSON as UTF-8, every script as itself; half of a character, which UTF-8 lacks, as an escape."""
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
    except UnicodeEncodeError:
        return json.dumps(value, separators=(",", ":")).encode()


@dataclass(frozen=True, slots=True)
class Message:
    """One HTTP request: its path, query, headers (names in lower case), and its body, where that is a JSON object."""

    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    json: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Refused:
    """An error answered in the vendor's own shape."""

    status: int
    body: Mapping[str, Any]


class Dialect(ABC):
    """One vendor's protocol."""

    name: ProtocolName
    ping: ClassVar[bytes] = b": keep-alive\n\n"
    stream_type: ClassVar[str] = "text/event-stream; charset=utf-8"
    lines: ClassVar[bool] = True  # whether events are lines of text

    def encode(self, frame: Frame) -> bytes:
        """An event's bytes."""
        return frame.encode()

    @abstractmethod
    def read(self, message: Message) -> Request | None:
        """The request, or ``None`` when the path is not this protocol's."""

    def _request(
        self,
        message: Message,
        *,
        system_text: str,
        prompt_text: str,
        key: str | None = None,
        model: str | None = None,
        stream: bool | None = None,
    ) -> Request:
        """What `read` found; model, streaming and key stand in their usual places unless they are given."""
        bearer = message.headers.get("authorization", "").removeprefix("Bearer ").strip()
        return Request(
            protocol=self.name,
            path=message.path,
            query=message.query,
            headers=message.headers,
            json=message.json,
            model=str(message.json.get("model", "")) if model is None else model,
            stream=bool(message.json.get("stream")) if stream is None else stream,
            system_text=system_text,
            prompt_text=prompt_text,
            key=key or bearer or None,
        )

    @abstractmethod
    def complaint(self, request: Request) -> Refused | None:
        """What the vendor would say against the request's shape, if anything."""

    def blocked(self, reply: Reply) -> Refused | None:  # noqa: ARG002
        """How a filter refuses a prompt, where that is an error and no ending."""
        return None

    @abstractmethod
    def frames(self, request: Request, reply: Reply) -> list[Frame]:
        """The streamed reply."""

    @abstractmethod
    def body(self, request: Request, reply: Reply) -> dict[str, Any]:
        """The whole reply."""

    @abstractmethod
    def error(self, status: int, message: str, *, retry_after: str | None = None) -> dict[str, Any]:
        """The vendor's error body for an HTTP status."""

    @abstractmethod
    def stream_error(self, message: str) -> Frame:
        """The vendor's error in the middle of a stream."""

    @abstractmethod
    def unknown(self) -> list[Frame]:
        """Events a future version of the protocol might send; a reader must pass over them."""

    @abstractmethod
    def bad_key(self, key: str | None) -> Refused:
        """The answer to a wrong key (or to none)."""

    @abstractmethod
    def unknown_model(self, model: str) -> Refused:
        """The answer to a model's name nobody knows."""
