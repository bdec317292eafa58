"""The Vercel AI SDK's chat: its own transport asks, its own reader puts the message together."""

from tests.node import UNHURRIED, node
from tests.service.replicas import SOURCES

QUESTION = "What is the windscreen excess?"


async def ask(replica, *questions, sources=SOURCES):
    given = {"api": f"{replica.url}/api/v1/chat/ui", "own": {"sources": sources}, "questions": questions}
    return await node("use_chat.mjs", given)


@UNHURRIED
async def test_a_chat_of_two_turns_has_its_sources_and_citations(one):
    """Text, source parts, citations at their markers with a link into our page, and the answer's own data."""
    done = await ask(one, QUESTION, QUESTION)
    assert done["errors"] == []
    assert [each["role"] for each in done["messages"]] == ["user", "assistant"] * 2
    for message in done["messages"][1::2]:
        parts = {each["type"]: each for each in message["parts"]}
        text = parts["text"]["text"]
        assert "£75" in text
        assert parts["text"]["state"] == "done"
        assert parts["source-document"]["title"] == "Car policy"
        cited = parts["data-citation"]["data"]
        assert text[cited["start_pos"] : cited["end_pos"]] == "[1]"
        assert cited["url"].startswith(f"{one.url}/#answer={message['id']}")
        assert parts["data-answer"]["data"]["finish_reason"] == "complete"


@UNHURRIED
async def test_verdicts_are_parts_too(checked):
    done = await ask(checked, QUESTION)
    claims = [part["data"] for part in done["messages"][1]["parts"] if part["type"] == "data-claim"]
    assert claims[0]["text"].startswith("The windscreen excess is £75")


async def test_a_question_without_words_is_an_error_the_client_has(one, client):
    """422 with words, as at the other doors."""
    status, told = await client.json("POST", "/api/v1/chat/ui", {"messages": [{"role": "user", "parts": []}]})
    assert status == 422
    assert "question" in told["error"]["message"]
