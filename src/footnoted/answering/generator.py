"""The library's door: a `GenerationRequest` becomes a response, its text or its events, from any provider."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing
from contextvars import copy_context
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol, Self, runtime_checkable

from footnoted.answering.answer import Answering, stream_answer
from footnoted.answering.arguments import deadlines_of, folder, number, one_of, retry_of, whole
from footnoted.answering.judging import Spent
from footnoted.answering.risk import Risk
from footnoted.answering.weighing import Checking, Doubt, Mode
from footnoted.answering.whole import Said, whole_reply
from footnoted.closing import Closing, close
from footnoted.contract import GenerationConfig, GenerationRequest, GenerationResponse, SourceContext, listed
from footnoted.errors import BadProviderReply, ConfigurationError, ProviderError
from footnoted.events import AnswerFinished, TextDelta
from footnoted.grounding.judge import Ask, Cascade, Judge, Weigher
from footnoted.providers import build, is_model
from footnoted.providers.fallback import Fallback
from footnoted.types import Deadlines, Prompt, Provider, Retry, Source

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator, Sequence

    from footnoted.events import Event
    from footnoted.retrieval.retriever import Retriever


@runtime_checkable
class GeneratorProtocol(Protocol):
    """What every generator offers: the whole answer, or its text as it comes."""

    async def generate(self, request: GenerationRequest) -> GenerationResponse:
        """The whole answer."""
        ...

    def generate_streaming(self, request: GenerationRequest) -> AsyncIterator[str]:
        """The answer's text, piece by piece."""
        ...


class AnswerText:
    """The text of one answer, piece by piece; ``response`` is the whole once the last piece is out.

    Iterating raises `ProviderError` after the last piece if the answer was cut off or broke: a reader of
    text alone must not take a part for the whole.
    """

    def __init__(self, events: AsyncGenerator[Event]) -> None:
        self._events = events
        self.response: GenerationResponse | None = None

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> str:
        async for event in self._events:
            if isinstance(event, TextDelta):
                return event.text
            if isinstance(event, AnswerFinished):
                self.response = event.response
                _raise_if_cut(event.response)
        raise StopAsyncIteration

    async def aclose(self) -> None:
        """Leave early: the provider's connection closes now."""
        await self._events.aclose()


