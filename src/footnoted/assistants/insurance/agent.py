"""Answers from the policy sections alone, in time, and says so when something fails."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncGenerator
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any, Literal, Self

from footnoted.answering.generator import GroundedGenerator, shipped_checker
from footnoted.assistants.insurance.assessing import LONGEST_QUERY, assessed, notes, without_sections
from footnoted.assistants.insurance.beside import Beside
from footnoted.assistants.insurance.extracts import PolicyExtracts
from footnoted.assistants.insurance.guard import ASKED, ProductGuard
from footnoted.assistants.insurance.letter import Letter, moved
from footnoted.assistants.insurance.manner import instructions, sampling
from footnoted.assistants.insurance.models import ResponseRequest, ResponseResult
from footnoted.assistants.insurance.phrases import Phrases, language_of, phrases
from footnoted.assistants.insurance.quoting import is_wording, nearest, tell
from footnoted.assistants.insurance.sources import as_context
from footnoted.assistants.insurance.vocabulary import Vocabulary
from footnoted.contract import GenerationRequest, GenerationResponse, SourceContext
from footnoted.errors import ProviderTimeout
from footnoted.events import AnswerFinished, Event, TextDelta, TextRetracted
from footnoted.types import Deadlines, FinishReason

_FIRST_STAGE = 0.8  # of the time, what the provider and its fallback may take before the documents speak themselves

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ResponseFinished:
    """The answer is whole; comes last, exactly once."""

    result: ResponseResult
    kind: Literal["response"] = "response"


ResponseEvent = Event | ResponseFinished


class ResponseGenerationAgent:
    """Answers from the given sections only: cited, checked, product by product, in the customer's language.

    ``provider`` and ``fallback`` are those of `GroundedGenerator` (``gemini`` is the documented model;
    ``extractive``, the default, needs none). The provider, then the fallback, then the documents' own sentences,
    then a plain apology share one clock of ``timeout`` seconds. ``generator``: further keywords of
    `GroundedGenerator`, such as ``retry``, ``judge`` or ``checker``.
    """

    def __init__(
        self,
        provider: Any = "extractive",
        *,
        api_key: str | None = None,
        base_url: str | None = None,
        model: str | None = None,
        fallback: Any = None,
        timeout: float = 10.0,
        vocabulary: Vocabulary | None = None,
        checker: Any = None,
        **generator: Any,
    ) -> None:
        self._timeout = timeout
        self._vocabulary = vocabulary or Vocabulary.load()
        self._extracts = PolicyExtracts(self._vocabulary)
        guard = ProductGuard(checker or shipped_checker())
        own = isinstance(provider, str) and provider.strip().casefold() == "extractive"
        others = fallback if isinstance(fallback, list | tuple) else [fallback] if fallback else []
        first = _FIRST_STAGE * timeout
        generator.setdefault("deadlines", Deadlines(first_token=first, between_tokens=first, total=first))
        # The clock of the whole answer bounds a verdict too: the first one of a process waits for the model to load.
        generator.setdefault("verdict_wait", max(timeout, 0.001))
        self._model = model
        self._plain = GroundedGenerator(
            self._extracts, checker=guard, checking="hold", doubt="withhold", verdict_wait=generator["verdict_wait"]
        )
        self._chosen: GroundedGenerator | None = None
        if not own or others:
            self._chosen = GroundedGenerator(
                self._extracts if own else provider,
                api_key=api_key,
                base_url=base_url,
                model=model,
                fallback=[self._extracts if other == "extractive" else other for other in others] or None,
                checker=guard,
                checking="hold",
                doubt="mark",
                **generator,
            )

    def generate_response(self, request: ResponseRequest) -> ResponseResult:
        """The whole answer, for scripts; blocks, inside a running event loop too. Never raises."""
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            return asyncio.run(self.agenerate_response(request))
        with ThreadPoolExecutor(1) as thread:
            return thread.submit(asyncio.run, self.agenerate_response(request)).result()

    async def agenerate_response(self, request: ResponseRequest) -> ResponseResult:
        """The whole answer. Never raises."""
        async with aclosing(self.stream(request)) as events:
            async for event in events:
                if isinstance(event, ResponseFinished):
                    return event.result
        raise AssertionError("unreachable: a stream ends with its result")

    async def stream(self, request: ResponseRequest) -> AsyncGenerator[ResponseEvent]:
        """Text, citations and verdicts as they come; `ResponseFinished` last, exactly once. Never raises.

        Offsets count in all that was told. When a model breaks off, `TextRetracted` takes back what it said, and the
        result's own offsets count in what is left.
        """
        started = time.perf_counter()
        request = _as_request(request)
        finished: ResponseResult | None = None
        try:
            async with aclosing(self._answer(request)) as events:
                async for event in events:
                    if isinstance(event, ResponseFinished):
                        finished = event.result
                    else:
                        yield event
        except Exception:
            log.exception("the insurance responder failed")
        if finished is None:
            said = _said(request)
            finished = without_sections(
                request, said.apology, "Something failed on our side; the log has it.", degraded=True
            )
            yield TextDelta(finished.answer, 0)
        yield ResponseFinished(finished.model_copy(update={"latency_ms": (time.perf_counter() - started) * 1000}))

    async def _answer(self, request: ResponseRequest) -> AsyncGenerator[ResponseEvent]:
        said = _said(request)
        if not request.query or not any(char.isalnum() for char in request.query):
            result = without_sections(request, said.ask, "No question was asked.")
        elif not request.has_context:
            result = without_sections(request, _no(said), "There are no policy sections to answer from.", refused=True)
        else:
            async with aclosing(self._stages(request)) as staged:
                async for event in staged:
                    yield event
            return
        yield TextDelta(result.answer, 0)
        yield ResponseFinished(result)

    async def _stages(self, request: ResponseRequest) -> AsyncGenerator[ResponseEvent]:
        """The provider with its fallback, then the documents' own sentences, then an apology, on one clock."""
        loop = asyncio.get_running_loop()
        until = loop.time() + self._timeout
        context = as_context(request.context_chunks)
        asked = self._request(request, context)
        ASKED.set("\n".join([*(turn for turn, _ in request.conversation_history), request.query[:LONGEST_QUERY]]))
        sources = [one.as_source() for one in context]
        beside = Beside(request.query[:LONGEST_QUERY], sources)
        stages = [(self._chosen, loop.time() + (1 + _FIRST_STAGE) / 2 * self._timeout), (self._plain, until)]
        failed, told = False, 0
        for generator, limit in stages:
            if generator is None:
                continue
            if generator is self._plain and is_wording(request.context_chunks):
                degraded = failed or self._chosen is not None
                try:
                    quoted = await _quoted(request, Letter(request, context), until, degraded=degraded)
                except TimeoutError:
                    log.warning("the nearest clauses were not found in time")
                    break
                for last in quoted:
                    yield last if isinstance(last, ResponseFinished) else moved(last, told)
                return
            letter = Letter(request, context, beside)
            response: GenerationResponse | None = None
            try:
                async with aclosing(_within(generator.stream(asked), limit)) as events:
                    async for event in events:
                        if isinstance(event, AnswerFinished):
                            response = event.response
                            continue
                        for said in letter.take(event):
                            yield moved(said, told)
            except Exception as error:  # noqa: BLE001 — the next stage answers; the customer hears of none of this
                log.warning("an answering stage failed: %s: %s", type(error).__name__, error)
            if response is not None and _stands(response, letter, last=generator is self._plain):
                degraded = failed or (self._chosen is not None and generator is self._plain) or _took_over(response)
                for last in self._finish(request, letter, response, degraded=degraded):
                    yield last if isinstance(last, ResponseFinished) else moved(last, told)
                return
            failed = True
            if response is not None:
                log.warning("an answer was not used: %s %s", response.finish_reason.value, response.error or "")
            if letter.text:
                yield TextRetracted(told, told + len(letter.text), "the answer broke off")
                told += len(letter.text)
        apology = without_sections(request, _said(request).apology, "Nothing could answer in time.", degraded=True)
        yield TextDelta(apology.answer, told)
        yield ResponseFinished(apology)

    def _request(self, request: ResponseRequest, context: list[SourceContext]) -> GenerationRequest:
        language = request.language or language_of(request.query)
        return GenerationRequest(
            query=request.query[:LONGEST_QUERY],
            context=context,
            config=sampling(model=self._model),
            system_instructions=instructions(request.style, language, request.kind, request.max_response_length),
            conversation_history=request.conversation_history[-10:],
        )

    def _finish(
        self, request: ResponseRequest, letter: Letter, response: GenerationResponse, *, degraded: bool
    ) -> list[ResponseEvent]:
        """The last words and the result."""
        said = _said(request)
        refused = response.finish_reason is FinishReason.REFUSED
        events: list[ResponseEvent] = []
        if refused:
            answer = _no(said)
            events.append(TextDelta(answer, 0))
        else:
            events += letter.close()
            for note in notes(request, letter, response, said):
                events.append(TextDelta(note, len(letter.text)))
                letter.text += note
            answer = letter.text
        result = assessed(request, letter, response, answer=answer, degraded=degraded)
        return [*events, ResponseFinished(result)]

    async def aclose(self) -> None:
        """Close the providers' connections."""
        for generator in (self._chosen, self._plain):
            if generator is not None:
                await generator.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()


