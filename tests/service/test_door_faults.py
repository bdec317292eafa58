"""The fault table through the service's doors for other programs: each ending as typed as the protocol allows."""

import asyncio
import json
import re
import types
from pathlib import Path

import pytest

from footnoted.testing import Reply, ScriptedLLM
from footnoted.testing.trials import trials
from footnoted.types import FinishReason
from tests.service.replicas import Client, Replica, start

SOURCES = [{"id": "s", "title": "Colours", "text": "Grün ist das 漢字 🌱. Wort word."}]
# The clock is on trial elsewhere: the service's own deadlines are minutes, and so is what it would wait as asked.
TRIALS = {
    trial.name: trial
    for trial in trials()
    if not trial.timed
    and not trial.refused
    and not any(reply.headers.get("Retry-After") == "60" for reply in trial.replies)
}
SLOW = "slow"
_NAMED = re.compile(r"trial=<([^>]*)>")


class Script:
    """Each trial's replies in turn, whoever asks in between."""

    def __init__(self):
        self._asked = {}

    def __call__(self, request):
        name = _NAMED.findall(request.prompt_text)[-1]
        if name.partition("/")[2] == SLOW:
            return Reply(pieces=["word "] * 4000, delay=0.02)
        replies = TRIALS[name.partition("/")[2]].replies
        count = self._asked[name] = self._asked.get(name, -1) + 1
        return replies[min(count, len(replies) - 1)]


@pytest.fixture(scope="module")
def doors(room_loop, tmp_path_factory):
    """A replica before a model that plays each trial when the question names it, and the model."""
    llm = ScriptedLLM(Script())
    room_loop(llm.__aenter__())
    asked = {"provider": "compatible", "base_url": llm.url("openai"), "model": "m", "checking": "off"}
    replica = Replica(tmp_path_factory.mktemp("doors"), "doors", **asked)
    room_loop(start(replica))
    yield replica, llm, room_loop
    replica.stop()
    room_loop(llm.__aexit__(None, None, None))


def own(body):
    return {**body, "footnoted": {"sources": SOURCES, "config": {"require_grounding": False}}}


def body_of(door, question):
    """Path and body by which a door is asked."""
    if door.startswith("chat"):
        path, body = "/v1/chat/completions", {"messages": [{"role": "user", "content": question}]}
    elif door.startswith("responses"):
        path, body = "/v1/responses", {"input": question}
    else:
        path, body = "/api/v1/chat/ui", {"messages": [{"role": "user", "parts": [{"type": "text", "text": question}]}]}
    return path, own({**body, "stream": door.endswith("streamed")} if door != "ui" else body)


async def told(client, door, name):
    """How a door says that a trial ended: its protocol's word, and our own; ``error`` where it says that it failed."""
    path, body = body_of(door, f"What is green? trial=<{door}/{name}>")
    async with client.session.post(path, json=body) as response:
        text = await response.text()
    if response.status >= 400:
        assert json.loads(text)["error"]["message"]
        return "error", None
    if door.endswith("whole"):
        return ending(json.loads(text))
    events = [json.loads(each[6:]) for each in text.splitlines() if each.startswith("data: {")]
    if any(each.get("error") or each.get("type") in ("error", "response.failed") for each in events):
        return "error", None
    if door == "ui":
        (answer,) = [each["data"] for each in events if each["type"] == "data-answer"]
        return "", answer["finish_reason"]
    return ending(events[-1].get("response") or events[-1])


def ending(reply):
    if "choices" in reply:
        return reply["choices"][0]["finish_reason"], reply["footnoted"]["finish_reason"]
    why = (reply.get("incomplete_details") or {}).get("reason", "")
    return f"{reply['status']} {why}".strip(), reply["footnoted"]["finish_reason"]


