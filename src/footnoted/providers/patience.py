"""Holds a provider to its deadlines, and asks it again while it has said nothing yet.

Deadlines are on content, not bytes: what is not text resets no clock, and the time a reader takes before
asking for the next delta counts for nobody. What a model thinks aloud before its answer is taken out and is no
content. Nothing is retried once a word has come: the reader has seen it.
"""

from __future__ import annotations

import asyncio
import inspect
import random
import time
from contextlib import aclosing, suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from footnoted.closing import close
from footnoted.errors import (
    BadProviderReply,
    ConfigurationError,
    FootnotedError,
    ProviderError,
    ProviderTimeout,
    ProviderUnavailable,
)
from footnoted.providers._thoughts import Thoughts
from footnoted.providers._wire import Wire
from footnoted.types import Attempt, Deadlines, Delta, FinishReason, Retry

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator

    from footnoted.types import Prompt, Provider

_LONGEST_WISH = 60.0  # seconds of Retry-After worth waiting when no total deadline says otherwise
_CLOSING = 2.0  # seconds a provider of one's own may take to close
_CUT = (FinishReason.TRUNCATED, FinishReason.ERROR)
_RESERVE = 0.1  # share of the total deadline kept for each provider that could still take over


async def patient(
    provider: Provider,
    prompt: Prompt,
    *,
    deadlines: Deadlines | None = None,
    retry: Retry | None = None,
    attempts: list[Attempt] | None = None,
) -> AsyncGenerator[Delta]:
    """The reply's deltas; the last one always carries a finish reason.

    Each try is appended to ``attempts`` when it ends, before its last delta is told. A provider with
    ``providers`` (`Fallback`) stands for them in turn, under one total clock. Raises the last try's
    `ProviderError`, with all ``attempts`` on it, when no word came.
    """
    async with aclosing(arriving(provider, prompt, deadlines=deadlines, retry=retry, attempts=attempts)) as arrivals:
        async for deltas in arrivals:
            for delta in deltas:
                yield delta


async def arriving(
    provider: Provider,
    prompt: Prompt,
    *,
    deadlines: Deadlines | None = None,
    retry: Retry | None = None,
    attempts: list[Attempt] | None = None,
) -> AsyncGenerator[list[Delta]]:
    """The same, told together as it arrived together: under load one read brings many deltas, at the price of one."""
    asking = _Asking(prompt, deadlines or Deadlines(), retry or Retry(), attempts if attempts is not None else [])
    try:
        deltas = await asking.first_words(provider)
        usage, anew = None, True  # what was told without words since the last ones; whether a new wait begins
        stream, alarm = asking.further_words()
        while True:
            if deltas[-1].finish_reason is not None:
                asking.note(deltas[-1].finish_reason.value)
                yield deltas
                return
            yield deltas
            while True:
                alarm.begin(anew=anew)
                try:
                    arrived = await anext(stream)
                except BaseException as error:  # noqa: BLE001 - whatever goes wrong now is an ending
                    deltas = [asking.ended_by(error)]
                else:
                    alarm.task = None
                    if type(arrived) is Delta and arrived.finish_reason is None:
                        arrived = [arrived]
                    plain = type(arrived) is list and asking.thoughts is None and not alarm.rang
                    deltas = arrived if plain else asking.heard(arrived)
                if anew := _any_content(deltas):
                    break
                usage = deltas[-1].usage or usage
            if usage is not None:
                last = deltas[-1]
                deltas[-1], usage = last if last.usage else last._replace(usage=usage), None
    finally:
        await asking.close()


