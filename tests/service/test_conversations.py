"""Conversations over HTTP: found from any device, renamed, exported, shared and withdrawn, and deleted for good."""

import asyncio
import json
from uuid import uuid4

import pytest
from sqlalchemy import func, select, text

from footnoted.service.asking import AnswerBody, from_sources
from footnoted.service.conversations import Conversations
from footnoted.service.documents import DocumentService
from footnoted.service.settings import Settings
from footnoted.service.store import Store, tables
from tests.service.replicas import Client, collect, events_of

GLASS = {"title": "Glass <b>", "text": "The windscreen excess is £75 for a repair."}
ASKED = {"question": "What is the windscreen excess?", "sources": [GLASS]}


def fresh():
    return f"c-{uuid4().hex[:12]}"


async def begun(client, *questions, conversation=None):
    """A conversation in which these were asked of the same text; its name and the last answer's events."""
    conversation = conversation or fresh()
    events = []
    for question in questions or (ASKED["question"],):
        body = {**ASKED, "question": question, "conversation_id": conversation}
        async with client.ask(body) as response:
            events = await collect(response)
    return conversation, events


async def listed(client, query=""):
    _, body = await client.json("GET", "/api/v1/conversations", params={"query": query})
    return [each["id"] for each in body["conversations"]]


async def test_a_conversation_is_there_on_another_device(ada, keyed, keys):
    """Its turns with answers, ratings and the texts that were sent along; the last used is listed first."""
    first, _ = await begun(ada, "What is the  windscreen excess?", "And what is it for a repair?")
    second, events = await begun(ada)
    answer_id = events[-1].data["answer_id"]
    await ada.json("POST", "/api/v1/feedback", {"answer_id": answer_id, "rating": "up"})
    async with Client(keyed.url, key=keys[1]["ada"]) as elsewhere:
        assert (await listed(elsewhere))[:2] == [second, first]
        _, told = await elsewhere.json("GET", f"/api/v1/conversations/{first}")
        assert told["title"] == "What is the windscreen excess?"
        assert [turn["question"] for turn in told["turns"]] == [
            "What is the  windscreen excess?",
            "And what is it for a repair?",
        ]
        _, told = await elsewhere.json("GET", f"/api/v1/conversations/{second}")
        [turn] = told["turns"]
        assert turn["response"] == events[-1].data["response"]
        assert (turn["rating"], turn["kind"], turn["stream_id"]) == ("up", "answer", events[0].data["stream_id"])
        _, source = await elsewhere.json("GET", f"/api/v1/answers/{answer_id}/sources/0")
        assert source == GLASS
        citation = turn["response"]["citations"][0]
        assert source["text"][citation["source_start"] : citation["source_end"]] == citation["source_quote"]


async def test_search_finds_words_of_titles_questions_and_answers(ada):
    """All the words asked for, in any case and script; what only the JSON around them holds is not found."""
    name, _ = await begun(ada, "Where is the Straßenbahn ЁЛКА?")
    body = {
        "question": "What is seen in daylight?",
        "sources": [{"text": "A quokka_100% is seen in daylight."}],
        "conversation_id": name,
    }
    await ada.json("POST", "/api/v1/answers", body)
    await ada.json("PATCH", f"/api/v1/conversations/{name}", {"title": "Trams of Zürich"})
    for query, found in {
        "ZÜRICH": True,
        "strassenbahn ёлка": True,
        "quokka_100%": True,
        "quokka_2": False,
        "quokka unicorn": False,
        "finish_reason": False,
        "%": True,
        "": True,
    }.items():
        assert (name in await listed(ada, query)) is found, query


