"""Documents over HTTP: uploaded, read, found, asked, told apart by conversation, deleted, and refused with a reason."""

import asyncio
from pathlib import Path
from uuid import uuid4

import pytest

from footnoted.service.documents import DocumentService, items_of
from footnoted.service.faults import Fault
from footnoted.service.settings import Settings
from footnoted.service.store import Store
from footnoted.service.store.tables import PassageRow
from tests.service.replicas import collect

EXAMPLES = Path(__file__).parents[2] / "examples" / "policies"
TABLE = "# Excess\n\n| cover | excess |\n| --- | --- |\n" + "".join(
    f"| item number {n} of the long table of things we cover at home | £{n} |\n" for n in range(200)
)


@pytest.mark.parametrize("name", ["travel/medical-conditions.pdf", "home/home-emergency.docx", "car/breakdown.html"])
async def test_every_format_is_read(ada, name):
    """PDF, DOCX and HTML become text with passages at their offsets."""
    path = EXAMPLES / name
    status, document = await ada.upload(path.read_bytes(), path.name)
    assert status == 201, document
    _, text = await ada.json("GET", f"/api/v1/documents/{document['id']}/text")
    assert len(text["text"]) == document["characters"]
    assert all(section["end"] <= document["characters"] for section in text["sections"])


async def test_a_citation_is_found_in_its_document(bob):
    """The quote stands at the offsets told, in the passage and in the document."""
    policy = (EXAMPLES / "car" / "comprehensive.md").read_text(encoding="utf-8")
    _, document = await bob.upload(policy, "comprehensive.md")
    async with bob.ask({"message": "What is the windscreen excess?"}, "/api/v1/chat/stream") as response:
        events = await collect(response)
    citation = next(event.data for event in events if event.name == "citation")
    assert citation["document_id"] == document["id"]
    _, text = await bob.json("GET", f"/api/v1/documents/{document['id']}/text")
    assert text["text"][citation["document_start"] : citation["document_end"]] == citation["source_quote"]
    _, source = await bob.json("GET", f"/api/v1/sources/{citation['chunk_id']}")
    assert source["text"][citation["source_start"] : citation["source_end"]] == citation["source_quote"]
    done = events[-1].data
    place = done["sources"][citation["source_index"]]
    at = place["document_start"] + citation["source_start"] - place["lead"]
    assert text["text"][at:].startswith(citation["source_quote"])


async def test_a_repeated_head_has_no_place_in_its_document(bob):
    """A cut table's later part repeats its head: offsets count after it."""
    _, document = await bob.upload(TABLE, "table.md")
    asked = {"message": "What is the excess of item number 190 of the long table?", "document_ids": [document["id"]]}
    async with bob.ask(asked, "/api/v1/chat/stream") as response:
        events = await collect(response)
    _, text = await bob.json("GET", f"/api/v1/documents/{document['id']}/text")
    leads = [source["lead"] for source in events[0].data["sources"]]
    assert any(leads)
    for event in events:
        if event.name == "citation" and event.data["document_start"] is not None:
            found = text["text"][event.data["document_start"] : event.data["document_end"]]
            assert found == event.data["source_quote"]


async def test_a_conversations_documents_are_its_own(bob):
    """Documents of one conversation are asked there, together with those of none, and nowhere else."""
    await bob.upload("The parrot is called Crackers.", "parrot.md", conversation_id="talk-1")
    asked = {"message": "What is the parrot called?"}
    _, elsewhere = await bob.json("POST", "/api/v1/chat/message", asked)
    assert elsewhere["response"]["finish_reason"] == "refused"
    _, there = await bob.json("POST", "/api/v1/chat/message", {**asked, "conversation_id": "talk-1"})
    assert "Crackers" in there["response"]["response"]
    _, listed = await bob.json("GET", "/api/v1/documents?conversation_id=talk-1")
    assert [each["name"] for each in listed["documents"]] == ["parrot.md"]


