from __future__ import annotations

import asyncio
from contextlib import aclosing

import pytest

from footnoted import GenerationConfig, GenerationRequest, GroundedGenerator
from footnoted.answering.generator import contexts
from footnoted.errors import ProviderError
from footnoted.providers import build, patient
from footnoted.testing import Reply, ScriptedLLM, closed_port, faults, scripted_provider
from footnoted.testing.script import ProtocolName
from footnoted.testing.trials import PATIENT, PIECES, RETRY, Outcome, Told, Trial, trials, undergo
from footnoted.types import Deadlines, Delta, FinishReason, Prompt, Provider, Source, Usage
from tests.providers.lateness import Late, closed_promptly, in_time

PROTOCOLS: tuple[ProtocolName, ...] = ("openai", "anthropic", "gemini", "responses")
ALL = pytest.mark.parametrize("protocol", PROTOCOLS)
PROMPT = Prompt(
    question="What is green?", system="Answer.", ask="What is green?", sources=(Source("a", "Grün ist das 漢字."),)
)


@pytest.fixture(autouse=True, scope="module")
def warm() -> None:
    """Rooms are entered when first used; here they are entered before any deadline runs."""

    async def once() -> None:
        for protocol in PROTOCOLS:
            provider(protocol, closed_port())
        async with GroundedGenerator(scripted_provider("Grün ist das 漢字 🌱 [1]."), checking="off") as door:
            await door.generate(request())

    asyncio.run(once())


def provider(protocol: ProtocolName, base_url: str) -> Provider:
    """Our provider for a protocol, asking this server."""
    if protocol == "responses":
        return build("openai", api="responses", api_key="k-test", base_url=base_url, model="m")
    return build(protocol, api_key="k-test", base_url=base_url, model="m")


async def tell(protocol: ProtocolName, base_url: str, told: Told) -> None:
    """Ask through provider and patience; write down what comes."""
    asked = provider(protocol, base_url)
    deltas = patient(asked, PROMPT, deadlines=told.deadlines, retry=RETRY, attempts=told.attempts)
    async with aclosing(asked), aclosing(deltas):
        async for delta in deltas:
            assert told.finish is None, "nothing comes after the ending"
            told.text += delta.text
            told.finish = delta.finish_reason
            told.usage = delta.usage or told.usage


def assert_right(outcome: Outcome) -> None:
    """Nothing is wrong, or only late."""
    if outcome.slow:
        raise Late(str(outcome.wrong))
    assert outcome.wrong == []


@ALL
@pytest.mark.parametrize("trial", trials(), ids=lambda trial: trial.name)
@in_time
async def test_every_fault_has_its_one_right_ending(trial: Trial, protocol: ProtocolName) -> None:
    """However the wire fails: the typed ending or error, the text so far, in time, and upstream closed."""
    tries = 2 if trial.refused else trial.tries
    outcome = await undergo(trial, protocol, tell)
    assert_right(outcome)
    if trial.finish is not None:
        assert outcome.told.attempts[-1].outcome == trial.finish.value
    assert len(outcome.told.attempts) == tries


@ALL
async def test_the_table_knows_no_silent_truncation(protocol: ProtocolName) -> None:
    """Cut after any number of pieces, with any ending of the connection, no reply is ever complete."""
    for after in range(len(PIECES)):
        for fault in (faults.clean_cut(after=after), faults.disconnect(after=after), faults.reset(after=after)):
            async with ScriptedLLM(Reply(pieces=PIECES, fault=fault)) as llm:
                told = Told()
                try:
                    await tell(protocol, llm.url(protocol), told)
                except ProviderError:
                    assert after == 0, "an error is raised only when no text came"
                else:
                    assert (told.text, told.finish) == ("".join(PIECES[:after]), FinishReason.TRUNCATED)


@ALL
@in_time
async def test_upstream_closes_when_the_reader_leaves(protocol: ProtocolName) -> None:
    """Between two words of a slow stream the reader goes, and upstream sees it within 100 ms."""
    async with ScriptedLLM(Reply("Grass is green and grows.", delay=0.05)) as llm:
        deltas = patient(provider(protocol, llm.url(protocol)), PROMPT)
        assert (await anext(deltas)).text
        assert llm.open_replies == 1
        await deltas.aclose()
        await closed_promptly(llm)


@ALL
@pytest.mark.parametrize("fault", [faults.hang_before_headers(), faults.hang_after_headers(), faults.silence()])
@in_time
async def test_upstream_closes_when_the_reader_is_cancelled(protocol: ProtocolName, fault: faults.Fault) -> None:
    """A task cancelled while it waits, before or after the first word, takes the connection with it."""

    async def read(base_url: str) -> list[Delta]:
        deltas = patient(provider(protocol, base_url), PROMPT)
        async with aclosing(deltas):
            return [delta async for delta in deltas]

    async with ScriptedLLM(Reply("Grass is green.", fault=fault)) as llm:
        reading = asyncio.create_task(read(llm.url(protocol)))
        await llm.asked()
        await asyncio.sleep(0.02)
        reading.cancel()
        with pytest.raises(asyncio.CancelledError):
            await reading
        await closed_promptly(llm)