async def test_a_title_is_one_line_of_words(ada):
    """Renamed; an empty, an overlong and another tenant's are refused."""
    name, _ = await begun(ada)
    status, told = await ada.json("PATCH", f"/api/v1/conversations/{name}", {"title": " My\n\tglass \u202e"})
    assert (status, told["title"]) == (200, "My glass")
    for title in ("", " \n", "x" * 201):
        assert (await ada.json("PATCH", f"/api/v1/conversations/{name}", {"title": title}))[0] == 422
    assert (await ada.json("PATCH", f"/api/v1/conversations/{fresh()}", {"title": "x"}))[0] == 404


async def traces(client, name, events, document):
    """The status of everything that could tell of a conversation."""
    stream, answer = events[0].data["stream_id"], events[0].data["answer_id"]
    paths = [
        f"/api/v1/conversations/{name}",
        f"/api/v1/conversations/{name}/export",
        f"/api/v1/chat/stream/{stream}",
        f"/api/v1/chat/stream/{stream}/status",
        f"/api/v1/answers/{answer}",
        f"/api/v1/answers/{answer}/sources/0",
        f"/api/v1/documents/{document}",
    ]
    found = {}
    for path in paths:
        async with client.session.get(path) as response:
            found[path] = response.status
    return found


async def test_deleting_leaves_nothing_to_be_read(ada, bob):
    """At once, on every path that told of it; feedback too; another tenant cannot, and nothing else goes."""
    other, _ = await begun(ada, "What is kept?")
    name, events = await begun(ada)
    _, document = await ada.upload("The parrot is called Crackers.", conversation_id=name)
    answer = events[0].data["answer_id"]
    await ada.json("POST", "/api/v1/feedback", {"answer_id": answer, "rating": "down", "comment": "sekret"})
    assert set((await traces(ada, name, events, document["id"])).values()) == {200}
    _, link = await ada.json("PUT", f"/api/v1/conversations/{name}/share")
    assert (await bob.json("DELETE", f"/api/v1/conversations/{name}"))[0] == 404
    assert (await ada.json("DELETE", f"/api/v1/conversations/{name}"))[0] == 204
    found = await traces(ada, name, events, document["id"])
    assert set(found.values()) == {404}, found
    assert (await ada.session.get(link["path"])).status == 404
    _, feedback = await ada.json("GET", "/api/v1/feedback")
    assert answer not in {each["answer_id"] for each in feedback["feedback"]}
    assert name not in await listed(ada)
    assert (await ada.json("DELETE", f"/api/v1/conversations/{name}"))[0] == 404
    assert other in await listed(ada)
    # Nothing can be asked under its name any more: what is under way elsewhere would come back with it.
    assert (await ada.json("POST", "/api/v1/answers", {**ASKED, "conversation_id": name}))[0] == 404


async def test_what_is_being_written_is_deleted_too(two):
    """On two replicas: a stream under way elsewhere ends, is found on none, and its answer never comes back."""
    async with Client(two[0].url) as here, Client(two[1].url) as there:
        name = fresh()
        body = {**ASKED, "question": "pieces=400 delay=0.02", "conversation_id": name}
        async with here.ask(body) as response:
            events = events_of(response)
            start = await anext(events)
            await anext(events)
            assert (await there.json("DELETE", f"/api/v1/conversations/{name}"))[0] == 204
            paths = [f"/api/v1/chat/stream/{start.data['stream_id']}", f"/api/v1/answers/{start.data['answer_id']}"]
            for client in (here, there, here):
                assert [(await client.json("GET", path))[0] for path in paths] == [404, 404]
            rest = [event async for event in events]
            assert (rest[-1].name, rest[-1].data["code"]) == ("error", "stopped")
        await asyncio.sleep(0.3)  # what is kept of a stopped answer is written beside its stream
        for client in (here, there):
            assert (await client.json("GET", paths[1]))[0] == 404
            assert name not in await listed(client)


