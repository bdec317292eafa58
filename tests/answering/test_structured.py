"""Answers as pydantic models, over each protocol's own mechanism, on a real socket."""

import json

import pytest
from pydantic import BaseModel, Field

from footnoted import (
    AnswerWithSources,
    ComparisonResult,
    GenerationConfig,
    GenerationRequest,
    SourceContext,
    StructuredGenerator,
)
from footnoted.errors import ConfigurationError, ProviderError, StructuredOutputError
from footnoted.testing import Reply, ScriptedLLM
from footnoted.types import FinishReason

from .test_generator import speaks

PROTOCOLS = ["openai", "anthropic", "gemini"]
ANSWER = {
    "answer": "The excess is £75 for a repair.",
    "confidence": 0.9,
    "sources_used": [1],
    "key_facts": ["repair £75"],
    "limitations": None,
}
# What is on trial with it is how an object is found; what it says stands in no source.
LOOSE = GenerationRequest(
    query="What differs?", context=[SourceContext(content="x")], config=GenerationConfig(require_grounding=False)
)


class Excess(BaseModel):
    """A model of the caller's own, nested and constrained."""

    class Amount(BaseModel):
        pounds: int = Field(ge=0)
        what_for: str

    amounts: list[Amount]
    note: str | None = None


@pytest.mark.parametrize("protocol", PROTOCOLS)
async def test_each_protocol_fills_the_shipped_answer(asked, protocol):
    """The reply comes back as the model, and the schema went out over the wire."""
    async with ScriptedLLM(Reply(json=ANSWER)) as llm:
        async with StructuredGenerator(protocol, api_key="k", base_url=llm.url(protocol)) as generator:
            got = await generator.generate_structured(asked(), AnswerWithSources)
        assert got == AnswerWithSources(**ANSWER)
        assert "key_facts" in str(llm.requests[0].json)


@pytest.mark.parametrize("protocol", PROTOCOLS)
async def test_each_protocol_fills_a_callers_own_model(asked, protocol):
    """Nested objects, constraints and optional fields survive the wire's dialect of JSON Schema."""
    said = {"amounts": [{"pounds": 75, "what_for": "repair"}], "note": None}
    async with ScriptedLLM(Reply(json=said)) as llm:
        async with StructuredGenerator(protocol, api_key="k", base_url=llm.url(protocol)) as generator:
            got = await generator.generate_structured(asked(), Excess)
    assert got.amounts[0].pounds == 75


async def test_a_schema_error_is_repaired_once(asked):
    """The second prompt carries the first reply and what was wrong with it."""
    async with ScriptedLLM(Reply(json={**ANSWER, "confidence": 7}), Reply(json=ANSWER)) as llm:
        async with StructuredGenerator("openai", api_key="k", base_url=llm.url("openai")) as generator:
            got = await generator.generate_structured(asked(), AnswerWithSources)
        assert got.confidence == 0.9
        assert len(llm.requests) == 2
        assert "confidence" in llm.requests[1].prompt_text
        assert "less than or equal to 1" in llm.requests[1].prompt_text


async def test_two_misfits_are_an_error_that_names_the_field(asked):
    """One repair, then the truth, with the last reply kept."""
    async with ScriptedLLM(Reply(json={"answer": "x"})) as llm:
        async with StructuredGenerator("openai", api_key="k", base_url=llm.url("openai")) as generator:
            with pytest.raises(StructuredOutputError, match="key_facts") as caught:
                await generator.generate_structured(asked(), AnswerWithSources)
        assert caught.value.reply == '{"answer": "x"}'
        assert len(llm.requests) == 2


async def test_numbers_that_name_no_source_vanish(asked):
    """A model that uses source 9 of 2 points nowhere; repeats are said once."""
    reply = {**ANSWER, "sources_used": [2, 9, 2, 1, 0]}
    async with ScriptedLLM(Reply(json=reply)) as llm:
        async with StructuredGenerator("openai", api_key="k", base_url=llm.url("openai")) as generator:
            got = await generator.generate_structured(asked(), AnswerWithSources)
    assert got.sources_used == [2, 1]


@pytest.mark.parametrize("wrapping", ["```json\n{}\n```", "Here it is:\n{}\nDone.", "{}"])
async def test_an_object_in_a_wrapping_is_found(wrapping):
    """Servers without a schema mechanism wrap the object in fences or words."""
    said = '{"similarities": [], "differences": ["a"], "contradictions": [], "conclusion": "b"}'
    generator = StructuredGenerator(speaks(wrapping.replace("{}", said)))
    assert (await generator.generate_structured(LOOSE, ComparisonResult)).differences == ["a"]


@pytest.mark.parametrize("wrapping", ["{}", "```json\n{}\n```", "As {asked}: {} {and more}"])
async def test_a_value_may_hold_code(wrapping):
    """Fences and braces inside a value are the value's own."""
    fix = "Run:\n```bash\naws {x}\n```"
    said = json.dumps({"similarities": [], "differences": [fix], "contradictions": [], "conclusion": "b"})
    generator = StructuredGenerator(speaks(wrapping.replace("{}", said)))
    assert (await generator.generate_structured(LOOSE, ComparisonResult)).differences == [fix]


async def test_an_example_before_the_fence_is_not_the_answer():
    """A model that thinks aloud in JSON means what it fences; without a fence the first object is meant."""
    said = '{"similarities": [], "differences": ["a"], "contradictions": [], "conclusion": "b"}'
    aloud = said.replace('"b"', '"draft"')
    for reply, conclusion in ((f"Draft: {aloud}\n```json\n{said}\n```", "b"), (f"{aloud} {said}", "draft")):
        got = await StructuredGenerator(speaks(reply)).generate_structured(LOOSE, ComparisonResult)
        assert got.conclusion == conclusion


async def test_a_reply_cut_at_the_limit_says_what_to_raise(asked):
    """Half an object is not repaired but explained."""
    generator = StructuredGenerator(speaks('{"answer": "The ex', finish=FinishReason.LENGTH))
    with pytest.raises(StructuredOutputError, match="max_tokens"):
        await generator.generate_structured(asked(), AnswerWithSources)


@pytest.mark.parametrize("finish", [FinishReason.FILTERED, FinishReason.TRUNCATED, FinishReason.ERROR])
async def test_a_broken_reply_is_a_provider_error(asked, finish):
    """Nothing is parsed out of a reply that was cut or filtered."""
    generator = StructuredGenerator(speaks('{"answer": "x"}', finish=finish))
    with pytest.raises(ProviderError):
        await generator.generate_structured(asked(), AnswerWithSources)


async def test_without_sources_nothing_is_made_up(asked):
    """Grounding is required by default; the error says how to do without."""
    with pytest.raises(StructuredOutputError, match="require_grounding"):
        await StructuredGenerator(speaks("{}")).generate_structured(asked(sources=[]), AnswerWithSources)


async def test_extractive_fills_the_shipped_answer_and_no_other(asked):
    """No model is needed for an answer with sources; a comparison needs one, and says so."""
    generator = StructuredGenerator()
    got = await generator.generate_structured(asked(), AnswerWithSources)
    assert "£75" in got.answer
    assert got.sources_used[0] == 1
    with pytest.raises(ConfigurationError, match="model"):
        await generator.generate_structured(asked(), ComparisonResult)
