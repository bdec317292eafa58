"""One list of sources: whatever is told points into the sources given, empty, repeated and left-out ones counted."""

from __future__ import annotations

import json

import pytest

from footnoted import AnswerWithSources, GroundedGenerator, StructuredGenerator
from footnoted.events import CitationFound, ClaimChecked, SourcesDisagree
from footnoted.testing import scripted_provider
from tests.answering.conftest import CAR, HOME, chunk

LONG = "Marine cover is sold by brokers alone. " * 600
TOLL_OLD = "Toll notice of 2019. The toll for lorries on the Harbour bridge is 7 euros."
TOLL_NEW = "Toll notice of 2023. The toll for lorries on the Harbour bridge is 9 euros."
GIVEN = [
    chunk(1, "  \n"),
    chunk(50, LONG),  # the least of them: over the budget
    chunk(3, CAR),
    chunk(4, CAR),
    chunk(5, ""),
    chunk(6, HOME),
    chunk(7, TOLL_OLD, date="2019-01-01", title="Tolls"),
    chunk(8, TOLL_OLD, date="2019-01-01", title="Tolls"),
    chunk(9, TOLL_NEW, date="2023-01-01", title="Tolls"),
]
SHOWN = [2, 5, 6, 8]  # what of these a model is shown at 600 tokens
SAID = (
    "The excess is £250 for theft [2]. Racing is excluded [1]. "
    "The toll for lorries on the Harbour bridge is 7 euros [3]. Penguins are covered in Peru [1]."
)


def exact(pointer, request):
    """Whether something that points, in either spelling, points at the exact words of a source given."""
    at = pointer.source_index if hasattr(pointer, "source_index") else pointer.source
    start, end = (
        (pointer.source_start, pointer.source_end) if hasattr(pointer, "source_start") else (pointer.start, pointer.end)
    )
    quote = pointer.source_quote if hasattr(pointer, "source_quote") else pointer.quote
    source = request.context[at]
    told = str(getattr(pointer, "chunk_id", getattr(pointer, "source_id", source.chunk_id)))
    return bool(quote) and source.content[start:end] == quote and told == str(source.chunk_id)


@pytest.mark.parametrize("output_format", ["markdown", "json"])
@pytest.mark.parametrize("checking", ["hold", "mark", "amend", "off"])
async def test_everything_told_points_into_the_sources_given(asked, checking, output_format):
    """Events, citations, claims and disagreements alike."""
    request = asked(sources=GIVEN, context_tokens=600, output_format=output_format)
    async with GroundedGenerator(scripted_provider(*SAID), checking=checking) as generator:
        events = [event async for event in generator.stream(request)]
    response = events[-1].response
    citations = [event.citation for event in events if isinstance(event, CitationFound)]
    assert len(citations) >= 3
    if not any(event.kind == "retraction" for event in events):
        assert [one.source for one in citations] == [one.source_index for one in response.citations]
    evidence = [one for event in events if isinstance(event, ClaimChecked) for one in event.verdict.evidence]
    told = [one for claim in response.claims for one in claim.evidence]
    assert [(one.source, one.quote) for one in evidence] == [(one.source_index, one.source_quote) for one in told]
    disputes = [side for one in response.disagreements for side in (one.first, one.second)]
    live = [
        side
        for event in events
        if isinstance(event, SourcesDisagree)
        for side in (event.disagreement.first, event.disagreement.second)
    ]
    if checking != "off":
        assert evidence
        assert {side.source_index for side in disputes} == {side.source for side in live} == {6, 8}
    pointers = [*citations, *response.citations, *evidence, *told, *disputes, *live]
    assert all(exact(one, request) for one in pointers)
    assert {one.source_index for one in response.citations} <= set(SHOWN)
    assert response.sources_omitted == [one.chunk_id for at, one in enumerate(GIVEN) if at not in SHOWN]


@pytest.mark.parametrize("output_format", ["markdown", "json"])
@pytest.mark.parametrize("checking", ["hold", "mark"])
async def test_a_claim_is_told_as_the_response_has_it(asked, checking, output_format):
    """Its markers carry the response's numbers; one that was withheld carries none, which would mean other sources."""
    request = asked(sources=GIVEN, context_tokens=600, output_format=output_format)
    async with GroundedGenerator(scripted_provider(*SAID), checking=checking) as generator:
        events = [event async for event in generator.stream(request)]
    response = events[-1].response
    assert [event.claim.text for event in events if isinstance(event, ClaimChecked)] == [
        claim.text for claim in response.claims if claim.kind == "claim"
    ]
    assert "The excess is £250 for theft [1]." in [claim.text for claim in response.claims]
    for claim in response.claims:
        if claim.shown:
            there = response.response[claim.start_pos : claim.end_pos]
            assert (json.loads(f'"{there}"') if output_format == "json" else there) == claim.text
        else:
            assert claim.text == "Penguins are covered in Peru."


async def test_flagged_words_are_the_claims_own(asked):
    """Their places count in the claim as it is told, its markers included."""
    said = scripted_provider("The theft [2] excess is £990 [2].")
    async with GroundedGenerator(said, checking="mark") as generator:
        response = await generator.generate(asked(sources=GIVEN, context_tokens=600))
    (claim,) = response.claims
    assert claim.flagged
    assert "990" in [claim.text[start:end].strip("£") for start, end in claim.flagged]


async def test_a_structured_answer_counts_the_sources_given(asked):
    """The model numbers what it was shown; the caller gets the numbers of what was given."""
    reply = {
        "answer": "£250.",
        "confidence": 1,
        "sources_used": [2, 1, 9],
        "key_facts": ["The excess for theft is £250."],
    }
    request = asked(sources=GIVEN, context_tokens=600)
    async with StructuredGenerator(scripted_provider(json.dumps(reply))) as generator:
        plain = await generator.generate_structured(request, AnswerWithSources)
        checked = await generator.generate_checked(request, AnswerWithSources)
    assert plain.sources_used == checked.value.sources_used == [6, 3]
    assert [GIVEN[number - 1].content for number in plain.sources_used] == [HOME, CAR]
    told = [one for found in checked.evidence.values() for one in found.evidence]
    assert told
    assert all(exact(one, request) for one in told)
