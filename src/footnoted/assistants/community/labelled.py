"""Threads that people marked, played through the responder: how often it is right, and from which certainty on.

One JSON object a line: ``thread`` (messages with ``author``, ``text``, and ``reply_to``, ``mentions`` where there are
any), ``should_reply``, and for a reply that is wanted ``gold_page`` (``also_ok``: others) and ``good_reply_must_say``,
of each entry one of what ``|`` parts. ``bot`` is the bot's name. All but ``thread`` may be left out where nothing is
measured.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from footnoted.assistants.community.talk import Conversation, RequestContext
from footnoted.errors import SourceError

if TYPE_CHECKING:
    from footnoted.assistants.community.client import AIClient
    from footnoted.assistants.community.talk import AIResult

LARGEST = 50_000_000  # bytes of a file of threads


@dataclass(frozen=True, slots=True)
class Labelled:
    """A thread and what a careful member would have the bot do."""

    id: str
    talk: Conversation
    should_reply: bool
    pages: tuple[str, ...]
    must_say: tuple[str, ...]
    record: dict[str, Any]

    def right(self, result: AIResult) -> bool:
        """Whether a reply was wanted, cites a right page, and says what must be said."""
        if not (self.should_reply and result.should_reply):
            return False
        cited = {citation.source_id for citation in result.citations}
        right_page = any(id_ == page or id_.endswith(f"/{page}") for id_ in cited for page in self.pages)
        return (right_page or not self.pages) and self.told(result.reply_text or "")

    def told(self, text: str) -> bool:
        """Whether a text says what must be said."""
        said = _flat(text)
        return all(any(_flat(words) in said for words in must.split("|")) for must in self.must_say)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a thread: the reply if there was one, how certain, and whether it was right."""

    thread: Labelled
    result: AIResult
    right: bool

    @property
    def certainty(self) -> float:
        """How certain the gate was (0-1); 1 where a model decided."""
        return float((self.result.debug or {}).get("certainty", 1.0))


@dataclass(frozen=True, slots=True)
class Point:
    """What a certainty costs and gains: replies, right ones among them, and needless ones."""

    certainty: float
    replies: int
    right: int
    spoke: int
    wanted: int
    unwanted: int

    @property
    def precision(self) -> float:
        """The share of replies that are right; 1 where there is none."""
        return self.right / self.replies if self.replies else 1.0

    @property
    def recall(self) -> float:
        """The share of wanted replies that came and are right."""
        return self.right / self.wanted if self.wanted else 0.0


def read_labelled(path: Path) -> list[Labelled]:
    """The threads of a file. Raises `SourceError` naming the line of what cannot be read."""
    try:
        if path.stat().st_size > LARGEST:
            raise SourceError(f"{path} is larger than {LARGEST:,} bytes")
        lines = path.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise SourceError(f"{path} cannot be read: {error}") from None
    found = []
    for number, line in enumerate(lines, 1):
        if line.strip():
            try:
                found.append(_labelled(json.loads(line), number))
            except (ValueError, TypeError, AttributeError, KeyError, RecursionError) as error:
                raise SourceError(f"{path}, line {number}: this is no labelled thread ({error})") from None
    if not found:
        raise SourceError(f"{path} holds no thread")
    return found


async def play(client: AIClient, threads: Iterable[Labelled]) -> list[Outcome]:
    """Each thread put to the responder, in order."""
    outcomes = []
    for thread in threads:
        result = await client.generate_reply(thread.talk, RequestContext("rehearsal", "messages", None, thread.id))
        outcomes.append(Outcome(thread, result, thread.right(result)))
    return outcomes


def point(outcomes: Sequence[Outcome], certainty: float) -> Point:
    """What a certainty lets out of replies that were made at a lower one."""
    replies = [outcome for outcome in outcomes if outcome.result.should_reply and outcome.certainty >= certainty]
    wanted = sum(outcome.thread.should_reply for outcome in outcomes)
    needless = sum(not outcome.thread.should_reply for outcome in replies)
    right = sum(outcome.right for outcome in replies)
    return Point(certainty, len(replies), right, needless, wanted, len(outcomes) - wanted)


def curve(outcomes: Sequence[Outcome]) -> list[Point]:
    """A point for each certainty at which a reply falls away."""
    replies = [outcome for outcome in outcomes if outcome.result.should_reply]
    return [point(outcomes, at) for at in sorted({math.floor(reply.certainty * 10_000) / 10_000 for reply in replies})]


def certainty_for(points: Sequence[Point], precision: float) -> Point | None:
    """The point that answers most at a precision or above, the last of several; ``None`` where none is good enough."""
    good = [at for at in points if at.right and at.precision >= precision]
    return max(reversed(good), key=lambda at: at.right, default=None)


def _labelled(given: Any, number: int) -> Labelled:
    if not isinstance(given, dict) or not isinstance(given["thread"], list) or not given["thread"]:
        raise ValueError("thread must be a list of messages")
    pages = [given.get("gold_page"), *(given.get("also_ok") or ())]
    return Labelled(
        str(given.get("id", number)),
        Conversation(given["thread"], bot=str(given.get("bot", ""))),
        bool(given.get("should_reply", False)),
        tuple(str(page) for page in pages if page),
        tuple(str(words) for words in given.get("good_reply_must_say") or ()),
        given,
    )


def _flat(text: str) -> str:
    return re.sub(r"[\s`*_\\]+", " ", text).casefold()
