"""What every assistant does for a message: gathers what the answer rests on, writes the answer, says more after it.

Whoever serves assistants (`footnoted.service`) needs no more of them; each stands on the core, and none on another.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from footnoted.contract import GenerationConfig, GenerationRequest, GenerationResponse
    from footnoted.events import Event
    from footnoted.types import Source


class Writes(Protocol):
    """Whoever writes answers: `GroundedGenerator`, or an assistant's own."""

    def stream(self, request: GenerationRequest) -> AsyncGenerator[Event]:
        """The events of one answer."""
        ...


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation, before anything was looked up for it."""

    tenant: str
    text: str
    conversation_id: str | None
    history: list[tuple[str, str]]
    passages: int
    config: GenerationConfig
    document_ids: list[str] | None = None
    instructions: str | None = None


@dataclass(frozen=True, slots=True)
class Gathered:
    """What a message is answered from.

    ``instructions`` come before the client's own. ``writer`` writes the answer, if the assistant has its own; ``start``
    is told before its first word, ``extras`` and what ``after(response)`` returns with its last: an intent, entities, a
    severity, frameworks.
    """

    sources: list[Source]
    instructions: str | None = None
    extras: Mapping[str, Any] = field(default_factory=dict)
    after: Callable[[GenerationResponse], Mapping[str, Any]] | None = None
    writer: Writes | None = None
    start: Mapping[str, Any] = field(default_factory=dict)


class Assistant(Protocol):
    """Whoever finds what a message is answered from: the tenant's documents, or an assistant's own knowledge."""

    async def gather(self, message: Message) -> Gathered:
        """What one message is answered from, and by whom."""
        ...
