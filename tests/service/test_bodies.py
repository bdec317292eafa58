"""Bodies that are dear to read, or that nothing can hold: refused in words, before they cost anything."""

import asyncio
import json

import httpx
import pytest

from footnoted.service.app import create_app
from footnoted.service.bodies import DEPTH, PIECES, read_json
from footnoted.service.faults import Fault
from footnoted.service.settings import read_settings
from footnoted.service.turns import Turns
from tests.service.replicas import SOURCES

TEXT = json.dumps({"text": '"[{,:' * 20_000 + "\\"})


@pytest.mark.parametrize(
    ("body", "value"),
    [
        (b'{"a": [1, 2.5, null, true, "x"]}', {"a": [1, 2.5, None, True, "x"]}),
        (b'\xef\xbb\xbf"\\ud83d\\ude00"', "\U0001f600"),
        (b'["\\ud83d", {"\\udc00k": "a\\udfffb"}]', ["\ufffd", {"\ufffdk": "a\ufffdb"}]),
        (TEXT.encode(), json.loads(TEXT)),
        (b"[" * DEPTH + b"]" * DEPTH, None),
        (json.dumps([0] * (PIECES - 1)).encode(), [0] * (PIECES - 1)),
    ],
)
def test_what_holds_is_read_as_it_is(body, value):
    """Marks inside of strings count for nothing; half a pair becomes U+FFFD, in names too."""
    found = read_json(body)
    assert value is None or found == value


@pytest.mark.parametrize(
    ("body", "status", "said"),
    [
        (b"[" * (DEPTH + 1) + b"]" * (DEPTH + 1), 413, "deep"),
        (b"[" * 5_000, 413, "deep"),
        (b'{"a":' * 5_000, 413, "deep"),
        (json.dumps([0] * (PIECES + 10)).encode(), 413, "fewer"),
        (json.dumps({str(n): n for n in range(PIECES)}).encode(), 413, "fewer"),
        (b'""' * PIECES * 2 + b",[[" * 30, 413, "fewer"),
        (b"\xff\xfe", 400, "UTF-8"),
        (b'"\xed\xa0\x80"', 400, "UTF-8"),
        (b'{"a": NaN}', 400, "NaN"),
        (b"1e999", 400, "too large"),
        (b"1" * 10_000, 400, "no JSON"),
        (b'{"a"', 400, "no JSON"),
        (b"", 400, "no JSON"),
    ],
)
def test_what_does_not_hold_is_refused_in_words(body, status, said):
    with pytest.raises(Fault) as told:
        read_json(body)
    assert told.value.status == status
    assert said in told.value.message


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (
            b'{"question": "What is \\ud800 covered?", "sources": [{"text": "A \\udc00 b.\\r\\rC\\r\\n", "metadata": {"\\ud800": 1}}]}',
            200,
        ),
        (b'{"question": "a\\r\\u0000b", "sources": [{"text": "\\r", "title": "\\r\\n", "id": "\\ud800"}]}', 200),
        (b'{"question": "q", "history": [["\\ud800", "\\r"]], "instructions": "\\udfff\\r"}', 200),
        (b'{"question": "q", "config": {"template": "no-such"}}', 422),
        (b'{"question": "q", "config": {"template": "../../../README"}}', 422),
        (b'{"question": "q", "config": {"template": "\\u0000"}}', 422),
        (b'{"question": "q", "config": {"max_tokens": 900000}}', 422),
        (b'{"question": "q", "config": {"context_tokens": 99999999999999999999}}', 422),
        (b'{"question": "q", "sources": [{"text": "x", "metadata": {"n": 1e999}}]}', 400),
        (b'{"question": "q", "x": ' + b"[" * 9_000 + b"]" * 9_000 + b"}", 413),
        (b'{"question": "q", "sources": [' + b"{}," * 5_000 + b"{}]}", 422),
    ],
)
@pytest.mark.parametrize("path", ["/api/v1/answers", "/api/v1/answers/stream"])
async def test_nothing_that_is_sent_breaks_it(ada, path, body, status):
    """Over HTTP: an answer or a refusal, said before a stream begins."""
    async with ada.session.post(path, data=body, headers={"Content-Type": "application/json"}) as response:
        assert response.status == status, await response.text()


