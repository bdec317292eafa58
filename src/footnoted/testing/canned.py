"""A stand-in for a model that answers with the sources' own best sentence, cited."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from footnoted.testing.script import Pin, Reply
from footnoted.text import content_stems, sentences

if TYPE_CHECKING:
    from collections.abc import Iterator

    from footnoted.testing.script import Request
    from footnoted.types import Span

_NOTHING = Reply("The sources do not say.", delay=0.03)


def canned(request: Request) -> Reply:
    """The sentence of the prompt's sources that shares most words with the question, cited, a word at a time.

    Where the request has documents that Anthropic's API would cite by itself, the citation is native.
    """
    question = _question(request)
    documents = _documents(request)
    fenced = list(_fenced(request.prompt_text))
    texts = documents or [text for _, text in fenced]
    numbers = [number for number, _ in fenced]
    place, span = _best(question, texts)
    if span is None:
        return _NOTHING
    quote = texts[place][span.start : span.end]
    if not documents:
        return Reply(f"{' '.join(quote.split())} [{numbers[place]}]", delay=0.03)
    reply = Reply(" ".join(quote.split()), delay=0.03)
    pin = Pin(len(reply.parts) - 1, place, span.start, span.end, quote)
    return Reply(reply.text, delay=0.03, citations=[pin])


def _fenced(prompt: str) -> Iterator[tuple[str, str]]:
    """Each source's number and text, from its line ``== key number: title`` to the next line with its key."""
    number, key, lines = "", "", list[str]()
    for line in prompt.splitlines(keepends=True):
        mark, _, named = line.partition(" ")
        named, _, told = named.partition(" ")
        if mark == "==" and named == key and number:
            yield number, "".join(lines)
            number = ""
        if mark == "==" and not number and (one := told.partition(":")[0].strip()).isdecimal():
            number, key, lines = one, named, []
        else:
            lines.append(line)


def _question(request: Request) -> set[str]:
    lines = [line for line in request.prompt_text.strip().splitlines() if line.strip()]
    asking = [line for line in lines if line.rstrip().endswith(("?", "？"))]
    return set(content_stems((asking or lines or [""])[-1]))


def _documents(request: Request) -> list[str]:
    content: Any = (request.json.get("messages") or [{}])[-1].get("content")
    parts = content if isinstance(content, list) else []
    cited = [part for part in parts if part.get("type") == "document" and part.get("citations", {}).get("enabled")]
    return [str(part["source"].get("data", "")) for part in cited]


def _best(question: set[str], texts: list[str]) -> tuple[int, Span | None]:
    """Which text, and its sentence that shares most stems with the question; ``None`` when none shares any."""
    place, best, most = 0, None, 0
    for number, text in enumerate(texts):
        for span in sentences(text):
            sentence = text[span.start : span.end]
            shared = len(question & set(content_stems(sentence)))
            if shared > most and not sentence.startswith(("#", "|")):
                place, best, most = number, span, shared
    return place, best
