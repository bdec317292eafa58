"""Patience: deadlines on content, one retry layer before the first word, and deterministic closing."""

from __future__ import annotations

import asyncio
import time

import pytest

from footnoted.errors import (
    BadProviderReply,
    ConfigurationError,
    ProviderError,
    ProviderRejected,
    ProviderTimeout,
    ProviderUnavailable,
    RateLimited,
)
from footnoted.providers import build, patient
from footnoted.providers.openai import OpenAI
from footnoted.testing import Reply, ScriptedLLM, closed_port, scripted_provider
from footnoted.types import Deadlines, Delta, FinishReason, Pointer, Prompt, Retry, Usage

from .lateness import Late, in_time

QUICK = Retry(attempts=3, base=0.01, cap=0.02)
PROMPT = Prompt("q")
OFF = Deadlines(None, None, None)


async def ask(provider, *, deadlines=None, retry=QUICK, attempts=None) -> list[Delta]:
    return [d async for d in patient(provider, PROMPT, deadlines=deadlines, retry=retry, attempts=attempts)]


def told(deltas) -> str:
    return "".join(delta.text for delta in deltas)


class Failing:
    """A provider that fails with each error in turn, then answers."""

    name = "failing"

    def __init__(self, *errors: Exception) -> None:
        self.errors = list(errors)

    async def stream(self, _):
        if self.errors:
            raise self.errors.pop(0)
        yield Delta("Hi")
        yield Delta(finish_reason=FinishReason.COMPLETE)


class Slow:
    """A provider that waits before each piece; ``closed`` counts its endings."""

    name = "slow"
    closed = 0

    def __init__(self, *pauses: float) -> None:
        self.pauses = pauses

    async def stream(self, _):
        try:
            for pause in self.pauses:
                await asyncio.sleep(pause)
                yield Delta("x")
        finally:
            self.closed += 1


async def test_a_good_reply_passes_through():
    """Deltas come as they are, and one attempt is on record before the last of them."""
    attempts = []
    stream = patient(scripted_provider("a", "b", usage=Usage(1, 0, 2)), PROMPT, attempts=attempts)
    deltas = [(delta, len(attempts)) async for delta in stream]
    assert [delta for delta, _ in deltas] == [
        Delta("a"),
        Delta("b"),
        Delta(usage=Usage(1, 0, 2), finish_reason=FinishReason.COMPLETE),
    ]
    assert [count for _, count in deltas] == [0, 0, 1]
    assert (attempts[0].provider, attempts[0].outcome) == ("ScriptedProvider", "complete")


async def test_returning_is_the_terminal_signal_of_a_function():
    """A generator that returns has finished; one that said nothing has not answered."""
    deltas = await ask(scripted_provider("a", finish=None))
    assert [delta.finish_reason for delta in deltas] == [None, FinishReason.COMPLETE]
    with pytest.raises(BadProviderReply, match="empty"):
        await ask(scripted_provider(finish=None))


async def test_text_usage_and_pointers_are_all_kept():
    """Deltas without text reset nothing but lose nothing: usage before and between words reaches the end."""
    pointer = Delta(pointers=(Pointer(0, 0, 1),))
    provider = scripted_provider(Delta(usage=Usage(3)), "a", Delta(usage=Usage(3, 0, 4)), pointer, finish=None)
    deltas = await ask(provider)
    assert deltas[0].usage == Usage(3)
    assert deltas[2] == Delta(pointers=(Pointer(0, 0, 1),), usage=Usage(3, 0, 4))


@pytest.mark.parametrize("deadlines", [Deadlines(0.03, 9, 9), Deadlines(None, None, 0.03)])
async def test_no_first_word_in_time_is_a_timeout(deadlines):
    """Hanging before the first word raises, closes the provider, and says which deadline passed."""
    slow = Slow(5)
    attempts = []
    began = time.monotonic()
    with pytest.raises(ProviderTimeout, match=r"no first token within|total deadline") as caught:
        await ask(slow, deadlines=deadlines, attempts=attempts)
    assert time.monotonic() - began < 0.5
    assert slow.closed == len(attempts) <= 2
    assert caught.value.attempts == tuple(attempts)
    assert {attempt.outcome for attempt in attempts} == {"ProviderTimeout"}


