"""The fault table through the adapters: whichever framework asks, a cut answer says so, and what never came is raised."""

import asyncio

import pytest
from llama_index.core.schema import NodeWithScore, TextNode

from footnoted import GroundedGenerator
from footnoted.contract import GenerationConfig
from footnoted.errors import ProviderError
from footnoted.integrations.haystack import GroundedAnswerer
from footnoted.integrations.langchain import GroundedRunnable
from footnoted.integrations.llamaindex import GroundedSynthesizer
from footnoted.integrations.mcp import make_server
from footnoted.testing import Reply, ScriptedLLM
from footnoted.testing.trials import RETRY, trials, undergo
from footnoted.types import FinishReason
from tests.providers.lateness import Late, in_time

SOURCE, QUESTION = "Grün ist das 漢字 🌱.", "What is green?"
CONFIG = GenerationConfig(require_grounding=False)
TRIALS = [trial for trial in trials() if not trial.timed]  # the clock is tried beneath them
SLOW = Reply(pieces=["word "] * 4000, delay=0.02)


def generator(url, told=None):
    deadlines = told.deadlines if told is not None else None
    return GroundedGenerator(
        "openai", api_key="k", base_url=url, model="m", deadlines=deadlines, retry=RETRY, checking="off"
    )


async def langchain(url, told):
    runnable = GroundedRunnable(generator(url, told), config=CONFIG)
    *_, response = [piece async for piece in runnable.astream({"question": QUESTION, "documents": [SOURCE]})]
    told.text, told.finish = response.response, response.finish_reason


async def llamaindex(url, told):
    synthesizer = GroundedSynthesizer(generator(url, told), config=CONFIG)
    response = await synthesizer.asynthesize(QUESTION, [NodeWithScore(node=TextNode(text=SOURCE))])
    told.text, told.finish = response.response or "", FinishReason(response.metadata["footnoted"]["finish_reason"])


async def haystack(url, told):
    from haystack import Document

    answerer = GroundedAnswerer(config={"require_grounding": False})
    answerer._generator = generator(url, told)  # as it would make it, but for the trial's retries
    out = await answerer.run_async(QUESTION, [Document(content=SOURCE)])
    told.text, told.finish = out["replies"][0].text, FinishReason(out["replies"][0].meta["finish_reason"])


async def mcp(url, told):
    from mcp import Client

    async with Client(make_server(generator=generator(url, told))) as client:
        asked = {"question": QUESTION, "sources": [{"title": "Colours", "text": SOURCE}]}
        result = await client.call_tool("ask", asked)
    if result.is_error:
        raise ProviderError(result.content[0].text)
    told.text, told.finish = (
        result.structured_content["answer"],
        FinishReason(result.structured_content["finish_reason"]),
    )


ADAPTERS = {"langchain": langchain, "llamaindex": llamaindex, "haystack": haystack, "mcp": mcp}


@pytest.mark.parametrize("name", ADAPTERS)
@pytest.mark.parametrize("trial", TRIALS, ids=lambda trial: trial.name)
@in_time
async def test_every_fault_has_its_one_right_ending(trial, name):
    async def tell(protocol, url, told):
        await ADAPTERS[name](url, told)

    outcome = await undergo(trial, "openai", tell)
    wrong = [each for each in outcome.wrong if not each.startswith("no usage")]  # no framework has one word for it
    if name == "mcp":  # a protocol in which every error is words
        wrong = [each for each in wrong if not (each.startswith("raised ProviderError") and trial.error is not None)]
    if wrong and outcome.slow:
        raise Late(str(wrong))
    assert wrong == []


@pytest.mark.parametrize("name", ADAPTERS)
async def test_a_caller_who_gives_up_is_felt_upstream(name):
    async with ScriptedLLM(SLOW) as llm:
        told = type("Told", (), {"deadlines": None})()
        asking = asyncio.create_task(ADAPTERS[name](llm.url(), told))
        await llm.asked()
        asking.cancel()
        await asyncio.gather(asking, return_exceptions=True)
        await llm.closed_within(5)
