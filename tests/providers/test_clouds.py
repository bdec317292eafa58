"""Azure, Bedrock, Vertex and Cohere: the fault table, what each asks with, and its own ways."""

from __future__ import annotations

import asyncio
import json
import re
from contextlib import aclosing

import pytest

from footnoted import GenerationConfig, GenerationRequest, GroundedGenerator
from footnoted.answering.generator import contexts
from footnoted.errors import ConfigurationError, ProviderRejected
from footnoted.providers import build, patient
from footnoted.providers._eventstream import CORRUPT, FrameDecoder
from footnoted.providers._sse import Event
from footnoted.providers.cohere import ChatReading
from footnoted.testing import Pin, Reply, ScriptedLLM
from footnoted.testing.bedrock import framed
from footnoted.testing.trials import RETRY, trials, undergo
from footnoted.types import FinishReason, Prompt, Schema, Source
from tests.providers.lateness import Late, in_time

CLOUDS = {
    "azure": {"model": "m", "api_version": "2024-10-21", "api_key": "k"},
    "bedrock": {"model": "anthropic.claude-haiku-4-5-v1:0", "api_key": "k"},
    "vertex": {"model": "m", "project": "p", "token": "t"},
    "cohere": {"model": "m", "api_key": "k"},
}


def event(kind, **fields):
    return f"data: {json.dumps({'type': kind, **fields})}\n\n".encode()


def said(text):
    return {"message": {"content": {"text": text}}}


PROMPT = Prompt(question="What is green?", ask="What is green?", sources=(Source("a", "Grün ist das 漢字."),))
SCHEMA = Schema("s", {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]})
# The clock is kept above the protocols, and tried with four; here with the one whose frames are no lines.
TRIED = [(name, trial) for name in CLOUDS for trial in trials() if name == "bedrock" or not trial.timed]


