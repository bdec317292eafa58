"""The same retriever over a real PostgreSQL: found by words, by meaning where pgvector is, bound, replaced, forgotten."""

import pytest

from footnoted import GenerationRequest, GroundedGenerator
from footnoted.errors import ConfigurationError
from footnoted.retrieval import Retriever
from footnoted.retrieval.postgres import PostgresRetriever
from footnoted.store import Database
from footnoted.types import Source
from tests.retrieval.test_find import sources
from tests.services import postgres_database


@pytest.fixture
async def database():
    async with postgres_database() as url, Database(url) as database:
        yield database


async def test_it_finds_for_a_generator(database):
    retriever = await PostgresRetriever(database).open()
    await retriever.add(sources())
    assert isinstance(retriever, Retriever)
    assert (await retriever.retrieve("windscreen excess"))[0].metadata["file"] == "glass.md"
    async with GroundedGenerator(retriever=retriever) as generator:
        response = await generator.generate(GenerationRequest(query="What is the windscreen excess?"))
    assert "£75" in response.citations[0].source_quote


async def test_a_rare_word_tells_more_than_common_ones(database):
    retriever = await PostgresRetriever(database).open()
    common = [Source(str(n), f"The policy covers your car, number {n}.") for n in range(20)]
    await retriever.add([*common, Source("rare", "The policy pays for a locksmith.")])
    assert (await retriever.retrieve("does the policy that covers my car pay a locksmith"))[0].content.endswith(
        "locksmith."
    )


async def test_shelves_documents_and_conversations_are_apart(database):
    mine = await PostgresRetriever(database, shelf="mine").open()
    theirs = await PostgresRetriever(database, shelf="theirs").open()
    await mine.add(sources(conversation_id="c1"))
    await theirs.add(sources())
    bound = {"document_id": ["dogs", "glass"]}
    assert {one.metadata["document_id"] for one in await mine.retrieve("excess dogs car", filters=bound)} <= {
        "dogs",
        "glass",
    }
    assert await mine.retrieve("windscreen excess", filters={"conversation_id": ""}) == []
    assert await mine.retrieve("windscreen excess", filters={"conversation_id": ["", "c1"]})
    await mine.remove("glass")
    assert all(one.metadata["document_id"] != "glass" for one in await mine.retrieve("windscreen excess"))
    assert (await theirs.retrieve("windscreen excess"))[0].metadata["document_id"] == "glass"


async def test_a_passage_added_again_is_replaced(database):
    retriever = await (await PostgresRetriever(database).open()).open()
    await retriever.add([Source("a", "The fee is £20.")])
    await retriever.add([Source("a", "The fee is £35; \0 it's 'new' \\ now.")])
    found = await retriever.retrieve("fee new it's")
    assert [one.content.startswith("The fee is £35") for one in found] == [True]


async def test_what_cannot_be_asked_is_said(database, tmp_path):
    retriever = await PostgresRetriever(database).open()
    with pytest.raises(ConfigurationError, match="document_id"):
        await retriever.retrieve("excess", filters={"tenant": "x"})
    assert await retriever.retrieve("   ") == []
    async with Database(f"sqlite:///{tmp_path}/x.db") as lite:
        with pytest.raises(ConfigurationError, match="postgresql"):
            PostgresRetriever(lite)


async def test_another_language_is_found_where_pgvector_is(database):
    retriever = await PostgresRetriever(database).open()
    await retriever.add(sources())
    found = await retriever.retrieve("¿puedo llevar a mi perro?")
    if not retriever.by_meaning:
        assert found == []
        pytest.skip("this PostgreSQL has no pgvector: apt-get install postgresql-15-pgvector")
    assert found[0].metadata["document_id"] == "dogs"
