"""What flows between a platform and the brain: a conversation and where it stands in; one result out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

LONGEST_MESSAGE = 8_000  # code points of a message that are read
MOST_MESSAGES = 20  # of a conversation, the latest


@dataclass(frozen=True, slots=True)
class Message:
    """One message. ``author`` is any name that stays the same within the conversation."""

    text: str
    author: str = ""
    from_bot: bool = False


@dataclass(frozen=True, slots=True, init=False)
class Conversation:
    """Messages in order, the latest last: the one that may be replied to.

    Takes `Message` objects, plain texts, or mappings with ``text`` (or ``content``) and ``author`` (or ``role``).
    """

    messages: tuple[Message, ...]

    def __init__(self, messages: str | Message | Iterable[str | Message | Mapping[str, Any]]) -> None:
        given = [messages] if isinstance(messages, str | Message) else list(messages)
        object.__setattr__(self, "messages", tuple(_message(one) for one in given[-MOST_MESSAGES:]))

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


def _message(given: str | Message | Mapping[str, Any]) -> Message:
    if isinstance(given, Message):
        text, author, from_bot = given.text, given.author, given.from_bot
    elif isinstance(given, str):
        text, author, from_bot = given, "", False
    else:
        text = given.get("text", given.get("content", ""))
        author = str(given.get("author", given.get("role", "")))
        from_bot = bool(given.get("from_bot", author == "assistant"))
    return Message(str(text)[:LONGEST_MESSAGE], author, from_bot)