async def test_an_answer_that_was_stopped_is_kept_as_far_as_it_came(client):
    """Another device sees what had been said, and that it was stopped."""
    name = fresh()
    async with client.ask({**ASKED, "question": "pieces=400 delay=0.02", "conversation_id": name}) as response:
        events = events_of(response)
        start = await anext(events)
        await anext(events)
        await client.json("DELETE", f"/api/v1/chat/stream/{start.data['stream_id']}")
        said = "".join([event.data["content"] async for event in events if event.name == "chunk"])
    for _ in range(50):
        _, told = await client.json("GET", f"/api/v1/conversations/{name}")
        if told["turns"][0]["response"]:
            break
        await asyncio.sleep(0.05)
    response = told["turns"][0]["response"]
    assert response["finish_reason"] == "stopped"
    assert response["response"].endswith(said)
    assert response["response"].startswith("w0")


async def test_asking_again_replaces_what_is_remembered(client):
    """The same turn asked twice is one turn of the history, the newer one, and does not see what came after."""
    name = fresh()
    policy = "The parrot is called Crackers. The dog is called Rex."
    await client.upload(policy, conversation_id=name)

    async def ask(message, **more):
        body = {"message": message, "conversation_id": name, "assistant": "documents", **more}
        status, told = await client.json("POST", "/api/v1/chat/message", body)
        assert status == 200
        return told

    first = await ask("pieces=2 What is the parrot called?")
    await ask("pieces=3 What is the dog called?")
    again = await ask("pieces=4 What is the parrot called?", replaces=first["answer_id"])
    _, told = await client.json("GET", f"/api/v1/conversations/{name}")
    assert [turn["replaces"] for turn in told["turns"]] == [None, None, first["answer_id"]]
    assert again["answer_id"] == told["turns"][2]["answer_id"]


@pytest.mark.parametrize(
    ("form", "kind"), [("markdown", "text/markdown"), ("json", "application/json"), ("html", "text/html")]
)
async def test_an_export_holds_questions_answers_and_sources(ada, form, kind):
    """In each form; nothing of what was written becomes markup."""
    name, _ = await begun(ada)
    await ada.json("PATCH", f"/api/v1/conversations/{name}", {"title": "<script>alert(1)</script>"})
    async with ada.session.get(f"/api/v1/conversations/{name}/export", params={"format": form}) as response:
        written = await response.text()
        assert response.content_type == kind
        assert "attachment" in response.headers["Content-Disposition"]
    assert "£75" in written
    assert "windscreen excess" in written
    if form == "json":
        assert json.loads(written)["turns"][0]["response"]["citations"]
    elif form == "html":
        assert "<script" not in written
        assert "Glass &lt;b&gt;" in written
        assert 'href="#s1-1"' in written
        assert 'id="s1-1"' in written
    else:
        assert "1. Glass <b>: “The windscreen excess is £75 for a repair" in written
    assert (await ada.json("GET", f"/api/v1/conversations/{name}/export?format=exe"))[0] == 422


async def test_a_link_opens_until_it_is_withdrawn(ada, keyed):
    """For anybody, to be read; a new link ends the old one; a withdrawn or a made-up one opens nothing."""
    name, _ = await begun(ada)
    _, first = await ada.json("PUT", f"/api/v1/conversations/{name}/share")
    async with Client(keyed.url) as anybody:

        async def opened(path):
            async with anybody.session.get(path) as response:
                return response.status, await response.text(), response.headers

        status, page, headers = await opened(first["path"])
        assert (status, headers["X-Robots-Tag"]) == (200, "noindex, nofollow")
        assert "£75" in page
        assert "<script" not in page
        _, second = await ada.json("PUT", f"/api/v1/conversations/{name}/share")
        assert (await opened(first["path"]))[0] == 404
        assert (await opened(second["path"]))[0] == 200
        _, told = await ada.json("GET", f"/api/v1/conversations/{name}")
        assert told["shared"] is True
        assert (await ada.json("DELETE", f"/api/v1/conversations/{name}/share"))[0] == 204
        for path in (second["path"], "/shared/" + "x" * 32, "/shared/" + "x" * 200):
            status, page, _ = await opened(path)
            assert status == 404
            assert "£75" not in page
        assert (await anybody.json("GET", f"/api/v1/conversations/{name}"))[0] == 401


