"""Server-sent events: bytes cut anywhere, the same events."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnoted.errors import BadProviderReply
from footnoted.providers import _sse
from footnoted.providers._sse import Decoder, Event
from tests.laws import tried

CORPUS = {
    "openai": b'data: {"a": "\xc3\xa9"}\n\ndata: [DONE]\n\n',
    "anthropic": b'event: ping\ndata: {"type": "ping"}\n\nevent: x\ndata: 1\n\n',
    "crlf": b": hi\r\nid: 7\r\ndata: one\r\ndata: two\r\n\r\nretry: 10\r\ndata:three\r\n\r\n",
    "cr": b"data: one\r\rdata: two\r\r",
    "mixed": b"data: a\r\ndata: b\rdata: c\n\ndata: \xf0\x9f\x8c\xbf\xe0\xb8\x81\r\n\r\n",
    "bom": b"\xef\xbb\xbfdata: first\n\n",
    "odd fields": b"data\n\ndata:\n\nnonsense: 1\ndata:  two spaces\nid: a\x00b\n\n",
    "not a blank line": b"\n\n\nevent: lost\n\ndata: kept\n\n",
    "open end": b"data: whole\n\ndata: last",
    "invalid utf-8": b"data: \xff\xc3\n\n",
}


def read(*pieces: bytes) -> list[Event]:
    decoder = Decoder()
    return [event for piece in pieces for event in decoder.decode(piece)] + decoder.flush()


@pytest.mark.parametrize("name", CORPUS)
def test_any_cut_gives_the_same_events(name):
    """Cut at every position, in every three pieces, or byte by byte, a stream says the same."""
    stream = CORPUS[name]
    whole = read(stream)
    assert read(*(stream[i : i + 1] for i in range(len(stream)))) == whole
    for i in range(len(stream) + 1):
        for j in range(i, len(stream) + 1):
            assert read(stream[:i], stream[i:j], stream[j:]) == whole


LINES = st.sampled_from(
    [b"data: x", b"data:\xc3\xa9", b"data", b": c", b"event: e", b"id: 1", b"", b"", b"junk", b"\xef\xbb\xbf"]
)
STREAMS = st.lists(st.tuples(LINES, st.sampled_from([b"\n", b"\r", b"\r\n"])), max_size=12).map(
    lambda lines: b"".join(line + end for line, end in lines)
)


@tried(150)
@given(STREAMS, st.lists(st.integers(1, 7), max_size=40))
def test_random_streams_in_random_pieces_say_the_same(stream, sizes):
    """The law holds for streams nobody thought of."""
    pieces, rest = [], stream
    for size in sizes:
        pieces.append(rest[:size])
        rest = rest[size:]
    assert read(*pieces, rest) == read(stream)


def test_the_standards_own_examples():
    """The examples of the WHATWG standard, section 9.2.6, read as it says."""
    assert read(b"data: YHOO\ndata: +2\ndata: 10\n\n") == [Event("message", "YHOO\n+2\n10")]
    stream = b": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n\n"
    assert read(stream) == [
        Event("message", "first event", "1"),
        Event("message", "second event", ""),
        Event("message", " third event", ""),
    ]
    assert [event.data for event in read(b"data\n\ndata\ndata\n\n")] == ["", "\n"]


def test_an_event_name_lasts_one_event_and_an_id_lasts():
    """``event`` is forgotten at the blank line, ``id`` is not."""
    events = read(b"event: a\nid: 3\ndata: 1\n\ndata: 2\n\n")
    assert events == [Event("a", "1", "3"), Event("message", "2", "3")]


def test_the_open_event_is_given_at_the_end():
    """A server that forgets the last blank line, or even line end, is understood."""
    assert read(b"data: [DONE]\n") == read(b"data: [DONE]") == [Event("message", "[DONE]")]
    assert Decoder().flush() == []


def test_an_event_without_bounds_is_refused(monkeypatch):
    """One line, or many, larger than the bound raise instead of filling the memory."""
    monkeypatch.setattr(_sse, "MAX_EVENT", 100)
    with pytest.raises(BadProviderReply, match="larger than 100 bytes"):
        read(*[b"data: " + b"x" * 20] * 8)
    with pytest.raises(BadProviderReply):
        read(b"data: xxxxxxxxxx\n" * 20)
    assert len(read(b"data: xxxxxxxxxx\n\n" * 50)) == 50


def test_an_endless_line_costs_no_squares():
    """Pieces of a long line are kept as they are until its end, so the work grows with the bytes."""
    decoder = Decoder()
    for _ in range(20_000):
        assert decoder.decode(b"x") == []
    assert len(decoder._parts) == 20_000
