"""What operators see: JSON lines with a request's id and no secret or text in them, figures, and spans."""

import json
import re

import pytest

from tests.service.replicas import Client, Replica, collect, start

SECRETS = ["sekretquestion", "sekretsource", "sekretdocument", "sekrettitle", "sekretcomment", "sekrethistory"]


@pytest.fixture(scope="module")
def told(room_loop, keys, model, tmp_path_factory):
    """The log and the figures of a replica at its most talkative, after everything that may go right or wrong."""
    url, made = keys
    settings = {**model, "database_url": url, "log_level": "debug", "api_key": "sk-sekretkey", "checking": "mark"}
    replica = Replica(tmp_path_factory.mktemp("logs"), "logs", **settings)

    async def work():
        await start(replica)
        async with (
            Client(replica.url, key=made["ada"]) as client,
            Client(replica.url, key="fn_sekretwrongkey") as wrong,
        ):
            headers = {"X-Request-Id": "ask-1"}
            source = {"id": "s", "title": "sekrettitle", "text": "The sekretsource excess is £75."}
            body = {"question": "What is the sekretsource excess, sekretquestion?", "sources": [source]}
            body["history"] = [["sekrethistory", "sekrethistory"]]
            async with client.session.post("/api/v1/answers", json=body, headers=headers) as response:
                assert response.headers["X-Request-Id"] == "ask-1"
                answer = await response.json()
            await client.json("POST", "/api/v1/answers", {"question": "sekretquestion?", "sources": []})
            async with client.ask(body) as response:
                await collect(response)
            await client.upload("The sekretdocument excess is £75.", "sekrettitle.md")
            await client.upload(b"%PDF-1.4 sekretdocument", "sekrettitle.pdf")
            await client.json("POST", "/api/v1/chat/message", {"message": "sekretquestion excess?"})
            rated = {"answer_id": answer["answer_id"], "rating": "up", "comment": "sekretcomment"}
            await client.json("POST", "/api/v1/feedback", rated)
            await client.json("POST", "/api/v1/answers", {"question": "sekretquestion", "sekretsource": 1})
            async with client.session.post("/api/v1/answers", data=b'{"sekretquestion') as response:
                assert response.status in (400, 422)
            assert (await wrong.json("GET", "/api/v1/documents?conversation_id=sekretquestion"))[0] == 401
            await client.json("GET", "/api/v1/sekretquestion")
            async with client.session.get("/metrics") as response:
                return await response.text()

    try:
        metrics = room_loop(work())
        return replica.log, metrics, made["ada"]
    finally:
        replica.stop()


def test_no_key_and_no_text_is_in_the_log(told):
    """Not a word of a question, a source, a document, a title, a comment, and no key."""
    log, metrics, key = told
    for secret in [*SECRETS, "sekretwrongkey", "sekretkey", key, key[-43:]]:
        assert secret not in log
        assert secret not in metrics


def test_every_line_is_json_and_names_its_request(told):
    """One line a request, with route, status, time, tenant and the id the client sent."""
    lines = [json.loads(line) for line in told[0].splitlines() if line.startswith("{")]
    requests = [line for line in lines if line["event"] == "request"]
    assert all({"route", "status", "ms", "request_id"} <= set(line) for line in requests)
    mine = [line for line in lines if line.get("request_id") == "ask-1"]
    assert {line["event"] for line in mine} >= {"request", "answered"}
    assert next(line for line in mine if line["event"] == "request")["tenant"] == "ada"


@pytest.mark.parametrize(
    "name",
    [
        'requests_total{method="POST",route="/api/v1/answers",status="200"}',
        'first_chunk_seconds_count{kind="answer"}',
        'tokens_total{kind="output"}',
        'refusals_total{reason="no_sources"}',
        "verdicts_total{",
        "queue_seconds_count",
        'streams_ended_total{ending="done",kind="answer"}',
    ],
)
def test_the_figures_are_there(told, name):
    """Requests, first chunk, tokens, refusals, verdicts, queue time, endings: counted, and never by a client's words."""
    found = re.search(rf"^footnoted_{re.escape(name)}.*? (\S+)$", told[1], re.MULTILINE)
    assert found, name
    assert float(found[1]) > 0


async def test_answers_are_spans_by_the_genai_conventions(tmp_path):
    """Operation, provider, model, tokens, finish reason; no text."""
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    from footnoted import GroundedGenerator
    from footnoted.service.answering import Desk
    from footnoted.service.asking import AnswerBody, from_sources
    from footnoted.service.observe import traces
    from footnoted.service.settings import Settings
    from footnoted.testing import scripted_provider
    from footnoted.types import Usage, Verdict

    class Shelf:
        async def keep(self, *_):
            """Nothing is kept."""

    class Sure:
        async def acheck(self, claim, sources, *, cited=()):
            return Verdict("supported", score=0.97, tier="exact")

    exporter = InMemorySpanExporter()
    settings = Settings(provider="openai", model="scripted-1")
    traces.set_up(settings, exporter=exporter)
    try:
        provider = scripted_provider("The excess is £75 [1].", usage=Usage(input=40, output=7))
        body = AnswerBody.model_validate({"question": "sekretquestion?", "sources": [{"text": "The excess is £75."}]})
        async with GroundedGenerator(provider, checker=Sure()) as generator:
            desk = Desk(generator, Shelf(), settings)
            with traces.request("POST", {"traceparent": "00-" + "a" * 32 + "-" + "b" * 16 + "-01"}) as span:
                await desk.whole(from_sources(body, "ada", settings))
                traces.responded(span, method="POST", route="/api/v1/answers", status=200)
        answer, request = exporter.get_finished_spans()
    finally:
        traces.shut_down()
    assert request.name == "POST /api/v1/answers"
    assert answer.name == "chat scripted-1"
    assert answer.parent.span_id == request.context.span_id
    assert f"{request.context.trace_id:032x}" == "a" * 32
    found = dict(answer.attributes)
    assert found["gen_ai.operation.name"] == "chat"
    assert (found["gen_ai.usage.input_tokens"], found["gen_ai.usage.output_tokens"]) == (40, 7)
    assert found["gen_ai.response.finish_reasons"] == ("complete",)
    assert "sekret" not in str(found)
    (event,) = answer.events
    assert event.name == "gen_ai.evaluation.result"
    assert dict(event.attributes) == {
        "gen_ai.evaluation.name": "footnoted.grounding",
        "gen_ai.evaluation.score.label": "supported",
        "gen_ai.evaluation.score.value": 0.97,
        "footnoted.tier": "exact",
        "footnoted.shown": True,
    }
