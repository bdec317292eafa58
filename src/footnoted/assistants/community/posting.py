"""Cuts a reply into the messages a chat takes: nobody pinged, no citation alone, no listing left open."""

from __future__ import annotations

import re

LIMIT = 2_000  # UTF-16 units; what Discord takes for one message
_MASS = re.compile(r"@(?=everyone\b|here\b)", re.IGNORECASE)
_FENCE = re.compile(r"^[ \t]*```(\w{0,20})[ \t]*$")
_SEAMS = (
    re.compile(r"\n\n+"),  # paragraphs
    re.compile(r"\n"),
    re.compile(r"(?<=[.!?…])(?:\s?\[\d{1,3}\])*\s+(?!\[\d{1,3}\])"),  # sentences with their citations
    re.compile(r"\s+(?!\[\d{1,3}\])"),  # words, a citation going with the word before it
)


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
    for seam in _SEAMS:
        cuts = [found for found in seam.finditer(text, 0, most + 1) if found.start() <= most]
        kept = [found for found in cuts if found.start() >= most // 3] or cuts[-1:]
        if kept and kept[-1].start() > 0:
            cut = kept[-1]
            head = text[: cut.end()].rstrip() if seam is _SEAMS[2] else text[: cut.start()].rstrip()
            if head and length(head) <= room:
                return head, text[cut.end() :].lstrip("\n")
    return text[:most], text[most:]


def _whole_listing(head: str, rest: str) -> tuple[str, str]:
    opened = ""
    inside = False
    for line in head.split("\n"):
        if fence := _FENCE.match(line):
            inside = not inside
            opened = fence[1] if inside else ""
    if not inside or not rest:
        return head, rest
    return f"{head}\n```", f"```{opened}\n{rest}"