class _Asking:
    """One prompt being asked: the stream that is open now, its clock, and the tries so far."""

    def __init__(self, prompt: Prompt, deadlines: Deadlines, retry: Retry, attempts: list[Attempt]) -> None:
        self._prompt = prompt
        self._deadlines = deadlines
        self._retry = retry
        self._attempts = attempts
        self._loop = asyncio.get_running_loop()
        begun = self._loop.time()
        self._until = None if deadlines.total is None else begun + deadlines.total
        self._alarm = _Alarm(self._loop)
        self._stream: AsyncIterator[Any] | None = None  # of deltas, lists of them, or plain text
        self._provider = ""
        self._model: str | None = None
        self._try_began = 0.0
        self._waited = 0.0  # seconds between the try before and this one
        self.thoughts: Thoughts | None = None  # until the answer begins
        self._noted = True

    async def first_words(self, provider: Any) -> list[Delta]:
        """The deltas up to the first content, or up to an ending without any."""
        providers: list[Provider] = list(getattr(provider, "providers", None) or [provider])
        for place, asked in enumerate(providers):
            left = len(providers) - 1 - place
            until = self._until
            if until is not None and self._deadlines.total is not None:
                until -= left * min(_RESERVE, 0.5 / len(providers)) * self._deadlines.total
            # A model's name is one vendor's: whoever takes over answers with its own.
            prompt = self._prompt if place == 0 else replace(self._prompt, model=None)
            try:
                return await self._ask_until(asked, prompt, until)
            except ProviderError as error:
                error.attempts = tuple(self._attempts)
                if not left:
                    raise
        raise BadProviderReply("no provider was given")

    async def _ask_until(self, provider: Provider, prompt: Prompt, until: float | None) -> list[Delta]:
        hung = 0
        failed: ProviderError | None = None
        for number in range(1, max(1, self._retry.attempts) + 1):
            try:
                return await self._try(provider, prompt, until)
            except FootnotedError as error:
                self.note(type(error).__name__, getattr(error, "status", None))
                await self._close_stream()
                if not isinstance(error, ProviderError):
                    raise
                # A last try that the clock ran out on tells less than the failure it was to mend.
                over = until is not None and self._loop.time() >= until
                if failed is not None and isinstance(error, ProviderTimeout) and over:
                    raise failed from error
                failed = error
                hung += isinstance(error, ProviderTimeout)
                wait = self._wait_after(error, number, until)
                # A second hang is the provider's state, not an accident.
                if wait is None or hung > 1:
                    raise
                self._waited = wait
                await asyncio.sleep(wait)
        raise AssertionError("unreachable")

    def _wait_after(self, error: ProviderError, number: int, until: float | None) -> float | None:
        """Seconds to wait before the next try, or ``None`` if there is to be none."""
        if not error.transient or number >= self._retry.attempts:
            return None
        wait = min(self._retry.cap, self._retry.base * 2 ** (number - 1)) * random.uniform(0.5, 1.0)
        wish = getattr(error, "retry_after", None)
        if wish is not None:
            wait = max(wait, wish)
        room = _LONGEST_WISH if until is None else until - self._loop.time()
        return wait if wait < room else None

    async def _try(self, provider: Provider, prompt: Prompt, until: float | None) -> list[Delta]:
        self._provider = name_of(provider)
        self._model = prompt.model or getattr(provider, "model", None)
        self._try_began = time.monotonic()
        self._noted = False
        alarm = self._alarm
        alarm.expect(self._deadlines.first_token, until)
        early: list[Delta] = []
        anew = True
        thoughts = self.thoughts = Thoughts()
        try:
            stream: Any = _opened(provider, prompt)
            if inspect.isawaitable(stream):
                stream = await stream
            self._stream = aiter(stream)
            while True:
                arrived = self._spoken_of(_known(await alarm.next(self._stream, anew=anew)))
                anew = False  # thoughts and usage are no content: the wait for the first token goes on
                early += (each for each in arrived if each != Delta())
                last = arrived[-1]
                if thoughts.any and last.finish_reason is not None and not any(each.text for each in early):
                    raise _thought_only(last)
                if _any_content(arrived):
                    return early
        except _Late:
            raise ProviderTimeout(f"{self._provider}: {alarm.told('first token')}", provider=self._provider) from None
        except StopAsyncIteration:
            if (last := self._spoken(Delta(finish_reason=FinishReason.COMPLETE))).text:
                return [*early, last]
            raise BadProviderReply("the reply is empty", provider=self._provider) from None
        except FootnotedError as error:
            if isinstance(error, ProviderError):
                error.provider = error.provider or self._provider
            raise
        except Exception as error:
            raise ProviderError(f"{self._provider} failed: {_told(error)}", provider=self._provider) from error

    def further_words(self) -> tuple[AsyncIterator[Any], _Alarm]:
        """The open stream, and the alarm set for the wait between two words."""
        assert self._stream is not None  # noqa: S101
        self._alarm.expect(self._deadlines.between_tokens, self._until)
        return self._stream, self._alarm

    def heard(self, arrived: Any) -> list[Delta]:
        """What came, if the deadline had not passed before: a provider may swallow its cancellation."""
        try:
            self._alarm.check()
            return self._spoken_of(_known(arrived))
        except (_Late, ConfigurationError) as error:
            return [self.ended_by(error)]

    def ended_by(self, error: BaseException) -> Delta:
        """The ending that an exception after a word comes to; raised again if it is no failure of the provider."""
        return self._spoken(self._ending(error))

    def _ending(self, error: BaseException) -> Delta:
        if isinstance(error, _Late) or self._alarm.passed():
            return Delta(finish_reason=FinishReason.TRUNCATED, detail=self._alarm.told("next token"))
        if isinstance(error, StopAsyncIteration):
            # A generator of one's own process has no other way to say that it is done.
            return Delta(finish_reason=FinishReason.COMPLETE)
        if isinstance(error, ProviderUnavailable | ProviderTimeout):
            return Delta(finish_reason=FinishReason.TRUNCATED, detail=_told(error))
        if isinstance(error, Exception):
            return Delta(finish_reason=FinishReason.ERROR, detail=_told(error))
        raise error

    def _spoken_of(self, deltas: list[Delta]) -> list[Delta]:
        """The deltas without the model's thoughts; one that says nothing where nothing else is left."""
        if self.thoughts is None:
            return deltas
        return [each for each in map(self._spoken, deltas) if each != Delta()] or [Delta()]

    def _spoken(self, delta: Delta) -> Delta:
        """The delta without the model's thoughts. Words that come with their pointer are a source's own."""
        thoughts = self.thoughts
        if thoughts is None:
            return delta
        over = delta.finish_reason is not None
        if delta.pointers and not thoughts.thinking:
            text = thoughts.flush() + delta.text
        else:
            text = thoughts.decode(delta.text) + (thoughts.flush() if over else "")
        if thoughts.settled:
            self.thoughts = None
        return delta if text == delta.text else delta._replace(text=text)

    def note(self, outcome: str, status: int | None = None) -> None:
        """Write down how the current try ended, once."""
        if self._noted:
            return
        self._noted = True
        took = (time.monotonic() - self._try_began) * 1000
        self._attempts.append(Attempt(self._provider, outcome, took, status, self._waited * 1000, self._model))
        self._waited = 0.0

    async def close(self) -> None:
        """Close the provider's stream, and with it whatever it holds upstream."""
        self.note(FinishReason.CANCELLED.value)
        self._alarm.stop()
        await self._close_stream()

    async def _close_stream(self) -> None:
        stream, self._stream = self._stream, None
        with suppress(Exception):  # the answer stands whatever becomes of the cleaning up after it
            async with asyncio.timeout(_CLOSING):
                await close(stream)