@pytest.fixture(autouse=True)
def nothing_of_the_clouds(monkeypatch):
    for name in ("AWS_REGION", "AWS_DEFAULT_REGION", "AWS_PROFILE", "AWS_BEARER_TOKEN_BEDROCK", "CO_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    for name in ("GOOGLE_CLOUD_PROJECT", "GOOGLE_CLOUD_LOCATION", "OPENAI_API_VERSION", "AZURE_OPENAI_ENDPOINT"):
        monkeypatch.delenv(name, raising=False)


async def tell(protocol, base_url, told):
    asked = build(protocol, base_url=base_url, **CLOUDS[protocol])
    deltas = patient(asked, PROMPT, deadlines=told.deadlines, retry=RETRY, attempts=told.attempts)
    async with aclosing(asked), aclosing(deltas):
        async for delta in deltas:
            assert told.finish is None
            told.text += delta.text
            told.finish = delta.finish_reason
            told.usage = delta.usage or told.usage


@pytest.mark.parametrize(("name", "trial"), TRIED, ids=lambda each: getattr(each, "name", each))
@in_time
async def test_every_fault_has_its_one_right_ending(name, trial):
    outcome = await undergo(trial, name, tell)
    if outcome.slow:
        raise Late(str(outcome.wrong))
    assert outcome.wrong == []


async def asked(name, prompt=PROMPT, reply="Hi.", **options):
    """The request that a prompt becomes, and the text that came."""
    async with ScriptedLLM(reply) as llm:
        provider = build(name, base_url=llm.url(name), **{**CLOUDS[name], **options})
        async with aclosing(provider):
            text = "".join([delta.text async for delta in provider.stream(prompt)])
        return llm.requests[0], text


FILTERED = {
    ("azure", "blocked"): "HTTP 400, .* (violence). It said: No such thing.",
    ("azure", "filter"): "finish_reason 'content_filter' (violence)",
    ("cohere", "blocked"): "HTTP 498, .* It said: No such thing.",
    ("cohere", "filter"): "finish_reason 'ERROR_TOXIC'",
    ("bedrock", "blocked"): "stopReason 'guardrail_intervened'",
    ("vertex", "blocked"): "the prompt was blocked: SAFETY",
}


@pytest.mark.parametrize(("name", "finish"), FILTERED)
async def test_a_content_filter_is_an_ending(name, finish):
    """Whether the vendor tells it as an error, by a status of its own or in the reply: `filtered`, and why."""
    async with ScriptedLLM(Reply("No such thing.", finish=finish)) as llm:
        async with aclosing(build(name, base_url=llm.url(name), **CLOUDS[name])) as provider:
            last = [delta async for delta in provider.stream(PROMPT)][-1]
    assert last.finish_reason is FinishReason.FILTERED
    assert re.search(re.escape(FILTERED[name, finish]).replace(r"\.\*", ".*"), last.detail)


@pytest.mark.parametrize("before", [[], [event("content-delta", index=0, delta=said("Well"))]], ids=["first", "after"])
def test_an_error_that_is_a_filters_is_an_ending_too(before):
    """Cohere's stream says it in the words of its error; text that came before it stays."""
    reading = ChatReading()
    ended = event("message-end", delta={"finish_reason": "ERROR", "error": "blocked output: please update the prompt"})
    deltas = [each for data in (*before, ended) for each in reading.decode(data)]
    last = reading.flush()[-1]
    assert "".join(delta.text for delta in deltas) == ("Well" if before else "")
    assert (last.finish_reason, "blocked output" in last.detail) == (FinishReason.FILTERED, True)


def test_an_argument_that_a_cloud_has_no_use_for_is_named():
    """The message lists its own and those it shares with the protocol it speaks."""
    with pytest.raises(
        ConfigurationError, match=r"no use for region; it takes .*model.*effort, api.*api_version, token"
    ):
        build("azure", region="x", api_key="k", base_url="http://x")


async def test_azure_asks_a_deployment_with_a_key_or_a_token():
    """The deployment in the path, the version in the query; a function gives an Entra token, and may wait for it."""
    request, text = await asked("azure", api_version="2024-10-21", model="my gpt")
    assert request.path == "/openai/deployments/my gpt/chat/completions"
    assert (request.query, request.headers["api-key"], text) == ({"api-version": "2024-10-21"}, "k", "Hi.")

    async def later():
        await asyncio.sleep(0)
        return "entra-2"

    for token in ("entra-1", lambda: "entra-1", later):
        request, _ = await asked("azure", api_key=None, token=token)
        assert request.headers["authorization"] == f"Bearer entra-{2 if token is later else 1}"
        assert "api-key" not in request.headers

    def fails():
        raise OSError("the vault is away")

    with pytest.raises(ProviderRejected, match="OSError: the vault is away"):
        await asked("azure", api_key=None, token=fails)


async def test_azure_without_a_version_asks_version_1():
    async with ScriptedLLM("Hi.") as llm:
        root = llm.url("azure")
        async with aclosing(build("azure", base_url=root, model="d", api_key="k")) as provider:
            assert "".join([delta.text async for delta in provider.stream(PROMPT)]) == "Hi."
        assert (llm.requests[0].path, llm.requests[0].json["model"]) == ("/openai/v1/chat/completions", "d")


@pytest.mark.parametrize(("name", "model"), [("azure", "d"), ("bedrock", "x.y:0")])
async def test_a_model_has_to_be_named(name, model):
    with pytest.raises(ConfigurationError, match="needs the model's name"):
        await asked(name, model=None)
    assert (await asked(name, model=model))[0].model == model


async def test_bedrock_converses(prompt):
    """Turns, system and sampling in its own shape; a schema goes out as its output format."""
    request, text = await asked("bedrock", prompt)
    assert request.path == "/model/anthropic.claude-haiku-4-5-v1:0/converse-stream"
    assert request.headers["authorization"] == "Bearer k"
    assert request.json["system"] == [{"text": "Answer from the sources."}]
    assert [turn["role"] for turn in request.json["messages"]] == ["user", "assistant", "user"]
    assert request.json["inferenceConfig"]["maxTokens"] == prompt.sampling.max_tokens
    assert text == "Hi."
    wanted = Prompt(question="q", schema=SCHEMA)
    request, text = await asked("bedrock", wanted, Reply(json={"a": 1}))
    form = request.json["outputConfig"]["textFormat"]["structure"]["jsonSchema"]
    assert json.loads(form["schema"])["additionalProperties"] is False
    assert json.loads(text) == {"a": 1}


async def test_bedrock_signs_as_botocore_does(monkeypatch, tmp_path):
    """Without a key AWS's own chain asks: what was signed is what came, path and body."""
    from botocore.auth import SigV4Auth
    from botocore.awsrequest import AWSRequest
    from botocore.credentials import Credentials

    for name, value in (("ACCESS_KEY_ID", "AKID"), ("SECRET_ACCESS_KEY", "secret"), ("SESSION_TOKEN", "token")):
        monkeypatch.setenv(f"AWS_{name}", value)
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "none"))
    request, _ = await asked("bedrock", api_key=None, region="eu-central-1", model="arn:aws:bedrock/x:0")
    sent = request.headers["authorization"]
    assert "Credential=AKID/" in sent
    assert "/eu-central-1/bedrock/aws4_request" in sent
    signed = sent.partition("SignedHeaders=")[2].partition(",")[0].split(";")
    assert {"host", "x-amz-date", "x-amz-security-token"} <= set(signed)
    body = json.dumps(request.json, ensure_ascii=False, separators=(",", ":")).encode()
    url = f"http://{request.headers['host']}/model/arn:aws:bedrock%2Fx:0/converse-stream"
    again = AWSRequest("POST", url, data=body, headers={name: request.headers[name] for name in signed})
    again.context["timestamp"] = request.headers["x-amz-date"]
    signer = SigV4Auth(Credentials("AKID", "secret", "token"), "bedrock", "eu-central-1")
    right = signer.signature(signer.string_to_sign(again, signer.canonical_request(again)), again)
    assert sent.endswith(f"Signature={right}")


