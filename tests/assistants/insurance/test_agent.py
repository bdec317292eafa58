"""The responder: what a model says well or badly, and what of it a customer gets."""

import asyncio
import json
import logging
import re
import time

import pytest

from footnoted.assistants.insurance import (
    CitationStyle,
    ResponseFinished,
    ResponseGenerationAgent,
    ResponseRequest,
)
from footnoted.errors import ProviderRejected, ProviderUnavailable
from footnoted.events import CitationFound, TextDelta, TextRetracted
from footnoted.testing import Reply, ScriptedLLM, closed_port, scripted_provider
from footnoted.types import Delta, FinishReason
from tests.assistants.insurance.policies import BASIC, COVER, EXCESS, EXCLUDED, OTHER, PLUS

QUESTION = "What is the windscreen excess?"
GOOD = f"With {PLUS} the windscreen excess is £75 when our approved repairer replaces the glass [1]."


async def judge(prompt):
    """A model that knows the excess: it judges what the shipped reader leaves open."""
    stated = re.findall(r"== \w+ statement (\d+)\n(.*)", prompt.context)
    told = [
        {
            "statement": int(number),
            "verdict": "supported",
            "quote": "The windscreen excess is £75",
            "reason": "it says so",
        }
        if "£75" in text
        else {"statement": int(number), "verdict": "unsupported", "quote": "", "reason": "it does not say so"}
        for number, text in stated
    ]
    yield Delta(text=json.dumps({"verdicts": told}))
    yield Delta(finish_reason=FinishReason.COMPLETE)


def request(*chunks, question=QUESTION, **more):
    return ResponseRequest(original_query=question, context_chunks=list(chunks or (EXCESS,)), **more)


async def answer(*said, chunks=(EXCESS,), **more):
    agent = ResponseGenerationAgent(scripted_provider(*said), judge=judge)
    return await agent.agenerate_response(request(*chunks, **more))


async def test_a_good_answer_reaches_the_customer_with_its_source():
    """Text, mark, citation with the policy's exact words, confidence, and nobody else's answer."""
    result = await answer(GOOD)
    assert "£75" in result.answer
    assert "[1]" in result.answer
    assert (result.context_used, result.context_available) == (1, 1)
    assert result.citations[0].section_hierarchy == ["3. Windscreen", "3.2 Excess"]
    assert result.citations[0].quotes[0] in EXCESS.content
    assert result.confidence_score > 0.8
    assert result.has_sufficient_context
    assert not result.degraded
    assert "Mean relevance" in result.reasoning


async def test_every_mark_stands_where_the_result_says():
    """The core's own response travels along, its places those of the customer's text."""
    result = await answer(GOOD, chunks=(OTHER, EXCESS), citation_style=CitationStyle.INLINE)
    for one in result.generation.citations:
        marked = result.answer[one.start_pos : one.end_pos]
        assert marked.startswith("(Source: Harbour Car Comprehensive Policy wording")
        content = [OTHER, EXCESS][one.source_index].content
        assert content[one.source_start : one.source_end] == one.source_quote
    assert result.generation.citations


async def test_empty_and_repeated_sections_count():
    """A section that says nothing, or says the same again, moves no mark to another policy."""
    empty = EXCESS.model_copy(update={"content": "  ", "chunk_id": "", "product_name": OTHER.product_name})
    chunks = [empty, OTHER, OTHER, EXCESS]
    said = f"With {PLUS} the windscreen excess is £75 when our approved repairer replaces the glass [2]."
    agent = ResponseGenerationAgent(scripted_provider(said), judge=judge)
    events = [event async for event in agent.stream(request(*chunks))]
    result = events[-1].result
    told = [event.citation for event in events if isinstance(event, CitationFound)]
    assert {one.source for one in told} == {one.source_index for one in result.generation.citations} == {3}
    assert all(EXCESS.content[one.source_start : one.source_end] == one.quote for one in told)
    assert [one.product_name for one in result.citations if one.quotes] == [PLUS]
    for claim in result.generation.claims:
        assert claim.text == result.answer[claim.start_pos : claim.end_pos]
        assert all(
            chunks[one.source_index].content[one.source_start : one.source_end] == one.source_quote
            for one in claim.evidence
        )


@pytest.mark.parametrize(
    ("style", "mark"),
    [
        (CitationStyle.NUMBERED, "[1]"),
        (CitationStyle.INLINE, "(Source: Harbour Car Comprehensive Policy wording - 3. Windscreen > 3.2 Excess)"),
        (CitationStyle.FOOTNOTE, "¹"),
    ],
)
async def test_marks_come_in_the_style_asked_for(style, mark):
    """Whatever dialect the model writes."""
    result = await answer(GOOD.replace("[1]", "[Source 1]"), citation_style=style)
    assert mark in result.answer


