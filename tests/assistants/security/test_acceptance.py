"""The rows of the security advisor's specification, one test each, named after them."""

import inspect
import json
import time

import docx
import pytest

from footnoted.assistants.security import (
    AnswerContext,
    AnswerService,
    DocumentService,
    FindingFilters,
    FindingsService,
    KnowledgeBaseService,
    NLUResult,
    Pagination,
    ResponseFormatter,
    StreamingHandler,
)
from footnoted.assistants.security.advice.answer import persona
from footnoted.assistants.security.severity import MARKS, TIMES, Severity
from footnoted.events import TextDelta
from tests.assistants.security.conftest import Model, advisor_on
from tests.retrieval.paper import paragraphs, pdf, saved

QUESTION = "Which of our S3 findings break HIPAA, and what do I fix first?"


def understood(intent="prioritise", services=("s3",), frameworks=("hipaa",), **context):
    """What natural-language understanding hands over, as a mapping with its fields."""
    entities = {"aws_services": services, "compliance_frameworks": frameworks, "finding_ids": ()}
    return {
        "intent": intent,
        "entities": entities,
        "requires_findings": True,
        "requires_documents": False,
        "context": context,
    }


async def test_flow_nlu_result_to_sse(clinic):
    """NLUResult → context assembly → prompt → LLM → SSE, each step with what the one before gave."""
    model = Model("The bucket clinic-scans is open to everyone through its policy [2].")
    stream = StreamingHandler(advisor_on(clinic, model)).stream_answer(QUESTION, understood(), "clinic", [])
    events = [event async for event in stream]
    assert [events[0].event, events[-1].event] == ["start", "done"]
    assert "[s3_bucket_public_access]" in model.prompts[0].context
    assert "through its policy" in "".join(event.data["content"] for event in events if event.event == "chunk")


def test_nlu_gives_its_fields():
    """intent, entities, requires_findings, requires_documents, context."""
    assert set(NLUResult.__dataclass_fields__) == {
        "intent",
        "entities",
        "requires_findings",
        "requires_documents",
        "context",
    }


async def test_assembly_entries_for_each_named_framework_and_service(clinic):
    """Both are looked up, with what the findings' own checks lead to."""
    service = KnowledgeBaseService(clinic)
    assert await service.get_for_framework("hipaa")
    assert await service.get_for_service("s3")
    advice = await advisor_on(clinic).answer(QUESTION, understood(), "clinic")
    assert all("hipaa" in entry.frameworks or entry.service == "s3" for entry in advice.context.kb_entries)


async def test_assembly_findings_by_id_else_filtered_a_page_of_ten(clinic):
    """Named ids win; else service and framework narrow a page of ten."""
    named = understood()
    named["entities"]["finding_ids"] = ("iam_root_mfa_enabled",)
    advice = await advisor_on(clinic).answer("What is this?", named, "clinic")
    assert [one.check_id for one in advice.context.findings] == ["iam_root_mfa_enabled"]
    advice = await advisor_on(clinic).answer(QUESTION, understood(), "clinic")
    assert {one.service for one in advice.context.findings} == {"s3"}
    advice = await advisor_on(clinic).answer("List findings", understood("list", (), ()), "clinic")
    assert len(advice.context.findings) <= 10 < advice.context.total


async def test_assembly_documents_of_the_conversation(clinic):
    """Those of this conversation; each one's summary has 500 characters at most."""
    await DocumentService(clinic).add("clinic", "c-1", "long.md", ("Encryption keys rotate yearly. " * 200).encode())
    (document,) = await DocumentService(clinic).get_for_conversation("clinic", "c-1")
    assert len(document.summary("keys")) <= 500
    advice = await advisor_on(clinic).answer(QUESTION, understood(conversation_id="c-1"), "clinic")
    assert [one.title for one in advice.context.documents] == ["long.md"]


