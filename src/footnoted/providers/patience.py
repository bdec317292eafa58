"""Holds a provider to its deadlines, and asks it again while it has said nothing yet.

Deadlines are on content, not bytes: what is not text resets no clock, and the time a reader takes before
asking for the next delta counts for nobody. What a model thinks aloud before its answer is taken out and is no
content. Nothing is retried once a word has come: the reader has seen it.

The hard thing is to cut a wait short without a timer for each read: see `_Alarm`.
"""

from __future__ import annotations

import asyncio
import inspect
import random
import time
from contextlib import aclosing, suppress
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
        while (reason := deltas[-1].finish_reason) is None:
            yield deltas
            deltas = await asking.next_words()
        asking.note(reason.value)
        yield deltas
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
        self._until = None if deadlines.total is None else self._loop.time() + deadlines.total
        self._alarm = _Alarm(self._loop)
        self._stream: AsyncIterator[Any] | None = None  # of deltas, lists of them, or plain text
        self._thoughts = Thoughts()
        self._provider = ""
        self._model: str | None = None
        self._try_began = 0.0
        self._waited = 0.0  # seconds between the try before and this one
        self._noted = True

    async def first_words(self, provider: Any) -> list[Delta]:
        """The deltas up to the first content, or up to an ending without any."""
        providers: list[Provider] = list(getattr(provider, "providers", None) or [provider])
        for place, candidate in enumerate(providers):
            left = len(providers) - 1 - place
            until = self._until
            if until is not None and self._deadlines.total is not None:
                until -= left * min(_RESERVE, 0.5 / len(providers)) * self._deadlines.total
            # A model's name is one vendor's: whoever takes over answers with its own.
            prompt = self._prompt if place == 0 else replace(self._prompt, model=None)
            try:
                deltas = await self._ask_until(candidate, prompt, until)
            except ProviderError as error:
                error.attempts = tuple(self._attempts)
                if not left:
                    raise
            else:
                self._alarm.expect(self._deadlines.between_tokens, self._until)
                return deltas
        raise BadProviderReply("no provider was given")

    async def next_words(self) -> list[Delta]:
        """The deltas that bring the next content, or the ending; whatever goes wrong after a word is an ending."""
        assert self._stream is not None  # noqa: S101 - the first words came from it
        usage, anew = None, True
        while True:
            try:
                deltas = self._without_thoughts(_as_deltas(await self._alarm.next(self._stream, anew=anew)))
            except BaseException as error:  # noqa: BLE001
                deltas = [self._without_thought(self._ending(error))]
            if _any_content(deltas):
                break
            usage, anew = deltas[-1].usage or usage, False
        if usage is not None and deltas[-1].usage is None:
            deltas[-1] = deltas[-1]._replace(usage=usage)
        return deltas

    async def _ask_until(self, provider: Provider, prompt: Prompt, until: float | None) -> list[Delta]:
        """The first words of the first try that brings some."""
        hung = 0
        before: ProviderError | None = None
        number = 0
        while True:
            number += 1
            try:
                return await self._try(provider, prompt, until)
            except FootnotedError as error:
                self.note(type(error).__name__, getattr(error, "status", None))
                await self._close_stream()
                if not isinstance(error, ProviderError):
                    raise
                # A last try that the clock ran out on tells less than the failure it was to mend.
                over = until is not None and self._loop.time() >= until
                if before is not None and isinstance(error, ProviderTimeout) and over:
                    raise before from error
                before = error
                hung += isinstance(error, ProviderTimeout)
                wait = self._wait_after(error, number, until)
                # A second hang is the provider's state, not an accident.
                if wait is None or hung > 1:
                    raise
                self._waited = wait
                await asyncio.sleep(wait)

    def _wait_after(self, error: ProviderError, number: int, until: float | None) -> float | None:
        """Seconds to wait before the next try, or ``None`` if there is to be none."""
        if not error.transient or number >= self._retry.attempts:
            return None
        wait = min(self._retry.cap, self._retry.base * 2 ** (number - 1)) * random.uniform(0.5, 1.0)
        wait = max(wait, getattr(error, "retry_after", None) or 0.0)
        room = _LONGEST_WISH if until is None else until - self._loop.time()
        return wait if wait < room else None

    async def _try(self, provider: Provider, prompt: Prompt, until: float | None) -> list[Delta]:
        self._provider = name_of(provider)
        self._model = prompt.model or getattr(provider, "model", None)
        self._try_began = time.monotonic()
        self._noted = False
        self._thoughts = Thoughts()
        self._alarm.expect(self._deadlines.first_token, until)
        early: list[Delta] = []
        anew = True
        try:
            stream: Any = _opened(provider, prompt)
            if inspect.isawaitable(stream):
                stream = await stream
            self._stream = aiter(stream)
            while True:
                arrived = self._without_thoughts(_as_deltas(await self._alarm.next(self._stream, anew=anew)))
                anew = False  # thoughts and usage are no content: the wait for the first token goes on
                early += (delta for delta in arrived if delta != Delta())
                last = arrived[-1]
                if self._thoughts.any and last.finish_reason is not None and not any(delta.text for delta in early):
                    raise _thought_only(last)
                if _any_content(arrived):
                    return early
        except _Late:
            missed = self._alarm.missed("first token")
            raise ProviderTimeout(f"{self._provider}: {missed}", provider=self._provider) from None
        except StopAsyncIteration:
            if (last := self._without_thought(Delta(finish_reason=FinishReason.COMPLETE))).text:
                return [*early, last]
            raise BadProviderReply("the reply is empty", provider=self._provider) from None
        except FootnotedError as error:
            if isinstance(error, ProviderError):
                error.provider = error.provider or self._provider
            raise
        except Exception as error:
            raise ProviderError(f"{self._provider} failed: {_reason(error)}", provider=self._provider) from error

    def _ending(self, error: BaseException) -> Delta:
        """The ending that an exception after a word comes to; raised again if it is no failure of the provider."""
        if isinstance(error, _Late):
            return Delta(finish_reason=FinishReason.TRUNCATED, detail=self._alarm.missed("next token"))
        if isinstance(error, StopAsyncIteration):
            # A generator of one's own process has no other way to say that it is done.
            return Delta(finish_reason=FinishReason.COMPLETE)
        if isinstance(error, ProviderUnavailable | ProviderTimeout):
            return Delta(finish_reason=FinishReason.TRUNCATED, detail=_reason(error))
        if isinstance(error, Exception):
            return Delta(finish_reason=FinishReason.ERROR, detail=_reason(error))
        raise error

    def _without_thoughts(self, deltas: list[Delta]) -> list[Delta]:
        """The deltas without the model's thoughts; one that says nothing where nothing else is left."""
        if self._thoughts.settled:
            return deltas
        return [delta for delta in map(self._without_thought, deltas) if delta != Delta()] or [Delta()]

    def _without_thought(self, delta: Delta) -> Delta:
        """The delta without the model's thoughts. Words that come with their pointer are a source's own."""
        thoughts = self._thoughts
        if thoughts.settled:
            return delta
        over = delta.finish_reason is not None
        if delta.pointers and not thoughts.thinking:
            text = thoughts.flush() + delta.text
        else:
            text = thoughts.decode(delta.text) + (thoughts.flush() if over else "")
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
        close = getattr(stream, "aclose", None)
        if close is not None:
            # The answer stands whatever becomes of the cleaning up after it.
            with suppress(Exception):
                async with asyncio.timeout(_CLOSING):
                    await close()


