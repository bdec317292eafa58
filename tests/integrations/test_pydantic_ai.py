"""Pydantic AI: agents held to their sources with its own test models, and its OpenAI model on a real socket."""

from dataclasses import dataclass, field

import pytest
from openai import AsyncOpenAI
from pydantic import BaseModel
from pydantic_ai import Agent, UnexpectedModelBehavior
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import FunctionModel
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.models.test import TestModel
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai.settings import ModelSettings

from footnoted import GenerationRequest, GroundedGenerator
from footnoted.answering.answer import Answering
from footnoted.answering.generator import contexts
from footnoted.answering.whole import whole_reply
from footnoted.errors import ConfigurationError, ProviderError
from footnoted.grounding.judge import Judge
from footnoted.integrations.pydantic_ai import PydanticAIProvider, grounded, returned_by
from footnoted.testing import Reply, ScriptedLLM, faults
from footnoted.types import FinishReason
from tests.integrations.words import GLASS, QUESTION, RACING, REPLY

RIGHT = "The excess is £75 for a repair."
FALSE = "The excess is £80 for a repair."
REQUEST = GenerationRequest(query=QUESTION, context=contexts([GLASS, RACING]))


@dataclass
class Deps:
    sources: list = field(default_factory=lambda: [GLASS, RACING])


def says(*answers):
    """A model that gives these answers in turn, and keeps what it was asked."""
    asked = []

    def reply(messages, info):
        asked.append(messages)
        return ModelResponse(parts=[TextPart(answers[min(len(asked), len(answers)) - 1])])

    return FunctionModel(reply), asked


def wire(llm, client):
    return OpenAIChatModel("m", provider=OpenAIProvider(openai_client=client))


def client_of(llm):
    return AsyncOpenAI(api_key="any", base_url=llm.url("openai"), max_retries=0)


async def test_a_wrong_sentence_is_asked_for_again():
    """The model is told which sentence, what is wrong with it and by which words; its second answer stands."""
    model, asked = says(f"{FALSE} {RIGHT}", RIGHT)
    agent = grounded(Agent(model, deps_type=Deps))
    result = await agent.run(QUESTION, deps=Deps())
    assert result.output == RIGHT
    wish = asked[1][-1].parts[0].content
    assert FALSE in str(wish)
    assert "£75" in str(wish)
    assert f"- {RIGHT}" not in str(wish)


async def test_when_retries_are_spent():
    """By default the agent fails; with ``remove`` what does not stand is taken out of the last answer."""
    agent = grounded(Agent(TestModel(custom_output_text=f"{FALSE} {RIGHT}"), deps_type=list))
    with pytest.raises(UnexpectedModelBehavior):
        await agent.run(QUESTION, deps=[GLASS])
    agent = grounded(Agent(TestModel(custom_output_text=f"{FALSE} {RIGHT}"), deps_type=list), at_last="remove")
    assert (await agent.run(QUESTION, deps=[GLASS])).output == RIGHT


async def test_sources_may_be_what_tools_returned():
    """An agent that searches is held to what its search found, and to nothing else."""

    def reply(messages, info):
        if len(messages) == 1:
            return ModelResponse(parts=[ToolCallPart("search", {"words": "glass"})])
        return ModelResponse(parts=[TextPart(RIGHT)])

    for found, stands in (([GLASS], True), ([RACING], False)):
        agent = grounded(Agent(FunctionModel(reply), retries=0), returned_by("search"))

        @agent.tool_plain
        def search(words: str, found=found) -> list[str]:
            """Passages."""
            return found

        if stands:
            assert (await agent.run(QUESTION)).output == RIGHT
        else:
            with pytest.raises(UnexpectedModelBehavior):
                await agent.run(QUESTION)


async def test_an_object_is_checked_by_what_one_names():
    """``text`` says which words of a structured output must stand."""

    class Told(BaseModel):
        answer: str
        mood: str

    def reply(messages, info):
        answer = FALSE if len(messages) == 1 else RIGHT
        return ModelResponse(parts=[ToolCallPart(info.output_tools[0].name, {"answer": answer, "mood": "sunny"})])

    agent = grounded(Agent(FunctionModel(reply), output_type=Told, deps_type=Deps), text=lambda told: told.answer)
    assert (await agent.run(QUESTION, deps=Deps())).output.answer == RIGHT
    agent = grounded(Agent(FunctionModel(reply), output_type=Told, deps_type=Deps))
    with pytest.raises(ConfigurationError, match="needs text="):
        await agent.run(QUESTION, deps=Deps())


