from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnoted.citations import Marker, MarkerDecoder
from tests.citations.answers import ANSWERS
from tests.citations.dialects import DIALECTS, Case
from tests.laws import tried
from tests.tables import every

pytestmark = pytest.mark.no_cover  # the same lines thousands of times: tracing them takes most of the time

SPECIAL = "[[[]]](())【】［］1123490,;-–^*_`~$\\<>/ \n\n\t\r|#:¹²⁹⁻.!abSource sup†é的\ufffc"


def decode(pieces: list[str], count: int = 4, *, show: bool = True) -> list[str | Marker]:
    """What a decoder gives for these pieces, neighbouring text joined."""
    decoder = MarkerDecoder(count, show=show)
    found = [item for piece in pieces for item in decoder.decode(piece)] + decoder.flush()
    joined: list[str | Marker] = []
    for item in found:
        if isinstance(item, str) and joined and isinstance(joined[-1], str):
            joined[-1] += item
        else:
            joined.append(item)
    return joined


def text_of(found: list[str | Marker]) -> str:
    """The text alone."""
    return "".join(item if isinstance(item, str) else "" for item in found)


def cuts(text: str) -> list[list[str]]:
    """The text in two at every position, and one character at a time."""
    return [[text[:at], text[at:]] for at in range(len(text) + 1)] + [list(text)]


def every_size(text: str) -> list[list[str]]:
    """The text in pieces of 2 to 9."""
    return [[text[at : at + size] for at in range(0, len(text), size)] for size in range(2, 10)]


@every("case", DIALECTS, ids=lambda case: case.text[:40])
@every("show", [True, False])
def test_any_cut_of_a_dialect_decodes_the_same(case: Case, show: bool):
    """Cut anywhere, in two or into characters, each dialect gives the same text and markers."""
    whole = decode([case.text], case.count, show=show)
    for pieces in cuts(case.text):
        assert decode(pieces, case.count, show=show) == whole, pieces


@every("name", ANSWERS)
def test_any_cut_of_an_answer_decodes_the_same(name: str):
    """Long answers in every dialect give the same at every cut position, and in pieces of every size."""
    text = ANSWERS[name]
    whole = decode([text])
    for pieces in cuts(text) + every_size(text):
        assert decode(pieces) == whole, pieces[0][-40:]


@tried(250)
@given(st.text(alphabet=SPECIAL, max_size=60), st.integers(0, 12), st.booleans(), st.data())
def test_any_cut_of_any_text_decodes_the_same(text: str, count: int, show: bool, data: st.DataObject):
    """Random text of the characters that matter, cut at random, decodes as it does whole."""
    places = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=8)))
    pieces = [text[a:b] for a, b in zip([0, *places], [*places, len(text)], strict=True)]
    whole = decode([text], count, show=show)
    assert decode(pieces, count, show=show) == whole
    assert decode(list(text), count, show=show) == whole


@tried(150)
@given(
    st.lists(st.sampled_from([case.text for case in DIALECTS]), min_size=2, max_size=4),
    st.sampled_from(["", " ", "\n", "\n\n"]),
)
def test_dialects_side_by_side_decode_the_same_however_cut(texts: list[str], between: str):
    """Constructs that follow one another keep the law, code left open included."""
    text = between.join(texts)
    assert decode(list(text)) == decode([text])


@tried(100)
@given(
    st.text(
        alphabet=st.characters(exclude_characters="[(【［〔（<*^$`\\~⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", exclude_categories=("Cs",)),
        max_size=80,
    )
)
def test_text_without_special_characters_passes_untouched(text: str):
    """Where nothing can be a marker, what goes in comes out."""
    assert text_of(decode(list(text))) == text


@pytest.mark.parametrize("name", ["code", "academic", "openai"])
def test_nothing_changes_in_code_links_and_maths(name: str):
    """Each line inside a fence, an indented block or display maths stands in the output as it was written."""
    text = ANSWERS[name]
    shown = text_of([item if isinstance(item, str) else item.raw for item in decode([text])])
    kept = [line for line in text.splitlines() if line.startswith(("    ", "limits", "total", "\\bar", "echo", "[2]"))]
    assert kept
    assert all(line in shown for line in kept)


def test_numbers_are_valid_and_in_the_order_written():
    """A marker keeps only the sources that exist, as the model ordered them."""
    assert [item.numbers for item in decode(["a [4, 1, 9, 0, 2-3]."]) if isinstance(item, Marker)] == [(4, 1, 2, 3)]


def test_a_marker_tells_what_was_written():
    """``raw`` is the model's own marker, ``before`` the space that belongs to it."""
    assert decode(["It is **[Source 2]**."]) == ["It is", Marker((2,), "**[Source 2]**", " "), "."]


def test_text_passes_at_once():
    """Text that cannot be part of a marker is not held back."""
    decoder = MarkerDecoder(3)
    assert decoder.decode("The ") == ["The"]
    assert decoder.decode("excess") == [" excess"]
    assert decoder.decode(" (which") == [" (which"]
    assert decoder.decode(" [see") == []  # it may yet be a word that leads a marker in
    assert decoder.decode("n] is") == [" [seen] is"]


@pytest.mark.parametrize(
    "text",
    [
        "[1, " * 400,
        "(see " * 400,
        "[" * 2000,
        "*" * 2000,
        "[Source 1: " + "x" * 2000,
        " " * 2000,
        "`" * 2000,
        "$x [1] " * 300,
        "\n \t" * 500,
        "(" * 2000,
    ],
)
def test_what_is_held_back_is_bounded(text: str):
    """At most some 140 characters ever wait, whatever comes."""
    decoder = MarkerDecoder(4)
    given_out = 0
    for at, char in enumerate(text, 1):
        given_out += sum(
            len(item if isinstance(item, str) else item.before + item.raw) for item in decoder.decode(char)
        )
        assert at - given_out <= 220


def test_hidden_markers_leave_no_hole():
    """With ``show=False`` the text reads as if no marker had been written, and the markers are told."""
    found = decode(["It is so [1]. And [2] so ([3]).\n- [1] x"], show=False)
    assert text_of(found) == "It is so. And so.\n- x"
    assert [item.numbers for item in found if isinstance(item, Marker)] == [(1,), (2,), (3,), (1,)]


def test_settling_decides_what_is_held_and_goes_on():
    """What waits is decided as at the end, and later text is decoded in the same state."""
    decoder = MarkerDecoder(2)
    assert decoder.decode("`a` [1]") == ["`a`"]
    assert decoder.settle() == [Marker((1,), "[1]", " ")]
    assert decoder.decode(" [2].") + decoder.flush() == [Marker((2,), "[2]", " "), "."]


def test_a_large_text_in_one_piece_takes_no_longer_than_in_many():
    """A megabyte of brackets passes in linear work: the same result whole and in pieces of 1,000."""
    text = ("[a] [1] (b) **c** `d` $e " * 8_000)[:200_000]
    pieces = [text[at : at + 1000] for at in range(0, len(text), 1000)]
    assert decode([text]) == decode(pieces)
