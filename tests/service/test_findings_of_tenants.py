"""Two tenants whose findings look alike, over HTTP at once: answers, streams, log and figures keep them apart."""

import asyncio
import json
from pathlib import Path

import aiohttp

from footnoted.service.store import Store
from footnoted.service.store.keys import Keys
from tests.service.replicas import Client, Replica, collect, start
from tests.services import postgres_database

EXAMPLES = Path(__file__).parents[2] / "examples" / "findings"
WORDS = {"ada": "orchardclinic", "bob": "harbourbakery"}  # the words that stand in whose findings alone
QUESTIONS = [
    "What are our worst findings?",
    "Which S3 findings break HIPAA?",
    "How do I fix S3.8?",
    "And the second one?",
]
EACH = 50  # requests of each tenant


async def _told(client, method, path, body=None, *, expected=200):
    """What the service told; on a busy machine it may say that it is busy, and is asked again as it asks to be."""
    while True:
        status, told = await client.json(method, path, body)
        if status != 503:
            assert status == expected, told
            return told
        await asyncio.sleep(0.5)


async def _imported(client, tenant):
    text = (EXAMPLES / "prowler.ocsf.json").read_text(encoding="utf-8").replace("clinic", WORDS[tenant])
    form = aiohttp.FormData()
    form.add_field("file", text.encode(), filename=f"{WORDS[tenant]}.json")
    async with client.session.post("/api/v1/findings", data=form) as response:
        assert response.status in (200, 503), await response.text()
        return await response.text()


async def _request(client, tenant, number, stolen):
    """One of five kinds of request; everything it was told."""
    body = {"message": QUESTIONS[number // 5 % len(QUESTIONS)], "conversation_id": "c-1"}
    match number % 5:
        case 0:
            return json.dumps(await _told(client, "POST", "/api/v1/advice/message", body))
        case 1:
            while True:
                async with client.ask(body, "/api/v1/advice/stream") as response:
                    events = await collect(response) if response.status == 200 else []
                    assert response.status in (200, 503)
                if events:
                    break
                await asyncio.sleep(0.5)
            assert [events[0].name, events[-1].name] == ["start", "done"]
            return json.dumps([event.data for event in events])
        case 2:
            return json.dumps(await _told(client, "GET", "/api/v1/findings?service=s3"))
        case 3:
            return await _imported(client, tenant)
        case _:
            other = next(one for name, one in stolen.items() if name != tenant)
            told = await _told(client, "GET", f"/api/v1/advice/sources/{other}", expected=404)
            return json.dumps([told, await _told(client, "GET", f"/api/v1/advice/sources/{stolen[tenant]}")])


def test_no_answer_no_stream_no_log_and_no_figure_tells_of_the_other(room_loop, tmp_path):
    """A hundred mixed requests of two tenants at the same time on PostgreSQL; their words, and no others', reach each."""

    async def work():
        async with postgres_database() as url:
            store = Store(url)
            await store.open()
            made = {tenant: await Keys(store).add(tenant) for tenant in WORDS}
            await store.aclose()
            replica = Replica(tmp_path, "findings", database_url=url, log_level="debug", queue_seconds=60)
            try:
                await start(replica)
                async with Client(replica.url, key=made["ada"]) as ada, Client(replica.url, key=made["bob"]) as bob:
                    return *await asked(ada, bob), replica
            finally:
                await asyncio.to_thread(replica.stop)

    async def asked(ada, bob):
        clients = {"ada": ada, "bob": bob}
        stolen = {}
        for tenant, client in clients.items():
            await _imported(client, tenant)
            _, told = await client.json("POST", "/api/v1/advice/message", {"message": QUESTIONS[0]})
            stolen[tenant] = next(one["chunk_id"] for one in told["citations"] if one["kind"] == "finding")
        order = [(tenant, number) for number in range(EACH) for tenant in WORDS]
        told = await asyncio.gather(*(_request(clients[tenant], tenant, number, stolen) for tenant, number in order))
        async with ada.session.get("/metrics") as response:
            return list(zip(order, told, strict=True)), await response.text()

    answers, metrics, replica = room_loop(work())
    assert len(answers) == 2 * EACH
    for (tenant, number), told in answers:
        (other,) = (word for name, word in WORDS.items() if name != tenant)
        assert other not in told, (tenant, number)
        # Nobody has S3.8, and what the second one is, hangs on what was asked last.
        if number % 5 == 2 or (number % 5 < 2 and number // 5 % len(QUESTIONS) < 2):
            assert WORDS[tenant] in told, (tenant, number)
    assert "footnoted" in metrics
    assert replica.log
    for word in WORDS.values():
        assert word not in replica.log
        assert word not in metrics
