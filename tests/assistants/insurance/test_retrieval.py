"""Retrieval: sections whole, product by product, of a real folder of policies."""

from pathlib import Path

import pytest

from footnoted.assistants.insurance import RetrievalAgent, RetrievalRequest

POLICIES = Path(__file__).parents[3] / "examples" / "policies"


@pytest.fixture(scope="module")
def agent():
    """The policies of examples/."""
    return RetrievalAgent([POLICIES], cache="off")


def found(agent, message, **more):
    return agent.retrieve(RetrievalRequest(intent_classification=agent.router().classify_intent(message), **more))


def test_every_product_of_the_folder_is_known(agent):
    """By its front matter, else by its title."""
    assert "Harbour Mutual Car Comprehensive" in agent.products
    assert "Home Emergency Booklet" in agent.products


def test_a_section_keeps_its_place_and_its_table(agent):
    """Headings outermost first, every row under its header."""
    chunks = found(agent, "What is the excess for escape of water on Home Buildings?")
    section = next(chunk for chunk in chunks if chunk.section_hierarchy == ["3. Excesses and limits"])
    assert section.product_name == "Harbour Mutual Home Buildings"
    assert section.document_type == "Policy wording"
    assert section.content.startswith("| Cause | Excess | Most we pay |")
    assert "| Gardens after fire or theft | £150 | £1,500 |" in section.content
    assert 0 < section.relevance_score <= 1


def test_a_named_product_comes_first(agent):
    """Though another speaks of windscreens more."""
    chunks = found(agent, "Does Third Party, Fire and Theft cover windscreens?")
    assert chunks[0].product_name == "Harbour Mutual Car Third Party, Fire and Theft"


def test_several_products_are_heard_where_none_is_named(agent):
    """No product fills the list alone."""
    chunks = found(agent, "What is the windscreen excess?")
    assert len(chunks.products) >= 3


def test_no_more_than_asked_for(agent):
    """Also none, and a result reads like a list."""
    assert len(found(agent, "windscreen excess", top_k=2)) == 2
    assert list(found(agent, "windscreen excess", top_k=0)) == []
    assert found(agent, "windscreen excess")[:1][0] == found(agent, "windscreen excess")[0]


def test_a_definition_is_found_by_its_term(agent):
    """However long its section is."""
    chunks = found(agent, "What counts as a write-off?")
    assert any(chunk.section_hierarchy == ["1. Definitions"] for chunk in chunks)


@pytest.mark.parametrize("message", ["", "zzzz qqqq", "挡", "?"])
def test_nothing_is_found_for_nothing(agent, message):
    """An empty result, no exception."""
    assert len(found(agent, message)) == 0
