"""What an administrator sees and does: keys made, listed and ended, tenants with what they took, feedback; nobody else."""

import pytest
from sqlalchemy import text

from footnoted.service.store import Store
from footnoted.service.store.keys import Keys
from tests.service.replicas import SOURCES, Client, Replica, start

ASKED = {"question": "What is the windscreen excess?", "sources": SOURCES}
PRICES = '{"scripted": {"input": 2, "output": 10}}'
FILE = """
tokens_per_day = 500000
[tenants.bakery]
tokens_per_month = 90000
models = ["scripted"]
"""


@pytest.fixture(scope="module")
def office(room_loop, model, tmp_path_factory):
    """A replica with an administrator and a member of one tenant; its address and their keys."""
    folder = tmp_path_factory.mktemp("office")
    (folder / "footnoted.toml").write_text(FILE)
    url = f"sqlite:///{folder}/office.db"

    async def make():
        store = Store(url)
        await store.open()
        made = {role: await Keys(store).add("acme", label=f"the {role}", role=role) for role in ("admin", "member")}
        await store.aclose()
        return made

    keys = room_loop(make())
    replica = Replica(folder, "office", **model, database_url=url, prices=PRICES, settings=folder / "footnoted.toml")
    room_loop(start(replica))
    yield replica, keys
    replica.stop()


@pytest.fixture
async def admin(office):
    async with Client(office[0].url, key=office[1]["admin"]) as client:
        yield client


@pytest.fixture
async def member(office):
    async with Client(office[0].url, key=office[1]["member"]) as client:
        yield client


ROUTES = [
    ("GET", "/api/v1/admin/keys"),
    ("POST", "/api/v1/admin/keys"),
    ("DELETE", "/api/v1/admin/keys/0123456789ab"),
    ("GET", "/api/v1/admin/tenants"),
    ("GET", "/api/v1/admin/tenants/acme/usage"),
    ("GET", "/api/v1/admin/feedback"),
]


async def test_a_member_is_told_nothing_and_changes_nothing(member, office, admin):
    """403 on every route, before any field is read; without a key 401; the session says who is who."""
    _, document = await member.json("GET", "/openapi.json")
    paths = {path for path in document["paths"] if path.startswith("/api/v1/admin/")}
    assert paths == {path.replace("0123456789ab", "{key_id}").replace("/acme/", "/{tenant}/") for _, path in ROUTES}
    _, before = await admin.json("GET", "/api/v1/admin/keys")
    async with Client(office[0].url) as nobody:
        for method, path in ROUTES:
            body = {"tenant": "acme", "role": "admin"} if method == "POST" else None
            status, told = await member.json(method, path, body)
            assert (status, told["error"]["code"]) == (403, "not_allowed"), path
            assert (await nobody.json(method, path, body))[0] == 401
    assert (await admin.json("GET", "/api/v1/admin/keys"))[1] == before
    for client, is_admin in ((member, False), (admin, True)):
        assert (await client.json("GET", "/api/v1/session"))[1]["admin"] is is_admin


async def test_a_key_is_made_shown_once_listed_and_ended_at_once(admin, office):
    """The secret is told when it is made and never again; ended, the next request with it is refused."""
    status, made = await admin.json("POST", "/api/v1/admin/keys", {"tenant": "bakery", "label": "the till"})
    assert status == 201
    assert made["key"].startswith(f"fn_{made['id']}_")
    assert (made["tenant"], made["role"], made["revoked_at"]) == ("bakery", "member", None)
    _, listed = await admin.json("GET", "/api/v1/admin/keys")
    assert made["key"][-43:] not in str(listed)
    assert next(each for each in listed["keys"] if each["id"] == made["id"])["label"] == "the till"
    async with Client(office[0].url, key=made["key"]) as bakery:
        assert (await bakery.json("GET", "/api/v1/session"))[1]["tenant"] == "bakery"
        status, told = await admin.json("DELETE", f"/api/v1/admin/keys/{made['id']}")
        assert (status, told) == (200, {"id": made["id"], "revoked": True})
        assert (await bakery.json("GET", "/api/v1/session"))[0] == 401
    assert (await admin.json("DELETE", f"/api/v1/admin/keys/{made['id']}"))[0] == 404
    _, listed = await admin.json("GET", "/api/v1/admin/keys")
    assert next(each for each in listed["keys"] if each["id"] == made["id"])["revoked_at"]


@pytest.mark.parametrize(
    "body", [{"tenant": "../x"}, {"tenant": ""}, {"tenant": "a", "role": "owner"}, {"tenant": "a", "labl": "x"}, {}]
)
async def test_a_key_that_cannot_be_is_refused(admin, body):
    """422 with words, and no key."""
    assert (await admin.json("POST", "/api/v1/admin/keys", body))[0] == 422


