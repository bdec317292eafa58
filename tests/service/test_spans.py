"""Spans of a real service, as a collector's OTLP endpoint gets them: the GenAI conventions, verdicts as events, no text."""

import pytest

from tests.collector import attributes, collecting
from tests.service.replicas import Client, Replica, collect, start

TRUE = "The windscreen excess is £75 for a repair."
SOURCE = {"id": "s", "title": "sekrettitle", "text": f"{TRUE} The sekretsource is green."}
PARENT = "00-" + "a" * 32 + "-" + "b" * 16 + "-01"


@pytest.fixture(scope="module")
def seen(room_loop, model, tmp_path_factory):
    """The spans of one answer whole, one streamed and one request refused, posted by the service when it stops."""
    replica = Replica(tmp_path_factory.mktemp("spans"), "spans", **{**model, "checking": "hold"})

    async def work():
        async with collecting() as collector:
            replica.env["OTEL_EXPORTER_OTLP_ENDPOINT"] = collector.url
            replica.env["OTEL_SERVICE_NAME"] = "policies"
            await start(replica)
            async with Client(replica.url) as client:
                body = {"question": "What is the sekretquestion excess?", "sources": [SOURCE]}
                async with client.session.post(
                    "/api/v1/answers", json=body, headers={"traceparent": PARENT}
                ) as response:
                    assert response.status == 200, await response.text()
                async with client.ask(body) as response:
                    await collect(response)
                await client.json("POST", "/api/v1/answers", {"sekretquestion": 1})
            await room_stop(replica)
            return collector

    return room_loop(work())


async def room_stop(replica):
    """Stop it without stopping the loop that its collector runs on."""
    import asyncio

    await asyncio.to_thread(replica.stop)


def test_the_collector_knows_who_posted(seen):
    (name,) = {each["service.name"] for batch in seen.batches for each in map(attributes, resources(batch))}
    assert name == "policies"


def resources(batch):
    return [each.resource for each in batch.resource_spans]


def test_each_answer_is_a_span_of_its_request(seen):
    """Operation, model, tokens and ending; the whole one hangs on the caller's own trace."""
    answers = [span for span in seen.spans if span.name.startswith("chat ")]
    requests = {span.span_id: span for span in seen.spans if span.name.startswith("POST ")}
    assert len(answers) == 2
    for span in answers:
        told = attributes(span)
        assert told["gen_ai.operation.name"] == "chat"
        assert told["gen_ai.provider.name"] == "compatible"
        assert told["gen_ai.response.finish_reasons"] == ["complete"]
        assert told["gen_ai.usage.output_tokens"] > 0
    whole = answers[0]
    assert whole.trace_id.hex() == "a" * 32
    assert requests[whole.parent_span_id].name == "POST /api/v1/answers"


def test_each_verdict_is_an_event(seen):
    """`gen_ai.evaluation.result` with its label and score, for each claim of each answer."""
    for span in (span for span in seen.spans if span.name.startswith("chat ")):
        (event,) = span.events
        assert event.name == "gen_ai.evaluation.result"
        told = attributes(event)
        assert told["gen_ai.evaluation.name"] == "footnoted.grounding"
        assert told["gen_ai.evaluation.score.label"] == "supported"
        assert 0 <= told["gen_ai.evaluation.score.value"] <= 1


def test_no_text_leaves(seen):
    """No question, source, title or sentence is in anything the collector got, nor in a span's error."""
    sent = b"".join(batch.SerializeToString() for batch in seen.batches)
    assert b"gen_ai" in sent
    for secret in (b"sekret", TRUE.encode()):
        assert secret not in sent
