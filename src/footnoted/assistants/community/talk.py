"""What passes between a platform and the brain: a conversation and where it stands, and the one result."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

LONGEST_MESSAGE = 8_000  # code points of a message that are read
MOST_MESSAGES = 20  # of a conversation, the latest


@dataclass(frozen=True, slots=True)
class Message:
    """One message. ``author`` is any name that stays the same within the conversation.

    ``reply_to`` is the place in the conversation of the message it replies to; ``mentions`` the authors it calls by
    name, the bot among them; ``at`` when it was said, in seconds of any clock.
    """

    text: str
    author: str = ""
    from_bot: bool = False
    reply_to: int | None = None
    mentions: tuple[str, ...] = ()
    at: float | None = None


@dataclass(frozen=True, slots=True, init=False)
class Conversation:
    """Messages in order, the latest last: the one that may be replied to.

    Takes `Message` objects, plain texts, or mappings with ``text`` (or ``content``), ``author`` (or ``role``) and the
    other fields of a message. ``bot`` is the bot's own name here: messages of that author are its own, and a message
    that mentions it is meant for it.
    """

    messages: tuple[Message, ...]
    bot: str

    def __init__(self, messages: str | Message | Iterable[str | Message | Mapping[str, Any]], bot: str = "") -> None:
        given = [messages] if isinstance(messages, str | Message) else list(messages)
        left_out = max(0, len(given) - MOST_MESSAGES)
        read = tuple(_message(message, bot, left_out) for message in given[left_out:])
        object.__setattr__(self, "messages", read)
        object.__setattr__(self, "bot", bot)

    @property
    def latest(self) -> Message:
        """The message that may be replied to; empty when nothing was said."""
        return self.messages[-1] if self.messages else Message("")

    @property
    def earlier(self) -> tuple[Message, ...]:
        """What was said before it."""
        return self.messages[:-1]


@dataclass(frozen=True, slots=True)
class RequestContext:
    """Where a message stands, in the platform's own ids."""

    platform: str
    channel_id: str | int
    thread_id: str | int | None = None
    message_id: str | int = ""


class ReplyCitation(BaseModel):
    """A marker of the reply and the exact words of the source it stands on.

    ``reply_text[start_pos:end_pos]`` is the marker; ``quote`` stands in the source's text at ``source_start``.
    """

    model_config = ConfigDict(extra="forbid")

    number: int = Field(ge=1)
    source_id: str
    title: str = ""
    location: str = ""
    quote: str = ""
    start_pos: int
    end_pos: int
    source_start: int
    source_end: int


class AIResult(BaseModel):
    """Whether to reply, and with what. ``debug`` is for the people who run the bot and is never shown to users."""

    model_config = ConfigDict(extra="forbid")

    should_reply: bool
    reply_text: str | None = None
    citations: list[ReplyCitation] = Field(default_factory=list)
    debug: dict[str, Any] | None = None


def _message(given: str | Message | Mapping[str, Any], bot: str, left_out: int) -> Message:
    """A message in its own form; ``left_out`` messages before the first are no longer there to be replied to."""
    if isinstance(given, str):
        given = Message(given)
    if not isinstance(given, Message):
        author = str(given.get("author", given.get("role", "")))
        at = given.get("at")
        given = Message(
            str(given.get("text", given.get("content", ""))),
            author,
            bool(given.get("from_bot", author == "assistant")),
            _place(given.get("reply_to")),
            tuple(map(str, given.get("mentions") or ())),
            float(at) if isinstance(at, int | float) else None,
        )
    to = given.reply_to
    return replace(
        given,
        text=given.text[:LONGEST_MESSAGE],
        from_bot=given.from_bot or bool(bot and given.author == bot),
        reply_to=to - left_out if to is not None and to >= left_out else None,
    )


def _place(given: Any) -> int | None:
    return given if isinstance(given, int) and not isinstance(given, bool) and given >= 0 else None
