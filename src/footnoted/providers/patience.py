"""A provider and a prompt in; its deltas out, within deadlines, asked again while nothing was said yet.

Deadlines are on content, not bytes: what is not text resets no clock, and the time a reader takes before
asking for the next delta counts for nobody. What a model thinks aloud before its answer is taken out and is no
content. Nothing is retried once a word has come: the reader has seen it.
"""

from __future__ import annotations

import asyncio
import inspect
import random
import time
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from footnoted.errors import (
    BadProviderReply,
    ConfigurationError,
    FootnotedError,
    ProviderError,
    ProviderTimeout,
    ProviderUnavailable,
)
from footnoted.providers._thoughts import Thoughts
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
    asking = _Asking(prompt, deadlines or Deadlines(), retry or Retry(), attempts if attempts is not None else [])
    try:
        begun = await asking.first_words(provider)
        for delta in begun:
            if delta.finish_reason is not None:
                asking.note(delta.finish_reason.value)
            yield delta
            if delta.finish_reason is not None:
                return
        while True:
            delta = await asking.next_words()
            yield delta
            if delta.finish_reason is not None:
                return
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
        self._stream: AsyncIterator[Delta] | None = None
        self._provider = ""
        self._model: str | None = None
        self._try_began = 0.0
        self._waited = 0.0  # seconds between the try before and this one
        self._thoughts: Thoughts | None = None  # until the answer begins
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
                if failed is not None and isinstance(error, ProviderTimeout) and _passed(self._loop.time(), until):
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
        limit = _sooner(self._loop.time(), self._deadlines.first_token, until)
        early: list[Delta] = []
        thoughts = self._thoughts = Thoughts()
        try:
            stream: Any = provider.stream(prompt)
            if inspect.isawaitable(stream):
                stream = await stream
            self._stream = aiter(stream)
            while True:
                delta = self._spoken(_ended(await self._alarm.next(self._stream, limit)))
                content = delta.text or delta.pointers or delta.finish_reason is not None
                if thoughts.any and not delta.text and delta.finish_reason in _CUT:
                    raise ProviderUnavailable(delta.detail or "the reply broke off in a thought")
                if content or delta.usage is not None:
                    early.append(delta)
                if content:
                    return early
        except _Late:
            late = _lateness("first token", self._deadlines.first_token, total=limit == until)
            raise ProviderTimeout(f"{self._provider}: {late}", provider=self._provider) from None
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

    async def next_words(self) -> Delta:
        """The next delta; whatever goes wrong now is an ending."""
        limit = _sooner(self._loop.time(), self._deadlines.between_tokens, self._until)
        assert self._stream is not None  # noqa: S101
        usage = None
        try:
            while True:
                delta = _ended(await self._alarm.next(self._stream, limit))
                if self._thoughts is not None:
                    delta = self._spoken(delta)
                if delta.text or delta.pointers or delta.finish_reason is not None:
                    break
                usage = delta.usage or usage
        except _Late:
            late = _lateness("next token", self._deadlines.between_tokens, total=limit == self._until)
            delta = Delta(finish_reason=FinishReason.TRUNCATED, detail=late)
        except StopAsyncIteration:
            # A generator of one's own process has no other way to say that it is done.
            delta = Delta(finish_reason=FinishReason.COMPLETE)
        except (ProviderUnavailable, ProviderTimeout) as error:
            delta = Delta(finish_reason=FinishReason.TRUNCATED, detail=_told(error))
        except Exception as error:  # noqa: BLE001
            delta = Delta(finish_reason=FinishReason.ERROR, detail=_told(error))
        delta = self._spoken(delta)
        if usage is not None and delta.usage is None:
            delta = replace(delta, usage=usage)
        if delta.finish_reason is not None:
            self.note(delta.finish_reason.value)
        return delta

    def _spoken(self, delta: Delta) -> Delta:
        """The delta without the model's thoughts. Words that come with their pointer are a source's own."""
        thoughts = self._thoughts
        if thoughts is None:
            return delta
        over = delta.finish_reason is not None
        if delta.pointers and not thoughts.thinking:
            text = thoughts.flush() + delta.text
        else:
            text = thoughts.decode(delta.text) + (thoughts.flush() if over else "")
        if thoughts.settled:
            self._thoughts = None
        return delta if text == delta.text else replace(delta, text=text)

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
        close = getattr(stream, "aclose", None)
        if close is not None:
            # The answer stands whatever becomes of the cleaning up after it.
            with suppress(Exception):
                async with asyncio.timeout(_CLOSING):
                    await close()


class _Late(Exception):
    """The deadline of the current wait passed."""


class _Alarm:
    """Wakes a task that waits too long: one timer a stream, moved lazily, instead of one a delta."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._timer: asyncio.TimerHandle | None = None
        self._limit: float | None = None  # of the current wait; None outside of one
        self._task: asyncio.Task[Any] | None = None
        self._rang = False

    async def next(self, stream: AsyncIterator[Delta], limit: float | None) -> Delta:
        """The stream's next delta. Raises `_Late` when it does not come before ``limit`` (loop time)."""
        if limit is None:
            delta = await anext(stream)
            return Delta(delta) if isinstance(delta, str) else delta
        task = asyncio.current_task()
        assert task is not None  # noqa: S101
        cancelled_before = task.cancelling()
        self._task = task
        self._limit = limit
        self._rang = False
        if self._timer is None or self._timer.when() > limit:
            self._set(limit)
        try:
            delta = await anext(stream)
        except BaseException:
            if self._rang and task.uncancel() <= cancelled_before:
                raise _Late from None
            raise
        finally:
            self._limit = None
            self._task = None
        if self._rang:  # the provider swallowed the cancellation
            task.uncancel()
            raise _Late
        return Delta(delta) if isinstance(delta, str) else delta

    def stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _set(self, when: float) -> None:
        self.stop()
        self._timer = self._loop.call_at(when, self._ring)

    def _ring(self) -> None:
        self._timer = None
        if self._limit is None or self._task is None:
            return  # nobody waits; the next wait sets its own timer
        if self._loop.time() < self._limit:
            self._set(self._limit)
        else:
            self._rang = True
            self._task.cancel()


def name_of(provider: object) -> str:
    """What a provider is called in attempts and errors."""
    name = getattr(provider, "name", None)
    return name if isinstance(name, str) and name else type(provider).__name__


def _ended(delta: Delta) -> Delta:
    """The delta; its finish reason, which a provider of one's own may give as a plain word, is one we know."""
    reason = delta.finish_reason
    if reason is None or isinstance(reason, FinishReason):
        return delta
    try:
        return replace(delta, finish_reason=FinishReason(reason))
    except ValueError:
        known = ", ".join(FinishReason)
        raise ConfigurationError(f"a provider ended with finish_reason={reason!r}; there are {known}") from None


def _passed(now: float, until: float | None) -> bool:
    return until is not None and now >= until


def _sooner(now: float, patience: float | None, until: float | None) -> float | None:
    """The nearer of two deadlines, in loop time."""
    if patience is not None and (until is None or now + patience < until):
        return now + patience
    return until


def _lateness(what: str, patience: float | None, *, total: bool) -> str:
    """The words for a deadline that was missed."""
    return "the total deadline passed" if total else f"no {what} within {patience:g} s"


def _told(error: BaseException) -> str:
    return str(error) or type(error).__name__
