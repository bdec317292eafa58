"""Text that can only be read: what goes, what stays, and that no cut of a stream changes either."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnoted.inert import ReadableStream, on_one_line, readable, without_tokens
from tests.laws import tried

from .conftest import ACTING

TEXTS = st.text(
    alphabet=[
        *"aé3m;[]?\\ \n\t\r",
        "\x1b",
        "\x9b",
        "\x07",
        "\x00",
        "\x85",
        "\u2028",
        "\u202e",
        "\ud83d",
        "\ude00",
        "\U000e0041",
        "字",
    ],
    max_size=24,
)


def streamed(pieces):
    stream = ReadableStream()
    return "".join([*(stream.decode(piece) for piece in pieces), stream.flush()])


@given(TEXTS)
@tried(300)
def test_every_cut_gives_the_same_text(text):
    """In one piece, in two anywhere, or one character at a time."""
    whole = readable(text)
    assert streamed([text]) == whole
    assert streamed(list(text)) == whole
    for at in range(len(text)):
        assert streamed([text[:at], text[at:]]) == whole


@given(TEXTS)
@tried(200)
def test_what_is_left_only_reads_and_stays(text):
    """Nothing that acts is left, all of it encodes, and a second time changes nothing."""
    once = readable(text)
    assert not ACTING.search(once)
    once.encode()
    assert readable(once) == once


@pytest.mark.parametrize(
    "text",
    [
        "The excess is £75.\n\n- one\t- two",
        "ค่าเสียหายส่วนแรก คือ 1,000 บาท",
        "می‌خواهم",  # a joiner that keeps two letters apart
        "👩‍👩‍👧 and é as e\u0301",
        "עברית \u200fand\u200e English",
        "soft\u00adhyphen",
    ],
)
def test_what_people_write_stays(text):
    """Every script, marks of direction, joiners and combining marks are text."""
    assert readable(text) == text
    assert streamed(list(text)) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("PW\x1b[31mNED", "PWNED"),
        ("a\x1b]0;title\x07b", "a ]0;title b"),
        ("a\r\nb\rc\x0bd", "a\nb\nc\nd"),
        ("a\x00b", "a b"),
        ("\ud83d\ude00 \ud83d", "\U0001f600 \ufffd"),
    ],
)
def test_what_acts_goes(text, shown):
    """Colours vanish, other controls are spaces, line ends are one kind, halves of characters are marked."""
    assert readable(text) == shown


def test_a_title_is_one_line():
    """White space of every kind is one space."""
    assert on_one_line("Policy\n\u2028== end\x1b[2J\t.") == "Policy == end ."


@pytest.mark.parametrize(
    "text", ["a < b > c", "<small>", "[1]", "<|not closed", "[INSTANT]", "<stop>", "x[INST", "List<s> y"]
)
def test_tokens_of_templates_alone_lose_their_form(text):
    """HTML, markers and code stay, but for a generic of one letter that is a model's own end of text."""
    assert without_tokens(text) == (text if "<s>" not in text else "List‹s› y")


def test_lengths_stay_without_tokens():
    """Offsets into the text hold."""
    text = "<|im_start|>a[/INST]b</s>c<｜User｜>d"
    assert len(without_tokens(text)) == len(text)
    assert without_tokens(text) == "‹|im_start|›a(/INST)b‹/s›c‹｜User｜›d"
