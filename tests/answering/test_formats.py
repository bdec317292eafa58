"""What a model writes becomes what was asked for, however its stream is cut."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnoted.answering.formats import json_escape, shaper
from footnoted.contract import OutputFormat
from tests.laws import tried
from tests.tables import every


def shaped(form, pieces):
    machine = shaper(form)
    return "".join([*(machine.decode(piece) for piece in pieces), machine.flush()])


BULLETS = [
    ("One fact.\nAnother fact.", "- One fact.\n- Another fact."),
    ("* star\n• dot\n- dash\n1. number\n2) paren", "- star\n- dot\n- dash\n- number\n- paren"),
    ("- kept\n\n- together", "- kept\n- together"),
    ("**Bold** start [1]", "- **Bold** start [1]"),
    ("-5 degrees", "- -5 degrees"),
    ("3.5 litres\n12", "- 3.5 litres\n- 12"),
    ("", ""),
    ("\n\n", ""),
    ("[1] first", "- [1] first"),
    ("ends with newline\n", "- ends with newline\n"),
]
PLAIN = [
    ("# Heading\nText **bold** here.", "Heading\nText bold here."),
    ("> quoted", "quoted"),
    ("#hashtag stays", "#hashtag stays"),
    ("```python\nx = 1\n```\nafter", "x = 1\nafter"),
    ("2 * 3 = 6 and 2 ** 3", "2 * 3 = 6 and 2  3"),
    ("a*", "a*"),
    ("line one\n\nline two", "line one\n\nline two"),
    ("`code` stays", "`code` stays"),
]


@pytest.mark.parametrize(("text", "expected"), BULLETS)
def test_bullets(text, expected):
    """Every line becomes one list item with one mark."""
    assert shaped(OutputFormat.BULLETS, [text]) == expected


@pytest.mark.parametrize(("text", "expected"), PLAIN)
def test_plain(text, expected):
    """Headings, quotes, fences and bold marks go; the words stay."""
    assert shaped(OutputFormat.PLAIN, [text]) == expected


@every("form", [OutputFormat.BULLETS, OutputFormat.PLAIN])
@every("text", [text for text, _ in BULLETS + PLAIN])
def test_any_cut_gives_the_same_text(form, text):
    """Two pieces cut anywhere, or one character at a time, come out alike."""
    whole = shaped(form, [text])
    for at in range(len(text) + 1):
        assert shaped(form, [text[:at], text[at:]]) == whole
    assert shaped(form, list(text)) == whole


@tried(150)
@given(st.lists(st.text(alphabet="ab*-#>`1.) \n", max_size=6), max_size=12))
def test_no_cut_matters_for_any_text(pieces):
    """The law holds for texts made of nothing but special characters."""
    for form in (OutputFormat.BULLETS, OutputFormat.PLAIN):
        assert shaped(form, pieces) == shaped(form, ["".join(pieces)])


def test_markdown_goes_through_untouched():
    """Markdown is what models write; nothing stands in its way."""
    assert shaper(OutputFormat.MARKDOWN) is None


@tried(100)
@given(st.lists(st.text(max_size=5), max_size=8))
def test_escaping_by_pieces_is_escaping_the_whole(pieces):
    """A JSON string may be escaped as it streams."""
    assert json.loads('"' + "".join(map(json_escape, pieces)) + '"') == "".join(pieces)