async def _quoted(request: ResponseRequest, letter: Letter, until: float, *, degraded: bool) -> list[ResponseEvent]:
    """The clauses that come nearest, in the policy's own words."""
    earlier = " ".join(user for user, _ in request.conversation_history[-1:])
    async with asyncio.timeout_at(until):
        found = await asyncio.to_thread(nearest, request.query, request.context_chunks, before=earlier)
    events, result = tell(found, request, letter)
    return [*events, ResponseFinished(result.model_copy(update={"degraded": degraded}))]


def _stands(response: GenerationResponse, letter: Letter, *, last: bool) -> bool:
    """Whether this answer may be given, rather than the next stage's."""
    if response.finish_reason is FinishReason.REFUSED:
        # A model that said something, none of which stands, has not shown that the documents are silent.
        return last or (response.refusal is not None and response.refusal.reason != "ungrounded")
    return response.finish_reason in (FinishReason.COMPLETE, FinishReason.LENGTH) and bool(letter.text)


def _took_over(response: GenerationResponse) -> bool:
    """Whether a fallback gave the answer."""
    tried = [attempt.provider for attempt in response.attempts]
    return bool(tried) and tried[-1] != tried[0]


async def _within(events: AsyncGenerator[Event], until: float) -> AsyncGenerator[Event]:
    """The events that come before a moment of the loop's clock; the reader's own time is not cut into."""
    async with aclosing(events):
        while True:
            try:
                async with asyncio.timeout_at(until):
                    event = await anext(events)
            except StopAsyncIteration:
                return
            except TimeoutError:
                raise ProviderTimeout("the answer took too long") from None
            yield event


def _as_request(request: Any) -> ResponseRequest:
    """A request out of whatever came; what is none becomes one without a question."""
    if isinstance(request, ResponseRequest):
        return request
    try:
        return ResponseRequest.model_validate(request)
    except ValueError as error:
        log.warning("not a request: %s", error)
        return ResponseRequest()


def _said(request: ResponseRequest) -> Phrases:
    return phrases(request.language or language_of(request.query[:LONGEST_QUERY]))


def _no(said: Phrases) -> str:
    return f"{said.not_enough} {said.next_steps}"
