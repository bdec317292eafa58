"""From a citation's words to where they stand in the file."""

import pytest

from footnoted.retrieval.load import chunks, parse
from footnoted.retrieval.places import place_name, places_of
from tests.retrieval.paper import paragraphs, pdf


def test_a_quote_leads_to_its_rectangles_alone():
    """A quote that runs over two printed lines has those two boxes, each with the part of the quote in it."""
    lines = [
        "We pay for emergency treatment abroad and the",
        "journey home. The excess of this section is £75",
        "for each person.",
    ]
    passage, *_ = chunks(parse(pdf(paragraphs(*lines)), "a.pdf"))
    start = passage.text.index("The excess")
    found = places_of(passage.metadata, start, len(passage.text))
    assert [passage.text[p["start"] : p["end"]] for p in found] == [
        "The excess of this section is £75",
        "for each person.",
    ]
    assert found[0]["box"][1] > found[1]["box"][1]
    assert places_of({}, 0, 5) == places_of({"places": "x"}, 0, 5) == []


@pytest.mark.parametrize(
    ("data", "name", "quote", "named"),
    [
        (b"Cover,Excess\nGlass,75\nTheft,250\n", "a.csv", "Theft | 250", "A3, B3"),
        (b"Cover,Excess\nGlass,75\nTheft,250\n", "a.csv", "Cover | Excess |\n| --- | --- |\n| Glass | 75", "A1 to B2"),
        (pdf(paragraphs("One line."), paragraphs("Another line.", top=400)), "a.pdf", "Another", "page 2"),
        (pdf(paragraphs("One line goes on"), paragraphs("over the page.")), "a.pdf", "on over", "pages 1–2"),
        (b"# T\n\nWords.\n", "a.md", "Words.", "line 3"),
        (b"Words.\n", "a.txt", "Words.", ""),
    ],
)
def test_a_place_is_named_as_people_name_it(data, name, quote, named):
    """Cells for a sheet, pages for a PDF, the line for Markdown, nothing where nothing is known."""
    passage, *_ = chunks(parse(data, name))
    start = passage.text.index(quote)
    assert place_name(passage.metadata, start, start + len(quote)) == named
