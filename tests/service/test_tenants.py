"""Who may ask what: keys, tokens, limits, and a walk over every route with another tenant's ids."""

import asyncio
import os
import time
from pathlib import Path

import aiohttp
import jwt
import pytest
from typer.testing import CliRunner

from tests.service.conftest import SECRET
from tests.service.replicas import Client, collect

FINDINGS = Path(__file__).parents[2] / "examples" / "findings" / "prowler.ocsf.json"
WORD = "zebracrossing"
POLICY = f"# Car policy\n\nThe {WORD} excess is £75 for every repair. Glass is covered.\n"


def token(**claims):
    return jwt.encode({"exp": time.time() + 60, **claims}, SECRET, algorithm="HS256")


@pytest.fixture(scope="module")
def of_ada(room_loop, keyed, keys):
    """The id of one of everything that is Ada's."""

    async def make():
        async with Client(keyed.url, key=keys[1]["ada"]) as ada:
            status, document = await ada.upload(POLICY, "ada.md", conversation_id="c-ada")
            assert status in (200, 201)
            asked = {"message": f"What is the {WORD} excess?", "conversation_id": "c-ada"}
            async with ada.ask(asked, "/api/v1/chat/stream") as response:
                events = await collect(response)
            start = events[0].data
            rated = {"answer_id": start["answer_id"], "rating": "up", "comment": WORD}
            assert (await ada.json("POST", "/api/v1/feedback", rated))[0] == 201
            form = aiohttp.FormData()
            form.add_field("file", FINDINGS.read_bytes(), filename="findings.json")
            async with ada.session.post("/api/v1/findings", data=form) as response:
                assert response.status == 200
            _, advice = await ada.json(
                "POST", "/api/v1/advice/message", {"message": "Which S3 findings should I fix first?"}
            )
            (cited, *_) = (one["chunk_id"] for one in advice["citations"] if one["kind"] == "finding")
            return {
                "source_id": cited,
                "document_id": document["id"],
                "document_ids": [document["id"]],
                "conversation_id": "c-ada",
                "stream_id": start["stream_id"],
                "answer_id": start["answer_id"],
                "index": 0,
                "chunk_id": start["sources"][0]["chunk_id"],
                "key_id": keys[1]["ada"].split("_")[1],
                "tenant": "ada",
            }

    return room_loop(make())


GIVEN = {
    "question": f"What is the {WORD} excess?",
    "message": f"What is the {WORD} excess?",
    "answer": f"The {WORD} excess is £75.",
    "rating": "down",
    "input": f"What is the {WORD} excess?",
    "title": "Theirs",
    "url": "http://127.0.0.1:9/page.html",
    "tenant": "ada",
    "messages": [{"role": "user", "content": f"What is the {WORD} excess?"}],
}
OPEN = {"/healthz", "/readyz", "/metrics"}


async def _routes(client):
    _, document = await client.json("GET", "/openapi.json")
    for path, methods in document["paths"].items():
        for method, said in methods.items():
            yield path, method.upper(), _schema(said, document), _query(said)


def _query(said):
    """Numbers for what must be asked, a rising one each: the end of a span is behind its start."""
    needed = [each["name"] for each in said.get("parameters", ()) if each["in"] == "query" and each.get("required")]
    return {name: number for number, name in enumerate(needed)}


def _schema(said, document):
    body = said.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
    return document["components"]["schemas"].get(body.get("$ref", "").rpartition("/")[2], {})


async def test_no_route_gives_anything_of_another_tenant(ada, bob, of_ada):
    """Every route of the document, asked by Bob with Ada's ids: 404, or nothing of hers in what comes back."""
    walked = 0
    hers = {value for value in of_ada.values() if isinstance(value, str)} - {of_ada["conversation_id"], "ada"}
    async for path, method, schema, query in _routes(ada):
        if path in OPEN:
            continue
        walked += 1
        filled = path.format(**of_ada, page=1)  # a route with an id this test does not know fails here
        required = set(schema.get("required", ()))
        assert required <= {*GIVEN, *of_ada}, f"{method} {path} needs {required}: say how to fill it"
        body = {name: {**GIVEN, **of_ada}[name] for name in schema.get("properties", {}) if name in {**GIVEN, **of_ada}}
        if path in ("/v1/chat/completions", "/v1/responses"):
            body = {name: body[name] for name in required}
            body["footnoted"] = {"conversation_id": of_ada["conversation_id"]}
        async with bob.session.request(method, filled, params=query, json=body or None) as response:
            told = await response.text()
        if path.startswith("/api/v1/admin/"):
            assert response.status == 403, f"{method} {path} gave {response.status}"
        elif "{" in path and "{conversation_id}" not in path:  # a name of a conversation is each tenant's own
            assert response.status == 404, f"{method} {path} gave {response.status}"
        assert response.status < 500
        for value in hers:
            if value not in filled:
                assert value not in told, f"{method} {path} tells {value}"
        assert "every repair" not in told, f"{method} {path} tells of her document"
    assert walked >= 18
    for path in (
        "/api/v1/documents/{document_id}/text",
        "/api/v1/answers/{answer_id}",
        "/api/v1/sources/{chunk_id}",
        "/api/v1/advice/sources/{source_id}",
    ):
        assert (await ada.json("GET", path.format(**of_ada)))[0] == 200  # and all of it is still hers