class _Late(Exception):
    """The deadline of the current wait passed."""


class _Alarm:
    """Wakes a task that waits too long: one timer a stream, which finds out when it rings whether anybody is late.

    So a wait that ends in time costs two notes, who waits and since when, and no timer of its own.
    """

    __slots__ = ("_before", "_limit", "_loop", "_patience", "_since", "_timer", "_until", "rang", "task")

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._timer: asyncio.TimerHandle | None = None
        self._patience: float | None = None
        self._until: float | None = None
        self._since = 0.0  # when the wait for the next content began
        self._limit = 0.0  # what it rang for
        self._before = 0  # how often the task was being cancelled when the wait began
        self.task: asyncio.Task[Any] | None = None  # who waits now
        self.rang = False

    def expect(self, patience: float | None, until: float | None) -> None:
        """From now on content may be ``patience`` seconds in coming, and come until ``until`` (loop time)."""
        self.stop()
        self._patience, self._until, self.rang = patience, until, False

    def begin(self, *, anew: bool) -> None:
        """The current task waits from here on, until ``task`` is set to None. ``anew``: for the next content."""
        if anew:
            self._since = self._loop.time()
        task = self.task = asyncio.current_task(self._loop)
        assert task is not None  # noqa: S101
        self._before = task.cancelling()
        if self._timer is None:
            self._set()

    async def next(self, stream: AsyncIterator[Any], *, anew: bool) -> Any:
        """What the stream brings next. Raises `_Late` when it does not come in time."""
        self.begin(anew=anew)
        try:
            arrived = await anext(stream)
        except BaseException:
            if self.passed():
                raise _Late from None
            raise
        self.task = None
        self.check()
        return arrived

    def passed(self) -> bool:
        """Whether the wait that an exception just ended had been cut short here, and by nobody else."""
        task, self.task = self.task, None
        if not self.rang or task is None:
            return False
        self.rang = False
        return task.uncancel() <= self._before

    def check(self) -> None:
        """Raises `_Late` when the wait was cut short but the provider swallowed the cancellation."""
        if self.rang:
            self.rang = False
            task = asyncio.current_task(self._loop)
            assert task is not None  # noqa: S101
            task.uncancel()
            raise _Late

    def told(self, what: str) -> str:
        """The words for the deadline that was missed."""
        return "the total deadline passed" if self._limit == self._until else f"no {what} within {self._patience:g} s"

    def stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _set(self) -> None:
        limit = _sooner(self._since, self._patience, self._until)
        if limit is not None:
            self._timer = self._loop.call_at(limit, self._ring)

    def _ring(self) -> None:
        self._timer = None
        if self.task is None:
            return  # nobody waits; the next wait sets the timer
        limit = _sooner(self._since, self._patience, self._until)
        if limit is None or self._loop.time() < limit:
            self._set()
        else:
            self._limit, self.rang = limit, True
            self.task.cancel()