def test_bedrock_without_botocore_names_the_extra(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "botocore.session", None)
    with pytest.raises(ConfigurationError, match=r"footnoted\[bedrock\]"):
        build("bedrock", model="m", region="eu-central-1")


def test_frames_cut_anywhere_are_the_same_events():
    """At each position; a sum that is wrong ends it, and what came before stands."""
    whole = framed(b'{"a":1}', event_type="x") + framed("{“b”}".encode(), exception_type="y") + framed(b"", n="z")
    events = FrameDecoder().decode(whole)
    assert [(event.event, event.data) for event in events] == [("x", '{"a":1}'), ("y", "{“b”}"), ("message", "")]
    for cut in range(len(whole)):
        decoder = FrameDecoder()
        assert decoder.decode(whole[:cut]) + decoder.decode(whole[cut:]) == events
    for place in range(len(whole)):
        harmed = bytearray(whole)
        harmed[place] ^= 0xFF
        found = FrameDecoder().decode(bytes(harmed))
        assert found[-1].event == CORRUPT or len(found) < 3
        assert found[: len(found) - 1] == events[: len(found) - 1]


async def test_vertex_asks_a_project_with_a_token_or_a_key():
    request, text = await asked("vertex", model="gemini-3.5-flash", location="europe-west4")
    assert request.path == (
        "/v1/projects/p/locations/europe-west4/publishers/google/models/gemini-3.5-flash:streamGenerateContent"
    )
    assert (request.headers["authorization"], text) == ("Bearer t", "Hi.")
    request, _ = await asked("vertex", token=None, project=None, api_key="k")
    assert request.path == "/v1/publishers/google/models/m:streamGenerateContent"
    assert request.headers["x-goog-api-key"] == "k"
    with pytest.raises(ConfigurationError, match="GOOGLE_CLOUD_PROJECT"):
        build("vertex", token="t")
    assert build("vertex", api_key="k", location="us-east1").base_url == "https://us-east1-aiplatform.googleapis.com"