@pytest.mark.parametrize("deadlines", [Deadlines(9, 0.03, 9), Deadlines(9, 9, 0.03)])
async def test_silence_after_a_word_is_a_truncated_ending(deadlines):
    """What was said stays, the ending says truncated and why, and the provider is closed."""
    slow = Slow(0, 5)
    attempts = []
    deltas = await ask(slow, deadlines=deadlines, attempts=attempts)
    assert told(deltas) == "x"
    assert deltas[-1].finish_reason is FinishReason.TRUNCATED
    assert "no next token within 0.03 s" in deltas[-1].detail or "total deadline" in deltas[-1].detail
    assert slow.closed == 1
    assert [attempt.outcome for attempt in attempts] == ["truncated"]


async def test_steady_words_outlive_the_gap_but_not_the_total():
    """The gap's clock starts anew with each word; the total's never does."""
    deadlines = Deadlines(first_token=0.15, between_tokens=0.15, total=9)
    assert len(await ask(Slow(*[0.02] * 15), deadlines=deadlines)) == 16
    deltas = await ask(Slow(*[0.02] * 100), deadlines=Deadlines(None, 0.15, 0.1))
    assert deltas[-1].finish_reason is FinishReason.TRUNCATED
    assert 1 <= len(told(deltas)) <= 6


async def test_what_is_not_content_resets_no_clock():
    """Empty deltas and usage are no words: the first word's and the gap's deadlines still pass."""

    async def chatter(prompt):
        if prompt.ask:
            yield Delta("x")
        while True:
            await asyncio.sleep(0.01)
            yield Delta(usage=Usage(1))

    provider = build(chatter)
    with pytest.raises(ProviderTimeout):
        await ask(provider, deadlines=Deadlines(0.05, 9, 9), retry=Retry(1))
    stream = patient(provider, Prompt("q", ask="a"), deadlines=Deadlines(9, 0.05, 9))
    assert [delta.finish_reason async for delta in stream] == [None, FinishReason.TRUNCATED]


async def test_a_reader_who_dawdles_is_not_the_providers_fault():
    """While the reader holds a delta the gap's clock stands still."""
    deltas = []
    async for delta in patient(Slow(0, 0, 0), PROMPT, deadlines=Deadlines(0.05, 0.03, 9)):
        deltas.append(delta)
        await asyncio.sleep(0.06)
    assert deltas[-1].finish_reason is FinishReason.COMPLETE


async def test_deadlines_can_be_switched_off():
    """None waits."""
    assert told(await ask(Slow(0.05, 0.05), deadlines=OFF)) == "xx"


@pytest.mark.parametrize("before", [0, 1])
async def test_a_cancellation_from_outside_passes_through(before):
    """A cancelled reader stays cancelled, whatever it was waiting for; the provider is closed; it is on record."""
    slow = Slow(*[0] * before, 5)
    attempts = []
    reading = asyncio.create_task(ask(slow, attempts=attempts))
    await asyncio.sleep(0.02)
    reading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reading
    assert slow.closed == 1
    assert [attempt.outcome for attempt in attempts] == ["cancelled"]


async def test_a_deadline_leaves_no_trace_on_its_task():
    """After a timeout the task is not being cancelled, so its own timeouts and groups still work."""
    with pytest.raises(ProviderTimeout):
        await ask(Slow(5), deadlines=Deadlines(0.01), retry=Retry(1))
    assert asyncio.current_task().cancelling() == 0
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.01):
            await ask(Slow(5), deadlines=Deadlines(9, 9, 9))


async def test_a_provider_that_swallows_cancellation_is_late_all_the_same():
    """A stubborn provider cannot turn a passed deadline into an answer."""

    async def stubborn(_):
        try:
            await asyncio.sleep(5)
        except asyncio.CancelledError:
            yield "too late"

    with pytest.raises(ProviderTimeout):
        await ask(build(stubborn), deadlines=Deadlines(0.02), retry=Retry(1))
    assert asyncio.current_task().cancelling() == 0


