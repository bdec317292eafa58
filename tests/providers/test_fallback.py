"""Fallback: the next provider takes over before the first word, never after."""

from __future__ import annotations

import time

import pytest

from footnoted.errors import ConfigurationError, ProviderRejected, ProviderTimeout, ProviderUnavailable
from footnoted.providers import Fallback, build, patient
from footnoted.testing import Reply, ScriptedLLM, closed_port, faults, scripted_provider
from footnoted.types import Deadlines, FinishReason, Prompt, Retry
from tests.providers.lateness import closed_promptly, in_time

PROMPT = Prompt("q")
QUICK = Retry(attempts=2, base=0.01, cap=0.02)


async def ask(provider, attempts, prompt=PROMPT, deadlines=None):
    return [d async for d in patient(provider, prompt, deadlines=deadlines, retry=QUICK, attempts=attempts)]


def named(name, *pieces, **options):
    provider = scripted_provider(*pieces, **options)
    provider.name = name
    return provider


async def test_the_next_takes_over_after_the_retries_of_the_first():
    """Each provider is retried on its own; all tries are on record under their names."""
    attempts = []
    first = named("first", ProviderUnavailable("down"))
    deltas = await ask(Fallback([first, named("second", "Hi")]), attempts)
    assert "".join(delta.text for delta in deltas) == "Hi"
    assert [(a.provider, a.outcome) for a in attempts] == [
        ("first", "ProviderUnavailable"),
        ("first", "ProviderUnavailable"),
        ("second", "complete"),
    ]


async def test_a_refused_request_is_not_repeated_but_asked_elsewhere():
    """What retrying would not cure another provider may."""
    attempts = []
    await ask(Fallback([named("first", ProviderRejected("no key")), named("second", "Hi")]), attempts)
    assert [a.provider for a in attempts] == ["first", "second"]


async def test_nobody_takes_over_once_a_word_was_said():
    """A failure after text is that reply's ending."""
    second = named("second", "Hi")
    deltas = await ask(Fallback([named("first", "Half", ProviderUnavailable("down")), second]), [])
    assert deltas[-1].finish_reason is FinishReason.TRUNCATED
    assert second.prompts == []


async def test_when_all_fail_the_last_error_carries_every_attempt():
    """The error raised is the last provider's; its attempts are everyone's."""
    attempts = []
    providers = [named("first", ProviderUnavailable("1")), named("second", ProviderRejected("2"))]
    with pytest.raises(ProviderRejected) as caught:
        await ask(Fallback(providers), attempts)
    assert [a.provider for a in caught.value.attempts] == ["first", "first", "second"]


async def test_a_hanging_first_leaves_time_for_the_last():
    """All share one total deadline, and a hanging provider may not use it up."""
    slow = named("slow", "late", delay=9)
    began = time.monotonic()
    deltas = await ask(Fallback([slow, named("quick", "Hi")]), [], deadlines=Deadlines(9, 9, 0.5))
    assert deltas[0].text == "Hi"
    assert 0.3 < time.monotonic() - began < 0.5
    with pytest.raises(ProviderTimeout):
        await ask(Fallback([slow, slow]), [], deadlines=Deadlines(9, 9, 0.1))


async def test_who_takes_over_answers_with_its_own_model():
    """A model wished for is the first provider's; the next keeps its own."""
    first, second = named("first", ProviderRejected("no")), named("second", "Hi")
    await ask(Fallback([first, second]), [], Prompt("q", model="gpt-x"))
    assert (first.prompts[0].model, second.prompts[0].model) == ("gpt-x", None)


async def test_asked_bare_it_tries_each_once():
    """Without patience there is one try each, and the same taking over."""
    first = named("first", ProviderUnavailable("down"))
    fallback = Fallback([first, Fallback([named("second", "Hi")])])
    assert "".join([delta.text async for delta in fallback.stream(Prompt("q"))]) == "Hi"
    assert len(first.prompts) == 1
    assert fallback.name == "first+second"


@in_time
async def test_from_one_wire_to_another():
    """A server that is down, one that hangs, then one that answers: all real, all closed."""
    async with ScriptedLLM(Reply("x", fault=faults.hang_after_headers())) as hanging, ScriptedLLM("Hi.") as good:
        fallback = Fallback(
            [
                build("openai", api_key="k", base_url=closed_port() + "/v1"),
                build("anthropic", api_key="k", base_url=hanging.url("anthropic")),
                build("gemini", api_key="k", base_url=good.url("gemini")),
            ]
        )
        attempts = []
        deltas = await ask(fallback, attempts, deadlines=Deadlines(1, 5, 60))
        assert "".join(delta.text for delta in deltas) == "Hi."
        await closed_promptly(hanging)
        await fallback.aclose()
    assert [a.provider for a in attempts] == ["openai"] * 2 + ["anthropic"] * 2 + ["gemini"]


def test_an_empty_fallback_is_your_mistake():
    """There must be somebody to ask."""
    with pytest.raises(ConfigurationError):
        Fallback([])
