"""The advisor over HTTP: files in, pages and answers out, a tenant each. The application is real, with its lifespan."""

import json

import pytest

pytest.importorskip("fastapi")

from contextlib import asynccontextmanager

import httpx

from footnoted.service.app import create_app
from footnoted.service.settings import read_settings
from tests.assistants.security.conftest import EXAMPLES

QUESTION = "Which of our S3 findings break HIPAA, and what do I fix first?"


@asynccontextmanager
async def served(tmp_path, **settings):
    """A client of the application, and a way to make keys."""
    app = create_app(read_settings(database_url=f"sqlite:///{tmp_path}/service.db", **settings))
    async with app.router.lifespan_context(app):
        transport = httpx.ASGITransport(app=app, client=("127.0.0.1", 1))
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8000") as client:
            yield client, app


async def send(client, name, path="/api/v1/findings", **options):
    return await client.post(path, files={"file": (name, (EXAMPLES / name).read_bytes())}, **options)


async def test_findings_go_in_and_an_expert_s_answer_comes_out(tmp_path):
    """The whole way of a user: import, look through, ask; chat messages on security reach the advisor."""
    async with served(tmp_path) as (client, _):
        report = (await send(client, "prowler.ocsf.json")).json()
        assert (report["added"], report["skipped"]) == (10, 0)
        page = (await client.get("/api/v1/findings", params={"service": "S3", "framework": "HIPAA"})).json()
        assert page["total"] == 3
        assert page["findings"][0]["severity"] == "critical"
        for path in ("/api/v1/chat/message", "/api/v1/advice/message"):
            told = (await client.post(path, json={"message": QUESTION})).json()
            assert "1. 🔴 [s3_bucket_public_access]" in told["response"]["response"]
            assert told["severity"] == {"critical": 1, "medium": 1}
            assert told["entities"]["aws_services"] == ["s3"]
            assert {"finding", "control"} <= {one["kind"] for one in told["citations"]}


async def test_the_stream_is_the_service_s_own(tmp_path):
    """Numbered events, one start, one done with what the answer is about; it can be joined again."""
    async with served(tmp_path) as (client, _):
        await send(client, "prowler.ocsf.json")
        response = await client.post("/api/v1/advice/stream", json={"message": QUESTION})
        events = [block for block in response.text.split("\n\n") if "event: " in block]
        names = [block.split("event: ")[1].split("\n")[0] for block in events]
        assert (names[0], names[-1]) == ("start", "done")
        done = json.loads(events[-1].split("data: ")[1])
        assert done["intent"]
        assert done["severity"]["critical"] == 1
        again = await client.get(f"/api/v1/chat/stream/{done['stream_id']}", headers={"Last-Event-ID": "1"})
        assert "event: done" in again.text
        assert "event: start" not in again.text


async def test_follow_ups_resolve_from_the_conversation(tmp_path):
    """The service remembers the list that "the second one" points at."""
    async with served(tmp_path) as (client, _):
        await send(client, "prowler.ocsf.json")
        body = {"message": "What are our worst findings?", "conversation_id": "c-1"}
        first = (await client.post("/api/v1/chat/message", json=body)).json()["response"]["response"]
        second = next(line for line in first.splitlines() if line.startswith("2. ")).split("[")[1].split("]")[0]
        body = {"message": "How do I fix the second one?", "conversation_id": "c-1"}
        told = (await client.post("/api/v1/chat/message", json=body)).json()["response"]["response"]
        assert f"1. 🔴 [{second}]" in told


ELSEWHERE = [
    "Which of our S3 buckets are public?",
    "What does HIPAA ask of backups?",
    "How do I encrypt an RDS database with KMS?",
    "Which findings should I fix first?",
    "Does PCI-DSS want MFA for root?",
]


@pytest.mark.parametrize("question", ELSEWHERE)
async def test_who_added_documents_is_answered_from_them_alone(tmp_path, question):
    """A question on security too: it is refused, or cites what was added; the advisor answers where it is chosen."""
    async with served(tmp_path) as (client, _):
        await send(client, "prowler.ocsf.json")
        asked = {"message": question}
        alone = (await client.post("/api/v1/chat/message", json={**asked, "assistant": "documents"})).json()
        assert (alone["response"]["finish_reason"], alone["sources"]) == ("refused", [])
        policy = ("notes.md", b"Our S3 buckets hold holiday pictures. The windscreen excess is 75 pounds.")
        document = (await client.post("/api/v1/documents", files={"file": policy})).json()
        for how in ({}, {"assistant": "documents"}, {"document_ids": [document["id"]]}):
            told = (await client.post("/api/v1/chat/message", json={**asked, **how})).json()
            assert {each["document_id"] for each in told["sources"]} <= {document["id"]}
            assert "severity" not in told
        advice = (await client.post("/api/v1/advice/message", json=asked)).json()
        assert "severity" in advice
        refused = await client.post("/api/v1/chat/message", json={**asked, "assistant": "nobody"})
        assert refused.status_code == 422


