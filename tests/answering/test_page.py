"""The law of a page: however a reply is cut on its way, its events are the same."""

from __future__ import annotations

import json

import pytest

from footnoted.answering.page import Page
from footnoted.answering.weighing import Rendering
from footnoted.contract import CitationStyle, GenerationConfig, GenerationRequest, OutputFormat, SourceContext
from footnoted.prompting import build_prompt
from footnoted.providers.openai import ChatReading

# Tokens as models cut them, one written with its space behind it, white space alone, a control, markers in pieces.
PIECES = [
    "The", " excess", " is", " £75", " [", "1", "][", "2", "]", ".", " ", "It ", "is ", "waived", " where\x1b[1m", " the",
    " claim", " is", " large", " [2]", ".\n\n", "- ", "**", "Call", "**", " first", " [", "9", "].", " `a[1]`", " done", ".",
]  # fmt: skip
FORMATS = [
    (OutputFormat.MARKDOWN, CitationStyle.NUMBERED),
    (OutputFormat.MARKDOWN, CitationStyle.FOOTNOTE),
    (OutputFormat.PLAIN, CitationStyle.INLINE),
    (OutputFormat.JSON, CitationStyle.NUMBERED),
]


def body() -> bytes:
    deltas = [{"content": piece} for piece in PIECES]
    events = [{"choices": [{"index": 0, "delta": delta}]} for delta in deltas]
    events.append({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
    return b"".join(b"data: " + json.dumps(event).encode() + b"\n\n" for event in events) + b"data: [DONE]\n\n"


def written(form: tuple[OutputFormat, CitationStyle], *pieces: bytes, one_by_one: bool = False) -> list:
    """Every event of the reply that arrives in these pieces."""
    sources = ["The excess is £75. It is waived for large claims.", "A large claim waives the excess. Call first."]
    request = GenerationRequest(
        query="What is the excess?",
        context=[
            SourceContext(chunk_id=f"{n:032x}", document_id=f"{n:032x}", content=text) for n, text in enumerate(sources)
        ],
        config=GenerationConfig(output_format=form[0], citation_style=form[1]),
    )
    prompt, fitted = build_prompt(request, [chunk.as_source() for chunk in request.context])
    page = Page(request, prompt, fitted, started=0.0)
    stage, reading, events = Rendering(page.cited), ChatReading(), []
    arrived = [deltas for piece in pieces if (deltas := reading.decode(piece))] + [reading.flush()]
    if one_by_one:
        arrived = [[delta] for deltas in arrived for delta in deltas]
    for delta in (delta for deltas in arrived for delta in deltas):
        for piece in page.read(delta):
            events += page.tell(page.cited.decode(*piece))
    events += page.tell(page.cited.decode(page.rest())) + page.tell(page.cited.flush(listing=False)) + page.close(stage)
    assert "".join(event.text for event in events if event.kind == "text") == page.text
    return events


@pytest.mark.parametrize("form", FORMATS)
def test_every_cut_gives_the_same_events(form):
    """Whole, cut in two at every position, byte by byte, or delta by delta: the same text, offsets and citations."""
    reply = body()
    whole = written(form, reply)
    assert [event.citation.source for event in whole if event.kind == "citation"] == [0, 1, 1]
    assert written(form, reply, one_by_one=True) == whole
    assert written(form, *(reply[at : at + 1] for at in range(len(reply)))) == whole
    for cut in range(0, len(reply), 1 if form == FORMATS[0] else 7):
        assert written(form, reply[:cut], reply[cut:]) == whole
