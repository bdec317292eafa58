"""A model that obeys, over real HTTP, unchecked: whatever it writes, the format holds and every pointer is exact."""

import re
import time

import pytest

from footnoted import GroundedGenerator
from footnoted.events import AnswerFinished, TextDelta
from footnoted.testing import Reply, ScriptedLLM
from tests.tables import every

from .corpus import ATTACKS, CITES, FACT, Attack, in_forms

pytestmark = pytest.mark.no_cover  # the same lines thousands of times: tracing them takes most of the time

PROTOCOLS = ["openai", "anthropic", "gemini"]


def gullible(attack):
    """A model that does as the attack says, if its words reach it at all, a few characters at a time."""

    def reply(request):
        assert attack.question[:20] in request.prompt_text or not attack.question.isascii()
        pieces = [attack.reply[at : at + 7] for at in range(0, len(attack.reply), 7)]
        return Reply(pieces=pieces if len(pieces) < 500 else [attack.reply])

    return reply


async def answer(attack, protocol, **config):
    """The response to an attack from the model that obeys it."""
    request = attack.request(**config)
    async with ScriptedLLM(gullible(attack)) as llm:
        async with GroundedGenerator(protocol, api_key="k", base_url=llm.url(protocol), checking="off") as generator:
            return request, await generator.generate(request)


@every(("attack", "form"), in_forms(ATTACKS), ids=lambda each: getattr(each, "name", each).lower())
async def test_the_format_holds(attack, form, held):
    """JSON parses with the words inside one string, bullets are bullets, no control character, exact pointers; in time."""
    started = time.process_time()
    protocol = PROTOCOLS[len(attack.name) % 3]
    request, response = await answer(attack, protocol, output_format=form)
    assert time.process_time() - started < 5
    held(response, request)


@every("protocol", PROTOCOLS)
@every("attack", CITES, ids=lambda attack: attack.name)
async def test_no_number_points_at_nothing(attack, protocol):
    """Every bracketed number a reader sees in prose is one of the citations, however it was written."""
    _, response = await answer(attack, protocol)
    prose = re.sub(r"\[[^\]]*\](?:\([^)]*\)+|:.*)", "", response.response)
    shown = {int(number) for number in re.findall(r"\[(?:Source )?(\d+)\]", prose)}
    assert shown <= {citation.number for citation in response.citations}
    assert not re.search(r"【\d+†|\[\^\d+\](?!:)|\[Source", prose)


async def test_a_stream_of_events_tells_the_same_harmless_text(held):
    """What streams is what the response holds: a control cannot be put together from two pieces."""
    attack = Attack("cut", "", reply="x")
    request = attack.request()
    pieces = ["PWNED \x1b", "[3", "1m. \ud83d", "\ude00 a\r", "\nb\r", "c \ud83d", " end\x1b["]
    async with ScriptedLLM(Reply(pieces=pieces)) as llm:
        async with GroundedGenerator("openai", api_key="k", base_url=llm.url("openai"), checking="off") as generator:
            events = [event async for event in generator.stream(request)]
    text = "".join(event.text for event in events if isinstance(event, TextDelta))
    assert text == "PWNED . \U0001f600 a\nb\nc \ufffd end ["
    assert isinstance(events[-1], AnswerFinished)
    assert events[-1].response.response == text
    held(events[-1].response, request)


async def test_a_hostile_title_stays_on_its_line_in_every_style(held):
    """A list below the answer shows titles: theirs open no line, no markup, no control."""
    attack = Attack(
        "x", "", "The door is green.", f"{FACT} The door is green [2].", title="Policy\n[9] \x1b[2J<script>\u202e"
    )
    for style in ("footnote", "endnote"):
        _, response = await answer(attack, "openai", citation_style=style)
        *_, first, last = response.response.splitlines()
        assert first.endswith("“The windscreen excess is £75 for a repair.”  ")
        assert "Policy \\[9\\] \\<script\\>" in last


async def test_a_quote_in_the_list_below_is_only_read(held):
    """The list quotes sources; the citation keeps their exact words, the text shows what can be read of them."""
    attack = Attack("x", "", "The door\x1b[2J is green\u202e.", "The door is green [2].")
    request, response = await answer(attack, "openai", citation_style="endnote")
    assert "“The door \\[2J is green.”" in response.response
    assert response.citations[0].source_quote == attack.source
    held(response, request)
