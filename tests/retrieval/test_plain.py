"""Plain text: paragraphs, the headings people type, and lists."""

import pytest

from footnoted.retrieval.load import chunks, parse


def headings(text: str) -> list[tuple[str, ...]]:
    return [section.headings for section in parse(text.encode(), "a.txt").sections]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("TITLE\n=====\n\nText.", [()]),
        ("Intro.\n\nCOOLING OFF\n\nYou may cancel.", [(), ("COOLING OFF",)]),
        ("A\n\nPart one\n--------\nText under it.", [(), ("Part one",)]),
        ("1. Scope\n\nText.\n\n2. Cover\n\nMore.", [("1. Scope",), ("2. Cover",)]),
        (
            "a.\n\nSection 2 Limits\n\nText.\n\n2.1 Baggage\n\nMore.",
            [(), ("Section 2 Limits",), ("Section 2 Limits", "2.1 Baggage")],
        ),
        ("One line.\n\nAnother line, no heading.", [()]),
    ],
)
def test_headings_are_told_by_their_look(text, expected):
    """Underlined, shouted and numbered lines open sections; sentences do not."""
    assert headings(text) == expected


def test_an_underlined_first_heading_is_the_title():
    """The one top heading names the document."""
    assert parse(b"Key Facts\n=========\n\nText.", "x.txt").title == "Key Facts"


def test_no_words_are_lost_between_numbered_lines():
    """A list whose items stand apart is not swallowed as empty headings."""
    text = "Steps.\n\n1. Buy milk\n\n2. Sell the cow\n\nDone."
    passages = " ".join(passage.text for passage in chunks(parse(text.encode(), "a.txt")))
    assert all(words in passages for words in ("Buy milk", "Sell the cow", "Done."))


def test_a_list_is_known_with_its_introduction():
    """The line before the list and its items stand in one passage."""
    passages = chunks(parse(b"We pay for:\n- fire;\n- theft,\n  by anyone.\n", "a.txt"))
    assert [passage.text for passage in passages] == ["We pay for:\n- fire;\n- theft,\n  by anyone."]


def test_the_text_is_untouched():
    """Leading blanks, tabs and odd spacing stay as they are."""
    text = "  Indented\ttext.\n\n\n   Another   one. \n"
    assert parse(text.encode(), "a.txt").text == text
