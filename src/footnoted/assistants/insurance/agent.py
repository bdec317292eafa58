"""Answers from the policy sections alone, in time, and says so when something fails.

The hard thing is that a customer must always get an answer and never half of one: the provider, its fallback, the
documents' own sentences and an apology share one clock, and what a stage had told before it failed is taken back.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncGenerator
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import ValidationError

from footnoted.answering.generator import GroundedGenerator, shipped_checker
from footnoted.assistants.insurance.assessing import LONGEST_QUERY, assessed, notes, without_sections
from footnoted.assistants.insurance.beside import Beside
from footnoted.assistants.insurance.extracts import PolicyExtracts
from footnoted.assistants.insurance.guard import ASKED, ProductGuard
from footnoted.assistants.insurance.letter import Letter, moved
from footnoted.assistants.insurance.manner import instructions, sampling
from footnoted.assistants.insurance.models import ResponseRequest, ResponseResult
from footnoted.assistants.insurance.phrases import phrases
from footnoted.assistants.insurance.quoting import is_wording, nearest, tell
from footnoted.assistants.insurance.sources import as_context
from footnoted.assistants.insurance.vocabulary import Vocabulary
from footnoted.closing import Closing
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


class ResponseGenerationAgent(Closing):
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
        self._model = model
        extracts = PolicyExtracts(vocabulary)
        guard = ProductGuard(checker or shipped_checker())
        own = isinstance(provider, str) and provider.strip().casefold() == "extractive"
        others = fallback if isinstance(fallback, list | tuple) else [fallback] if fallback else []
        first = _FIRST_STAGE * timeout
        generator.setdefault("deadlines", Deadlines(first_token=first, between_tokens=first, total=first))
        # The clock of the whole answer bounds a verdict too: the first one of a process waits for the model to load.
        wait = generator.setdefault("verdict_wait", max(timeout, 0.001))
        self._plain = GroundedGenerator(extracts, checker=guard, checking="hold", doubt="withhold", verdict_wait=wait)
        self._chosen: GroundedGenerator | None = None
        if not own or others:
            self._chosen = GroundedGenerator(
                extracts if own else provider,
                api_key=api_key,
                base_url=base_url,
                model=model,
                fallback=[extracts if other == "extractive" else other for other in others] or None,
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
            apology = phrases(request.spoken).apology
            finished = without_sections(
                request, apology, "Something failed on our side; the log has it.", degraded=True
            )
            yield TextDelta(finished.answer, 0)
        yield ResponseFinished(finished.model_copy(update={"latency_ms": (time.perf_counter() - started) * 1000}))

    async def _answer(self, request: ResponseRequest) -> AsyncGenerator[ResponseEvent]:
        said = phrases(request.spoken)
        if not any(char.isalnum() for char in request.query):
            result = without_sections(request, said.ask, "No question was asked.", asks=said.ask)
        elif not request.has_context:
            why = "There are no policy sections to answer from."
            result = without_sections(request, said.no_answer, why, refused=True)
        else:
            async with aclosing(self._stages(request)) as staged:
                async for event in staged:
                    yield event
            return
        yield TextDelta(result.answer, 0)
        yield ResponseFinished(result)

    async def _stages(self, request: ResponseRequest) -> AsyncGenerator[ResponseEvent]:
        """The provider with its fallback, then the documents' own sentences, then an apology, on one clock."""
        now = asyncio.get_running_loop().time()
        question = request.query[:LONGEST_QUERY]
        context = as_context(request.context_chunks)
        ASKED.set("\n".join([*(turn for turn, _ in request.conversation_history), question]))
        beside = Beside(question, [source.as_source() for source in context])
        first = now + (1 + _FIRST_STAGE) / 2 * self._timeout
        told, failed = 0, False
        for generator, until in ((self._chosen, first), (self._plain, now + self._timeout)):
            if generator is None:
                continue
            letter = Letter(request, context, beside)
            if generator is self._plain and is_wording(request.context_chunks):
                stage = _quoted(request, letter, until, degraded=failed)
            else:
                stage = self._written(generator, request, letter, until, degraded=failed)
            async with aclosing(stage) as events:
                async for event in events:
                    yield event if isinstance(event, ResponseFinished) else moved(event, told)
                    if isinstance(event, ResponseFinished):
                        return
            failed = True
            if letter.text:
                yield TextRetracted(told, told + len(letter.text), "the answer broke off")
                told += len(letter.text)
        apology = phrases(request.spoken).apology
        result = without_sections(request, apology, "Nothing could answer in time.", degraded=True)
        yield TextDelta(result.answer, told)
        yield ResponseFinished(result)

    async def _written(
        self, generator: GroundedGenerator, request: ResponseRequest, letter: Letter, until: float, *, degraded: bool
    ) -> AsyncGenerator[ResponseEvent]:
        """What a generator writes; the result last, or none where the next stage is to answer."""
        response: GenerationResponse | None = None
        try:
            async with aclosing(_within(generator.stream(self._asked(request, letter.context)), until)) as events:
                async for event in events:
                    if isinstance(event, AnswerFinished):
                        response = event.response
                        continue
                    for each in letter.take(event):
                        yield each
        except Exception as error:  # noqa: BLE001 — the next stage answers; the customer hears of none of this
            log.warning("an answering stage failed: %s: %s", type(error).__name__, error)
        if response is None:
            return
        if not _stands(response, letter, last=generator is self._plain):
            log.warning("an answer was not used: %s %s", response.finish_reason.value, response.error or "")
            return
        answer = ""
        if response.finish_reason is FinishReason.REFUSED:
            answer = phrases(request.spoken).no_answer
            yield TextDelta(answer, 0)
        else:
            for each in letter.close():
                yield each
            for note in notes(request, letter, response):
                for each in letter.say(f"\n\n{note}"):
                    yield each
        degraded = degraded or _took_over(response)
        yield ResponseFinished(assessed(request, letter, response, answer=answer or letter.text, degraded=degraded))

    def _asked(self, request: ResponseRequest, context: list[SourceContext]) -> GenerationRequest:
        return GenerationRequest(
            query=request.query[:LONGEST_QUERY],
            context=context,
            config=sampling(model=self._model),
            system_instructions=instructions(request.style, request.spoken, request.kind, request.max_response_length),
            conversation_history=request.conversation_history[-10:],
        )

    async def aclose(self) -> None:
        """Close the providers' connections."""
        for generator in (self._chosen, self._plain):
            if generator is not None:
                await generator.aclose()