class GroundedGenerator(Closing):
    """Grounded, cited answers from any provider; implements `GeneratorProtocol`.

    ``provider``: ``extractive`` (no LLM), ``openai``, ``anthropic``, ``gemini``, ``compatible``, an object
    with ``stream(prompt)``, or an async generator function. ``fallback``: one more of these, or several, tried
    in turn before the first token. ``deadlines``: `Deadlines` or a mapping of its fields, in seconds.
    ``templates``: a folder whose files replace prompt templates of the same name.

    ``checking``: ``hold`` (a sentence leaves when it is checked; the default of the modes ``grounded`` and
    ``analytical``), ``mark`` (text at once, verdicts follow; the default of ``simple`` and ``conversational``),
    ``amend`` (what fails is taken back), ``off``. A request that sets ``require_grounding`` has ``hold`` with it and
    ``mark`` without, in any mode; ``checking`` wins over both.
    ``checker``: who decides, the shipped one unless given; ``judge``: a provider that is asked, one call a paragraph,
    about what the checker leaves open: with ``auto``, the default, the provider itself where it is one of the LLMs
    above; None asks nobody. ``refusal=Risk(0.4)``: withhold what is not sure enough for that share of wrong sentences.
    ``verdict_wait``: seconds a check may take before its sentence is ``not_checked``. ``doubt``: such a sentence, and
    one that is unsure, leaves ``hold`` with "(unverified)" after it (``mark``, the default) or stays behind
    (``withhold``, the default for the fields of a structured answer); ``show_unchecked=True`` is the older way to say
    ``mark``.

    ``retriever``: who finds the sources of a request that comes without any (`footnoted.retrieval.Index`, or anything
    with its ``retrieve``), ``passages`` of them; they then stand in the request's ``context``.

    ``citations="quoted"`` asks the model for each marker with the words it points at, ``[1 "the excess is £75"]``. The
    reader sees ``[1]``; the words, found letter by letter, are its span and what its sentence is weighed against first.

    Other keywords go to the provider; ``extractive`` reads by meaning, unless ``likeness=None``. Use as an async
    context manager, or call `aclose`, to close its connections.
    """

    def __init__(
        self,
        provider: str | Provider | Any = "extractive",
        *,
        api_key: str | None = None,
        base_url: str | None = None,
        model: str | None = None,
        deadlines: Deadlines | Mapping[str, float | None] | None = None,
        fallback: Any = None,
        retry: Retry | Mapping[str, Any] | None = None,
        templates: str | Path | None = None,
        checking: Mode | Literal["off"] | None = None,
        checker: Weigher | None = None,
        judge: Any = "auto",
        refusal: Risk | None = None,
        verdict_wait: float = 5.0,
        doubt: Doubt | None = None,
        show_unchecked: bool | None = None,
        retriever: Retriever | None = None,
        passages: int = 8,
        citations: Literal["numbered", "quoted"] = "numbered",
        **options: Any,
    ) -> None:
        chosen = chosen_provider(provider, api_key=api_key, base_url=base_url, model=model, **options)
        others = fallback if isinstance(fallback, list | tuple) else [fallback] if fallback else []
        made = [chosen_provider(other) for other in others]
        self.provider: Provider = Fallback([chosen, *made]) if made else chosen
        self.answering = Answering(
            provider=self.provider,
            deadlines=deadlines_of(deadlines),
            retry=retry_of(retry),
            templates=folder(templates),
            quoted=one_of(citations, ("numbered", "quoted"), "citations") == "quoted",
            retriever=retriever,
            passages=whole(passages, "passages"),
        )
        self._mode = one_of(checking, ("hold", "mark", "amend", "off"), "checking")
        self._checker = checker
        self._judge: Provider | None = None
        self._own_judge = judge not in (None, "auto")
        if judge == "auto":
            self._judge = chosen if is_model(chosen) else None
        elif judge is not None:
            self._judge = build(judge)
        if refusal is not None and not isinstance(refusal, Risk):
            raise ConfigurationError(f"refusal is a Risk, such as Risk(0.4), or None; got {refusal!r}")
        self._least = 0.0 if refusal is None else refusal.least
        self._verdict_wait = number(verdict_wait, "verdict_wait", what="seconds, 0 or more")
        if doubt is None and show_unchecked is not None:
            doubt = "mark" if show_unchecked else "withhold"
        self._doubt = one_of(doubt, ("mark", "withhold"), "doubt")

    async def generate(self, request: GenerationRequest) -> GenerationResponse:
        """The whole answer; raises `ProviderError` only when no text came.

        A cut answer says so in ``finish_reason`` and ``error``, and keeps its text.
        """
        async with aclosing(self.stream(request)) as events:
            async for event in events:
                if isinstance(event, AnswerFinished):
                    return event.response
        raise BadProviderReply("the answer ended without an ending; this is a defect of footnoted")

    def generate_streaming(self, request: GenerationRequest) -> AnswerText:
        """The answer's text as it comes; see `AnswerText` for how a cut answer ends."""
        # Text that was yielded cannot be taken back: where it might be, it waits for its verdict.
        return AnswerText(stream_answer(request, self._how(request, amend="hold")))

    def stream(self, request: GenerationRequest) -> AsyncGenerator[Event]:
        """Everything as it happens: text, citations, verdicts, and `AnswerFinished` last."""
        return stream_answer(request, self._how(request))

    async def warm(self) -> None:
        """Open the shipped checker's model now, so that no first answer waits for it: for services, at their start."""
        if self._mode != "off" and self._checker is None:
            source = Source(id="warm", text="It opens the model.")
            await shipped_checker().acheck("The model has been opened.", [source])

    def _how(self, request: GenerationRequest, *, amend: Mode = "amend") -> Answering:
        """How this request is answered; ``amend`` is what is done where that was asked for."""
        mode: Mode | Literal["off"] = self._mode or ("hold" if request.config.is_strict else "mark")
        if mode == "off" or not (request.context or self.answering.retriever):
            return self.answering
        return replace(self.answering, checking=self.checking(amend if mode == "amend" else mode, doubt="mark"))

    @property
    def unchecked(self) -> bool:
        """Whether checking is off, whatever a request asks for."""
        return bool(self._mode == "off")

    def checking(self, mode: Mode = "hold", *, doubt: Doubt = "withhold") -> Checking:
        """How this generator's claims are weighed: its checker, judge and patience; ``doubt`` unless it has its own."""
        checker, spent = self._checker or shipped_checker(), Spent()
        judge = None if self._judge is None else Judge(self._asked(self._judge, spent))
        return Checking(
            checker,
            mode,
            wait=self._verdict_wait,
            least=self._least,
            doubt=self._doubt or doubt,
            judge=judge,
            spent=spent,
        )

    def checking_fields(self) -> Checking:
        """How the fields of a structured answer are weighed: a judge is asked field by field, if one was named."""
        checking = self.checking()
        if checking.judge is None or not self._own_judge:
            return checking
        return replace(checking, weigher=Cascade(checking.weigher, checking.judge))

    def _asked(self, judge: Provider, spent: Spent) -> Ask:
        how = replace(self.answering, provider=judge)

        async def ask(prompt: Prompt) -> str:
            said = Said()
            try:
                return await whole_reply(prompt, how, said)
            finally:
                spent.add(said.usage)

        return ask

    async def aclose(self) -> None:
        """Close the provider's connections, and the judge's."""
        await close(self.provider, self._judge)