async def test_an_invented_amount_never_reaches_the_customer():
    """A sum that stands in no section is withheld, and the documents speak in its place."""
    result = await answer(f"With {PLUS} the windscreen excess is £950 [1].")
    assert "950" not in result.answer
    assert "£75" in result.answer
    assert result.degraded


@pytest.mark.parametrize(
    "sum_", ["£7.5", "£750", "75%", "£75,000", "75 million pounds", "seventy thousand pounds, £80"]
)
async def test_a_sum_near_the_true_one_is_an_invented_one(sum_):
    """A digit, a unit or a scale more."""
    result = await answer(
        f"With {PLUS} the windscreen excess is {sum_} when the glass is replaced [1].", chunks=(EXCESS,)
    )
    assert sum_ not in result.answer


async def test_an_invented_sentence_beside_a_true_one_is_left_out():
    """What stands stays, the rest goes."""
    result = await answer(f"{GOOD} You also get a free car wash worth £40 [1].")
    assert "£75" in result.answer
    assert "wash" not in result.answer
    assert "£40" not in result.answer
    assert not result.degraded


async def test_a_figure_of_another_product_is_not_this_ones():
    """£75 is the excess of one product; said of the other it is withheld."""
    result = await answer(f"With {BASIC} the windscreen excess is £75 [1].", chunks=(EXCESS, OTHER))
    for line in result.answer.split("\n\n"):
        assert not (BASIC in line and "£75" in line)


@pytest.mark.parametrize(
    "blended",
    [
        "With both policies the windscreen excess is £75 [1][2].",
        f"{PLUS} and {BASIC} have a windscreen excess of £75 [1][2].",
        "All our policies cover windscreens with an excess of £75 [1].",
    ],
)
async def test_two_products_are_never_blended(blended):
    """What is said of several must stand in each one's own sections."""
    result = await answer(blended, chunks=(EXCESS, OTHER))
    assert "both policies" not in result.answer
    assert "All our policies" not in result.answer
    assert f"{PLUS} and {BASIC}" not in result.answer


async def test_products_stand_side_by_side_under_their_names():
    """A paragraph for each, with its name, whether or not the model wrote it."""
    result = await answer(
        "The windscreen excess is £75 when the glass is replaced by our approved repairer [1]. "
        "Windscreens and windows are not covered under this policy [2].",
        chunks=(EXCESS, OTHER),
    )
    first, second = result.answer.split("\n\n")
    assert first.startswith(f"**{PLUS}:**")
    assert second.startswith(f"**{BASIC}:**")
    assert result.products == [PLUS, BASIC]


async def test_a_figure_comes_with_its_condition():
    """A model that leaves the condition out is not told without it: the policy's own sentence stands in the answer."""
    agent = ResponseGenerationAgent(scripted_provider(f"With {PLUS} the windscreen excess is £75 [1]."))
    result = await agent.agenerate_response(request())
    assert "The windscreen excess is £75 when the glass is replaced by our approved repairer" in result.answer


async def test_an_exclusion_stands_beside_the_cover():
    """Cover spoken of without its exclusions has them quoted behind it."""
    result = await answer(
        f"With {PLUS} we pay to repair or replace a broken windscreen [1].",
        chunks=(COVER, EXCLUDED),
        question="Am I covered for a broken windscreen?",
    )
    assert "Not covered: “We do not cover windows made of plastic" in result.answer
    assert result.context_used == 2


async def test_an_uncited_answer_gets_its_marks():
    """What the sections carry is marked for the model that forgot to."""
    result = await answer(GOOD.replace(" [1]", ""))
    assert "[1]" in result.answer
    assert result.context_used == 1


async def test_a_long_answer_ends_with_a_whole_sentence_in_time():
    """No longer than asked; the sources hold the rest."""
    again = f"With {PLUS} the windscreen excess is £25 when the glass is repaired and not replaced [1]. "
    result = await answer(GOOD + " ", *[again] * 20, max_response_length=300)
    assert len(result.answer) <= 300
    assert "£75" in result.answer


@pytest.mark.parametrize("style", CitationStyle)
@pytest.mark.parametrize("most", [-3, 1, 20, 60])
async def test_a_length_too_small_for_any_sentence_gets_the_shortest_whole(most, style):
    """Half a sentence says something else, and half a mark points nowhere."""
    short = "When the glass is repaired and not replaced, the windscreen excess is £25 [1]."
    result = await answer(f"{GOOD} {short}", max_response_length=most, citation_style=style)
    mark = result.citations[0].format_citation(style, 1)
    assert result.answer.endswith(f"£25{mark}." if style is CitationStyle.FOOTNOTE else f"£25 {mark}.")
    assert "£75" not in result.answer
    assert result.context_used == 1


