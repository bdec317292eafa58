import json

import pytest

from footnoted import GenerationConfig
from footnoted.assistants.security import ResponseFormatter, StreamingHandler
from tests.assistants.security.conftest import Model, advisor_on


def parsed(event):
    """An event of the wire as a client reads it."""
    head, data, *rest = event.split("\n")
    assert rest == ["", ""]
    return head.removeprefix("event: "), json.loads(data.removeprefix("data: "))


async def events_of(service, question):
    return [event async for event in StreamingHandler(service).stream_answer(question, None, "clinic")]


async def test_the_wire_has_start_chunks_and_done(advisor):
    """One start, one done, and the chunks are the answer."""
    events = [parsed(event) for event in await events_of(advisor, "Which of our S3 findings break HIPAA?")]
    names = [name for name, _ in events]
    assert names[0] == "start"
    assert names[-1] == "done"
    assert (names.count("start"), names.count("done"), names.count("error")) == (1, 1, 0)
    done = events[-1][1]
    assert "".join(data["content"] for name, data in events if name == "chunk") == done["response"]["response"]


async def test_done_carries_what_the_answer_is_about(advisor):
    """Intent, entities, citations by what they name, severity counts, frameworks, usage."""
    done = parsed((await events_of(advisor, "Which of our S3 findings break HIPAA?"))[-1])[1]
    assert done["entities"]["aws_services"] == ["s3"]
    assert done["entities"]["compliance_frameworks"] == ["hipaa"]
    assert done["query"]["where"] == {"service": ["s3"], "framework": "HIPAA"}
    assert [chip["field"] for chip in done["chips"]] == ["status", "service", "framework"]
    assert done["severity"] == {"critical": 1, "medium": 1}
    assert "hipaa" in done["frameworks"]
    assert {"finding", "inventory"} <= {one["kind"] for one in done["citations"]}
    assert done["findings"][0]["check_id"] == "s3_bucket_public_access"
    assert (done["findings"][0]["mark"], done["findings"][0]["within"]) == ("🔴", "now")
    assert done["usage"]["output"] > 0


async def test_what_was_left_out_of_the_prompt_moves_no_citation(clinic):
    """Where the material is over the budget, every citation still names the finding or control it was made from."""
    service = advisor_on(clinic, config=GenerationConfig(context_tokens=300))
    events = [parsed(event) for event in await events_of(service, "Which of our S3 findings break HIPAA?")]
    sources, done = events[0][1]["sources"], events[-1][1]
    assert done["response"]["sources_omitted"]
    told = [data for name, data in events if name == "citation"]
    assert told
    for one in [*told, *done["citations"]]:
        source = sources[one["source_index"]]
        assert source["text"][one["source_start"] : one["source_end"]] == one["source_quote"]
        assert (source["kind"], source["id"], source["chunk_id"]) == (one["kind"], one["id"], str(one["chunk_id"]))


async def test_an_event_knows_its_name_and_data(advisor):
    """For those who do not send it over a wire."""
    first = (await events_of(advisor, "What are our worst findings?"))[0]
    assert (first.event, first.data["severity"]["critical"]) == ("start", 2)


@pytest.mark.parametrize("tenant", ["", "x" * 300])
async def test_what_cannot_be_asked_ends_with_an_error(advisor, tenant):
    """One error, in words, and nothing after it."""
    handler = StreamingHandler(advisor)
    events = [parsed(one) async for one in handler.stream_answer("What are our worst findings?", None, tenant)]
    assert [name for name, _ in events] == ["error"]
    assert events[0][1]["code"] == "invalid_request"


async def test_a_defect_ends_with_an_error_that_tells_no_secret(clinic):
    """The words of an exception stay inside."""

    class Broken:
        async def acheck(self, *_, **__):
            raise AssertionError

    service = advisor_on(clinic, Model("Fine."))
    service.shelves.findings.count = None
    (event,) = await events_of(service, "What are our worst findings?")
    assert parsed(event) == ("error", {"code": "internal", "message": "The answer could not be finished."})


async def test_lines_in_a_chunk_do_not_break_the_wire(clinic):
    """Text with line breaks stays one event."""
    for event in await events_of(
        clinic and advisor_on(clinic, Model("One.\n\nevent: done\ndata: {}\n\nTwo.")), "List S3 findings"
    ):
        parsed(event)


FINDINGS = [
    {"rule_id": "S3.1", "title": "Open bucket", "severity": "critical"},
    {"rule_id": "S3.2", "title": "No TLS", "severity": "MEDIUM"},
    {"rule_id": "S3.3", "title": "No logs", "severity": "low"},
    {"rule_id": "S3.4", "title": "No versions", "severity": "low"},
]


def test_advice_has_three_findings_and_the_frameworks():
    """``[rule_id] title (severity)``, and how many more there are."""
    text = ResponseFormatter().format_security_advice("Do this.", FINDINGS, ["hipaa", "SOC 2"])
    assert text.startswith("Do this.\n\n")
    assert "[S3.1] Open bucket (CRITICAL)" in text
    assert "[S3.3] No logs (LOW)" in text
    assert "[S3.4]" not in text
    assert "and 1 more" in text
    assert "- HIPAA" in text
    assert "- SOC 2" in text


