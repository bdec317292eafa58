"""PDF: text, sections, tables and pages; and a plain word on those that cannot be read."""

from importlib.util import find_spec
from pathlib import Path

import pytest

from footnoted.errors import SourceError
from footnoted.retrieval.load import chunks, parse
from tests.retrieval.paper import encrypted, paragraphs, pdf

LONG = "We pay for emergency treatment abroad, a hospital bed and the journey home"


def read(*pages):
    return parse(pdf(*pages), "a.pdf")


def test_wrapped_lines_become_paragraphs_and_gaps_part_them():
    """Lines broken by the margin are one sentence again; a wider gap begins a new paragraph."""
    document = read(paragraphs(LONG + " if", "our doctor agrees.", "", "A second paragraph stands apart."))
    assert document.text == f"{LONG} if our doctor agrees.\n\nA second paragraph stands apart."


def test_hyphenated_line_ends_are_mended():
    """A word broken at the margin is whole again; one that has a hyphen elsewhere keeps it."""
    lines = paragraphs(
        "Cover for self-employed people. This sentence runs up to the margin with insur-",
        "ance for all. And this one, of the same length, is meant for the self-",
        "employed only.",
    )
    assert "insurance for all" in read(lines).text
    assert "the self-employed only" in read(lines).text


def test_headings_are_told_by_size_and_weight():
    """Larger lines are headings by their size, bold ones of the body's size below them."""
    document = read(
        [
            (60, 780, 20, "Medical Conditions", "bold"),
            (60, 750, 14, "1. Screening", "bold"),
            (60, 730, 11, LONG + "."),
            (60, 700, 11, "1.1 By telephone", "bold"),
            (60, 680, 11, LONG + "."),
        ]
    )
    assert document.title == "Medical Conditions"
    assert [s.headings for s in document.sections] == [("1. Screening",), ("1. Screening", "1.1 By telephone")]


def test_rows_of_cells_become_a_table():
    """Cells set apart on one height are a row; rows of as many cells a table."""
    rows = [("Band", "Premium", "Excess"), ("A", "Nothing", "£100"), ("B", "25%", "£250")]
    lines = [(60 + 120 * n, 780 - 14 * r, 11, cell) for r, row in enumerate(rows) for n, cell in enumerate(row)]
    document = read([*paragraphs("The bands are these:", top=800), *lines])
    assert "| Band | Premium | Excess |\n| --- | --- | --- |\n| A | Nothing | £100 |" in document.text


def test_lists_are_known_as_lists():
    """Items stay apart, their wrapped lines joined."""
    lines = paragraphs(
        "Tell us about:", "- heart conditions;", "- breathing conditions that needed a", "hospital;", "- cancer."
    )
    blocks = [b for s in read(lines).sections for b in s.blocks]
    assert [b.kind for b in blocks] == ["text", "list"]
    assert len(blocks[1].parts) == 3


def test_page_numbers_ride_along_and_running_heads_go():
    """Each passage knows its page; heads, feet and page numbers are in none of them."""
    pages = [
        [
            (60, 820, 9, "Harbour Mutual"),
            (60, 780, 14, f"Part {number}", "bold"),
            (60, 750, 11, f"The text of part number {number} says {number}00 pounds."),
            (280, 30, 9, f"Page {number} of 3"),
        ]
        for number in (1, 2, 3)
    ]
    passages = chunks(read(*pages))
    assert [(p.metadata["page"], p.title) for p in passages] == [(n, f"A › Part {n}") for n in (1, 2, 3)]
    assert not any("Harbour" in p.text or "of 3" in p.text for p in passages)


def test_a_scan_says_that_it_needs_ocr():
    """A PDF without any text is reported as images, not as empty."""
    with pytest.raises(SourceError, match=r"images only .*2 pages.*OCR"):
        read([], [])


def test_a_locked_pdf_is_named_as_such():
    """A password that is not empty is said to be in the way."""
    with pytest.raises(SourceError, match="password"):
        parse(encrypted(pdf(paragraphs(LONG)), "secret"), "a.pdf")


def test_a_pdf_locked_for_owners_only_is_read():
    """Files that only forbid printing open without a password."""
    assert parse(encrypted(pdf(paragraphs(LONG)), "", "owner"), "a.pdf").text == LONG


def test_a_modern_cipher_is_opened_or_told_what_it_needs():
    """With the package for it, a file locked for owners only opens; without, the message names the package."""
    data = (Path(__file__).parent / "locked_for_owners.pdf").read_bytes()
    if find_spec("cryptography"):
        assert parse(data, "a.pdf").text == "Locked for owners."
    else:
        with pytest.raises(SourceError, match="install the package cryptography"):
            parse(data, "a.pdf")


def test_a_table_of_contents_is_no_heading():
    """Lines of dots that lead to a page number are dropped; the sections they name are found in the text."""
    page = [
        (60, 780, 14, "1 Cover . . . . . . . . . 2"),
        *paragraphs(LONG + ".", top=700),
        *paragraphs(LONG + "!", top=600),
    ]
    assert read(page).text == f"{LONG}.\n\n{LONG}!"


@pytest.mark.parametrize("keep", [20, 300, 700])
def test_a_broken_pdf_is_named_as_such(keep):
    """A file cut off or overwritten is damaged, whatever the parser says about it."""
    data = pdf(paragraphs(LONG))
    with pytest.raises(SourceError, match=r"damaged|images only"):
        parse(data[:keep].replace(b"obj", b"0bj"), "a.pdf")