async def test_tenants_are_told_with_what_they_took_and_may_take(admin, member):
    """A tenant of the file that never asked is listed too; counters are those the tenant itself is told."""
    _, answer = await member.json("POST", "/api/v1/answers", ASKED)
    usage = answer["response"]["usage"]
    _, told = await admin.json("GET", "/api/v1/admin/tenants")
    found = {each["tenant"]: each for each in told["tenants"]}
    assert told["currency"] == "USD"
    assert found["bakery"]["month"]["most_tokens"] == 90_000
    assert found["bakery"]["day"]["most_tokens"] == 500_000
    acme = found["acme"]
    assert acme["keys"] == 2
    assert acme["month"]["tokens"] == acme["day"]["tokens"] >= usage["input"] + usage["output"]
    assert acme["month"]["money"] * 1e6 >= 2 * usage["input"] + 10 * usage["output"]
    assert told["tenants"][0]["tenant"] == "acme"  # who took most comes first
    _, one = await admin.json("GET", "/api/v1/admin/tenants/acme/usage")
    _, own = await member.json("GET", "/api/v1/usage")
    assert {**one, "policy": None} == {**own, "policy": None}
    assert one["policy"]["tokens_per_day"] == 500_000
    _, bakery = await admin.json("GET", "/api/v1/admin/tenants/bakery/usage")
    assert bakery["policy"]["models"] == ["scripted"]
    assert (await admin.json("GET", "/api/v1/admin/tenants/..%2Fx/usage"))[0] in (404, 422)


async def test_feedback_is_told_with_its_question_and_answer(admin, member):
    """Of all tenants, the newest first, page by page, by rating and tenant."""
    given = []
    for n, rating in enumerate(("down", "up", "down")):
        _, answer = await member.json("POST", "/api/v1/answers", {**ASKED, "question": f"What is the excess? ({n})"})
        rated = {"answer_id": answer["answer_id"], "rating": rating, "comment": f"comment {n}"}
        given.append((await member.json("POST", "/api/v1/feedback", rated))[1]["feedback_id"])
    _, first = await admin.json("GET", "/api/v1/admin/feedback?limit=2")
    assert [each["feedback_id"] for each in first["feedback"]] == given[:0:-1]
    newest = first["feedback"][0]
    assert (newest["tenant"], newest["question"], newest["comment"]) == ("acme", "What is the excess? (2)", "comment 2")
    assert "£75" in newest["answer"]
    _, rest = await admin.json("GET", f"/api/v1/admin/feedback?limit=2&after={first['next']}")
    assert [each["feedback_id"] for each in rest["feedback"]] == given[:1]
    _, up = await admin.json("GET", "/api/v1/admin/feedback?rating=up&tenant=acme")
    assert [each["feedback_id"] for each in up["feedback"]] == given[1:2]
    assert (await admin.json("GET", "/api/v1/admin/feedback?tenant=nobody"))[1]["feedback"] == []
    assert (await admin.json("GET", "/api/v1/admin/feedback?after=00000000-0000-0000-0000-000000000000"))[0] == 404


def test_an_administrators_key_is_made_by_the_command(tmp_path, monkeypatch):
    """``keys add --role admin``; the list says which is which."""
    from typer.testing import CliRunner

    from footnoted.cli import app

    monkeypatch.setenv("DATABASE_URL", f"sqlite:///{tmp_path}/keys.db")
    run = CliRunner()
    assert run.invoke(app, ["keys", "add", "ops", "--role", "admin"]).exit_code == 0
    assert run.invoke(app, ["keys", "add", "acme"]).exit_code == 0
    assert run.invoke(app, ["keys", "add", "acme", "--role", "owner"]).exit_code == 2
    listed = run.invoke(app, ["keys", "list"]).output.splitlines()
    assert [("admin" in line, "member" in line) for line in listed] == [(True, False), (False, True)]


async def test_keys_of_the_version_before_go_on_as_members(tmp_path):
    """A database whose keys had no role: each still speaks for its tenant, and administers nothing."""
    store = Store(f"sqlite:///{tmp_path}/before.db")
    await store.open()
    key = await Keys(store).add("acme")
    async with store.session() as session:
        await session.execute(text("ALTER TABLE service_keys DROP COLUMN role"))
        await session.execute(text("DROP TABLE service_usage"))
        await session.execute(text("UPDATE service_migrations SET version_num = '0003'"))
    await store.open()
    found = await Keys(store).find(key)
    assert (found.tenant, found.role) == ("acme", "member")
    assert (await Keys(store).find(await Keys(store).add("ops", role="admin"))).role == "admin"
    await store.aclose()