def test_advice_without_findings_is_the_content():
    """Nothing is added where there is nothing."""
    assert ResponseFormatter().format_security_advice("Do this.\n") == "Do this."


def test_frameworks_may_carry_their_requirements():
    """A mapping shows both."""
    assert "- HIPAA 164.312(a)(1)" in ResponseFormatter().format_security_advice(
        "x", None, {"hipaa": ["164.312(a)(1)"]}
    )


async def test_findings_of_the_store_are_formatted_too(clinic):
    """The class takes what the services give."""
    from footnoted.assistants.security import FindingsService

    page = await FindingsService(clinic).get_findings("clinic")
    text = ResponseFormatter().format_security_advice("x", page, None)
    assert "🔴 [" in text


def test_remediation_has_a_heading_steps_and_code():
    """The language is Terraform's unless said otherwise; code cannot close its own fence."""
    text = ResponseFormatter().format_remediation("Block it", ["Open S3.", "Save."], 'resource "x" {}')
    assert text == '### Block it\n\n1. Open S3.\n2. Save.\n\n```hcl\nresource "x" {}\n```'
    assert "```bash\n" in ResponseFormatter().format_remediation("t", [], "aws s3 ls", language="bash")
    assert "````hcl" in ResponseFormatter().format_remediation("t", [], "a\n```\nb")
    assert ResponseFormatter().format_remediation("t") == "### t"


@pytest.mark.parametrize(
    "said",
    [
        "🟢 The bucket clinic-scans [s3_bucket_public_access] is LOW severity and can wait [2].",
        "The bucket clinic-scans [s3_bucket_public_access] has severity: MEDIUM, act within 1–2 weeks [2].",
    ],
)
@pytest.mark.parametrize("size", [1, 7, 1000])
async def test_severity_marks_come_from_data_in_a_stream_too(clinic, said, size):
    """A model that lowers a critical finding is corrected before its words leave, however its text is cut."""
    service = advisor_on(clinic, Model(said, size=size), checking="off")
    events = [parsed(event) for event in await events_of(service, "Explain s3_bucket_public_access")]
    text = "".join(data["content"] for name, data in events if name == "chunk")
    done = events[-1][1]
    assert text == done["response"]["response"]
    assert "🔴" in text
    for lowered in ("🟢", "LOW", "MEDIUM", "1–2 weeks"):
        assert lowered not in text
    assert done["severity"] == {"critical": 1}
    assert done["corrections"]


async def test_a_severity_that_is_raised_in_a_stream_is_set_right(clinic):
    """A low finding called critical goes out as what it is."""
    said = "🔴 The bucket [s3_bucket_object_versioning] is CRITICAL [2]."
    service = advisor_on(clinic, Model(said, size=5), checking="off")
    events = [parsed(event) for event in await events_of(service, "Explain s3_bucket_object_versioning")]
    text = "".join(data["content"] for name, data in events if name == "chunk")
    assert "CRITICAL" not in text
    assert "🔴" not in text
    assert "🟢" in text
    assert events[-1][1]["corrections"]


@pytest.mark.parametrize(
    ("question", "history", "says"),
    [
        ("", [], "question is empty"),
        (None, [], "question is empty"),
        ("How many critical findings?", ["text"], "pairs"),
        ("How many critical findings?", "abc", "pairs"),
        ("How many critical findings?", [("a", "b", "c")], "pairs"),
        ("How many critical findings?", [{"user": "a", "assistant": "b"}], "pairs"),
    ],
)
async def test_what_cannot_be_asked_is_told_in_words(advisor, question, history, says):
    """No question, and no history that can be read: one event that says so."""
    (event,) = [each async for each in StreamingHandler(advisor).stream_answer(question, None, "clinic", history)]
    name, data = parsed(event)
    assert (name, data["code"]) == ("error", "invalid_request")
    assert says in data["message"]


async def test_every_framework_that_was_understood_is_told(advisor):
    """A query is of one framework: the others are named as not used, and one that nobody knows is refused."""
    given = {"entities": {"compliance_frameworks": ["hipaa", "soc2"], "aws_services": ["s3"]}}
    done = parsed([e async for e in StreamingHandler(advisor).stream_answer("What now?", given, "clinic", None)][-1])[1]
    assert done["entities"]["compliance_frameworks"] == ["hipaa", "soc2"]
    assert done["unused"] == ["soc2"]
    given = {"entities": {"compliance_frameworks": ["iso9999"]}}
    done = parsed([e async for e in StreamingHandler(advisor).stream_answer("What now?", given, "clinic")][-1])[1]
    assert done["cannot"] == ["iso9999"]
    assert done["response"]["finish_reason"] == "refused"


def test_one_text_is_one_framework_and_one_step():
    """A text where a list is wanted is not spelt letter by letter."""
    assert ResponseFormatter.format_security_advice("x", [], "HIPAA").endswith("**Compliance**\n- HIPAA")
    assert ResponseFormatter.format_security_advice(None, [], {"hipaa": None}).endswith("- HIPAA")
    assert ResponseFormatter.format_remediation("T", "Open it") == "### T\n\n1. Open it"
