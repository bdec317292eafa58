"""Reads a thread: what its latest author asks, in however many messages, and what tells whom the question is for.

The hard thing is that no word says so. "Which plan did you take?" is a member's business after a member's story and
everybody's as an opening. So the thread is told in numbers (who replies to whom, who is called by name, who spoke
between), beside what the latest message does as a speech act, and fitted parameters weigh them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from footnoted.inert import readable
from footnoted.orders import is_order
from footnoted.text import asks, sentences
from footnoted.text.markdown import stretches
from footnoted.text.phrases import whole

if TYPE_CHECKING:
    from footnoted.assistants.community.talk import Conversation, Message

_PAUSE = 600.0  # seconds after which somebody's next message is no longer part of the last
_LONGEST = 1_500  # code points of a question that is looked up
_SENTENCES = 5  # of a turn that are read one by one
_LINK = re.compile(r"<?https?://\S+>?")
_NOT_SAID = re.compile(  # attachments, tags of a platform, links and emoji
    rf"""\[(?:image|file)(?::[^\]\n]*)?\]
    |<(?:@[!&]?|\#|a?:\w+:)\d+>|(?<!\w)@(?:everyone|here)\b
    |{_LINK.pattern}
    |:[a-z_0-9+-]{{2,32}}:|[\U0001f000-\U0001faff\u2600-\u27bf\ufe0f\u200d]""",
    re.VERBOSE,
)
_CALLED = re.compile(r"(?<![\w@])@([\w.-]*\w)")


@dataclass(frozen=True, slots=True)
class Thread:
    """What there is to know of a thread before anything is looked up.

    ``turn`` are the latest author's messages in a row; ``question`` what would be looked up: the turn, behind the
    question it follows on where it goes on with the bot. ``acts`` are texts whose speech act counts: the latest
    message, the whole turn, and the sentences it ends with. ``shape`` holds the thread's features by name.
    """

    turn: tuple[Message, ...]
    question: str
    acts: tuple[str, ...]
    shape: Mapping[str, float]

    @property
    def wordless(self) -> bool:
        """Whether nothing is said at all, beside pictures, files, links and emoji."""
        return len({char for char in self.question.casefold() if char.isalnum()}) < 2  # one letter, however often


def read_thread(conversation: Conversation) -> Thread:
    """The thread of a conversation's latest message."""
    turn = _turn(conversation)
    plain = [said(message.text) for message in turn]
    whole = "\n".join(filter(None, plain))
    before = _followed(conversation, turn)
    question = f"{said(before.text)}\n{whole}" if before and whole else whole
    latest = plain[-1] if plain else ""
    ends = [whole[span.start : span.end] for span in sentences(whole)][-_SENTENCES:]
    acts = tuple(_anonymous(text, conversation.bot) for text in (latest, whole, *ends))
    return Thread(turn, question[:_LONGEST], acts, _shape(conversation, turn, latest))


def said(text: str) -> str:
    r"""A message's own words and listings: no quotes of others, links, attachments, tags of a platform or emoji.

    >>> said("<@123> how do I use `enumerate`? :pray:\n[image: a.png]")
    'how do I use `enumerate`?'
    """
    text = "\n".join(piece for piece, _ in stretches(readable(text)))
    own = "\n".join(line for line in text.splitlines() if not _is_quoted(line))
    lines = (" ".join(line.split()) for line in _NOT_SAID.sub(" ", own).splitlines())
    return "\n".join(line for line in lines if line)


def _is_quoted(line: str) -> bool:
    """Whether a line is somebody else's: ``> How do I …``."""
    marks, space, _ = line.lstrip().partition(" ")
    return space == " " and marks in (">", ">>", ">>>")


def forbidden(text: str, never: Iterable[str]) -> str:
    """The first of the words or phrases that stands in a message, whole and whatever its case; else nothing."""
    said = readable(text)
    return next((phrase for phrase in never if phrase.strip() and whole(phrase).search(said)), "")


def as_told(conversation: Conversation) -> str:
    """A conversation as text for a model to read behind a fence: who speaks, to whom, and what."""
    names: dict[str, str] = {}
    speakers = [
        "THE BOT" if message.from_bot else names.setdefault(message.author, f"member {len(names) + 1}")
        for message in conversation.messages
    ]
    lines = []
    for number, (message, speaker) in enumerate(zip(conversation.messages, speakers, strict=True)):
        to = message.reply_to
        reply = f" (replying to message {to + 1} of {speakers[to]})" if to is not None and to < number else ""
        text = readable(message.text)
        for author, name in names.items():
            text = text.replace(f"@{author}", f"@[{name}]") if author else text
        if conversation.bot:
            text = text.replace(f"@{conversation.bot}", "@[THE BOT]")
        lines.append(f"{number + 1}. {speaker}{reply}: {text}")
    return "\n".join(lines)


def _turn(conversation: Conversation) -> tuple[Message, ...]:
    """The latest message and those of the same author right before it."""
    turn: list[Message] = []  # the latest first
    for message in reversed(conversation.messages):
        if turn:
            after = turn[-1]
            if (message.author, message.from_bot) != (after.author, after.from_bot):
                break
            if after.at is not None and message.at is not None and after.at - message.at > _PAUSE:
                break
        turn.append(message)
    return tuple(reversed(turn))


def _followed(conversation: Conversation, turn: tuple[Message, ...]) -> Message | None:
    """The same author's last question to which the bot replied right before this turn, if it did."""
    start = len(conversation.messages) - len(turn)
    if not turn or start < 2 or not conversation.messages[start - 1].from_bot:
        return None
    earlier = reversed(conversation.messages[: start - 1])
    return next((message for message in earlier if not message.from_bot and message.author == turn[-1].author), None)


def _shape(conversation: Conversation, turn: tuple[Message, ...], latest: str) -> dict[str, float]:
    """The features that ``fitted.json`` weighs; what they are called and count is what it was fitted with."""
    messages, bot = conversation.messages, conversation.bot
    start = len(messages) - len(turn)
    before = messages[start - 1] if start else None
    author = turn[-1].author if turn else ""
    to = _replied_to(messages, turn)
    others = {message.author for message in messages if not message.from_bot and message.author != author}
    leads = any(_leads(message, bot) for message in turn)
    calls = any(_called(message, bot) for message in turn)
    text = "\n".join(message.text for message in turn)
    named = bool(bot) and (bot.casefold() in text.casefold() or any(bot in message.mentions for message in turn))
    returns = any(message.author == author for message in messages[:start])
    return {
        "calls_member_first": float(leads),
        "calls_member": float(calls and not leads),
        "names_bot": float(named),
        "to_member": float(to is not None and not to.from_bot and to.author != author),
        "to_bot": float(to is not None and to.from_bot),
        "after_member": float(before is not None and not before.from_bot),
        "after_bot": float(before is not None and before.from_bot),
        "joins": float(bool(others) and not returns),
        "returns": float(returns),
        "others": float(len(others)),
        "turn": float(len(turn) > 1),
        "marked": float(_is_question(latest)),
        "marked_before": float(any(_is_question(said(message.text)) for message in turn[:-1])),
        "listing": float("```" in text),
        "length": math.log1p(len(latest.split())),
        "orders": float(any(is_order(text[span.start : span.end]) for span in sentences(text))),
    }


def _replied_to(messages: tuple[Message, ...], turn: tuple[Message, ...]) -> Message | None:
    places = [message.reply_to for message in turn if message.reply_to is not None]
    return messages[places[-1]] if places and places[-1] < len(messages) - 1 else None


def _called(message: Message, bot: str) -> list[str]:
    """The members a message calls by name: those the platform says, and whoever stands behind an @."""
    prose = " ".join(piece for piece, is_code in stretches(message.text) if not is_code)
    named = [*message.mentions, *_CALLED.findall(_LINK.sub(" ", prose))]
    return [name for name in dict.fromkeys(named) if name not in (bot, "everyone", "here")]


def _is_question(text: str) -> bool:
    """Whether a question mark ends a text, or a word in it."""
    return asks(text) or any(word.endswith(("?", "？", "؟")) for word in text.split())


def _leads(message: Message, bot: str) -> bool:
    """Whether a message begins with a member's name."""
    found = _CALLED.match(message.text.lstrip(" \t\n,*_-"))
    return found is not None and found[1] in _called(message, bot)


def _anonymous(text: str, bot: str) -> str:
    """A text without anybody's name, so that names teach nothing."""
    if bot:
        text = re.sub(rf"@?{re.escape(bot)}\b", "bot", text, flags=re.IGNORECASE)
    text = _CALLED.sub("@member", text)
    return text if len(text) <= 600 else f"{text[:300]} … {text[-300:]}"