async def test_another_tenant_sees_none_of_it(ada, bob):
    """Every route of a conversation gives 404 to a neighbour, whose own of the same name is another."""
    name, events = await begun(ada)
    path = f"/api/v1/conversations/{name}"
    answer = events[0].data["answer_id"]
    asked = [("GET", path), ("GET", f"{path}/export"), ("PUT", f"{path}/share"), ("DELETE", f"{path}/share")]
    asked += [("DELETE", path), ("GET", f"/api/v1/answers/{answer}/sources/0")]
    assert [(await bob.json(*each))[0] for each in asked] == [404] * len(asked)
    await begun(bob, "What is mine?", conversation=name)
    _, told = await ada.json("GET", path)
    assert [turn["question"] for turn in told["turns"]] == [ASKED["question"]]
    assert (await bob.json("DELETE", "/api/v1/conversations"))[1]["deleted"] >= 1
    assert await listed(bob) == []
    assert name in await listed(ada)


async def test_each_tenant_has_its_own_time(tmp_path):
    """What is older than a tenant keeps it goes, with conversations that are left empty, and nobody else's."""
    settings = Settings(database_url=f"sqlite:///{tmp_path}/kept.db")
    store = Store(settings.database_url)
    await store.open()
    kept = Conversations(store, None, DocumentService(store, settings))
    for tenant in ("short", "usual", "long"):
        body = AnswerBody(question="What?", sources=[{"text": f"Words of {tenant}."}], conversation_id="c-1")
        await kept.begin(from_sources(body, tenant, settings))
    in_a_moment = 4e9

    async def left():
        return [t for t in ("short", "usual", "long") if await kept.recent(t, query="", limit=5, after=None)]

    await kept.forget(1.0)
    assert await left() == ["short", "usual", "long"]
    await kept.forget(in_a_moment, only="short")
    assert await left() == ["usual", "long"]
    await kept.forget(in_a_moment, but=frozenset({"long"}))
    assert await left() == ["long"]
    await kept.forget(in_a_moment)
    async with store.session() as session:
        for table in (tables.ConversationRow, tables.TurnRow, tables.SentRow, tables.AnswerRow):
            assert await session.scalar(select(func.count()).select_from(table)) == 0, table
    await store.aclose()


async def test_what_was_answered_before_becomes_conversations(tmp_path):
    """A database of the version before: its answers with a conversation's name are turns of it, the first its title."""
    store = Store(f"sqlite:///{tmp_path}/before.db")
    await store.open()
    async with store.session() as session:
        for table in ("conversations", "turns", "sent", "files", "usage"):
            await session.execute(text(f"DROP TABLE service_{table}"))
        for column in ("extras", "words"):
            await session.execute(text(f"ALTER TABLE service_answers DROP COLUMN {column}"))
        await session.execute(text("ALTER TABLE service_keys DROP COLUMN role"))
        await session.execute(text("UPDATE service_migrations SET version_num = '0001'"))
        for n, (talk, question) in enumerate(
            [("c-1", "First?"), ("c-1", "Second?"), ("c-2", "Other?"), (None, "Lone?")]
        ):
            row = {"id": str(uuid4()), "talk": talk, "question": question, "at": 100.0 + n}
            await session.execute(
                text(
                    "INSERT INTO service_answers (id, tenant, conversation_id, kind, question, response, sources, created_at)"
                    " VALUES (:id, 'ada', :talk, 'chat', :question, '{}', '[]', :at)"
                ),
                row,
            )
    await store.open()
    kept = Conversations(store, None, None)
    found = await kept.recent("ada", query="", limit=10, after=None)
    assert [(each.id, each.title, each.questions) for each in found] == [("c-2", "Other?", 1), ("c-1", "First?", 2)]
    await store.aclose()