async def test_without_a_key_nothing_is_told(keyed):
    """401 on every route but the health checks, with the shape of an error."""
    async with Client(keyed.url) as nobody, Client(keyed.url, key="fn_0123456789ab_" + "x" * 43) as wrong:
        async for path, method, _, _ in _routes(nobody):
            for client in (nobody, wrong):
                status, _ = (await client.session.request(method, path, json={})).status, None
                assert status == 401 or path in OPEN, f"{method} {path} gave {status}"
        status, body = await nobody.json("GET", "/api/v1/session")
        assert (status, body["error"]["code"]) == (401, "unauthorized")


async def test_a_token_speaks_for_the_tenant_it_names(keyed, of_ada):
    """A good token sees its tenant's things; expired, forged, unsigned, without tenant or expiry, none does."""
    async with Client(keyed.url, key=token(tenant="ada")) as client:
        _, body = await client.json("GET", "/api/v1/documents")
        assert of_ada["document_id"] in {each["id"] for each in body["documents"]}
    bad = [
        token(tenant="ada", exp=time.time() - 60),
        token(tenant="../ada"),
        token(),
        jwt.encode({"tenant": "ada"}, SECRET, algorithm="HS256"),
        jwt.encode({"tenant": "ada", "exp": time.time() + 60}, "x" * 32, algorithm="HS256"),
        jwt.encode({"tenant": "ada", "exp": time.time() + 60}, None, algorithm="none"),
        "a.b.c",
    ]
    for each in bad:
        async with Client(keyed.url, key=each) as client:
            assert (await client.json("GET", "/api/v1/documents"))[0] == 401


async def test_a_key_also_comes_in_a_header_of_its_own(keyed, keys):
    """X-API-Key, for clients that cannot set Authorization."""
    async with Client(keyed.url) as client:
        async with client.session.get("/api/v1/session", headers={"X-API-Key": keys[1]["bob"]}) as response:
            assert (await response.json())["tenant"] == "bob"


async def test_without_keys_only_its_own_page_may_ask(one):
    """On this machine no key is needed, but another site's page, or a name rebound to this address, gets nothing."""
    async with Client(one.url) as client:
        for headers in ({"Origin": "http://evil.example"}, {"Host": "evil.example"}, {"Origin": "null"}):
            async with client.session.get("/api/v1/session", headers=headers) as response:
                assert response.status == 401, headers
        async with client.session.get("/api/v1/session", headers={"Origin": one.url}) as response:
            assert (await response.json())["needs_key"] is False


async def test_too_many_at_once_and_too_many_a_minute(model, tmp_path):
    """429 with Retry-After for both; what ends makes room again."""
    from tests.service.replicas import Replica, slow, start

    replica = Replica(tmp_path, "small", **model, requests_per_minute=20, concurrent_streams=2)
    await start(replica)
    try:
        async with Client(replica.url) as client:
            async with client.ask(slow(300, 0.05)) as first, client.ask(slow(300, 0.05)) as second:
                streams = [(await collect(each, until=1))[0].data["stream_id"] for each in (first, second)]
                async with client.ask(slow(3, 0)) as third:
                    assert third.status == 429
                    assert int(third.headers["Retry-After"]) >= 1
                    assert (await third.json())["error"]["code"] == "too_many_streams"
                for stream_id in streams:
                    await client.json("DELETE", f"/api/v1/chat/stream/{stream_id}")
            async with client.ask(slow(3, 0)) as again:
                assert again.status == 200
            statuses = [(await client.json("GET", "/api/v1/session"))[0] for _ in range(25)]
            assert statuses[-1] == 429
            assert (await client.json("GET", "/healthz"))[0] == 200
    finally:
        replica.stop()


