"""The embedded retriever: words and meaning together, in parts, with the thread, bound to a place, added to in place."""

from __future__ import annotations

import pytest

from footnoted import GenerationRequest, GroundedGenerator
from footnoted.errors import ConfigurationError
from footnoted.retrieval import Index, Retriever, gather
from footnoted.types import Source

TEXTS = {
    "glass": "The windscreen excess is £75 with our approved repairer.",
    "water": "Escape of water from a washing machine is covered up to £5,000.",
    "birth": "Hospital costs of maternity are covered after a waiting period of ten months.",
    "abroad": "You may drive in the countries of the European Union for up to 90 days a year.",
    "cancel": "You can end the policy within 14 days and have the whole premium back.",
    "theft": "Theft is covered when the car was locked and the keys were not left in it.",
    "dogs": "Dogs and cats travel with you if they are in a box or wear a belt.",
    "towing": "We tow your car to the nearest garage free of charge.",
}


def sources(**metadata: str) -> list[Source]:
    return [
        Source(id=name, text=text, title=name.title(), metadata={"file": f"{name}.md", "document_id": name, **metadata})
        for name, text in TEXTS.items()
    ]


@pytest.fixture(scope="module")
def index() -> Index:
    return Index.of(sources())


def first(index: Index, question: str) -> str:
    return index.find(question, 3)[0].id


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("windscreen excess", "glass"),
        ("windscren excess", "glass"),
        ("ammount for escpe of watter", "water"),
        ("Was zahlt ihr, wenn ich ein Kind bekomme?", "birth"),
        ("¿puedo llevar a mi perro?", "dogs"),
        ("车被偷了怎么办", "theft"),
    ],
)
def test_typos_and_other_languages_find_the_passage(index, question, name):
    """Letters may be wrong, and no word need be the passage's own."""
    assert first(index, question) == name


def test_each_way_alone_can_be_asked(index):
    """By words nothing is found for what no passage says; by meaning it is, and says how near."""
    assert index.search("having babies", by="words") == []
    hit = index.search("having babies", 1, by="meaning")[0]
    assert hit.id == "birth"
    assert hit.metadata["likeness"] == pytest.approx(hit.score, abs=0.001)


async def test_it_is_a_retriever(index):
    """What is found comes as a generator takes it, ids and all."""
    assert isinstance(index, Retriever)
    found = await index.retrieve("windscreen excess", k=2)
    assert found[0].content == TEXTS["glass"]
    assert found[0].metadata["file"] == "glass.md"


async def test_a_question_of_two_parts_finds_both(index):
    """Each part is asked, too."""
    found = await gather(index, "What is the windscreen excess? And how many days can I drive in Spain?", k=3)
    assert {"glass.md", "abroad.md"} <= {one.metadata["file"] for one in found}


async def test_a_follow_up_is_asked_with_its_thread(index):
    """Alone it does not say of what; with the question before it, it does."""
    found = await gather(index, "and how long?", k=2, history=[("can I drive abroad?", "Yes, in the European Union.")])
    assert "abroad.md" in {one.metadata["file"] for one in found}


def test_a_search_is_bound_to_documents_and_conversations():
    """Filters hold for words and for meaning; one that is not known is told."""
    index = Index.of(
        [*sources(conversation_id="one"), Source("open", "The excess is £10 for all.", "", {"document_id": "o"})]
    )
    assert {one.id for one in index.find("excess", filters={"conversation_id": ""})} == {"open"}
    assert {one.id for one in index.find("excess", filters={"document_id": ["glass", "water"]})} <= {"glass", "water"}
    found = index.find("excess", filters={"conversation_id": ["", "one"]})
    assert {"open", "glass"} <= {one.id for one in found}
    with pytest.raises(ConfigurationError, match="document_id"):
        index.find("excess", filters={"colour": "red"})


def test_passages_are_added_and_taken_out():
    """Nothing is made anew for one document more or less."""
    index = Index.of(sources())
    index.understand()
    index.add([Source("hail", "Hail damage is paid in full.", "Hail", {"document_id": "hail", "file": "hail.md"})])
    assert index.count == len(TEXTS) + 1
    assert first(index, "is hail damage paid") == "hail"
    assert index.understand() == 1 or first(index, "Hagel") == "hail"
    index.remove("hail")
    assert index.count == len(TEXTS)
    assert "hail" not in {one.id for one in index.find("is hail damage paid")}
    assert "hail" not in {one.id for one in index.search("hail damage", by="meaning")}


def test_vectors_are_kept_beside_the_index(tmp_path):
    """A second opening of the same files makes none again."""
    folder = tmp_path / "docs"
    folder.mkdir()
    for name, text in TEXTS.items():
        (folder / f"{name}.md").write_text(f"# {name}\n\n{text}", encoding="utf-8")
    assert Index.open(folder, cache=tmp_path / "cache").understand() == len(TEXTS)
    assert Index.open(folder, cache=tmp_path / "cache").understand() == 0
    (folder / "hail.md").write_text("# Hail\n\nHail damage is paid in full.", encoding="utf-8")
    assert Index.open(folder, cache=tmp_path / "cache").understand() == 1


async def test_a_generator_finds_its_own_sources(index):
    """A request without sources is answered from what the retriever finds."""
    async with GroundedGenerator(retriever=index, passages=3) as generator:
        request = GenerationRequest(query="What is the windscreen excess?")
        response = await generator.generate(request)
    assert "£75" in response.response
    assert request.context[response.citations[0].source_index].content == TEXTS["glass"]


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("what is this about?", "8 documents"),
        ("which documents do you have?", "Theft"),
        ("Worum geht es in diesen Dokumenten?", "8 documents"),
        ("hello", "Hello."),
        ("thank you, that helped", "You are welcome."),
    ],
)
async def test_questions_about_the_collection_are_answered_from_its_list(index, question, told):
    """They are never refused, and what is said of the collection is cited from its own contents."""
    async with GroundedGenerator(retriever=index) as generator:
        response = await generator.generate(GenerationRequest(query=question))
    assert told in response.response
    assert response.finish_reason == "complete"


async def test_a_page_is_summed_up_from_itself(tmp_path):
    """What is said comes from that page alone, from its beginning."""
    (tmp_path / "claims.md").write_text(
        "# Claims\n\n## First\n\nCall us within a day of the accident.\n\n## Then\n\nSend us two photos of the damage.",
        encoding="utf-8",
    )
    (tmp_path / "moving.md").write_text(
        "# Moving house\n\nTell us your new address before the day you move.", encoding="utf-8"
    )
    index = Index.open(tmp_path, cache="off")
    found = await gather(index, "summarise the page about claims")
    assert {one.metadata["file"] for one in found} == {"claims.md"}
