"""Two tenants whose findings look alike, asked at the same time on PostgreSQL: nothing of one reaches the other."""

import asyncio
import json
import random

import pytest

from footnoted.assistants.security import (
    DocumentService,
    FindingFilters,
    FindingsService,
    KnowledgeBaseService,
    Pagination,
    StreamingHandler,
)
from footnoted.store import Database
from tests.assistants.security.conftest import EXAMPLES, advisor_on
from tests.services import postgres_database

TENANTS = {"maple": "clinic", "cedar": "bakery"}  # whose words stand in whose findings
ANSWERS = ["What are our worst findings?", "Which S3 findings break HIPAA?", "How do I fix S3.8?", "Compare S3 and IAM"]


def dressed(text, word):
    """The examples in one tenant's words; ids, checks and resources otherwise the same."""
    return text.replace("clinic", word).replace("patients", f"{word}-patients").encode()


@pytest.fixture
async def shared():
    async with postgres_database() as url, Database(url, pool_size=10, max_overflow=10, pool_timeout=60) as database:
        findings = FindingsService(database)
        await findings.prepare()
        for tenant, word in TENANTS.items():
            for name in ("prowler.ocsf.json", "security-hub.json"):
                await findings.import_file(tenant, [dressed((EXAMPLES / name).read_text(), word)])
            await DocumentService(database).add(
                tenant, "c-1", "policy.md", f"The {word} keeps backups 35 days.".encode()
            )
            note = (EXAMPLES / "compliance.prowler.json").read_text().replace("clinic", word)
            await KnowledgeBaseService(database).import_file(tenant, note.encode())
        yield database


@pytest.mark.no_cover  # the same lines thousands of times
async def test_two_hundred_mixed_requests_at_once_leak_nothing(shared):
    """Answers, streams, pages, counts, ids, imports and documents of two tenants, all at the same time."""
    findings, documents = FindingsService(shared), DocumentService(shared)
    knowledge, service = KnowledgeBaseService(shared), advisor_on(shared)
    ids = {
        tenant: [one.id for one in await findings.get_findings(tenant, None, Pagination(page_size=50))]
        for tenant in TENANTS
    }
    expected = {tenant: (await findings.get_findings(tenant)).counts for tenant in TENANTS}
    assert expected["maple"] == expected["cedar"]

    async def request(number, tenant):
        other = next(one for one in TENANTS if one != tenant)
        kind = number % 8
        if kind == 0:
            question = ANSWERS[number // 8 % len(ANSWERS)]
            advice = await service.answer(question, None, tenant, conversation_id="c-1")
            return (
                json.dumps(advice.as_json())
                + advice.response.to_json()
                + "".join(one.content for one in advice.sources)
            )
        if kind == 1:
            stream = StreamingHandler(service).stream_answer("List our findings", None, tenant)
            return "".join([event async for event in stream])
        if kind == 2:
            page = await findings.get_findings(tenant, FindingFilters(frameworks=("hipaa",)), Pagination(page_size=50))
            return repr(page)
        if kind == 3:
            page = await findings.get_findings(tenant)
            assert page.counts == expected[tenant]
            return repr(page)
        if kind == 4:
            stolen = await findings.get_by_rule_ids(tenant, [*ids[other], "S3.8"])
            return repr(stolen)
        if kind == 5:
            data = dressed((EXAMPLES / "prowler.ocsf.json").read_text(), TENANTS[tenant])
            report = await findings.import_file(tenant, [data])
            assert report.unchanged == 10
            return repr(report)
        if kind == 6:
            return repr(await documents.get_for_conversation(tenant, "c-1"))
        return repr(await knowledge.get_for_framework("hipaa", tenant_id=tenant))

    order = [(number, tenant) for number in range(100) for tenant in TENANTS]
    random.Random(7).shuffle(order)
    told = await asyncio.gather(*(request(*one) for one in order))
    for (number, tenant), text in zip(order, told, strict=True):
        for other, word in TENANTS.items():
            if other != tenant:
                assert word not in text, (number, tenant)
    assert sum(TENANTS[tenant] in text for (_, tenant), text in zip(order, told, strict=True)) >= 150
    for tenant in TENANTS:
        assert (await findings.get_findings(tenant)).counts == expected[tenant]


async def test_what_a_tenant_forgets_stays_with_the_other(shared):
    """Deleting is a tenant's own affair."""
    findings = FindingsService(shared)
    assert await findings.delete_all("maple") == 15
    assert (await findings.count("maple"), await findings.count("cedar")) == (0, 15)