WORDS = {
    FinishReason.COMPLETE: ("stop", "completed"),
    FinishReason.LENGTH: ("length", "incomplete max_output_tokens"),
    FinishReason.FILTERED: ("content_filter", "incomplete content_filter"),
    FinishReason.TRUNCATED: ("length", "incomplete truncated"),
    FinishReason.ERROR: ("length", "incomplete error"),
}


@pytest.mark.parametrize("door", ["chat, whole", "chat, streamed", "responses, whole", "responses, streamed", "ui"])
def test_every_fault_upstream_is_typed(doors, door):
    """All of the table at once: nothing that was cut is `stop`, what never came is an error, and ours says which."""
    replica, _, room_loop = doors

    async def work():
        async with Client(replica.url) as client:
            return dict(zip(TRIALS, await asyncio.gather(*(told(client, door, name) for name in TRIALS)), strict=True))

    found = room_loop(work())
    wrong = {}
    for name, trial in TRIALS.items():
        right = ("error", None)
        if trial.finish is not None:
            word = "" if door == "ui" else WORDS[trial.finish][door.startswith("responses")]
            right = (word, trial.finish.value)
        if found[name] != right:
            wrong[name] = (found[name], right)
    assert wrong == {}


@pytest.mark.parametrize("door", ["chat, streamed", "responses, streamed", "ui"])
def test_a_reader_who_leaves_is_felt_upstream(doors, door):
    """The model's connection is closed; the replica serves on."""
    replica, llm, room_loop = doors

    async def work():
        async with Client(replica.url) as client:
            path, body = body_of(door, f"What is green? trial=<{door}/{SLOW}>")
            async with client.session.post(path, json=body) as response:
                while b"word" not in await response.content.readline():
                    pass
                assert llm.open_replies == 1
                response.close()
            await llm.closed_within(10)
            return await client.json("GET", "/healthz")

    assert room_loop(work())[0] == 200


def piped(url):
    """Open WebUI's function, loaded as it loads one."""
    file = Path(__file__).parent.parent.parent / "deploy" / "open-webui" / "footnoted_pipe.py"
    module = types.ModuleType("function_footnoted")
    exec(compile(file.read_text(encoding="utf-8"), str(file), "exec"), module.__dict__)  # noqa: S102 - its loader's way
    pipe = module.Pipe()
    pipe.valves.base_url = f"{url}/v1"
    return pipe


def test_open_webuis_pipe_says_what_broke_off(doors):
    """In its last status: an answer that is not whole never looks whole; what never came is told in words."""
    replica, _, room_loop = doors

    async def ended(name):
        said, text = [], ""

        async def emit(event):
            said.append(event["data"].get("description", ""))

        asked = {"messages": [{"role": "user", "content": f"What is green? trial=<pipe/{name}>"}]}
        async for piece in piped(replica.url).pipe(asked, __event_emitter__=emit):
            text += piece
        return text, said[-1]

    async def work():
        async with Client(replica.url) as client:
            status, _ = await client.upload(
                "# Colours\n\nGreen in German: Grün ist das 漢字 🌱. What is green is grün.\n", "colours.md"
            )
            assert status in (200, 201)
        return dict(zip(TRIALS, await asyncio.gather(*map(ended, TRIALS)), strict=True))

    found = room_loop(work())
    for name, trial in TRIALS.items():
        text, status = found[name]
        if trial.finish is None:
            assert "footnoted: " in text, name
        else:
            assert ("not whole" in status) == (trial.finish is not FinishReason.COMPLETE), (name, status)


def test_open_webuis_reader_who_stops_is_felt_upstream(doors):
    replica, llm, room_loop = doors

    async def work():
        async with Client(replica.url) as client:
            await client.upload("# Words\n\nGreen is a word, and a word is green.\n", "words.md")
        asked = {"messages": [{"role": "user", "content": f"What is green? trial=<pipe/{SLOW}>"}]}
        answer = piped(replica.url).pipe(asked)
        assert await anext(answer)
        assert llm.open_replies == 1
        await answer.aclose()
        await llm.closed_within(10)

    room_loop(work())
