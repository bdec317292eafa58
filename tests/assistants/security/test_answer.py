import asyncio
import json
import time

import pytest

from footnoted.answering.generator import shipped_checker
from footnoted.assistants.security import (
    AdviceFinished,
    AdviceStarted,
    DocumentService,
    FindingsService,
    KnowledgeBaseService,
)
from footnoted.assistants.security.advice.advisor import AdviceWeigher
from footnoted.assistants.security.advice.compose import UNVERIFIED
from footnoted.assistants.security.catalogue import load_catalogue
from footnoted.errors import ProviderUnavailable
from footnoted.events import CitationFound, TextDelta
from footnoted.testing import ScriptedLLM
from footnoted.types import FinishReason
from tests.assistants.security.conftest import EXAMPLES, Model, advisor_on, take_in
from tests.assistants.security.test_importing import HOSTILE, PROWLER, changed

QUESTION = "Which of our S3 findings break HIPAA, and what do I fix first?"


async def text_of(service, question, **options):
    return "".join([piece async for piece in service.generate(question, None, "clinic", **options)])


async def test_an_expert_answers_without_a_model(advisor):
    """Counts, the list gravest first, why it matters, how to fix it, what is left: all cited."""
    advice = await advisor.answer(QUESTION, None, "clinic")
    text = advice.response.response
    assert text.startswith("**2 open findings** on 1 resource (Prowler 2): 🔴 1 critical, 🟡 1 medium. [1]")
    assert text.index("1. 🔴 [s3_bucket_public_access]") < text.index("2. 🟡 [s3_bucket_secure")
    assert "HIPAA 164.312(a)(1)" in text
    assert "act now" in text
    assert "```hcl\nresource " in text
    assert "```bash\naws s3" in text
    kinds = {one["kind"] for one in advice.citations}
    assert kinds == {"inventory", "finding", "control"}
    assert advice.response.finish_reason is FinishReason.COMPLETE
    assert advice.severity == {"critical": 1, "medium": 1}
    assert "Counted apart: by our own catalogue's reading of HIPAA, 4 open findings" in text
    assert advice.frameworks[0] == "hipaa"


async def test_every_citation_points_at_its_exact_words(advisor):
    """The quote stands in the source, at the place told."""
    advice = await advisor.answer(QUESTION, None, "clinic")
    assert advice.response.citations
    for one in advice.response.citations:
        source = advice.sources[one.source_index]
        assert source.content[one.source_start : one.source_end] == one.source_quote
        assert advice.response.response[one.start_pos : one.end_pos].strip("[]").isdigit()


async def test_pieces_are_the_answer(advisor):
    """Streamed or whole, the text is the same."""
    whole = (await advisor.answer(QUESTION, None, "clinic")).response.response
    assert await text_of(advisor, QUESTION) == whole


async def test_events_come_in_order(advisor):
    """What it rests on first, then text and citations, the whole last."""
    events = [event async for event in advisor.advise(QUESTION, None, "clinic")]
    assert isinstance(events[0], AdviceStarted)
    assert isinstance(events[-1], AdviceFinished)
    assert any(isinstance(event, CitationFound) for event in events)
    assert "".join(event.text for event in events if isinstance(event, TextDelta)) == events[-1].response.response


@pytest.mark.parametrize("question", ["What is the weather?", "Tell me a joke", "Who won the match yesterday?"])
async def test_what_is_beside_the_point_is_refused(advisor, question):
    """No finding, no entry, no document: no answer."""
    advice = await advisor.answer(question, None, "clinic")
    assert advice.response.finish_reason is FinishReason.REFUSED
    assert advice.severity == {}
    assert "knowledge base" in advice.response.response


async def test_a_framework_that_is_not_covered_is_said_so(advisor):
    """It is refused, by name."""
    alone = await advisor.answer("Are we ISO 27001 compliant?", None, "clinic")
    assert alone.response.finish_reason is FinishReason.REFUSED
    assert "I cannot filter by “ISO”" in alone.response.response


async def test_nothing_failing_is_an_answer(advisor):
    """No finding of DynamoDB: that is said, and the controls are told all the same."""
    advice = await advisor.answer("Which DynamoDB findings do we have?", None, "clinic")
    assert "0 open findings" in advice.response.response


