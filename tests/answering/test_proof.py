"""A saved answer proves itself against the sources of today, without any model."""

import pytest

from footnoted import GenerationResponse, GroundedGenerator
from footnoted.answering.proof import check_pointers
from footnoted.types import Source

from .test_generator import speaks


@pytest.fixture
async def saved(asked):
    """A response that went to JSON and came back."""
    response = await GroundedGenerator(speaks("The excess is £75 for a repair [1].")).generate(asked())
    return GenerationResponse.model_validate_json(response.to_json())


def sources_of(context):
    return [chunk.as_source() for chunk in context]


async def test_an_untouched_answer_stands(saved, context):
    """Same bytes, same place, same words."""
    (check,) = check_pointers(saved, sources_of(context))
    assert check.standing == "stands"
    assert saved.footnoted_version
    assert saved.citations[0].source_title == "Policy 1"


async def test_words_that_moved_are_found_where_they_are(saved, context):
    """A source edited around the quote still holds it; the new place is told."""
    first, second = sources_of(context)
    moved = Source(id=first.id, text="New preamble. " + first.text)
    (check,) = check_pointers(saved, [moved, second])
    assert check.standing == "moved"
    assert moved.text[check.start : check.end] == check.quote


async def test_words_that_changed_are_said_to_have(saved, context):
    """The source is there, the words are not: £75 became £95."""
    first, second = sources_of(context)
    edited = Source(id=first.id, text=first.text.replace("£75", "£95"))
    (check,) = check_pointers(saved, [edited, second])
    assert check.standing == "changed"


async def test_a_source_that_is_gone_is_missing(saved, context):
    """Neither the source nor its words are anywhere."""
    (check,) = check_pointers(saved, sources_of(context)[1:])
    assert check.standing == "missing"
    assert check.source == "Policy 1"


async def test_a_forged_quote_does_not_stand(saved, context):
    """An answer whose quote was edited after the fact is found out by the unchanged source."""
    citation = saved.citations[0]
    forged = citation.model_copy(update={"source_quote": citation.source_quote.replace("£75", "£5")})
    (check,) = check_pointers(saved.model_copy(update={"citations": [forged]}), sources_of(context))
    assert check.standing == "changed"


async def test_an_empty_quote_points_at_nothing(saved, context):
    """Every text contains the empty string; that proves nothing."""
    empty = saved.citations[0].model_copy(update={"source_quote": "", "source_start": 0, "source_end": 0})
    (check,) = check_pointers(saved.model_copy(update={"citations": [empty]}), sources_of(context))
    assert check.standing == "changed"