async def test_a_model_that_finds_nothing_gives_the_plain_answer():
    """Its sentinel becomes the plain sentence with next steps; nothing is cited."""
    result = await answer("NO_ANSWER the excess of boats", chunks=(EXCESS,), question="What is the excess for boats?")
    assert result.refused
    assert "don't have enough information" in result.answer
    assert "call customer service" in result.answer
    assert result.citations == []
    assert not result.has_sufficient_context


@pytest.mark.parametrize(
    "failure",
    [
        ProviderUnavailable("upstream 503 at 10.1.2.3 key=sk-123"),
        ProviderRejected("invalid api key sk-123"),
        RuntimeError("boom sk-123"),
    ],
)
async def test_a_failing_model_leaves_a_degraded_answer(failure, caplog):
    """The documents answer; the customer reads no error, the log has it."""
    agent = ResponseGenerationAgent(scripted_provider(failure), retry={"attempts": 1})
    with caplog.at_level(logging.WARNING):
        result = await agent.agenerate_response(request())
    assert result.degraded
    assert "£75" in result.answer
    assert "sk-123" not in result.model_dump_json()
    assert "sk-123" in caplog.text


async def test_the_fallback_comes_before_the_documents():
    """Provider, fallback, extractive, apology: in this order."""

    async def second(prompt):
        yield GOOD

    down = scripted_provider(ProviderUnavailable("down"))
    agent = ResponseGenerationAgent(down, fallback=second, judge=judge, retry={"attempts": 1})
    result = await agent.agenerate_response(request())
    assert "With Harbour Car Comprehensive" in result.answer
    assert result.degraded


async def test_a_hanging_model_costs_no_more_than_the_clock():
    """A model silent for 30 s: the documents answer within the 2 s given."""
    agent = ResponseGenerationAgent(scripted_provider(GOOD, delay=30.0), timeout=2.0)
    await agent.agenerate_response(request())  # the checker is loaded once a process
    began = time.perf_counter()
    result = await agent.agenerate_response(request())
    assert time.perf_counter() - began < 20
    assert result.degraded
    assert "£75" in result.answer


async def test_with_no_time_at_all_there_is_an_apology():
    """Not an exception: a sentence with next steps, confidence 0."""
    result = await ResponseGenerationAgent(timeout=0.0).agenerate_response(request())
    assert result.answer.startswith("I'm sorry")
    assert "call customer service" in result.answer
    assert result.confidence_score == 0
    assert result.degraded


async def test_a_model_that_breaks_off_is_taken_back():
    """Half an answer may lack its exclusion: what was told is retracted, and the documents answer."""
    provider = scripted_provider(GOOD + " ", "And then ", Delta(finish_reason=FinishReason.TRUNCATED), finish=None)
    agent = ResponseGenerationAgent(provider, judge=judge)
    events = [event async for event in agent.stream(request())]
    assert any(isinstance(event, TextRetracted) for event in events)
    after = next(i for i, event in enumerate(events) if isinstance(event, TextRetracted))
    told = "".join(event.text for event in events[after:] if isinstance(event, TextDelta))
    assert told == events[-1].result.answer
    assert events[-1].result.degraded


async def test_a_stream_tells_the_same_as_the_whole_answer():
    """Its pieces join to the answer, its marks stand where the events say, its end comes once."""
    agent = ResponseGenerationAgent(scripted_provider(*GOOD.split(" ")[:1], *[f" {w}" for w in GOOD.split(" ")[1:]]))
    events = [event async for event in agent.stream(request(EXCESS, OTHER))]
    assert [isinstance(event, ResponseFinished) for event in events].count(True) == 1
    result = events[-1].result
    assert "".join(event.text for event in events if isinstance(event, TextDelta)) == result.answer
    for event in events:
        if isinstance(event, CitationFound):
            assert result.answer[event.citation.start : event.citation.end] == f"[{event.citation.number}]"


async def test_gemini_is_asked_with_the_originals_sampling():
    """Temperature 0.1, top-p 0.8, top-k 40, 1,024 tokens, on Gemini's own wire."""
    async with ScriptedLLM(GOOD) as llm:
        agent = ResponseGenerationAgent("gemini", api_key="k", base_url=llm.url("gemini"), model="gemini-2.5-flash")
        async with agent:
            result = await agent.agenerate_response(request())
        asked = llm.requests[0].json["generationConfig"]
        told = llm.requests[0].system_text
    assert (asked["temperature"], asked["topP"], asked["topK"], asked["maxOutputTokens"]) == (0.1, 0.8, 40, 1024)
    assert "two products never share a sentence" in told
    assert "£75" in result.answer