async def test_transient_failures_are_retried_before_the_first_word():
    """Unavailable, limited, late: asked again; each try is on record with its outcome, status and wait."""
    limited = RateLimited("slow down", status=429)
    attempts = []
    deltas = await ask(Failing(limited, ProviderUnavailable("down")), attempts=attempts)
    assert told(deltas) == "Hi"
    assert [(a.outcome, a.status) for a in attempts] == [
        ("RateLimited", 429),
        ("ProviderUnavailable", None),
        ("complete", None),
    ]
    assert attempts[0].waited_ms == 0
    assert attempts[1].waited_ms >= 5


@pytest.mark.parametrize("error", [ProviderRejected("no"), BadProviderReply("what?"), ConfigurationError("yours")])
async def test_what_will_not_pass_is_not_retried(error):
    """A refusal, a foreign reply and a mistake of yours are raised at once."""
    attempts = []
    with pytest.raises(type(error)):
        await ask(Failing(error), attempts=attempts)
    assert [attempt.outcome for attempt in attempts] == [type(error).__name__]


async def test_retries_end():
    """After the last attempt the error is raised, with all attempts on it."""
    with pytest.raises(ProviderUnavailable, match="3") as caught:
        await ask(Failing(*(ProviderUnavailable(str(n)) for n in (1, 2, 3, 4))))
    assert len(caught.value.attempts) == 3
    assert caught.value.provider == "failing"


async def test_a_second_hang_is_not_asked_a_third_time():
    """Timeouts are retried once."""
    attempts = []
    with pytest.raises(ProviderTimeout):
        await ask(Slow(5), deadlines=Deadlines(0.02), retry=Retry(9, 0.01, 0.01), attempts=attempts)
    assert len(attempts) == 2


def limited(seconds: float) -> RateLimited:
    error = RateLimited("wait")
    error.retry_after = seconds
    return error


async def test_a_wish_to_wait_is_honoured_when_it_fits():
    """Retry-After lengthens the wait; where it does not fit the total, nothing is waited for."""
    began = time.monotonic()
    assert told(await ask(Failing(limited(0.1)))) == "Hi"
    assert time.monotonic() - began >= 0.1
    began = time.monotonic()
    with pytest.raises(RateLimited):
        await ask(Failing(limited(5)), deadlines=Deadlines(total=1))
    with pytest.raises(RateLimited):
        await ask(Failing(limited(3600)), deadlines=OFF)
    assert time.monotonic() - began < 0.5


@pytest.mark.parametrize(
    ("error", "ending"),
    [
        (ProviderUnavailable("broke"), FinishReason.TRUNCATED),
        (ProviderTimeout("late"), FinishReason.TRUNCATED),
        (RateLimited("limit"), FinishReason.ERROR),
        (BadProviderReply("garbage"), FinishReason.ERROR),
        (ValueError("a bug"), FinishReason.ERROR),
    ],
)
async def test_a_failure_after_a_word_is_an_ending(error, ending):
    """Nothing is raised or retried once something was said: the text stays, the ending tells."""
    provider = scripted_provider("kept", error)
    deltas = await ask(provider)
    assert told(deltas) == "kept"
    assert (deltas[-1].finish_reason, deltas[-1].detail) == (ending, str(error))
    assert len(provider.prompts) == provider.closed == 1


async def test_a_bug_in_a_provider_of_ones_own_is_typed_and_chained():
    """Any exception before the first word becomes a ProviderError that names it and keeps it as its cause."""
    with pytest.raises(ProviderError, match="failing failed: division") as caught:
        await ask(Failing(ZeroDivisionError("division")))
    assert isinstance(caught.value.__cause__, ZeroDivisionError)


async def test_an_ending_without_words_passes():
    """A refusal or a filter needs no text and is not retried."""
    deltas = await ask(scripted_provider(finish=FinishReason.REFUSED))
    assert [delta.finish_reason for delta in deltas] == [FinishReason.REFUSED]


async def test_nothing_comes_after_the_ending():
    """Whatever a provider yields after its finish reason is not told, and it is closed."""
    provider = scripted_provider("a", Delta(finish_reason=FinishReason.LENGTH), "b", finish=None)
    assert told(await ask(provider)) == "a"
    assert provider.closed == 1


