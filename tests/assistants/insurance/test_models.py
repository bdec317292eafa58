"""What goes in and what comes out: defaults as named, and a result as a customer reads it."""

from footnoted.assistants.insurance import ChunkResult, Citation, CitationStyle, ResponseRequest, ResponseResult

CITED = Citation(id="cite_1", product_name="Car", document_type="Policy", source_file="car.md", section_hierarchy=["A"])


def result(**more):
    given = {"answer": "The excess is £75 [1].", "citations": [CITED], "confidence_score": 0.875, "context_used": 1}
    return ResponseResult(**(given | more))


def test_a_request_has_the_named_defaults():
    """Numbered, 1,000 characters, with confidence."""
    request = ResponseRequest(original_query="What?", context_chunks=[])
    assert request.citation_style is CitationStyle.NUMBERED
    assert request.max_response_length == 1000
    assert request.include_confidence_score
    assert not request.has_context


def test_a_request_has_context_when_some_chunk_has_text():
    """White space is no text."""
    assert ResponseRequest(original_query="x", context_chunks=[ChunkResult(content="A")]).has_context
    assert not ResponseRequest(original_query="x", context_chunks=[ChunkResult(content=" \n")]).has_context


def test_a_result_is_read_with_its_sources():
    """The answer, then a bold list; no confidence unless asked for."""
    said = result().format_response()
    assert said == "The excess is £75 [1].\n\n**Sources:**\n- [1] Car, Policy - A (car.md)"


def test_confidence_is_written_as_a_percentage_with_one_digit():
    """0.875 is 87.5%."""
    assert result().format_response(include_confidence=True).endswith("\n\n*Confidence: 87.5%*")
    assert result().format_response(include_citations=False, include_confidence=True) == (
        "The excess is £75 [1].\n\n*Confidence: 87.5%*"
    )


def test_without_citations_there_is_no_list():
    """An empty heading helps nobody."""
    assert result(citations=[]).format_response() == "The excess is £75 [1]."


def test_footnotes_are_listed_by_their_raised_number():
    """What stands in the text stands in the list."""
    said = result(citation_style=CitationStyle.FOOTNOTE, answer="The excess is £75.¹").format_response()
    assert "- ¹ Car, Policy" in said


def test_the_list_speaks_the_customers_language():
    """Malay, Chinese and Tamil headings."""
    assert "**Sumber:**" in result(language="ms").format_response()
    assert "**来源:**" in result(language="zh").format_response()
    assert "**ஆதாரங்கள்:**" in result(language="ta").format_response()