async def test_nothing_imported_is_said(database):
    """An empty account is not a clean one."""
    advice = await advisor_on(database).answer("What are our worst findings?", None, "clinic")
    assert "No findings of yours are imported yet" in advice.response.response
    assert "0 failing" not in advice.response.response


async def test_a_finding_named_by_id_is_answered(advisor):
    """Even one that passed."""
    advice = await advisor.answer("Tell me about S3.8", None, "clinic")
    assert "[S3.8]" in advice.response.response
    passed = await advisor.answer("What about RDS.2?", None, "clinic")
    assert "[RDS.2]" in passed.response.response
    assert "informational, pass" in passed.response.response.casefold()
    unknown = await advisor.answer("Explain finding EC2.999", None, "clinic")
    assert "EC2.999" in unknown.response.response


async def test_a_follow_up_is_about_the_list_before(advisor):
    """What follows up on the second one is about the second finding shown."""
    first = await advisor.answer("What are our most critical findings?", None, "clinic")
    second = next(line for line in first.response.response.splitlines() if line.startswith("2. "))
    check = second.split("[")[1].split("]")[0]
    history = [("What are our most critical findings?", first.response.response)]
    advice = await advisor.answer("And how do I fix the second one?", None, "clinic", history)
    listed = [line for line in advice.response.response.splitlines() if line.startswith("1. ")]
    assert f"[{check}]" in listed[0]


async def test_what_is_left_out_is_said(clinic):
    """More findings than the five best, and sources that did not fit the budget."""
    advice = await advisor_on(clinic).answer("What are our worst findings?", None, "clinic")
    assert "more findings match and are not shown here" in advice.response.response
    small = await advisor_on(clinic, budget=300).answer("What are our worst findings?", None, "clinic")
    assert "did not fit" in small.response.response
    assert len(small.sources) < len(advice.sources)


async def test_hostile_words_of_a_finding_are_not_said(database):
    """An order in a title is data: it is neither followed nor repeated, and the finding still counts."""
    nasty = changed(PROWLER[0], finding_info__title=HOSTILE, status_detail=HOSTILE, risk_details=HOSTILE)
    linked = changed(PROWLER[1], finding_info__title="See [this](https://evil.example) <img src=x onerror=alert(1)>")
    await FindingsService(database).import_file("clinic", [json.dumps([nasty, linked]).encode()])
    text = (await advisor_on(database).answer("What S3 findings do we have?", None, "clinic")).response.response
    assert "everything is fine" not in text
    assert "<script>" not in text
    assert "<img" not in text
    assert "](http" not in text
    assert "2 open findings" in text
    assert "[s3_bucket_public_access]" in text


async def test_documents_of_the_conversation_are_answered_from_and_cited(clinic):
    """Beside findings, the answer rests on what was uploaded; another conversation's document is not looked at."""
    documents = DocumentService(clinic)
    policy = "# Clinic policy\n\nBackups of the patient database are kept for 35 days in a second Region. Laptops are locked."
    await documents.add("clinic", "c-1", "policy.md", policy.encode())
    service = advisor_on(clinic)
    advice = await service.answer(
        "According to the document, how long are backups kept?", None, "clinic", conversation_id="c-1"
    )
    assert "35 days" in advice.response.response
    assert "document" in {one["kind"] for one in advice.citations}
    elsewhere = await service.answer(
        "According to the document, how long are backups kept?", None, "clinic", conversation_id="c-2"
    )
    assert "35 days" not in elsewhere.response.response
    assert await documents.get_for_conversation("bakery", "c-1") == []


async def test_code_to_paste_is_shown_to_its_last_bracket(advisor):
    """A line of brackets tells nothing, so nothing about it can be unsupported; a mark that says yes or no is no bracket."""
    advice = await advisor.answer(QUESTION, None, "clinic")
    controls = [one for one in load_catalogue() if one.terraform and f"Fix: {one.title}" in advice.response.response]
    assert controls
    assert all(f"```hcl\n{one.terraform.strip()}\n```" in advice.response.response for one in controls)
    weigher = AdviceWeigher(shipped_checker())
    assert [weigher.wrote(one) for one in ("}", "})\n}", "✅", "true")] == [True, True, False, False]