async def test_without_sources_it_says_so():
    """Nothing to check against is a mistake to tell, not a pass."""
    for deps in (None, "words", object()):
        with pytest.raises(ConfigurationError, match="no sources"):
            await grounded(Agent(TestModel(custom_output_text=RIGHT))).run(QUESTION, deps=deps)
    with pytest.raises(UnexpectedModelBehavior):
        await grounded(Agent(TestModel(custom_output_text=RIGHT), deps_type=list)).run(QUESTION, deps=[])
    with pytest.raises(ConfigurationError, match="takes sentences out of text"):
        grounded(Agent(TestModel()), text=str, at_last="remove")


async def test_on_a_real_socket_and_streamed():
    """The same over its OpenAI model: a retry is a second request; a stream is judged when it is whole."""
    async with ScriptedLLM(FALSE, RIGHT) as llm, client_of(llm) as client:
        agent = grounded(Agent(wire(llm, client), deps_type=list))
        assert (await agent.run(QUESTION, deps=[GLASS])).output == RIGHT
        assert len(llm.requests) == 2
        assert FALSE in llm.requests[1].prompt_text
        async with agent.run_stream(QUESTION, deps=[GLASS]) as streamed:
            assert await streamed.get_output() == RIGHT


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (Reply(text=REPLY), "complete"),
        (Reply(text=REPLY, finish="length"), "length"),
        (Reply(text=REPLY, finish="filter"), "filtered"),
        (Reply(text=REPLY, fault=faults.missing_finish()), "truncated"),
        (Reply(text=f"{REPLY} And racing is not covered [2].", fault=faults.clean_cut(after=9)), "truncated"),
        (Reply(text=f"{REPLY} And racing is not covered [2].", fault=faults.reset(after=9)), "error"),
    ],
    ids=["stop", "length", "filter", "no finish reason", "cut", "reset"],
)
async def test_its_models_are_providers_whose_endings_are_the_wires(reply, reason):
    """The library reports a stream without a finish reason as stopped; here it is truncated."""
    async with ScriptedLLM(reply) as llm, client_of(llm) as client:
        generator = GroundedGenerator(PydanticAIProvider(wire(llm, client)))
        response = await generator.generate(REQUEST)
        assert response.response.startswith(REPLY)
        assert response.finish_reason == reason
        assert GLASS in llm.requests[0].prompt_text


async def test_settings_of_the_model_win():
    """What footnoted wishes goes to the wire, unless the model has its own."""
    async with ScriptedLLM(REPLY) as llm, client_of(llm) as client:
        own = OpenAIChatModel(
            "m", provider=OpenAIProvider(openai_client=client), settings=ModelSettings(temperature=0.9)
        )
        response = await GroundedGenerator(PydanticAIProvider(own)).generate(REQUEST)
        assert response.finish_reason is FinishReason.COMPLETE
        sent = llm.requests[0].json
        assert sent["temperature"] == 0.9
        assert 1000 in (sent.get("max_completion_tokens"), sent.get("max_tokens"))


async def test_a_model_without_a_wire_and_a_wire_that_refuses():
    """A silent one is believed when told so; an error comes in words; what is no model is said."""
    for silent, reason in ((False, "truncated"), (True, "complete")):
        provider = PydanticAIProvider(TestModel(custom_output_text=REPLY), ends_silently=silent)
        assert (await GroundedGenerator(provider).generate(REQUEST)).finish_reason == reason
    async with ScriptedLLM(Reply(status=401, text="bad key")) as llm, client_of(llm) as client:
        with pytest.raises(ProviderError, match="bad key"):
            await GroundedGenerator(PydanticAIProvider(wire(llm, client))).generate(REQUEST)
    with pytest.raises(ConfigurationError, match="model or its name"):
        PydanticAIProvider(7)


async def test_it_can_judge():
    """As a judge it is asked for a verdict as JSON, and believed only with words of the source."""
    verdict = {"statement": 1, "quote": "£75 for a repair", "verdict": "supported", "reason": "it says so"}
    async with ScriptedLLM(judge=Reply(json={"verdicts": [verdict]})) as llm, client_of(llm) as client:
        how = Answering(provider=PydanticAIProvider(wire(llm, client)))
        judge = Judge(lambda prompt: whole_reply(prompt, how))
        found = await judge.acheck("Mending the glass sets you back £75.", [REQUEST.context[0].as_source()])
        assert (found.ruling, found.tier) == ("supported", "judge")
        assert "JSON" in llm.judged[0].system_text
