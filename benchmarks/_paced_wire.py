"""Makes the bytes of a paced answer in the protocol that the path of the request belongs to.

``/200/50/v1/chat/completions`` is OpenAI's, ``/200/50/v1/messages`` Anthropic's, ``/200/50/v1beta/models/…`` Gemini's.
``/200/50/varied/…`` answers about the policy whose number the question names ("policy no. 7"), so that nothing a reader
kept of one answer fits the next.
"""

from __future__ import annotations

import re
from functools import lru_cache

from _paced_server import events, framed, pieces
from _texts import ANSWER, of_another

_NUMBER = re.compile(rb"policy no\. (\d+)")


def wire(target: str, body: bytes) -> list[bytes]:
    """The body, framed for chunked transfer: what opens the stream, each piece of text, and all that follows them."""
    count = int(target.split("/")[1])
    named = _NUMBER.search(body) if "/varied/" in target else None
    answer = of_another(int(named.group(1)))[1] if named else ANSWER
    if "/chat/completions" in target:
        return events(count, answer)
    return dialect_events("anthropic" if "/messages" in target else "gemini", count, answer)


@lru_cache(maxsize=64)
def dialect_events(protocol: str, count: int, answer: str) -> list[bytes]:
    """The stream as `footnoted.testing` speaks the protocol; one write for each piece of text."""
    from footnoted.testing.anthropic import Anthropic
    from footnoted.testing.gemini import Gemini
    from footnoted.testing.script import Reply, Request

    request = Request(
        protocol="anthropic" if protocol == "anthropic" else "gemini",
        path="",
        query={},
        headers={},
        json={"max_tokens": 1000},
        model="gpt-4.1-mini",
        stream=True,
        system_text="",
        prompt_text="x" * 5600,
        key="none",
    )
    spoken = Anthropic() if protocol == "anthropic" else Gemini()
    frames = spoken.frames(request, Reply(pieces=pieces(count, answer)))
    places = [place for place, frame in enumerate(frames) if frame.part == "text"]
    opening = b"".join(framed(frame.encode()) for frame in frames[: places[0]])
    ending = b"".join(framed(frame.encode()) for frame in frames[places[-1] + 1 :]) + b"0\r\n\r\n"
    return [opening, *(framed(frames[place].encode()) for place in places), ending]