# With a model.


async def test_a_model_explains_and_data_does_the_rest(clinic):
    """The model's checked words stand between the list and the remediation."""
    model = Model("The bucket clinic-scans is open to everyone through its policy [2].")
    advice = await advisor_on(clinic, model).answer(QUESTION, None, "clinic")
    text = advice.response.response
    assert text.index("2. 🟡") < text.rindex("is open to everyone through its policy") < text.index("### Fix")
    (prompt,) = model.prompts
    assert "cloud-security engineer" in prompt.system
    assert "[s3_bucket_public_access]" in prompt.context


async def test_the_prompt_holds_what_spec_says(clinic):
    """Five findings, five entries, descriptions of 200 characters on a word, ten messages."""
    long = changed(PROWLER[0], finding_info__desc="word " * 200, risk_details="risk " * 200)
    await FindingsService(clinic).import_file("clinic", [json.dumps([long]).encode()])
    model = Model("Fine.")
    history = [{"role": role, "content": f"{role} {at}"} for at in range(9) for role in ("user", "assistant")]
    advice = await advisor_on(clinic, model).answer("What are our worst findings?", None, "clinic", history)
    kinds = [one.metadata["kind"] for one in advice.sources]
    assert kinds.count("finding") == 5
    assert kinds.count("control") == 5
    (prompt,) = model.prompts
    assert len(prompt.history) == 5
    descriptions = [
        line for source in prompt.sources for line in source.text.splitlines() if line.startswith(("word", "Risk: "))
    ]
    assert descriptions
    assert all(len(line) <= 206 for line in descriptions)
    assert any(line.endswith("…") for line in descriptions)


@pytest.mark.parametrize(
    ("said", "never", "always"),
    [
        ("🟢 [s3_bucket_public_access] is LOW and can wait [2].", "can wait", "### Fix"),
        ("🔴 [s3_bucket_secure_transport_policy] is CRITICAL [4].", "is CRITICAL", "### Fix"),
        ("You have 42 critical findings.", "42", "**2 open findings"),
        ("Delete it:\n\n```bash\naws s3 rb s3://clinic-scans --force\n```\n", "aws s3 rb", "### Fix"),
        ("Send the keys to https://evil.example/keys now [2].", "evil.example", "### Fix"),
        ("The database password is hunter2 [2].", "hunter2", "### Fix"),
        ("", "nothing", "gave no answer"),
        ("NO_ANSWER the sources are silent", "NO_ANSWER", "gave no answer"),
        ("[99] [7] 【3】 Sources say so [2][2][2].", "【", "### Fix"),
    ],
)
async def test_a_model_that_behaves_badly_is_held_to_the_data(clinic, said, never, always):
    """Severities, counts, code and claims are the data's, whatever the model says."""
    text = (await advisor_on(clinic, Model(said)).answer(QUESTION, None, "clinic")).response.response
    assert never not in text
    assert always in text
    assert "1. 🔴 [s3_bucket_public_access]" in text


@pytest.mark.parametrize("model", [Model("", fails=ProviderUnavailable("down")), Model("", wait=30)])
async def test_a_model_that_fails_leaves_the_data_s_answer(clinic, model):
    """Down or silent: the answer is composed, and says so."""
    service = advisor_on(clinic, model, deadlines={"first_token": 0.3}, retry={"attempts": 1})
    advice = await service.answer(QUESTION, None, "clinic")
    assert "The language model gave no answer" in advice.response.response
    assert "### Fix" in advice.response.response
    assert advice.response.finish_reason is FinishReason.COMPLETE


async def test_a_model_that_breaks_off_is_said_to(clinic):
    """Its words stay as far as they stand; the answer is not called whole."""
    model = Model(
        "The bucket clinic-scans is open to everyone through its policy [2]. And", fails=ProviderUnavailable("cut")
    )
    advice = await advisor_on(clinic, model).answer(QUESTION, None, "clinic")
    assert "break off here" in advice.response.response
    assert advice.response.finish_reason is FinishReason.TRUNCATED
    assert "### Fix" in advice.response.response


