"""What every client is asked, the same for all: messages, question, sources; and the shape of a client."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from _texts import QUESTION, SOURCES

MODEL = "gpt-4.1-mini"
SYSTEM = (
    "Answer from the numbered sources alone, in the question's language. End every sentence that states a fact with "
    "the number of its source in brackets, like [2]. If they hold no answer, say so. Be brief."
)
USER = "".join(f"Source {n}: {title}\n{text}\n\n" for n, (title, text) in enumerate(SOURCES, 1)) + QUESTION
MESSAGES = [{"role": "system", "content": SYSTEM}, {"role": "user", "content": USER}]

# Each piece of text goes in; true comes out when the reader has enough and leaves.
Seen = Callable[[str], bool]
# One question asked: the finish reason that the peer tells its caller comes out, as a string, or None if it tells none.
Read = Callable[[Seen], Awaitable[str | None]]


class HasLeft(Exception):
    """The reader left, raised inside a callback where there is no loop to break out of."""


def by_regex(text: str, documents: int) -> list[dict[str, int | None]]:
    """The markers of a text as the usual six lines of user code read them: place, and source (from 1) if there is one."""
    import re

    found = [(match.start(), int(match.group(1))) for match in re.finditer(r"\[(\d+)\]", text)]
    return [{"at": at, "source": number if 1 <= number <= documents else None} for at, number in found]