async def test_a_server_that_is_down_is_no_error_to_the_customer():
    """A refused connection on a real port."""
    agent = ResponseGenerationAgent("compatible", base_url=f"{closed_port()}/v1", model="m", retry={"attempts": 1})
    async with agent:
        result = await agent.agenerate_response(request())
    assert result.degraded
    assert "£75" in result.answer


async def test_a_server_error_is_no_error_to_the_customer():
    """A vendor's 500 with a message of its own."""
    async with ScriptedLLM(Reply(text="stack trace at line 7", status=500)) as llm:
        agent = ResponseGenerationAgent("openai", api_key="k", base_url=llm.url(), model="m", retry={"attempts": 1})
        async with agent:
            result = await agent.agenerate_response(request())
    assert "stack trace" not in result.model_dump_json()
    assert result.degraded


def test_a_script_may_block():
    """`generate_response` outside a loop."""
    assert "£75" in ResponseGenerationAgent().generate_response(request()).answer


async def test_a_script_may_block_inside_a_loop_too():
    """A notebook has a loop running already."""
    assert "£75" in ResponseGenerationAgent().generate_response(request()).answer


async def test_fifty_at_once_do_not_mix():
    """Stateless: each answer is that of its own question."""
    agent = ResponseGenerationAgent(scripted_provider(GOOD), timeout=60.0)
    mixed = [request(EXCESS), request(question="")] * 25
    results = await asyncio.gather(*(agent.agenerate_response(one) for one in mixed))
    assert all("£75" in result.answer for result in results[::2])
    assert all("ask me a question" in result.answer for result in results[1::2])


async def test_history_reaches_the_model():
    """What was said before goes along, as turns."""
    provider = scripted_provider(GOOD)
    agent = ResponseGenerationAgent(provider)
    await agent.agenerate_response(request(conversation_history=[("Am I covered?", "Yes.")]))
    assert provider.prompts[0].history[0].user == "Am I covered?"


@pytest.mark.parametrize(
    ("style", "words"), [("plain", "everyday words"), ("short", "two sentences"), ("formal", "courteously")]
)
async def test_each_style_has_its_instructions(style, words):
    """Plain is the default; an unknown style is plain."""
    provider = scripted_provider(GOOD)
    await ResponseGenerationAgent(provider).agenerate_response(request(style=style))
    assert words in provider.prompts[0].system


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("Berapakah ekses untuk cermin depan?", "Malay"),
        ("挡风玻璃的自付额是多少？", "Chinese"),
    ],
)
async def test_a_model_is_asked_in_the_customers_language(question, language):
    """The instructions name the language of the question."""
    provider = scripted_provider(GOOD)
    await ResponseGenerationAgent(provider).agenerate_response(request(question=question))
    assert f"Answer in {language}" in provider.prompts[0].system


@pytest.mark.parametrize(
    ("question", "note"),
    [
        ("Berapakah ekses untuk cermin depan?", "dalam bahasa asalnya"),
        ("挡风玻璃的自付额是多少？", "保留原文语言"),
    ],
)
async def test_quoted_answers_keep_the_policys_language_and_say_so(question, note):
    """Its meaning finds the section; the words stay English."""
    result = await ResponseGenerationAgent().agenerate_response(request(question=question))
    assert "£75" in result.answer
    assert note in result.answer


async def test_what_no_meaning_finds_is_refused_in_the_customers_language():
    """Tamil reaches this section's English neither by words nor surely by meaning: nothing else is told for it."""
    result = await ResponseGenerationAgent().agenerate_response(request(question="முன் கண்ணாடி கழிவுத் தொகை எவ்வளவு?"))
    assert "£75" in result.answer or (result.refused and "பாலிசி" in result.answer)


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Adakah kapal saya dilindungi?", "tidak mempunyai maklumat"),
        ("我的游艇有保障吗？", "没有足够的信息"),
        ("என் படகு?", "போதுமான தகவல் இல்லை"),
    ],
)
async def test_a_refusal_is_in_the_customers_language(question, said):
    """No sections: Malay, Chinese, Tamil."""
    result = await ResponseGenerationAgent().agenerate_response(
        ResponseRequest(original_query=question, context_chunks=[])
    )
    assert said in result.answer


@pytest.mark.parametrize("style", CitationStyle)
async def test_confidence_is_that_of_what_was_answered_in_any_style(style):
    """A withheld sentence leaves a note; neither the note nor the mark makes the rest less sure or longer."""
    alone = await answer(GOOD)
    noted = await answer(f"With {PLUS} windscreens are insured for £9,000 [1]. {GOOD}", citation_style=style)
    assert "left out" in noted.answer
    assert noted.confidence_score == alone.confidence_score
    assert noted.has_sufficient_context