async def test_the_first_words_do_not_wait_for_the_model(clinic):
    """What data says is there at once, however long the model thinks."""
    service = advisor_on(clinic, Model("Fine.", wait=60))
    await advisor_on(clinic).answer(QUESTION, None, "clinic")  # rooms opened, catalogue read
    began = time.perf_counter()
    async for event in service.advise(QUESTION, None, "clinic"):
        if isinstance(event, TextDelta):
            assert time.perf_counter() - began < 30
            break


async def test_a_reader_who_leaves_closes_the_model(clinic):
    """Nothing is written for nobody."""
    closed = asyncio.Event()

    class Endless:
        name = "endless"

        async def stream(self, prompt):
            try:
                while True:
                    yield "More words about buckets. "
                    await asyncio.sleep(0.01)
            finally:
                closed.set()

    advice = advisor_on(clinic, Endless()).advise(QUESTION, None, "clinic")
    seen = 0
    async for _ in advice:
        seen += 1
        if seen > 80:
            break
    await advice.aclose()
    await asyncio.wait_for(closed.wait(), 5)


async def test_a_real_server_is_asked_with_history(clinic):
    """Over HTTP, in a vendor's protocol: the persona, the sources and the talk so far arrive."""
    said = "The bucket clinic-scans is open to everyone through its policy [2]."
    async with ScriptedLLM(said) as llm:
        service = advisor_on(clinic, "compatible", base_url=llm.url("openai"), model="m")
        advice = await service.answer(QUESTION, None, "clinic", [("Hello", "Good day.")])
        await service.aclose()
        request = llm.requests[-1]
    assert "through its policy" in advice.response.response
    assert "cloud-security engineer" in request.system_text
    assert "Good day." in json.dumps(request.json)


async def test_without_findings_the_knowledge_base_still_answers():
    """No database at all: the shipped controls alone."""
    from footnoted.assistants.security import AnswerService

    advice = await AnswerService().answer("Why should CloudTrail record every Region?", None, "clinic")
    assert "### Fix" in advice.response.response
    assert advice.response.citations


async def test_imported_code_is_not_called_ours(clinic):
    """A fix out of an imported file says where it is from."""
    await KnowledgeBaseService(clinic).import_file("clinic", (EXAMPLES / "checks.prowler.jsonl").read_bytes())
    finding = changed(PROWLER[8], metadata__event_code="appstream_fleet_default_internet_access_disabled")
    finding["resources"][0]["group"]["name"] = "appstream"
    await FindingsService(clinic).import_file("clinic", [json.dumps([finding]).encode()])
    text = (
        await advisor_on(clinic).answer(
            "How do I fix appstream_fleet_default_internet_access_disabled?", None, "clinic"
        )
    ).response.response
    assert "From the imported entry prowler:appstream" in text
    assert "aws appstream update-fleet" in text


async def test_a_scanner_s_own_command_is_marked(database):
    """Where only the scanner knows a fix, it is told as the scanner's."""
    finding = changed(PROWLER[0], metadata__event_code="some_check_nobody_knows")
    await FindingsService(database).import_file("clinic", [json.dumps([finding]).encode()])
    text = (
        await advisor_on(database).answer("How do I fix some_check_nobody_knows?", None, "clinic")
    ).response.response
    assert UNVERIFIED in text
    assert "as the scanner advises" in text
    assert "has no remediation for some_check_nobody_knows" in text


async def test_both_sides_of_a_comparison_are_counted(clinic):
    """Each side has its own computed counts."""
    text = (await advisor_on(clinic).answer("Compare our S3 and IAM findings", None, "clinic")).response.response
    assert "S3: 4 open findings" in text
    assert "IAM: 3 open findings" in text


async def test_look_alikes_of_another_tenant_never_show(clinic):
    """The same checks with other names: nothing of them stands in the answer or its sources."""
    theirs = json.loads((EXAMPLES / "prowler.ocsf.json").read_text().replace("clinic", "bakery"))
    await FindingsService(clinic).import_file("bakery", [json.dumps(theirs).encode()])
    await take_in(clinic)
    advice = await advisor_on(clinic).answer(QUESTION, None, "clinic")
    told = json.dumps(advice.as_json()) + advice.response.to_json() + "".join(one.content for one in advice.sources)
    assert "bakery" not in told
    assert "clinic-scans" in told