async def test_vertex_takes_googles_default_credentials(monkeypatch, tmp_path):
    """A service account's file: google-auth signs, its token's server answers, and the token asks."""
    from aiohttp import web
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric import rsa

    fetched = []

    async def token(request):
        fetched.append(dict(await request.post()))
        return web.json_response({"access_token": "from-google", "expires_in": 3600, "token_type": "Bearer"})

    app = web.Application()
    app.router.add_post("/token", token)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048).private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    account = {
        "type": "service_account",
        "project_id": "theirs",
        "client_email": "a@theirs.iam.gserviceaccount.com",
        "private_key": key.decode(),
        "token_uri": f"http://127.0.0.1:{runner.addresses[0][1]}/token",
    }
    (tmp_path / "account.json").write_text(json.dumps(account), encoding="utf-8")
    monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(tmp_path / "account.json"))
    async with ScriptedLLM("Hi.") as llm:
        provider = await asyncio.to_thread(build, "vertex", base_url=llm.url("vertex"), model="m")
        async with aclosing(provider):
            for _ in range(2):
                assert "".join([delta.text async for delta in provider.stream(PROMPT)]) == "Hi."
        assert llm.requests[0].path.startswith("/v1/projects/theirs/locations/global/")
        assert {request.headers["authorization"] for request in llm.requests} == {"Bearer from-google"}
    assert len(fetched) == 1
    await runner.cleanup()


def test_vertex_without_google_auth_names_the_extra(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "google.auth", None)
    with pytest.raises(ConfigurationError, match=r"footnoted\[vertex\]"):
        build("vertex", project="p")


SOURCES = ["The windscreen excess is £75 for a repair.", "Glass is covered in full."]
CITED = Reply(
    pieces=["The windscreen excess is £75 ", "for a repair. ", "Glass is covered."],
    citations=[Pin(1, 0, 0, 0), Pin(2, 1, 0, 0)],
)


async def test_coheres_citations_become_ours():
    """Its own citations name a document; the answer's point at the exact words, with no marker of the model's."""
    async with (
        ScriptedLLM(CITED) as llm,
        GroundedGenerator("cohere", api_key="k", base_url=llm.url("cohere"), native_citations=True) as door,
    ):
        asked = GenerationRequest(
            query="What is covered?", context=contexts(SOURCES), config=GenerationConfig(require_grounding=False)
        )
        response = await door.generate(asked)
    sent = llm.requests[0].json
    assert [document["id"] for document in sent["documents"]] == ["0", "1"]
    assert sent["citation_options"] == {"mode": "FAST"}
    assert response.response == "The windscreen excess is £75 for a repair. [1] Glass is covered. [2]"
    assert [citation.source_quote for citation in response.citations] == SOURCES


async def test_cohere_speaks_chat(prompt):
    request, text = await asked("cohere", prompt)
    assert (request.path, request.key, text) == ("/v2/chat", "k", "Hi.")
    assert [turn["role"] for turn in request.json["messages"]] == ["system", "user", "assistant", "user"]
    request, text = await asked("cohere", Prompt(question="q", schema=SCHEMA), Reply(json={"a": 1}))
    assert request.json["response_format"] == {"type": "json_object", "json_schema": SCHEMA.json}
    assert json.loads(text) == {"a": 1}


def test_a_late_citation_marks_no_other_sentence():
    """One that is told when the next sentence has begun is left to the check; in time, and whole, it is a marker."""

    def event(kind, index, **message):
        return Event(kind, json.dumps({"type": kind, "index": index, "delta": {"message": message}}))

    cited = {"start": 0, "end": 15, "text": "Grass is green.", "sources": [{"type": "document", "id": "0"}]}
    first, second = (event("content-delta", 0, content={"text": text}) for text in ("Grass is green. ", "Sky"))
    marked = event("citation-start", 0, citations=cited)

    def said(*events):
        reading = ChatReading(documents=1)
        return "".join(delta.text for delta in map(reading.take, events) if delta)

    assert said(first, marked, marked, second) == "Grass is green. [1] Sky"
    assert said(first, second, marked) == "Grass is green. Sky"
    whole = {"message": {"content": [{"text": "Grass is green. Sky"}], "citations": [cited]}}
    assert ChatReading(documents=1).take_whole(whole)[0].text == "Grass is green. [1] Sky"