async def test_limits_are_shared_by_replicas(shared, tmp_path):
    """Two replicas over one Redis count together."""
    from tests.service.replicas import Replica, slow, start

    limits = {"requests_per_minute": 30, "concurrent_streams": 1, "redis_prefix": "limited"}
    replicas = [Replica(tmp_path, name, **{**shared, **limits}) for name in ("a", "b")]
    await start(*replicas)
    try:
        async with Client(replicas[0].url) as first, Client(replicas[1].url) as second:
            async with first.ask(slow(300, 0.05)) as running:
                stream_id = (await collect(running, until=1))[0].data["stream_id"]
                async with second.ask(slow(3, 0)) as refused:
                    assert refused.status == 429
                assert (await second.json("DELETE", f"/api/v1/chat/stream/{stream_id}"))[1]["stopped"]
            deadline = time.monotonic() + 5
            while True:
                async with second.ask(slow(1, 0)) as response:
                    if response.status == 200:
                        break
                assert time.monotonic() < deadline
                await asyncio.sleep(0.2)
            clients = [first, second] * 20
            got = await asyncio.gather(*(client.json("GET", "/api/v1/session") for client in clients))
            assert {status for status, _ in got} == {200, 429}
    finally:
        for replica in replicas:
            replica.stop()


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"question": "x" * 501}, 413),
        ({"question": "excess?", "sources": [{"text": "a"}] * 6}, 413),
        ({"question": "excess?", "sources": [{"text": "a" * 20_001}]}, 413),
        ({"question": "excess?", "sources": [{"text": "a" * 60_000}]}, 413),
        ({"question": "excess?", "history": [["a" * 15_000, "b" * 15_000]]}, 413),
        ({"question": "  "}, 422),
        ({"question": "excess?", "sorces": []}, 422),
        ({"question": 7}, 422),
        ({}, 422),
    ],
)
async def test_what_is_too_much_or_wrong_is_said(bob, body, status):
    """413 for too much, 422 for wrong, each with words; nothing of what was sent comes back."""
    got, told = await bob.json("POST", "/api/v1/answers", body)
    assert got == status
    assert set(told["error"]) == {"code", "message"}
    assert "aaaa" not in told["error"]["message"]


async def test_a_body_that_lies_about_its_length_is_cut_off(bob):
    """A body sent in pieces, without a length, is refused as soon as it is too large."""

    async def pieces():
        for _ in range(100):
            yield b" " * 10_000

    headers = {"Content-Type": "application/json"}
    async with bob.session.post("/api/v1/answers", data=pieces(), headers=headers) as response:
        assert response.status == 413


def test_keys_are_made_listed_and_revoked(tmp_path, monkeypatch):
    """A key is shown once, works, is listed without its secret, and works no more once revoked."""
    from footnoted.cli import app
    from footnoted.service.store import Store
    from footnoted.service.store.keys import Keys

    url = f"sqlite:///{tmp_path}/keys.db"
    monkeypatch.setenv("DATABASE_URL", url)
    run = CliRunner()
    assert "no keys" in run.invoke(app, ["keys", "list"]).output
    made = run.invoke(app, ["keys", "add", "ada", "--label", "laptop"])
    assert made.exit_code == 0, made.output
    key = next(word for word in made.output.split() if word.startswith("fn_"))

    async def tenant():
        store = Store(url)
        try:
            found = await Keys(store).find(key)
            return found and found.tenant, (tmp_path / "keys.db").read_bytes()
        finally:
            await store.aclose()

    found, stored = asyncio.run(tenant())
    assert found == "ada"
    assert key[-43:].encode() not in stored
    listed = run.invoke(app, ["keys", "list"]).output
    assert "laptop" in listed
    assert key[-43:] not in listed
    assert run.invoke(app, ["keys", "revoke", key.split("_")[1]]).exit_code == 0
    assert asyncio.run(tenant())[0] is None
    assert run.invoke(app, ["keys", "revoke", key.split("_")[1]]).exit_code == 1
    assert run.invoke(app, ["keys", "add", "a b"]).exit_code == 2


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--host", "0.0.0.0"], "no key"),
        (["--workers", "2"], "REDIS_URL"),
        (["--provider", "nobody"], "unknown provider"),
        (["--port", "99999"], "setting port"),
        (["--settings", "missing.toml"], "no file"),
    ],
)
def test_serve_refuses_what_would_go_wrong(arguments, said, tmp_path, monkeypatch):
    """Strangers without keys, workers that share nothing, settings that do not hold: status 2 and what to do."""
    from footnoted.cli import app

    monkeypatch.setenv("DATABASE_URL", f"sqlite:///{tmp_path}/serve.db")
    monkeypatch.delenv("REDIS_URL", raising=False)
    monkeypatch.delenv("FOOTNOTED_SETTINGS", raising=False)
    monkeypatch.setattr("footnoted.cli.serving._listen", lambda settings: pytest.fail("it listens"))
    before = dict(os.environ)
    try:
        result = CliRunner().invoke(app, ["serve", *arguments])
    finally:  # the command tells the processes it would start by its environment, which is this one here
        os.environ.clear()
        os.environ.update(before)
    assert result.exit_code == 2
    assert said in result.output