async def test_a_reader_who_leaves_closes_the_provider():
    """Leaving after the first word closes the provider's stream, and is on record."""
    provider = scripted_provider("a", "b")
    attempts = []
    stream = patient(provider, PROMPT, attempts=attempts)
    await anext(stream)
    await stream.aclose()
    assert provider.closed == 1
    assert [attempt.outcome for attempt in attempts] == ["cancelled"]


async def test_a_provider_whose_stream_is_a_coroutine_or_an_iterator():
    """``stream`` may be async and return the iterator, which may be no generator, and may yield plain text."""

    class Letters:
        def __init__(self) -> None:
            self.left = list("ab")

        def __aiter__(self):
            return self

        async def __anext__(self):
            if not self.left:
                raise StopAsyncIteration
            return self.left.pop(0)

    class Mine:
        async def stream(self, _):
            return Letters()

    assert told(await ask(Mine())) == "ab"


@pytest.mark.parametrize("status", [429, 500, 503])
async def test_a_server_that_fails_once_is_asked_again(status):
    """A status that passes is retried on the wire, after the time the server wishes."""
    async with ScriptedLLM(Reply(status=status, headers={"Retry-After": "0.05"}), "Fine.") as llm:
        attempts = []
        provider = build("openai", api_key="k", base_url=llm.url())
        assert told(await ask(provider, attempts=attempts)) == "Fine."
        await provider.aclose()
    assert [attempt.status for attempt in attempts] == [status, None]
    assert attempts[1].waited_ms >= 50


@in_time
async def test_a_refused_connection_is_retried_within_the_total():
    """Where nobody listens the tries end before the total deadline, and the refusal is told even if the clock ends them."""
    provider = build("openai", api_key="k", base_url=closed_port() + "/v1")
    began = time.monotonic()
    with pytest.raises(ProviderUnavailable):
        await ask(provider, deadlines=Deadlines(total=0.2), retry=Retry(50, 0.05, 0.1))
    took = time.monotonic() - began
    await provider.aclose()
    if took >= 0.3:
        raise Late(f"the tries went on for {took:.2f} s")


async def test_a_try_that_the_clock_ends_tells_the_failure_before_it():
    """A 503 and then silence until the total deadline: the 503 is what the caller has to know."""
    async with ScriptedLLM(Reply(status=503), Reply("too late", first_delay=5.0)) as llm:
        provider = build("openai", api_key="k", base_url=llm.url())
        with pytest.raises(ProviderUnavailable, match="503"):
            await ask(provider, deadlines=Deadlines(total=0.5), retry=Retry(3, 0.01, 0.02))
        await provider.aclose()


async def test_a_provider_of_ones_own_that_wraps_one_of_ours_is_asked_itself():
    """What arrives together is told together, past no ``stream`` that somebody wrote over ours."""

    class Louder(OpenAI):
        async def stream(self, prompt):
            async for delta in super().stream(prompt):
                yield delta._replace(text=delta.text.upper())

    async with ScriptedLLM("fine") as llm:
        for kind, said in ((Louder, "FINE"), (OpenAI, "fine")):
            provider = kind(api_key="k", base_url=llm.url())
            assert told(await ask(provider)) == said
            await provider.aclose()


async def test_a_finish_reason_in_a_plain_word_is_understood():
    """A provider of one's own says "length"; the answer ends so, as with the enumeration's member."""
    deltas = await ask(scripted_provider("a", Delta(finish_reason="length"), finish=None))
    assert deltas[-1].finish_reason is FinishReason.LENGTH


async def test_a_finish_reason_nobody_knows_is_told():
    """A word of another vocabulary names those there are: before the first word as an error, after it as the ending."""
    with pytest.raises(ConfigurationError, match="finish_reason='stop'; there are complete, length"):
        await ask(scripted_provider(Delta("", finish_reason="stop"), finish=None))
    deltas = await ask(scripted_provider("a", Delta(finish_reason="stop"), finish=None))
    assert deltas[-1].finish_reason is FinishReason.ERROR
    assert "there are complete" in deltas[-1].detail