async def test_tenants_see_their_own(tmp_path):
    """By key: the same finding's page, advice and count are empty for the neighbour."""
    from footnoted.service.store.keys import Keys

    async with served(tmp_path) as (client, app):
        keys = Keys(app.state.service.store)
        made = {}
        for tenant in ("maple", "cedar"):
            key = await keys.add(tenant)
            made[tenant] = {
                "Authorization": f"Bearer {getattr(key, 'secret', None) or getattr(key, 'key', None) or key}"
            }
        assert (await send(client, "prowler.ocsf.json", headers=made["maple"])).status_code == 200
        mine = (await client.get("/api/v1/findings", headers=made["maple"])).json()
        theirs = (await client.get("/api/v1/findings", headers=made["cedar"])).json()
        assert (mine["total"], theirs["total"]) == (8, 0)
        told = await client.post("/api/v1/advice/message", json={"message": QUESTION}, headers=made["cedar"])
        assert "clinic" not in told.text
        assert (await client.get("/api/v1/findings")).status_code == 401


@pytest.mark.parametrize(
    ("method", "path", "options", "status"),
    [
        ("POST", "/api/v1/findings", {"files": {"file": ("x.json", b"hello")}}, 422),
        ("POST", "/api/v1/findings", {}, 422),
        ("POST", "/api/v1/kb", {"files": {"file": ("x.json", b"{}")}}, 422),
        ("GET", "/api/v1/findings?severity=purple", {}, 422),
        ("GET", "/api/v1/findings?page=0", {}, 422),
        ("GET", "/api/v1/findings?service=%00&framework=%F0%9F%94%B4", {}, 200),
        ("POST", "/api/v1/advice/message", {"json": {"message": ""}}, 422),
        ("POST", "/api/v1/advice/message", {"json": {"massage": "x"}}, 422),
        ("POST", "/api/v1/advice/message", {"json": {"message": "x" * 100_000}}, 413),
    ],
)
async def test_bad_input_is_told_in_words(tmp_path, method, path, options, status):
    """Never a 500."""
    async with served(tmp_path) as (client, _):
        response = await client.request(method, path, **options)
        assert response.status_code == status
        if status != 200:
            assert response.json()["error"]["message"]


async def test_knowledge_is_imported_and_looked_up(tmp_path):
    """Entries by framework and service, counts by where they are from."""
    async with served(tmp_path) as (client, _):
        report = (await send(client, "compliance.prowler.json", "/api/v1/kb")).json()
        assert report["added"] == 1
        found = (await client.get("/api/v1/kb", params={"framework": "HIPAA"})).json()["entries"]
        assert {"shipped", "prowler-compliance"} == {one["origin"] for one in found}
        counts = (await client.get("/api/v1/kb")).json()["counts"]
        assert counts["prowler-compliance"] == 1
        assert (await client.request("DELETE", "/api/v1/findings")).json() == {"deleted": 0}


async def test_what_is_cited_can_be_opened_at_its_words(tmp_path):
    """Counts, findings, controls and documents: the text of each has the quote where the citation says it stands."""
    async with served(tmp_path) as (client, _):
        await send(client, "prowler.ocsf.json")
        policy = "Retention policy. Access logs of S3 buckets are kept for seven years and reviewed each month."
        files = {"file": ("policy.md", policy.encode())}
        document = (await client.post("/api/v1/documents", files=files)).json()
        kinds = set()
        for question in (QUESTION, "What does our retention policy document say about S3 access logs?"):
            told = (await client.post("/api/v1/advice/message", json={"message": question})).json()
            for one in told["citations"]:
                source = (await client.get(f"/api/v1/advice/sources/{one['chunk_id']}")).json()
                assert source["text"][one["source_start"] : one["source_end"]] == one["source_quote"]
                assert (source["kind"], source["item"], source["title"]) == (one["kind"], one["id"], one["title"])
                kinds.add(source["kind"])
                if source["kind"] == "document":
                    of_document = source["id"]
        assert kinds == {"inventory", "finding", "control", "document"}
        await client.delete(f"/api/v1/documents/{document['id']}")
        assert (await client.get(f"/api/v1/advice/sources/{of_document}")).status_code == 404
        finding = next(one["chunk_id"] for one in told["citations"] + told["citations"] if one)
        assert (await client.delete("/api/v1/findings")).status_code == 200
        assert (await client.get(f"/api/v1/advice/sources/{finding}")).status_code == 404
        assert (await client.get("/api/v1/advice/sources/nonsense")).status_code == 422


async def test_a_cited_finding_stays_as_it_was_when_a_later_scan_changes_it(tmp_path):
    """The text of a citation is the one it was made from; a new answer cites the new words."""
    async with served(tmp_path) as (client, _):
        await send(client, "prowler.ocsf.json")
        question = {"message": "Explain s3_bucket_public_access"}
        before = (await client.post("/api/v1/advice/message", json=question)).json()
        records = json.loads((EXAMPLES / "prowler.ocsf.json").read_text())
        for record in records:
            record["status_detail"] = "Changed by a later scan."
            record["time_dt"] = "2031-01-01T00:00:00"
        data = json.dumps(records).encode()
        report = (await client.post("/api/v1/findings", files={"file": ("later.json", data)})).json()
        assert report["updated"] == 10
        after = (await client.post("/api/v1/advice/message", json=question)).json()
        texts = []
        for told in (before, after):
            one = next(one for one in told["citations"] if one["kind"] == "finding")
            source = (await client.get(f"/api/v1/advice/sources/{one['chunk_id']}")).json()
            assert source["text"][one["source_start"] : one["source_end"]] == one["source_quote"]
            texts.append(source["text"])
        assert "Changed by a later scan." not in texts[0]
        assert "Changed by a later scan." in texts[1]