async def _quoted(
    request: ResponseRequest, letter: Letter, until: float, *, degraded: bool
) -> AsyncGenerator[ResponseEvent]:
    """The clauses that come nearest, in the policy's own words; nothing where they are not found in time."""
    earlier = " ".join(user for user, _ in request.conversation_history[-1:])
    try:
        async with asyncio.timeout_at(until):
            found = await asyncio.to_thread(nearest, request.query, request.context_chunks, before=earlier)
    except TimeoutError:
        log.warning("the nearest clauses were not found in time")
        return
    events, result = tell(found, request, letter)
    for event in events:
        yield event
    yield ResponseFinished(result.model_copy(update={"degraded": degraded}))


def _stands(response: GenerationResponse, letter: Letter, *, last: bool) -> bool:
    """Whether this answer may be given, rather than the next stage's."""
    if response.finish_reason is FinishReason.REFUSED:
        # A model that said something, none of which stands, has not shown that the documents are silent.
        return last or (response.refusal is not None and response.refusal.reason != "ungrounded")
    return response.finish_reason in (FinishReason.COMPLETE, FinishReason.LENGTH) and letter.has_words


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
    """A request out of whatever came, less fields that make no sense; what is none becomes one without a question."""
    try:
        return ResponseRequest.model_validate(request)
    except ValidationError as error:
        bad = {problem["loc"][0] for problem in error.errors() if problem["loc"]}
        if not bad:
            log.warning("not a request: %s", error)
            return ResponseRequest()
        log.warning("the usual is taken for what makes no sense in a request: %s", ", ".join(sorted(map(str, bad))))
        return _as_request({name: value for name, value in request.items() if name not in bad})