async def test_prompt_five_findings_five_entries_ten_messages(clinic):
    """No more goes to the model."""
    model = Model("Fine.")
    history = [{"role": role, "content": f"{role}-{at}"} for at in range(12) for role in ("user", "assistant")]
    await advisor_on(clinic, model).answer(
        "What are our worst findings?", understood("list", (), ()), "clinic", history
    )
    (prompt,) = model.prompts
    kinds = [source.metadata["kind"] for source in prompt.sources]
    assert (kinds.count("finding"), kinds.count("control")) == (5, 5)
    assert [turn.user for turn in prompt.history] == [f"user-{at}" for at in range(7, 12)]


def test_persona_names_its_ground_and_admits_doubt():
    """A cloud-security expert for AWS and six bodies of rules, who says when it is unsure."""
    told = persona()
    for word in ("AWS", "HIPAA", "SOC 2", "PCI DSS", "GDPR", "CIS", "NIST", "not sure"):
        assert word in told


def test_severity_marks_and_times():
    """🔴 now · 🟠 24–48 h · 🟡 1–2 weeks · 🟢 next review."""
    assert [MARKS[one] for one in list(Severity)[:4]] == ["🔴", "🟠", "🟡", "🟢"]
    assert TIMES[Severity.CRITICAL] == "now"
    assert "24–48" in TIMES[Severity.HIGH]
    assert "1–2 weeks" in TIMES[Severity.MEDIUM]
    assert "next review" in TIMES[Severity.LOW]


def test_names_and_signatures_are_the_contract_s():
    """What the specification names is there, with its parameters."""
    assert list(inspect.signature(AnswerService.generate).parameters)[1:5] == [
        "question", "nlu_result", "tenant_id", "conversation_history",
    ]  # fmt: skip
    assert {"kb_entries", "findings", "documents"} <= set(AnswerContext.__dataclass_fields__)
    assert list(inspect.signature(ResponseFormatter.format_security_advice).parameters) == [
        "content",
        "findings",
        "compliance",
    ]
    formats = inspect.signature(ResponseFormatter.format_remediation).parameters
    assert list(formats) == ["title", "steps", "code", "language"]
    assert formats["language"].default == "hcl"
    assert inspect.iscoroutinefunction(FindingsService.get_by_rule_ids)
    assert inspect.iscoroutinefunction(DocumentService.get_for_conversation)
    assert FindingFilters()
    assert Pagination().page_size == 10


async def test_generate_streams_text(advisor):
    """Pieces of text, in order."""
    pieces = [piece async for piece in advisor.generate(QUESTION, understood(), "clinic", [])]
    assert len(pieces) > 5
    assert all(isinstance(piece, str) for piece in pieces)


async def test_tenants_see_their_own_findings(advisor):
    """A tenant nobody imported for has nothing."""
    assert "clinic" not in "".join([piece async for piece in advisor.generate(QUESTION, understood(), "bakery", [])])


async def test_first_chunk_under_three_seconds_with_a_model_that_takes_two_and_a_half(clinic):
    """The list does not wait for the model; neither does its first word."""
    await advisor_on(clinic).answer(QUESTION, understood(), "clinic")  # rooms opened, catalogue read
    service = advisor_on(clinic, Model("The bucket clinic-scans is open to everyone [2].", wait=2.5))
    began = time.perf_counter()
    async for event in service.advise(QUESTION, understood(), "clinic"):
        if isinstance(event, TextDelta):
            break
    assert time.perf_counter() - began < 2.5


async def test_acceptance_answers_have_frameworks_marks_and_remediation(advisor):
    """Framework references, severity marks and remediation stand in the answer."""
    text = (await advisor.answer(QUESTION, understood(), "clinic")).response.response
    assert "HIPAA 164.312(a)(1)" in text
    assert {"🔴", "🟡"} <= set(text)
    assert "### Fix" in text
    assert "```hcl" in text
    assert "```bash" in text


async def test_acceptance_history_is_kept(clinic):
    """Earlier turns reach the model."""
    model = Model("Fine.")
    await advisor_on(clinic, model).answer(QUESTION, understood(), "clinic", [("We run a clinic.", "Noted.")])
    assert model.prompts[0].history[0].user == "We run a clinic."


