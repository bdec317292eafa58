"""`ask` and `SourceContext` as a newcomer types them."""

from __future__ import annotations

import asyncio
from uuid import UUID, uuid4

import pytest

import footnoted
from footnoted import SourceContext
from footnoted.errors import ConfigurationError

QUESTION, TEXT = "What is the excess?", "The excess is £75 for a repair."


@pytest.mark.parametrize(
    "sources", [TEXT, TEXT.encode(), SourceContext(content=TEXT), {"content": TEXT}, 75, None, [TEXT, 75], [{"a": "b"}]]
)
def test_what_is_no_list_of_texts_is_refused_in_words(sources):
    """One text is not the list of its letters: the error says what is wanted, and how it is written."""
    with pytest.raises(ConfigurationError, match=r"not (str|bytes|SourceContext|dict|int|NoneType): ask\("):
        footnoted.ask(QUESTION, sources)


def test_a_script_is_answered():
    """Texts and sources in one list; the same text has the same id."""
    response = footnoted.ask(QUESTION, [TEXT, SourceContext(content="Cats sleep.")])
    assert "£75" in response.response
    assert response.sources_used == [SourceContext(content=TEXT).chunk_id]


async def test_a_notebook_is_answered_too():
    """A notebook's cells run under an event loop; it waits, and goes on afterwards."""
    ticking = asyncio.create_task(asyncio.sleep(0, "went on"))
    assert "£75" in footnoted.ask(QUESTION, [TEXT]).response
    assert await ticking == "went on"
    with pytest.raises(ConfigurationError, match="no such provider"):
        footnoted.ask(QUESTION, [TEXT], provider="no such provider")


def test_content_is_enough():
    """Ids are made of the words where none is given, the same each time, another for other words."""
    one, again, other = SourceContext(content=TEXT), SourceContext(content=TEXT), SourceContext(content="Cats.")
    assert one == again
    assert one.chunk_id == one.document_id != other.chunk_id
    assert SourceContext.model_validate_json(one.model_dump_json()) == one


@pytest.mark.parametrize("given", ["policy-7#2", "7", "", "ä漢🌿", "\ud800", "x" * 10_000])
def test_any_text_is_an_id(given):
    """A UUID is made of it, the same each time; JSON Schema asks for a text."""
    source = SourceContext(chunk_id=given, content=TEXT)
    assert isinstance(source.chunk_id, UUID)
    assert source.chunk_id == source.document_id == SourceContext(chunk_id=given, content="Other words.").chunk_id
    assert source.chunk_id != SourceContext(chunk_id=given + "!", content=TEXT).chunk_id
    assert "format" not in SourceContext.model_json_schema()["properties"]["chunk_id"]


def test_a_real_uuid_stays_itself():
    """As an object or in any of its spellings, and the document keeps its own."""
    real, document = uuid4(), uuid4()
    for spelling in (real, str(real), real.hex, real.urn, str(real).upper()):
        source = SourceContext(chunk_id=spelling, document_id=document, content=TEXT)
        assert (source.chunk_id, source.document_id) == (real, document)