async def test_the_same_file_is_kept_once_and_a_deleted_one_is_gone(ada):
    """200 for what is there; after DELETE neither its text nor its words are found."""
    text = "The lighthouse keeper is called Ingrid Holm."
    status, first = await ada.upload(text, "keeper.txt")
    assert status == 201
    status, second = await ada.upload(text, "keeper.txt")
    assert (status, second["id"]) == (200, first["id"])
    asked = {"message": "What is the lighthouse keeper called?"}
    _, body = await ada.json("POST", "/api/v1/chat/message", asked)
    assert "Ingrid" in body["response"]["response"]
    chunk = body["sources"][body["response"]["citations"][0]["source_index"]]["chunk_id"]
    assert (await ada.json("DELETE", f"/api/v1/documents/{first['id']}"))[0] == 204
    for path in (
        f"/api/v1/documents/{first['id']}",
        f"/api/v1/documents/{first['id']}/text",
        f"/api/v1/sources/{chunk}",
    ):
        assert (await ada.json("GET", path))[0] == 404
    _, body = await ada.json("POST", "/api/v1/chat/message", asked)
    assert body["response"]["finish_reason"] == "refused"


@pytest.mark.parametrize(
    ("data", "name", "status", "said"),
    [
        (b"", "empty.md", 422, "is empty"),
        (b"\x00\x01\x02\x03" * 400, "noise.txt", 422, "noise.txt"),
        (b"%PDF-1.7 broken", "broken.pdf", 422, "broken.pdf"),
        (b"PK\x03\x04 no zip", "broken.docx", 422, "broken.docx"),
        (b"MZ", "program.exe", 422, "kind"),
        (b"words " * 20_000, "large.txt", 413, "larger"),
    ],
)
async def test_a_file_that_cannot_be_read_is_told_why(ada, data, name, status, said):
    """The name and a reason, for a person."""
    got, body = await ada.upload(data, name)
    assert got == status
    assert said in body["error"]["message"]


@pytest.mark.parametrize(
    "name", ["../../etc/passwd.md", "a\u202eb\u0085c.md", "x" * 400 + ".md", "", "Überraschung 🎈.md"]
)
async def test_a_files_name_is_only_a_name(bob, name):
    """No path, no control character, no overlong one is kept."""
    status, body = await bob.upload(f"Words for {uuid4()} to be kept.", name)
    assert status in (201, 422)
    if status == 201:
        assert body["name"].isprintable()
        assert "/" not in body["name"]
        assert len(body["name"]) <= 200


async def test_documents_are_listed_in_pages(ada):
    """Each once, the newest first, by following ``next``."""
    for number in range(4):
        await ada.upload(f"Page number {number} holds words.", f"page-{number}.md")
    seen, after = [], ""
    while True:
        _, body = await ada.json("GET", f"/api/v1/documents?limit=2{after}")
        seen += [each["id"] for each in body["documents"]]
        if body["next"] is None:
            break
        after = f"&after={body['next']}"
    assert len(seen) == len(set(seen)) >= 4


async def test_uploads_at_once_all_arrive(bob):
    """Several uploads of one tenant at the same moment are all kept and all found."""
    told = await asyncio.gather(*(bob.upload(f"The colour of box {n} is shade{n}.", f"box-{n}.md") for n in range(6)))
    assert {status for status, _ in told} == {201}
    _, body = await bob.json("POST", "/api/v1/chat/message", {"message": "What is the colour of box 4?"})
    assert "shade4" in body["response"]["response"]


async def test_a_conversation_is_remembered(one, client):
    """A later message of a conversation is answered with what was said before it."""
    await client.upload("The windscreen excess is £75. The theft excess is £200.", "talk.md")
    for message in ("What is the windscreen excess?", "And for theft?"):
        status, _ = await client.json(
            "POST", "/api/v1/chat/message", {"message": message, "conversation_id": "c-memory"}
        )
        assert status == 200