async def test_acceptance_citations_name_findings_entries_and_documents(clinic):
    """Each kind, by what it is called."""
    await DocumentService(clinic).add("clinic", "c-1", "policy.md", b"S3 buckets of the clinic must never be public.")
    advice = await advisor_on(clinic).answer(
        "According to the document, may S3 buckets be public?", {**understood("document"), "requires_documents": True},
        "clinic", [], conversation_id="c-1",
    )  # fmt: skip
    named = {one["kind"]: one for one in json.loads(json.dumps(advice.as_json()))["citations"]}
    assert named["document"]["title"] == "policy.md"
    assert " · clinic-" in named["finding"]["title"]
    advice = await advisor_on(clinic).answer(QUESTION, understood(), "clinic")
    assert "control" in {one["kind"] for one in advice.citations}


async def test_documents_are_pdf_docx_markdown_html_or_text(clinic):
    """Each kind is read, and an answer may rest on it."""
    words = "S3 buckets of the clinic must never be public."
    word = docx.Document()
    word.add_paragraph(words)
    files = {
        "policy.pdf": pdf(paragraphs(words)),
        "policy.docx": saved(word),
        "policy.md": f"# Policy\n\n{words}\n".encode(),
        "policy.html": f"<html><body><p>{words}</p></body></html>".encode(),
        "policy.txt": words.encode(),
    }
    for name, data in files.items():
        await DocumentService(clinic).add("clinic", f"c-{name}", name, data)
        (kept,) = await DocumentService(clinic).get_for_conversation("clinic", f"c-{name}")
        assert words in " ".join(kept.text.split()), name
        advice = await advisor_on(clinic).answer(
            "According to the document, may S3 buckets be public?", None, "clinic", [], conversation_id=f"c-{name}"
        )
        assert name in {one["title"] for one in advice.citations if one["kind"] == "document"}


async def test_format_security_advice_three_findings_and_remediation_in_hcl(clinic):
    """``[rule_id] title (severity)`` for three findings; a heading, steps and a block of HCL."""
    page = await FindingsService(clinic).get_findings("clinic")
    text = ResponseFormatter().format_security_advice("Fix these.", list(page), ["HIPAA"])
    shown = [one for one in page if f"[{one.rule_id}] {one.title} ({one.severity.label})" in text]
    assert [one.id for one in shown] == [one.id for one in list(page)[:3]]
    assert "Fix these." in text
    assert "HIPAA" in text
    fix = ResponseFormatter().format_remediation("Close it", ["Open S3."], 'resource "aws_s3_bucket" "a" {}')
    assert "Close it" in fix
    assert "Open S3." in fix
    assert "```hcl" in fix


async def test_http_message_stream_and_join_from_last_event_id(tmp_path):
    """The whole answer, the same as events, and the rest of them from a number on; for its tenant alone."""
    pytest.importorskip("fastapi")
    from tests.assistants.security.test_http import send, served

    async with served(tmp_path) as (client, _):
        await send(client, "prowler.ocsf.json")
        whole = (await client.post("/api/v1/chat/message", json={"message": QUESTION})).json()
        streamed = (await client.post("/api/v1/chat/stream", json={"message": QUESTION})).text
        blocks = [block for block in streamed.split("\n\n") if "event: " in block]
        done = json.loads(blocks[-1].split("data: ")[1])
        assert done["response"]["response"] == whole["response"]["response"]
        assert done["severity"] == whole["severity"]
        path = f"/api/v1/chat/stream/{done['stream_id']}"
        rest = (await client.get(path, headers={"Last-Event-ID": "3"})).text
        numbers = [int(line[4:]) for line in rest.splitlines() if line.startswith("id: ")]
        assert numbers == list(range(4, numbers[-1] + 1))
        assert "event: done" in rest
        assert (await client.get("/api/v1/chat/stream/00000000-0000-4000-8000-000000000000")).status_code == 404
