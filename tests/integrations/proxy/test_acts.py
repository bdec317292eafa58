"""An agent's claims of action, weighed by what the tools of its turn gave back."""

import aiohttp
import pytest

from footnoted.integrations.proxy.conversation import held
from footnoted.testing import ScriptedLLM

SENT = "I have sent the email to Bob."
SAID = f"{SENT} Paris is lovely in spring."
DECLARED = {"name": "send_email", "description": "Send an email to somebody."}
TOOLS = {
    "chat": [{"type": "function", "function": DECLARED}],
    "responses": [{"type": "function", **DECLARED}],
    "messages": [{**DECLARED, "input_schema": {"type": "object"}}],
}
DONE = '{"status": "sent", "to": "Bob"}'


def turn(protocol, result, *, failed=False, then=None):
    """A request in which the tool was called, and what it gave back; the user may have spoken since."""
    asked = {"role": "user", "content": "Write to Bob."}
    if protocol == "chat":
        call = {
            "id": "1",
            "type": "function",
            "function": {"name": "send_email", "arguments": '{"text": "Racing is on."}'},
        }
        said = [
            asked,
            {"role": "assistant", "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "1", "content": result},
        ]
    elif protocol == "responses":
        call = {"type": "function_call", "call_id": "1", "name": "send_email", "arguments": '{"text": "Racing is on."}'}
        said = [asked, call, {"type": "function_call_output", "call_id": "1", "output": result}]
    else:
        use = {"type": "tool_use", "id": "1", "name": "send_email", "input": {"text": "Racing is on."}}
        back = {"type": "tool_result", "tool_use_id": "1", "content": result, "is_error": failed}
        said = [asked, {"role": "assistant", "content": [use]}, {"role": "user", "content": [back]}]
    said += [{"role": "user", "content": then}] if then else []
    return {"tools": TOOLS[protocol], "input" if protocol == "responses" else "messages": said}


@pytest.mark.parametrize("protocol", TOOLS)
def test_a_turn_is_read_in_every_protocol(protocol):
    """Results of this turn in words, the tool named; never the arguments, and nothing of a turn before."""
    acts = held(protocol, turn(protocol, DONE)).acts
    assert acts.log() == "send email: status: sent; to: Bob."
    assert "called: send_email" in acts.why()
    assert acts.concern(SENT)
    assert not acts.concern("Paris is lovely in spring.")
    found = held(protocol, turn(protocol, DONE))
    assert "status: sent" in found.sources[-1].text
    assert not any("Racing" in source.text for source in found.sources)
    later = held(protocol, turn(protocol, DONE, then="And to Ann?")).acts
    assert (later.log(), later.why()) == ("", "no tool was called in this turn")


def test_a_failure_is_told_where_the_protocol_tells_it():
    acts = held("messages", turn("messages", '{"error": "mailbox full"}', failed=True)).acts
    assert acts.log() == "send email failed: error: mailbox full."
    assert acts.why().endswith("failed: send_email")


async def replied(proxy, body, mode="mark"):
    async with ScriptedLLM(SAID) as llm, proxy(llm.url(), verdict_wait=60) as url, aiohttp.ClientSession() as session:
        headers = {"X-Footnoted-Checking": mode}
        async with session.post(f"{url}/v1/chat/completions", json={"model": "m", **body}, headers=headers) as response:
            reply = await response.json()
    claims = {claim["text"]: claim for claim in reply["footnoted"]["claims"]}
    return reply["choices"][0]["message"]["content"], claims


async def test_an_action_nobody_saw_is_marked(proxy):
    """With tools and no call: the claim of action is unsure and says why; other talk is left alone; hold signs it."""
    body = {"tools": TOOLS["chat"], "messages": [{"role": "user", "content": "Write to Bob."}]}
    said, claims = await replied(proxy, body)
    assert said == SAID
    assert set(claims) == {SENT}
    assert (claims[SENT]["verdict"], claims[SENT]["reason"]) == ("unsure", "no tool was called in this turn")
    said, _ = await replied(proxy, body, "hold")
    assert said == f"{SENT} (unverified) Paris is lovely in spring."


async def test_an_action_is_weighed_by_its_result(proxy):
    """What the tool gave back in words carries it; what it gave in a turn before is told apart by the reason."""
    _, claims = await replied(proxy, turn("chat", "I have sent the email to Bob."))
    assert claims[SENT]["verdict"] == "supported"
    _, claims = await replied(proxy, turn("chat", '{"error": "mailbox full"}'))
    assert claims[SENT]["verdict"] in ("unsure", "unsupported", "not_checked")
    assert claims[SENT]["reason"] == "no result of this turn shows it; called: send_email"