async def test_feedback_is_kept_and_replaced(ada):
    """One for each answer; the last counts."""
    _, answer = await ada.json("POST", "/api/v1/answers", {"question": "x?", "sources": []})
    for rating, comment in (("up", "good"), ("down", "on second thought")):
        body = {"answer_id": answer["answer_id"], "rating": rating, "comment": comment}
        assert (await ada.json("POST", "/api/v1/feedback", body))[0] == 201
    _, listed = await ada.json("GET", "/api/v1/feedback")
    mine = [each for each in listed["feedback"] if each["answer_id"] == answer["answer_id"]]
    assert [(each["rating"], each["comment"]) for each in mine] == [("down", "on second thought")]
    assert (await ada.json("POST", "/api/v1/feedback", {"answer_id": str(uuid4()), "rating": "up"}))[0] == 404


async def test_any_text_is_verified(ada):
    """Against sources sent, and against the tenant's documents."""
    sources = [{"id": "car", "text": "The windscreen excess is £75. Racing is not covered."}]
    body = {"answer": "The windscreen excess is £75. Racing is covered.", "sources": sources}
    _, told = await ada.json("POST", "/api/v1/verify", body)
    assert told["claims"][0]["verdict"] == "supported"
    assert told["grounded"] is False
    await ada.upload("The boiler cover costs £64 a year.", "boiler.md")
    _, told = await ada.json("POST", "/api/v1/verify", {"answer": "The boiler cover costs £64 a year."})
    assert told["grounded"] is True


@pytest.fixture
async def kept(tmp_path):
    """Documents on a database of their own, and how many passages lie in it."""
    from sqlalchemy import func, select

    store = Store(f"sqlite:///{tmp_path}/kept.db")
    await store.open()

    async def count() -> int:
        async with store.session() as session:
            return await session.scalar(select(func.count()).select_from(PassageRow))

    yield DocumentService(store, Settings()), store, count
    await store.aclose()


LONG = "".join(f"## Clause {n}\n\nThe excess of clause {n} is £{n}.\n\n" for n in range(1_300)).encode()


async def test_a_document_of_many_passages_is_kept_found_and_gone(kept):
    """In several transactions, and yet all of it or nothing: for whoever looks, and for what is left behind."""
    documents, _, count = kept
    stored, new = await documents.add("ada", LONG, "long.md")
    assert (new, stored.passages, await count()) == (True, 1_300, 1_300)
    best, *_ = await documents.search("ada", ["What is the excess of clause 1200?"], k=3)
    assert "£1200" in best.text
    text = await documents.text("ada", stored.id)
    assert [section["headings"] for section in text.sections][-1] == ["Clause 1299"]
    (outlined,) = await documents.latest_texts("ada", limit=5)
    assert next(outlined.sections)["headings"] == ["Clause 0"]
    await documents.delete("ada", stored.id)
    assert await count() == 0
    assert await documents.search("ada", ["What is the excess of clause 1200?"], k=3) == []


async def test_a_document_that_is_not_all_kept_is_nobodys(kept, monkeypatch):
    """The database goes away in the middle: nothing is listed, nothing is left; after a crash it is taken away later."""
    documents, store, count = kept
    whole, begun = store.session, []

    def fails_at_the_third():
        begun.append(1)
        if len(begun) == 4:
            raise Fault(503, "unavailable", "away")
        return whole()

    monkeypatch.setattr(store, "session", fails_at_the_third)
    with pytest.raises(Fault, match="away"):
        await documents.add("ada", LONG, "long.md")
    assert (await documents.recent("ada"), await count()) == ([], 0)
    begun.clear()
    monkeypatch.setattr(documents, "_erase", fails_at_the_third)  # as if the process had died
    with pytest.raises(Fault, match="away"):
        await documents.add("ada", LONG, "long.md")
    monkeypatch.undo()
    assert await count() > 0
    assert await documents.recent("ada") == []
    await documents.forget_torn(0)
    assert await count() > 0
    await documents.forget_torn(2**40)
    assert await count() == 0


def test_items_are_read_one_by_one():
    """Of a list that is whole all, of one that is cut those before the cut; of nothing none."""
    assert list(items_of('[{"a": [1, 2]}, [3], "]"]')) == [{"a": [1, 2]}, [3], "]"]
    assert list(items_of('[{"a": 1}, {"b": 2}, {"c"')) == [{"a": 1}, {"b": 2}]
    assert list(items_of("[]")) == list(items_of("")) == []