_ASKED = 'ask("What is the excess?", ["The excess is £75."]); a folder of documents: footnoted ask'


def ask(
    question: str,
    sources: Sequence[str | SourceContext],
    *,
    config: GenerationConfig | None = None,
    **generator: Any,
) -> GenerationResponse:
    """One question answered, for scripts: blocks until done. ``sources`` are texts or `SourceContext`.

    Keywords besides ``config`` are `GroundedGenerator`'s. It works under a running event loop too, as a notebook has
    one, and keeps that waiting: in async code of your own, await `GroundedGenerator.generate`.
    """
    request = GenerationRequest(query=question, context=contexts(sources), config=config or GenerationConfig())

    async def run() -> GenerationResponse:
        async with GroundedGenerator(**generator) as door:
            return await door.generate(request)

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(run())
    with ThreadPoolExecutor(max_workers=1, thread_name_prefix="footnoted-ask") as thread:
        return thread.submit(copy_context().run, asyncio.run, run()).result()


def contexts(sources: Sequence[str | SourceContext]) -> list[SourceContext]:
    """Texts as `SourceContext`, their ids made from their words; what is one already stays as it is.

    Raises `ConfigurationError` for anything else, one text alone included: its letters are no sources.
    """
    given = listed(sources, like=_ASKED)
    return [SourceContext(content=source) if isinstance(source, str) else source for source in given]


@cache
def shipped_checker() -> Weigher:
    """The process's own checker: one model in memory, one shelf of sources, however many generators."""
    from footnoted.grounding.check import Checker

    return Checker()


def chosen_provider(provider: Any, **options: Any) -> Provider:
    """The provider `build` makes, as a generator means it: ``extractive`` reads by meaning unless told otherwise.

    For whoever puts something around the provider before a generator gets it.
    """
    extractive = isinstance(provider, str) and provider.strip().lower() == "extractive"
    return build(provider, **({"likeness": "shipped"} if extractive else {}) | options)


def _raise_if_cut(response: GenerationResponse) -> None:
    if response.error is not None:  # also where a content filter cut it
        raise ProviderError(response.error.message, provider=response.provider, attempts=tuple(response.attempts))
