"""Where a sentence stands: headings above it, the list or table it belongs to."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from footnoted.retrieval.relevance import read
from footnoted.types import Source, Span
from tests.laws import tried

PAGE = """# Car policy

Intro words. More words here.

## Excess

| Cover | Excess |
|---|---|
| Windscreen. Or glass | £75 |
| Theft | £250 |

We do not pay for:

- wear and tear. Ever.
- frost

Title
=====
Text.

**Am I covered abroad?**

Yes. For 30 days.

```
code | here
```
"""


def kinds(text: str) -> dict[str, str]:
    """Each sentence's kind by its text."""
    return {one.text: one.kind for one in read(Source("a", text))}


def test_every_kind_of_line_is_told_apart():
    """Headings (also underlined and bold ones), header and rows, items, prose and code."""
    found = kinds(PAGE)
    assert found["# Car policy"] == found["Title"] == found["**Am I covered abroad?**"] == "heading"
    assert found["| Cover | Excess |"] == "header"
    assert found["| Windscreen. Or glass | £75 |"] == found["| Theft | £250 |"] == "row"
    assert found["- wear and tear."] == found["Ever."] == found["- frost"] == "item"
    assert found["Intro words."] == found["We do not pay for:"] == found["For 30 days."] == "prose"
    assert found["code | here"] == "code"


def test_headings_stand_above_what_follows():
    """The outermost comes first; a heading of the same level ends the one before; a lone question heads its answer."""
    above = {one.text: one.headings for one in read(Source("a", PAGE))}
    assert above["Intro words."] == ("Car policy",)
    assert above["| Theft | £250 |"] == ("Car policy", "Excess")
    assert above["Text."] == ("Title",)
    assert above["Yes."] == ("Title", "Am I covered abroad?")


def test_items_and_rows_know_what_introduces_them():
    """A row's lead is its header, an item's the sentence that ends in a colon; prose has none."""
    leads = {one.text: [PAGE[lead.start : lead.end] for lead in one.leads] for one in read(Source("a", PAGE))}
    assert leads["| Theft | £250 |"] == ["| Cover | Excess |"]
    assert leads["- frost"] == ["We do not pay for:"]
    assert leads["Text."] == []


def test_a_table_keeps_the_sentence_before_it():
    """A sentence ending in a colon introduces a table as it does a list."""
    text = "These are the limits:\n\n| A | B |\n| --- | --- |\n| x | 1 |\n\nAfter.\n"
    row = next(one for one in read(Source("a", text)) if one.kind == "row")
    assert [text[lead.start : lead.end] for lead in row.leads] == ["These are the limits:", "| A | B |"]


def test_rows_without_a_rule_have_no_header():
    """A table's piece without its head gives up no row as one."""
    assert list(kinds("| Theft | £250 |\n| Fire | £100 |\n").values()) == ["row", "row"]


def test_a_stretch_keeps_its_offsets():
    """Reading a part of a source points into the whole."""
    start = PAGE.index("## Excess")
    found = read(Source("a", PAGE), 3, within=Span(start, len(PAGE)))
    assert found[0].text == "## Excess"
    assert all(PAGE[one.start : one.end] == one.text and one.source_index == 3 for one in found)


def test_a_transcript_without_marks_is_cut_into_stretches():
    """Pages without the end of a sentence become pieces of whole words, none lost."""
    text = "so we went on and on " * 400
    found = read(Source("a", text))
    assert len(found) > 10
    assert max(len(one.text) for one in found) <= 1_500
    assert "".join("".join(one.text.split()) for one in found) == "".join(text.split())


@tried(150)
@given(st.text(alphabet="ab. :|-#*=\n\t1`?，。ก", max_size=120))
def test_any_text_is_read_in_order_and_exactly(text):
    """Whatever the text, sentences stand where they say, in order, and never overlap."""
    end = 0
    for one in read(Source("a", text)):
        assert text[one.start : one.end] == one.text
        assert one.start >= end
        end = one.end


def test_a_table_under_another_has_its_own_header():
    """Only a blank line between them: a row must not be told with the other's columns."""
    text = "| Element | Characters |\n|---|---|\n| Title | 256 |\n\n| Element | Count |\n|---|---|\n| Fields | 25 |\n"
    rows = {
        one.text: [text[lead.start : lead.end] for lead in one.leads]
        for one in read(Source("1", text))
        if one.kind == "row"
    }
    assert rows == {"| Title | 256 |": ["| Element | Characters |"], "| Fields | 25 |": ["| Element | Count |"]}


def test_a_table_that_goes_on_after_a_blank_line_keeps_its_header():
    text = "| Element | Characters |\n|---|---|\n| Title | 256 |\n\n| Footer | 2048 |\n"
    last = read(Source("1", text))[-1]
    assert [text[lead.start : lead.end] for lead in last.leads] == ["| Element | Characters |"]
