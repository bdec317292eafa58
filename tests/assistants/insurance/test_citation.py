"""Citations: three styles, what counts as used, and places that cannot break a page."""

import pytest

from footnoted.assistants.insurance import ChunkResult, Citation, CitationStyle
from footnoted.assistants.insurance.citation import names, superscript, used

POLICY = Citation(
    id="cite_1",
    product_name="Car",
    document_type="Policy wording",
    source_file="car.md",
    section_hierarchy=["3. Windscreen", "3.2 Excess"],
    relevance_score=0.8,
)


@pytest.mark.parametrize(
    ("style", "number", "mark"),
    [
        (CitationStyle.NUMBERED, 1, "[1]"),
        (CitationStyle.NUMBERED, 12, "[12]"),
        (CitationStyle.INLINE, 1, "(Source: Car Policy wording - 3. Windscreen > 3.2 Excess)"),
        (CitationStyle.FOOTNOTE, 1, "¹"),
        (CitationStyle.FOOTNOTE, 10, "¹⁰"),
        (CitationStyle.FOOTNOTE, 123, "¹²³"),
    ],
)
def test_a_mark_is_written_in_the_style_asked_for(style, number, mark):
    """Numbered, inline with product, type and section, and raised digits beyond ten."""
    assert POLICY.format_citation(style, number) == mark


def test_an_inline_mark_without_a_section_names_the_document():
    """No dangling dash."""
    assert Citation(id="cite_1", product_name="Car", document_type="Guide").format_citation(CitationStyle.INLINE) == (
        "(Source: Car Guide)"
    )


def test_superscripts_go_from_one_to_ten_and_beyond():
    """The first eleven, written out."""
    assert [superscript(n) for n in range(1, 12)] == ["¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹", "¹⁰", "¹¹"]


def test_the_full_reference_says_all_that_is_known():
    """Number, product, type, section and file."""
    said = POLICY.get_full_reference(3)
    assert said == "[3] Car, Policy wording - 3. Windscreen > 3.2 Excess (car.md)"


def test_a_citation_is_made_of_a_chunk():
    """Its id counts from one, everything else is the chunk's."""
    chunk = ChunkResult(content="x", product_name="Car", section_hierarchy=["A"], relevance_score=0.5)
    made = Citation.of(chunk, 4)
    assert (made.id, made.product_name, made.section_hierarchy, made.relevance_score) == ("cite_4", "Car", ["A"], 0.5)


@pytest.mark.parametrize(
    ("style", "answer", "numbers"),
    [
        (CitationStyle.NUMBERED, "The excess is £75 [1].", [1]),
        (CitationStyle.NUMBERED, "It is [11].", []),
        (CitationStyle.NUMBERED, "As ¹ says.", []),
        (CitationStyle.FOOTNOTE, "The excess is £75.¹⁰", []),
        (CitationStyle.FOOTNOTE, "The excess is £75.²", [2]),
        (CitationStyle.INLINE, "It is £75 (Source: Car Plus - A).", [1]),
        (CitationStyle.NUMBERED, "With HOME  PLUS it is £75.", [2]),
        (CitationStyle.NUMBERED, "With Home Plus it is £75 [1].", [1, 2]),
        (CitationStyle.NUMBERED, "Nothing.", []),
    ],
)
def test_a_citation_is_used_when_its_mark_or_its_product_stands_in_the_answer(style, answer, numbers):
    """The mark in the request's style only; ¹ does not stand in ¹⁰; the product's name in any case."""
    cited = [
        Citation(id="cite_1", product_name="Car", document_type="Plus", section_hierarchy=["A"]),
        Citation(id="cite_2", product_name="Home Plus", document_type="Guide"),
    ]
    assert [int(one.id[-1]) for one in used(answer, cited, style)] == numbers


@pytest.mark.parametrize("product", ["Travel+ (Gold)", "A.*", "[x]", "C++", "\\d", "Plan^2$"])
def test_a_products_name_is_text_never_a_pattern(product):
    """Regex characters in names mean themselves."""
    assert names(f"With {product} you may.", product)
    assert not names("With anything you may: 1.", product)


def test_a_place_is_one_line_of_readable_text():
    """Line breaks and terminal controls in names go."""
    odd = ChunkResult(content="x", product_name="Car\n\x1b[31mred", section_hierarchy=["A\nB", None, " "])
    assert odd.product_name == "Car red"
    assert odd.section_hierarchy == ["A B"]


@pytest.mark.parametrize("score", [None, float("nan"), float("inf"), "high", True, [1]])
def test_a_score_that_is_no_number_is_not_known(score):
    """None, NaN, infinity, words, lists."""
    assert ChunkResult(content="x", relevance_score=score).relevance_score is None
