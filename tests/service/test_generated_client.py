"""A Python client that openapi-python-client makes of the running service's document, against that service."""

import importlib
import io
import json
import subprocess
import sys
from pathlib import Path

import httpx
import pytest
import yaml

from tests.service.replicas import numbered, slow

SOURCE = "The windscreen excess is £75 for a repair. Glass is covered."
# The generator knows no pictures; as bytes they are what a client wants.
CONFIG = {"content_type_overrides": {"image/png": "application/octet-stream"}, "post_hooks": []}


@pytest.fixture(scope="module")
def made(one, tmp_path_factory):
    """The generated package, by the names of its modules; and the service's document."""
    folder = tmp_path_factory.mktemp("generated")
    told = httpx.get(f"{one.url}/openapi.json", timeout=60).content
    (folder / "openapi.json").write_bytes(told)
    (folder / "config.yaml").write_text(yaml.safe_dump(CONFIG))
    words = ["generate", "--meta", "none", "--fail-on-warning", "--path", "openapi.json", "--config", "config.yaml"]
    run = subprocess.run(
        [Path(sys.executable).with_name("openapi-python-client"), *words, "--output-path", "footnoted_generated"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=110,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    sys.path.insert(0, str(folder))
    yield lambda name="": importlib.import_module(f"footnoted_generated{name}"), json.loads(told)
    sys.path.remove(str(folder))


@pytest.fixture
def api(made):
    """A function of the client's by its tag and name; its models."""
    module, _ = made
    return (lambda tag, name: module(f".api.{tag}.{tag}_{name}")), module(".models")


@pytest.fixture
async def caller(made, one):
    """The generated client, with a key."""
    module, _ = made
    async with module(".client").AuthenticatedClient(base_url=one.url, token="any", timeout=60) as client:
        yield client


def test_every_operation_is_generated(made):
    """None is left out, and no two are of one name."""
    module, document = made
    wanted = {
        (operation["tags"][0], operation["operationId"])
        for path in document["paths"].values()
        for operation in path.values()
    }
    assert len(wanted) == sum(map(len, document["paths"].values()))
    for tag, name in wanted:
        assert callable(module(f".api.{tag}.{name}").asyncio_detailed)


async def test_a_question_is_asked(api, caller):
    """The answer comes as objects: its words, its citations, its verdicts, its sources."""
    call, models = api
    body = models.AnswerBody(
        question="What is the windscreen excess?",
        sources=[models.SentSource(text=SOURCE, id="car", title="Car policy")],
        config=models.GenerationConfig(citation_style=models.CitationStyle.NUMBERED),
    )
    found = await call("answers", "answer").asyncio(client=caller, body=body)
    assert isinstance(found, models.WholeAnswer)
    (citation,) = found.response.citations
    assert SOURCE[citation.source_start : citation.source_end] == citation.source_quote
    assert found.sources[citation.source_index].id == "car"
    assert found.response.finish_reason == models.FinishReason.COMPLETE
    kept = await call("answers", "saved_answer").asyncio(client=caller, answer_id=found.answer_id)
    assert kept.response.response == found.response.response


async def test_what_is_wrong_is_told(api, caller):
    """An error is an object too, with its status."""
    call, models = api
    told = await call("answers", "answer").asyncio_detailed(client=caller, body=models.AnswerBody(question=" "))
    assert (told.status_code, told.parsed.error.code) == (422, "invalid_request")
    assert "empty" in told.parsed.error.message


async def test_a_stream_is_read_and_stopped(api, caller):
    """A short one comes whole; a long one is found running, stopped, and read to its end."""
    call, models = api
    whole = await call("answers", "stream_answer").asyncio_detailed(
        client=caller, body=models.AnswerBody.from_dict(slow(3, 0))
    )
    assert whole.status_code == 200
    events = whole.content.decode()
    assert events.rstrip().rpartition("event: ")[2].startswith("done")
    assert all(piece in events for piece in numbered(3).split())
    asked = models.AnswerBody.from_dict(slow(2_000, 0.05)).to_dict()
    async with caller.get_async_httpx_client().stream("POST", "/api/v1/answers/stream", json=asked) as response:
        lines = response.aiter_lines()
        start = json.loads(next(iter([line async for line in _until(lines, "data: ")])).removeprefix("data: "))
    stream_id = start["stream_id"]
    status = await call("chat", "status").asyncio(client=caller, stream_id=stream_id)
    assert (status.state, status.kind) == ("running", "answer")
    stopped = await call("chat", "stop").asyncio(client=caller, stream_id=stream_id)
    assert (stopped.stopped, stopped.stream_id) == (True, stream_id)
    rest = await call("chat", "join").asyncio_detailed(client=caller, stream_id=stream_id)
    assert rest.content.decode().rstrip().rpartition("data: ")[2].startswith('{"code":"stopped"')
    again = await call("chat", "stop").asyncio(client=caller, stream_id=stream_id)
    assert again.stopped is False


async def _until(lines, beginning):
    """Lines up to the first that begins so, which comes alone."""
    async for line in lines:
        if line.startswith(beginning):
            yield line
            return


async def test_documents_are_kept_and_let_go(api, caller):
    """Uploaded, listed, read, asked, deleted: and a 404 afterwards."""
    call, models = api
    types = importlib.import_module("footnoted_generated.types")
    text = f"# Car policy by client\n\n{SOURCE}\n"
    file = types.File(payload=io.BytesIO(text.encode()), file_name="client.md", mime_type="text/markdown")
    added = await call("documents", "upload").asyncio(client=caller, body=models.BodyDocumentsUpload(file=file))
    assert isinstance(added, models.ToldDocument)
    assert added.title == "Car policy by client"
    listed = await call("documents", "documents").asyncio(client=caller, limit=500)
    assert added.id in [each.id for each in listed.documents]
    told = await call("documents", "text").asyncio(client=caller, document_id=added.id)
    assert SOURCE in told.text
    assert told.text[told.sections[-1].start : told.sections[-1].end].strip().endswith(SOURCE)
    answer = await call("chat", "message").asyncio(
        client=caller, body=models.ChatBody(message="What is the windscreen excess?", document_ids=[added.id])
    )
    passage = await call("documents", "source").asyncio(client=caller, chunk_id=answer.sources[0].chunk_id)
    assert passage.document_id == added.id
    gone = await call("documents", "delete").asyncio_detailed(client=caller, document_id=added.id)
    assert gone.status_code == 204
    missing = await call("documents", "document").asyncio(client=caller, document_id=added.id)
    assert isinstance(missing, models.ErrorBody)
    assert missing.error.code == "not_found"


async def test_conversations_are_listed_renamed_shared_and_deleted(api, caller):
    """As the page does it, with the generated client."""
    call, models = api
    name = "by-a-generated-client"
    body = models.AnswerBody(
        question="What is covered?", sources=[models.SentSource(text=SOURCE)], conversation_id=name
    )
    answer = await call("answers", "answer").asyncio(client=caller, body=body)
    listed = await call("conversations", "conversations").asyncio(client=caller, query="covered")
    assert name in [each.id for each in listed.conversations]
    whole = await call("conversations", "conversation").asyncio(client=caller, conversation_id=name)
    assert [turn.answer_id for turn in whole.turns] == [answer.answer_id]
    assert whole.turns[0].response.response == answer.response.response
    other = await call("conversations", "rename").asyncio(
        client=caller, conversation_id=name, body=models.TitleBody(title="Glass")
    )
    assert other.title == "Glass"
    shared = await call("conversations", "share").asyncio(client=caller, conversation_id=name)
    assert shared.path.startswith("/shared/")
    rated = await call("feedback", "give").asyncio(
        client=caller, body=models.FeedbackBody(answer_id=answer.answer_id, rating=models.FeedbackBodyRating.UP)
    )
    assert rated.rating == "up"
    gone = await call("conversations", "delete").asyncio_detailed(client=caller, conversation_id=name)
    assert gone.status_code == 204
    missing = await call("conversations", "conversation").asyncio_detailed(client=caller, conversation_id=name)
    assert missing.status_code == 404