def name_of(provider: object) -> str:
    """What a provider is called in attempts and errors."""
    name = getattr(provider, "name", None)
    return name if isinstance(name, str) and name else type(provider).__name__


def _opened(provider: Provider, prompt: Prompt) -> Any:
    """The provider's stream; of one on a wire, unless it is told in another way, all that one read brings together."""
    if isinstance(provider, Wire) and type(provider).stream is Wire.stream:
        return provider.arriving(prompt)
    return provider.stream(prompt)


def _thought_only(last: Delta) -> ProviderError:
    """What a reply that ended while the model still thought, or right after, comes to: nothing was said."""
    if last.finish_reason in _CUT:
        return ProviderUnavailable(last.detail or "the reply broke off in a thought")
    if last.finish_reason is FinishReason.LENGTH:
        return BadProviderReply("all of max_tokens went into the model's thoughts; raise config.max_tokens")
    return BadProviderReply("the reply is empty but for the model's thoughts")


def _any_content(deltas: list[Delta]) -> bool:
    """Whether anything in them is an answer's: text, a pointer, an ending. It is the last one nearly always."""
    last = deltas[-1]
    if last.text or last.pointers or last.finish_reason is not None:
        return True
    return len(deltas) > 1 and any(each.text or each.pointers for each in deltas)


def _known(told: Any) -> list[Delta]:
    """What arrived; a provider of one's own may give a delta as plain text, and its finish reason as a plain word."""
    if isinstance(told, list):
        return told or [Delta()]
    delta = Delta(told) if isinstance(told, str) else told
    reason = delta.finish_reason
    if reason is None or isinstance(reason, FinishReason):
        return [delta]
    try:
        return [delta._replace(finish_reason=FinishReason(reason))]
    except ValueError:
        known = ", ".join(FinishReason)
        raise ConfigurationError(f"a provider ended with finish_reason={reason!r}; there are {known}") from None


def _sooner(now: float, patience: float | None, until: float | None) -> float | None:
    """The nearer of two deadlines, in loop time."""
    if patience is not None and (until is None or now + patience < until):
        return now + patience
    return until


def _told(error: BaseException) -> str:
    return str(error) or type(error).__name__
