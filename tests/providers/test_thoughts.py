"""What a model thinks aloud before its answer: told apart at every cut, and never content."""

from __future__ import annotations

import pytest

from footnoted import GenerationConfig, GenerationRequest, GroundedGenerator
from footnoted.answering.generator import contexts
from footnoted.errors import BadProviderReply, ProviderTimeout
from footnoted.events import TextDelta
from footnoted.providers import patient
from footnoted.providers._thoughts import Thoughts
from footnoted.testing import Reply, ScriptedLLM, scripted_provider
from footnoted.testing.faults import disconnect
from footnoted.types import Deadlines, Delta, Pointer, Prompt, Retry

FREE = GenerationConfig(require_grounding=False)
ANSWER = "The excess is £75 [1]."
HARMONY = "<|channel|>analysis<|message|>Is it £80? <|end|>"
WHOLE = [
    (f"<think>Is it £80 [2]?\n\nNo.</think>\n\n{ANSWER}", ANSWER),
    (f"  <THINKING>a < b </think> c</Thinking> {ANSWER}", ANSWER),
    (f"<reasoning>a</reasoning><think>b</think>\n{ANSWER}", ANSWER),
    (f"<thought></thought>{ANSWER}", ANSWER),
    (f"[THINK]a[/THINK]{ANSWER}", ANSWER),
    (f"◁think▷a◁/think▷{ANSWER}", ANSWER),
    (f"{HARMONY}<|start|>assistant<|channel|>final<|message|>{ANSWER}<|return|>", ANSWER),
    (f"<|start|>assistant{HARMONY}<|start|>assistant<|channel|>final <|constrain|>json<|message|>{ANSWER}", ANSWER),
    (f"{HARMONY}<|channel|>commentary to=f<|message|>{{}}<|call|><|channel|>final<|message|>{ANSWER}", ANSWER),
    (f"{HARMONY}{ANSWER}", ANSWER),
    (f"{HARMONY}<|start|>assistant<|message|>a < b <|<|end|>", "a < b <|"),
    # thoughts that never end
    ("<think>Is it £80 [2]?", ""),
    ("<think>Is it £80</thin", ""),
    ("<|channel|>analysis<|message|>Is it £80", ""),
    ("<|channel|>analysis", ""),
    ("<think>a</think>\n", ""),
    # text
    (f"  {ANSWER}", f"  {ANSWER}"),
    (f"The tag <think> opens, </think> closes. {ANSWER}", f"The tag <think> opens, </think> closes. {ANSWER}"),
    ("```xml\n<think>a</think>\n```", "```xml\n<think>a</think>\n```"),
    ("`<think>` opens a thought.", "`<think>` opens a thought."),
    ("<think>a</think>```\n<think>b</think>\n```", "```\n<think>b</think>\n```"),
    ("<thinker>a", "<thinker>a"),
    ("<thi", "<thi"),
    ("[1] says so.", "[1] says so."),
    (" \n", " \n"),
    ("", ""),
]


async def told(provider, **how) -> str:
    return "".join([delta.text async for delta in patient(provider, Prompt("q"), **how)])


@pytest.mark.parametrize(("reply", "answer"), WHOLE)
def test_only_the_answer_comes_out_however_it_is_cut(reply, answer):
    """Whole, in two pieces cut anywhere, or letter by letter: the same text, and nothing twice."""
    cuts = [[reply], list(reply), *([reply[:at], reply[at:]] for at in range(len(reply)))]
    for pieces in cuts:
        thoughts = Thoughts()
        assert "".join([*map(thoughts.decode, pieces), thoughts.flush()]) == answer, pieces


def test_an_answer_is_let_through_as_it_comes():
    """Once it has begun, nothing of an answer waits for its end."""
    for begun in ("<think>a</think>The", f"{HARMONY}<|channel|>final<|message|>The"):
        assert Thoughts().decode(begun) == "The"


async def test_a_thought_is_no_content():
    """It neither stops the first token's clock nor forbids a second try, and a reply of thoughts alone is empty."""
    once = Retry(attempts=1)
    thinks = scripted_provider("<think>", *"abcdefghijklmnopqrst", "</think>", "Yes.", delay=0.05)
    with pytest.raises(ProviderTimeout, match="first token"):
        await told(thinks, deadlines=Deadlines(0.3, 9, 9), retry=once)
    with pytest.raises(BadProviderReply, match="empty"):
        await told(scripted_provider("<think>a", finish=None), retry=once)
    assert await told(scripted_provider("<th", "ink>a", "</think>", "<", finish=None)) == "<"
    assert await told(scripted_provider("<th", "ink>a", "</think>", "Y", "es.")) == "Yes."
    cut = [Reply(pieces=["<think>", "a"], fault=disconnect(after=1)), Reply(pieces=["<think>", "b</think>", "Yes."])]
    async with (
        ScriptedLLM(*cut) as server,
        GroundedGenerator(
            "openai", base_url=server.url("openai"), api_key="k", model="m", checking="off", retry=Retry(base=0.01)
        ) as generator,
    ):
        response = await generator.generate(GenerationRequest(query="q", config=FREE))
    assert (response.response, [one.outcome for one in response.attempts][-1]) == ("Yes.", "complete")
    assert len(response.attempts) == 2


async def test_the_words_of_a_source_are_no_thought():
    """A sentence that comes with its pointer stays, whatever it begins with."""
    quoted = Delta("<think> opens a thought.", (Pointer(0, 0, 24),))
    assert await told(scripted_provider(quoted)) == quoted.text


@pytest.mark.parametrize("checking", ["hold", "mark", "off"])
async def test_a_thought_is_neither_shown_nor_cited_nor_weighed(checking):
    """The reader of an answer learns nothing of it: not its text, not its markers, not its claims."""
    text = "Windscreen cover. The excess is £75 for a repair."
    request = GenerationRequest(query="What is the excess?", context=contexts([text]))
    said = scripted_provider("<think>The excess ", "is £80 [1].</thi", "nk>\n\nThe excess is £75 ", "for a repair [1].")
    async with GroundedGenerator(said, checking=checking) as generator:
        events = [event async for event in generator.stream(request)]
    response = events[-1].response
    assert response.response == "The excess is £75 for a repair [1]."
    assert "".join(event.text for event in events if isinstance(event, TextDelta)) == response.response
    assert len(response.citations) == 1
    assert not any("80" in claim.text for claim in response.claims)
