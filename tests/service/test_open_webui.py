"""The pipe for Open WebUI, loaded as Open WebUI loads a function, before a real service.

Open WebUI itself is no part of the tests: its package brings gigabytes. Its loader executes a function's text in a
module of its own and makes the class ``Pipe``; its page reads the events below by these fields.
"""

import types
from pathlib import Path

import pytest

FILE = Path(__file__).parent.parent.parent / "deploy" / "open-webui" / "footnoted_pipe.py"


@pytest.fixture
def pipe():
    module = types.ModuleType("function_footnoted")
    exec(compile(FILE.read_text(encoding="utf-8"), str(FILE), "exec"), module.__dict__)  # noqa: S102 - its loader's way
    return module.Pipe()


async def answered(pipe, question):
    told, events = [], []

    async def emit(event):
        events.append(event)

    body = {"model": "footnoted", "stream": True, "messages": [{"role": "user", "content": question}]}
    async for piece in pipe.pipe(body, __event_emitter__=emit, __metadata__={"chat_id": "c-webui"}):
        told.append(piece)
    return "".join(told), events


def test_its_head_says_what_open_webui_reads(pipe):
    head = FILE.read_text(encoding="utf-8").split('"""')[1]
    fields = dict(line.split(": ", 1) for line in head.strip().splitlines())
    assert fields["title"] == "footnoted"
    assert fields["requirements"] == "aiohttp"
    assert pipe.pipes()[0]["id"] == "footnoted"


async def test_an_answer_has_its_sources_and_a_status(pipe, checked, room_loop):
    """Text, one ``source`` event a document with the words cited and a link, and a last status that is done."""
    from tests.service.replicas import Client

    async with Client(checked.url) as client:
        status, _ = await client.upload("# Car\n\nThe windscreen excess is £75 for a repair.\n", "car.md")
        assert status in (200, 201)
    pipe.valves.base_url = f"{checked.url}/v1"
    text, events = await answered(pipe, "What is the windscreen excess?")
    assert "£75" in text
    (source,) = [each["data"] for each in events if each["type"] == "source"]
    assert "£75" in source["document"][0]
    assert source["source"]["url"].startswith(f"{checked.url}/#answer=")
    assert len(source["document"]) == len(source["metadata"])
    statuses = [each["data"] for each in events if each["type"] == "status"]
    assert [each["done"] for each in statuses] == [False, True]
    assert "sentences stand" in statuses[-1]["description"] or "checked" in statuses[-1]["description"]


async def test_a_service_that_is_away_is_told_in_words(pipe):
    """In the answer and in the status; never an exception."""
    pipe.valves.base_url = "http://127.0.0.1:9/v1"
    text, events = await answered(pipe, "Anything?")
    assert "footnoted: " in text
    assert events[-1]["data"]["done"] is True
