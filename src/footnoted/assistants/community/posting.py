"""Cuts a reply into the messages a chat takes: nobody pinged, no citation alone, no listing left open."""

from __future__ import annotations

import re
from collections.abc import Iterator

LIMIT = 2_000  # UTF-16 units; what Discord takes for one message
_MASS = re.compile(r"@(?=everyone\b|here\b)", re.IGNORECASE)
_SENTENCES = re.compile(r"(?<=[.!?…])(?:\s?\[\d{1,3}\])*\s+(?!\[\d{1,3}\])")  # between them, with their citations
_WORDS = re.compile(r"\s+(?!\[\d{1,3}\])")  # between them, a citation going with the word before it
_LONGEST_LANGUAGE = 20  # code points


def neutralised(text: str) -> str:
    r"""The text with mentions of everybody made harmless: they read the same and call nobody.

    >>> neutralised("@everyone look") == "@\u200beveryone look"
    True
    """
    return _MASS.sub("@\u200b", text)


def length(text: str) -> int:
    """A text's length as chats count it: characters beyond the basic plane count twice."""
    return len(text) + sum(char > "\uffff" for char in text)


def parts(text: str, limit: int = LIMIT) -> list[str]:
    """The text in messages of at most ``limit``: cut between paragraphs, else lines, sentences, words.

    A listing that is cut is closed in the one message and opened again in the next.
    """
    text = neutralised(text).strip()
    if length(text) <= limit:
        return [text] if text else []
    found: list[str] = []
    while text:
        head, text = _first(text, limit)
        head, text = _whole_listing(head, text)
        found.append(head)
    return found


def _first(text: str, limit: int) -> tuple[str, str]:
    """The longest beginning that fits, cut at the best seam, and the rest."""
    if length(text) <= limit:
        return text, ""
    room = limit - 8  # for a fence that may have to be closed
    most = room
    while length(text[:most]) > room:
        most -= max(1, length(text[:most]) - room)
    least = text.find("\n") + 1 if text.startswith("```") else 0  # a fence alone is nothing of a listing
    for cut in _seams(text, most):
        head = text[:cut].rstrip()
        if head and cut > least and length(head) <= room:
            return head, text[cut:].lstrip("\n")
    return text[:most], text[most:]


def _seams(text: str, most: int) -> Iterator[int]:
    """The last place between two paragraphs, lines, sentences and words."""
    yield max(0, text.rfind("\n\n", 0, most + 1))
    yield max(0, text.rfind("\n", 0, most + 1))
    for between in (_SENTENCES, _WORDS):
        yield max((found.end() for found in between.finditer(text, 0, most + 1) if found.start()), default=0)


def _whole_listing(head: str, rest: str) -> tuple[str, str]:
    opened = ""
    inside = False
    for line in head.split("\n"):
        fence, language = line.strip()[:3], line.strip()[3:]
        if fence == "```" and "`" not in language and len(language) <= _LONGEST_LANGUAGE:
            inside = not inside
            opened = language if inside else ""
    if not inside or not rest:
        return head, rest
    return f"{head}\n```", f"```{opened}\n{rest}"