async def test_tenants_take_turns():
    """Whoever came first with ten things has one place of two; another's one thing waits for none of them."""
    turns, order = Turns(2), []
    gate = asyncio.Event()

    async def work(tenant: str, number: int) -> None:
        async with turns.take(tenant):
            order.append((tenant, number))
            await gate.wait()

    eve = [asyncio.create_task(work("eve", n)) for n in range(10)]
    await asyncio.sleep(0)
    ada = asyncio.create_task(work("ada", 0))
    bob = asyncio.create_task(work("bob", 0))
    await asyncio.sleep(0.01)
    assert order == [("eve", 0), ("ada", 0)]
    eve[5].cancel()
    gate.set()
    await asyncio.gather(ada, bob, *eve, return_exceptions=True)
    assert order.index(("bob", 0)) <= 3
    assert [n for who, n in order if who == "eve"] == [0, 1, 2, 3, 4, 6, 7, 8, 9]
    async with asyncio.timeout(5), turns.take("eve"), turns.take("ada"):
        pass


async def test_claims_of_tenants_take_turns():
    """Two hundred claims of one tenant stand before one of another, and it waits for no more than those begun."""
    from footnoted.grounding.lanes import ON_BEHALF_OF, Lanes

    lanes, order = Lanes(1), []

    async def claims(tenant: str, count: int) -> None:
        ON_BEHALF_OF.set(tenant)
        await asyncio.gather(*(lanes.claim(lambda: order.append(tenant)) for _ in range(count)))

    import threading

    held = threading.Event()
    first = asyncio.create_task(lanes.claim(held.wait))
    await asyncio.sleep(0.05)
    eve = asyncio.create_task(claims("eve", 200))
    await asyncio.sleep(0.05)
    ada = asyncio.create_task(claims("ada", 1))
    await asyncio.sleep(0.05)
    held.set()
    await asyncio.gather(first, eve, ada)
    assert order.index("ada") <= 1
    assert len(order) == 201


async def test_large_bodies_are_read_too(client):
    """Beyond 64 kB a body is read in a thread: the same answer, and the same refusal."""
    source = {**SOURCES[0], "metadata": {"note": "x" * 200_000}}
    body = {"question": "What is the windscreen excess?", "sources": [source]}
    status, told = await client.json("POST", "/api/v1/answers", body)
    assert (status, told["sources"][0]["title"]) == (200, SOURCES[0]["title"])
    status, told = await client.json("POST", "/api/v1/answers", {**body, "history": [0] * 100_000})
    assert (status, told["error"]["code"]) == (413, "too_large")


@pytest.fixture
async def extractive(tmp_path):
    """A service without a model, in this process."""
    app = create_app(read_settings(database_url=f"sqlite:///{tmp_path}/service.db"))
    transport = httpx.ASGITransport(app=app, client=("127.0.0.1", 1))
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8000") as client,
    ):
        yield client


async def test_an_error_has_the_status_the_pages_promise_and_names_what_is_at_fault(extractive):
    """No JSON is 400 whatever it is sent as, a wrong method 405 with those there are, and a field has its own name."""
    for sent in ({"content": b"excess?"}, {"data": {"question": "x"}}, {"json": None}, {}):
        told = await extractive.post("/api/v1/answers", **sent)
        assert (told.status_code, told.json()["error"]["code"]) == (400, "invalid_request"), sent
        assert "the body is no JSON" in told.json()["error"]["message"]
    told = await extractive.get("/api/v1/answers")
    assert (told.status_code, told.headers["allow"]) == (405, "POST")
    assert (await extractive.get("/api/v1/answer")).status_code == 404
    told = await extractive.post("/api/v1/verify", json={"answer": " ", "sources": []})
    assert told.json()["error"]["message"] == "answer: the answer is empty; send a text"
    told = await extractive.post("/v1/chat/completions", json={"messages": []})
    assert (told.status_code, told.json()["error"]["param"]) == (400, "messages")


async def test_a_service_without_a_model_says_that_it_answered_itself(extractive):
    """Whatever model a client names, that one was not asked."""
    body = {"model": "gpt-4", "footnoted": {"sources": SOURCES}}
    asked = "What is the windscreen excess?"
    told = await extractive.post(
        "/v1/chat/completions", json={**body, "messages": [{"role": "user", "content": asked}]}
    )
    assert told.json()["model"] == "footnoted"
    assert (await extractive.post("/v1/responses", json={**body, "input": asked})).json()["model"] == "footnoted"
