from __future__ import annotations

import pytest
from markdown_it import MarkdownIt

from footnoted.citations import Entry, render_list, render_marker
from footnoted.citations.styles import MAX_QUOTE, MAX_TITLE
from footnoted.contract import CitationStyle
from tests.tables import every

LISTED = [CitationStyle.FOOTNOTE, CitationStyle.ENDNOTE]


@pytest.mark.parametrize(
    ("style", "markers"),
    [
        (CitationStyle.INLINE, ["[Source 1]", "[Source 27]"]),
        (CitationStyle.NUMBERED, ["[1]", "[27]"]),
        (CitationStyle.FOOTNOTE, ["¹", "²⁷"]),
        (CitationStyle.ENDNOTE, ["[1]", "[27]"]),
    ],
)
def test_each_style_has_its_marker(style: CitationStyle, markers: list[str]):
    """A number is written in the style's own way, of any size."""
    assert [render_marker(style, number) for number in (1, 27)] == markers


def test_superscripts_reach_any_number():
    """Every digit has its superscript."""
    assert render_marker(CitationStyle.FOOTNOTE, 1234567890) == "¹²³⁴⁵⁶⁷⁸⁹⁰"


def test_only_footnotes_and_endnotes_have_a_list():
    """Inline and numbered answers show no list."""
    entries = [Entry(1, "Motor", "It is so.")]
    assert [bool(render_list(style, entries)) for style in CitationStyle] == [False, False, True, True]
    assert render_list(CitationStyle.ENDNOTE, []) == ""


HOSTILE = [
    "Two\n\n# lines\r\n- of text",
    "```\ncode fence",
    "**bold *and _open",
    "[link](http://example.com) ![x](y)",
    "<script>alert(1)</script> &amp;",
    "| a | b |",
    "$x$ ~~gone~~ `tick",
    "back\\slash\\",
    "\u2028line separator\u2029",
    "1. not a list",
    "[1]: http://example.com",
]


@every("style", LISTED)
@every("text", HOSTILE)
def test_no_title_or_quote_can_break_the_list(style: CitationStyle, text: str):
    """Rendered as Markdown, the list is one paragraph of plain text with a line an entry, whatever it holds."""
    listed = render_list(style, [Entry(1, text, text), Entry(2, "Next", text), Entry(3, "", "")])
    tokens = MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(listed)
    assert [token.type for token in tokens] == ["paragraph_open", "inline", "paragraph_close"]
    kinds = [child.type for child in tokens[1].children or []]
    assert set(kinds) <= {"text", "text_special", "hardbreak"}
    assert kinds.count("hardbreak") == 2
    shown = "".join(child.content for child in tokens[1].children or [])
    assert " ".join(text.split()) in shown


def test_long_titles_and_quotes_are_shortened():
    """A line stays bounded and is cut between words."""
    line = render_list(CitationStyle.ENDNOTE, [Entry(1, "title " * 500, "words of it " * 500)])
    assert len(line) < MAX_TITLE + MAX_QUOTE + 20
    assert "title…: “" in line
    assert line.endswith("…”")


def test_plain_text_is_not_escaped():
    """Where the answer is not Markdown, titles and quotes read as they are."""
    listed = render_list(CitationStyle.FOOTNOTE, [Entry(1, "a_b *c*", "[x]"), Entry(2, "d", "")], markdown=False)
    assert listed == "¹ a_b *c*: “[x]”\n² d"


def test_snake_case_needs_no_backslashes():
    """Underscores inside words are left alone."""
    assert (
        render_list(CitationStyle.ENDNOTE, [Entry(1, "my_file_name.md", "_em_")]) == "[1] my_file_name.md: “\\_em\\_”"
    )