@ALL
async def test_a_reader_may_take_its_time(protocol: ProtocolName) -> None:
    """Deadlines run while the provider is waited for, not while the reader thinks."""
    deadlines = Deadlines(first_token=0.2, between_tokens=0.1, total=5)
    async with ScriptedLLM(Reply("Grass is green.")) as llm:
        told = []
        async for delta in patient(provider(protocol, llm.url(protocol)), PROMPT, deadlines=deadlines):
            told.append(delta)
            await asyncio.sleep(0.12)
    assert "".join(delta.text for delta in told) == "Grass is green."
    assert told[-1].finish_reason is FinishReason.COMPLETE


def generator(protocol: ProtocolName, base_url: str, deadlines: Deadlines = PATIENT) -> GroundedGenerator:
    """The library's door on one of our providers; the trials' clocks are for what is tried against the clock."""
    return GroundedGenerator(provider(protocol, base_url), deadlines=deadlines, retry=RETRY, checking="off")


def request() -> GenerationRequest:
    """A question whose one source holds the scripted answer."""
    config = GenerationConfig(require_grounding=False)
    return GenerationRequest(query="What is green?", context=contexts(["Grün ist das 漢字 🌱."]), config=config)


async def generate(protocol: ProtocolName, base_url: str, told: Told) -> None:
    """Ask through the whole library; write down what the response says."""
    async with generator(protocol, base_url, told.deadlines) as door:
        response = await door.generate(request())
    told.text, told.finish, told.attempts = response.response, response.finish_reason, response.attempts
    told.usage = Usage(response.usage.input, response.usage.cached, response.usage.output)
    cut = told.finish in (FinishReason.TRUNCATED, FinishReason.ERROR, FinishReason.FILTERED)
    assert (response.error is not None) == cut, "a cut answer says why; any other has nothing to say"


@pytest.mark.parametrize(
    ("trial", "protocol"),
    [pytest.param(trial, PROTOCOLS[n % 4], id=f"{trial.name}-{PROTOCOLS[n % 4]}") for n, trial in enumerate(trials())],
)
@in_time
async def test_an_answer_keeps_its_text_and_says_how_it_ended(trial: Trial, protocol: ProtocolName) -> None:
    """The same table through the library's door, the protocols taking turns: raised only when no text came."""
    assert_right(await undergo(trial, protocol, generate))


@ALL
async def test_streamed_text_never_passes_a_part_for_the_whole(protocol: ProtocolName) -> None:
    """A reader of text alone gets all that came, then the error; the response is there to look at."""
    async with (
        ScriptedLLM(Reply(pieces=PIECES, fault=faults.disconnect())) as llm,
        generator(protocol, llm.url(protocol), Deadlines()) as door,
    ):
        answer = door.generate_streaming(request())
        text = ""
        with pytest.raises(ProviderError):
            async for piece in answer:
                text += piece
    assert answer.response is not None
    assert text == answer.response.response == "".join(PIECES[:2])
    assert answer.response.finish_reason is FinishReason.TRUNCATED


@ALL
async def test_streamed_text_that_a_filter_cut_is_no_whole_answer(protocol: ProtocolName) -> None:
    """What came is given, then the error: a reader of text alone is not told by silence."""
    async with (
        ScriptedLLM(Reply("The excess is £75 [1]. And more", finish="filter")) as llm,
        generator(protocol, llm.url(protocol), Deadlines()) as door,
    ):
        answer = door.generate_streaming(request())
        with pytest.raises(ProviderError):
            _ = [piece async for piece in answer]
    assert answer.response is not None
    assert answer.response.finish_reason is FinishReason.FILTERED


@ALL
@in_time
async def test_leaving_an_answer_closes_upstream(protocol: ProtocolName) -> None:
    """Whoever stops reading, by closing or by being cancelled, is seen to leave within 100 ms."""
    slow = Reply("Grün ist das. Blau ist es nicht. Rot auch nicht.", delay=0.05)
    async with ScriptedLLM(slow) as llm, generator(protocol, llm.url(protocol), Deadlines()) as door:
        answer = door.generate_streaming(request())
        assert await anext(answer)
        await answer.aclose()
        await closed_promptly(llm)
        reading = asyncio.create_task(door.generate(request()))
        await llm.asked(2)
        await asyncio.sleep(0.08)
        reading.cancel()
        with pytest.raises(asyncio.CancelledError):
            await reading
        await closed_promptly(llm)