class _Late(Exception):
    """The deadline of the current wait passed."""


class _Alarm:
    """Wakes a task that waits too long: one timer a stream, which finds out when it rings whether anybody is late.

    So a wait that ends in time costs two notes, who waits and since when, and no timer of its own.
    """

    __slots__ = ("_limit", "_loop", "_patience", "_rang", "_since", "_timer", "_until", "_waiting")

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._timer: asyncio.TimerHandle | None = None
        self._patience: float | None = None
        self._until: float | None = None
        self._since = 0.0  # when the wait for the next content began
        self._limit: float | None = None  # what it rang for
        self._waiting: asyncio.Task[Any] | None = None
        self._rang = False

    def expect(self, patience: float | None, until: float | None) -> None:
        """From now on content may be ``patience`` seconds in coming, and come until ``until`` (loop time)."""
        self.stop()
        self._patience, self._until, self._rang = patience, until, False

    async def next(self, stream: AsyncIterator[Any], *, anew: bool) -> Any:
        """What the stream brings next; ``anew`` where the wait for content begins with it.

        Raises `_Late` when it does not come in time, also where the stream swallows the cancellation; an outside
        cancellation of the task passes through as itself.
        """
        if anew:
            self._since = self._loop.time()
        task = self._waiting = asyncio.current_task(self._loop)
        assert task is not None  # noqa: S101
        cancelled_before = task.cancelling()
        if self._timer is None:
            self._set()
        try:
            return await anext(stream)
        finally:
            self._waiting = None
            if self._rang:
                self._rang = False
                if task.uncancel() <= cancelled_before:
                    raise _Late from None

    def missed(self, what: str) -> str:
        """The words for the deadline that was missed."""
        return "the total deadline passed" if self._limit == self._until else f"no {what} within {self._patience:g} s"

    def stop(self) -> None:
        """Ring no more."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _deadline(self) -> float | None:
        """The nearer of the two deadlines of the wait, in loop time."""
        content = None if self._patience is None else self._since + self._patience
        return min((limit for limit in (content, self._until) if limit is not None), default=None)

    def _set(self) -> None:
        if (limit := self._deadline()) is not None:
            self._timer = self._loop.call_at(limit, self._ring)

    def _ring(self) -> None:
        self._timer = None
        if self._waiting is None:
            return  # nobody waits; the next wait sets the timer
        self._limit = self._deadline()
        if self._limit is None or self._loop.time() < self._limit:
            self._set()
        else:
            self._rang = True
            self._waiting.cancel()


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
    return len(deltas) > 1 and any(delta.text or delta.pointers for delta in deltas)


def _as_deltas(arrived: Any) -> list[Delta]:
    """What arrived; a provider of one's own may give a delta as plain text, and its finish reason as a plain word."""
    if isinstance(arrived, list):
        return arrived or [Delta()]
    delta = Delta(arrived) if isinstance(arrived, str) else arrived
    reason = delta.finish_reason
    if reason is None or isinstance(reason, FinishReason):
        return [delta]
    try:
        return [delta._replace(finish_reason=FinishReason(reason))]
    except ValueError:
        known = ", ".join(FinishReason)
        raise ConfigurationError(f"a provider ended with finish_reason={reason!r}; there are {known}") from None


def _reason(error: BaseException) -> str:
    return str(error) or type(error).__name__
