"""Two tenants whose findings look alike, over HTTP at once: answers, log and figures keep them apart."""

import asyncio
import json
from pathlib import Path

import aiohttp

from tests.service.replicas import Client, Replica, start

EXAMPLES = Path(__file__).parents[2] / "examples" / "findings"
WORDS = {"ada": "orchardclinic", "bob": "harbourbakery"}  # the words that stand in whose findings alone
QUESTIONS = [
    "What are our worst findings?",
    "Which S3 findings break HIPAA?",
    "How do I fix S3.8?",
    "And the second one?",
]


def test_no_answer_no_log_and_no_figure_tells_of_the_other(room_loop, keys, tmp_path):
    """Forty mixed requests of two tenants at the same time; their words, and no others', reach each of them."""
    url, made = keys
    replica = Replica(tmp_path, "findings", database_url=url, log_level="debug")

    async def imported(client, tenant):
        text = (EXAMPLES / "prowler.ocsf.json").read_text(encoding="utf-8").replace("clinic", WORDS[tenant])
        form = aiohttp.FormData()
        form.add_field("file", text.encode(), filename=f"{WORDS[tenant]}.json")
        async with client.session.post("/api/v1/findings", data=form) as response:
            assert response.status < 300, await response.text()

    async def asked(client, tenant, number):
        question = QUESTIONS[number % len(QUESTIONS)]
        _, told = await client.json("POST", "/api/v1/advice/message", {"message": question, "conversation_id": "c-1"})
        _, page = await client.json("GET", "/api/v1/findings?service=s3")
        return tenant, json.dumps([told, page])

    async def work():
        await start(replica)
        async with Client(replica.url, key=made["ada"]) as ada, Client(replica.url, key=made["bob"]) as bob:
            clients = {"ada": ada, "bob": bob}
            await asyncio.gather(*(imported(client, tenant) for tenant, client in clients.items()))
            requests = [asked(clients[tenant], tenant, number) for number in range(20) for tenant in WORDS]
            answers = await asyncio.gather(*requests)
            async with ada.session.get("/metrics") as response:
                return answers, await response.text()

    try:
        answers, metrics = room_loop(work())
    finally:
        replica.stop()
    for tenant, told in answers:
        (other,) = (word for name, word in WORDS.items() if name != tenant)
        assert WORDS[tenant] in told
        assert other not in told
    for word in WORDS.values():
        assert word not in replica.log
        assert word not in metrics
