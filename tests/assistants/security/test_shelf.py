"""What answers are cited from: kept once, a tenant each, for as long as answers are."""

from uuid import uuid4

from footnoted.assistants.security.shelf import SourceShelf
from footnoted.contract import SourceContext


def source(text, chunk_id=None):
    chunk_id = chunk_id or uuid4()
    about = {"title": "A finding", "kind": "finding", "id": "f-1"}
    return SourceContext(chunk_id=chunk_id, document_id=chunk_id, content=text, metadata=about)


async def test_the_same_words_are_kept_once_and_only_their_tenant_has_them(either):
    """Another tenant's id is as good as none."""
    shelf, one = SourceShelf(either), source("The bucket is open.")
    for _ in range(2):
        await shelf.keep("ada", [one, source("Another.")])
    found = await shelf.get("ada", str(one.chunk_id))
    assert (found.kind, found.item, found.title, found.text) == ("finding", "f-1", "A finding", "The bucket is open.")
    assert await shelf.get("bob", str(one.chunk_id)) is None
    await shelf.keep("bob", [one])
    await shelf.delete_all("ada")
    assert await shelf.get("ada", str(one.chunk_id)) is None
    assert await shelf.get("bob", str(one.chunk_id)) == found
    await shelf.keep("ada", [])


async def test_what_was_cited_again_is_kept_longer(either, monkeypatch):
    """Age counts from the last answer that rests on it."""
    shelf, old, again = SourceShelf(either), source("Old."), source("Old and cited again.")
    moment = 1_000.0
    monkeypatch.setattr("footnoted.assistants.security.shelf.time.time", lambda: moment)
    await shelf.keep("ada", [old, again])
    moment = 2_000.0
    await shelf.keep("ada", [again])
    await shelf.forget(1_500.0)
    assert await shelf.get("ada", str(old.chunk_id)) is None
    assert await shelf.get("ada", str(again.chunk_id)) is not None
