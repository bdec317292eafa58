"""Pydantic AI: `grounded` has an agent write again what its sources do not carry; its models become providers.

Needs pydantic-ai-slim (``pip install 'footnoted[pydantic-ai]'``).
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable
from inspect import isawaitable
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from footnoted.contract import SourceContext
from footnoted.errors import ConfigurationError
from footnoted.grounding.detector import ClaimGrounding, GroundingResult, HallucinationDetector
from footnoted.integrations._answering import ENDINGS, ending
from footnoted.integrations._documents import asked_of
from footnoted.integrations._extra import needed
from footnoted.types import Delta, Source, Usage

with needed("pydantic-ai"):
    from pydantic_ai import Agent, ModelRetry, RunContext
    from pydantic_ai.direct import model_request_stream
    from pydantic_ai.messages import (
        ModelMessage,
        ModelRequest,
        ModelResponse,
        PartDeltaEvent,
        PartStartEvent,
        SystemPromptPart,
        TextPart,
        TextPartDelta,
        ToolReturnPart,
        UserPromptPart,
    )
    from pydantic_ai.models import Model
    from pydantic_ai.settings import ModelSettings

if TYPE_CHECKING:
    from footnoted.types import Prompt

__all__ = ["PydanticAIProvider", "grounded", "returned_by"]

Passage = str | SourceContext | Source
Found = Iterable[Passage] | Awaitable[Iterable[Passage]]
TheAgent = TypeVar("TheAgent", bound="Agent[Any, Any]")

_MOST_TOLD = 10  # sentences a retry names; with more, the answer is better written anew


def grounded(
    agent: TheAgent,
    sources: Callable[[RunContext[Any]], Found] | None = None,
    *,
    text: Callable[[Any], str] | None = None,
    at_last: Literal["raise", "remove"] = "raise",
    detector: HallucinationDetector | None = None,
) -> TheAgent:
    """The same agent, its output held to its sources: what they do not carry, it is asked to write again.

    ``sources`` finds them for a run, by default in ``deps``: itself a list of them, or with such a list as
    ``deps.sources``; `returned_by` finds what tools returned. ``text`` says what to check of an output that is not
    text. When the retries are spent, ``raise`` leaves it to the agent (`UnexpectedModelBehavior`), ``remove`` gives
    the text without what does not stand. A sentence that could not be checked does not stand; one of which the check
    is unsure does.
    """
    if at_last == "remove" and text is not None:
        raise ConfigurationError('at_last="remove" takes sentences out of text; it cannot with text=')
    weigher = detector or HallucinationDetector()
    find = sources or _in_deps

    async def stands(context: RunContext[Any], output: Any) -> Any:
        if context.partial_output:
            return output  # unfinished sentences are not judged; the whole is, at the end
        said = text(output) if text is not None else output
        if not isinstance(said, str):
            raise ConfigurationError(
                f"an output of {type(output).__name__} needs text=, which says what to check of it"
            )
        found = find(context)
        given = list(await found if isawaitable(found) else found)
        result = await weigher.check_grounding(said, given)
        if not _wrong_ones(result):
            return output
        if at_last == "remove" and context.retry >= context.max_retries:
            return await weigher.filter_hallucinations(said, given)
        raise ModelRetry(_wish(result))

    agent.output_validator(stands)
    return agent


def returned_by(*tools: str) -> Callable[[RunContext[Any]], list[Passage]]:
    """Finds the sources of a run in what its tools returned; by default any tool, else those named."""

    def find(context: RunContext[Any]) -> list[Passage]:
        return [
            passage
            for message in context.messages
            for part in message.parts
            if isinstance(part, ToolReturnPart) and (not tools or part.tool_name in tools)
            for passage in _passages(part.content)
        ]

    return find


def _passages(content: Any) -> list[Passage]:
    if isinstance(content, str | SourceContext | Source):
        return [content]
    if isinstance(content, list | tuple):
        return [passage for inner in content for passage in _passages(inner)]
    if isinstance(content, dict):
        return _passages(list(content.values()))
    return [] if content is None else [str(content)]


def _in_deps(context: RunContext[Any]) -> Iterable[Passage]:
    deps = context.deps
    held = deps if isinstance(deps, list | tuple) else getattr(deps, "sources", None)
    if not isinstance(held, list | tuple):
        raise ConfigurationError(
            "there are no sources to check against: pass deps=[…] or deps with .sources, or grounded(agent, sources=…)"
        )
    return held


def _wrong_ones(result: GroundingResult) -> list[ClaimGrounding]:
    return [claim for claim in result.claims if claim.verdict not in ("supported", "unsure")]


def _wish(result: GroundingResult) -> str:
    """What the model reads: the sentences, and what is wrong with each."""
    bad = _wrong_ones(result)
    lines = [f"- {' '.join(claim.claim.split())} ({_wrong(claim)})" for claim in bad[:_MOST_TOLD]]
    if len(bad) > _MOST_TOLD:
        lines.append(f"- and {len(bad) - _MOST_TOLD} more")
    sentences = "\n".join(lines)
    return (
        f"The sources do not carry these sentences:\n{sentences}\n"
        "Write the answer again: correct each by what the sources say, or leave it out. Add nothing they do not say."
    )


def _wrong(claim: ClaimGrounding) -> str:
    return f"{claim.verdict}: {claim.reason}" if claim.reason else claim.verdict


class PydanticAIProvider:
    """A Pydantic AI model, or its name, as footnoted's provider: a prompt in, deltas out.

    The model's own settings win over footnoted's ``max_tokens``, ``temperature`` and ``top_p``. An answer is
    ``complete`` only on the wire's own word: the library itself reports a stream that was cut as stopped. A model
    that has no wire (`TestModel`, `FunctionModel`) gives no word: say ``ends_silently``.
    """

    def __init__(self, model: Model | str, *, ends_silently: bool = False) -> None:
        if not isinstance(model, Model | str):
            raise ConfigurationError(f"a Pydantic AI model or its name is needed, not {type(model).__name__}")
        self._asked = model
        self._ends_silently = ends_silently
        self.name = f"pydantic-ai:{model if isinstance(model, str) else type(model).__name__}"
        self.model: str | None = model if isinstance(model, str) else model.model_name

    async def stream(self, prompt: Prompt) -> AsyncGenerator[Delta]:
        """The reply piece by piece; the last delta says how it ended."""
        settings = _settings(prompt, None if isinstance(self._asked, str) else self._asked.settings)
        async with model_request_stream(self._asked, _messages(prompt), model_settings=settings) as events:
            async for event in events:
                if text := _said(event):
                    yield Delta(text)
            counts = events.usage
            usage = Usage(input=counts.input_tokens, cached=counts.cache_read_tokens, output=counts.output_tokens)
            raw = (events.provider_details or {}).get("finish_reason")
            if raw and str(raw).lower() not in ENDINGS:
                raw = events.finish_reason  # a vendor's word only the library knows
            if events.finish_reason == "content_filter":
                raw = events.finish_reason
        yield ending(raw, ends_silently=self._ends_silently, usage=usage)


def _said(event: Any) -> str:
    if isinstance(event, PartStartEvent) and isinstance(event.part, TextPart):
        return event.part.content
    if isinstance(event, PartDeltaEvent) and isinstance(event.delta, TextPartDelta):
        return event.delta.content_delta
    return ""


def _messages(prompt: Prompt) -> list[ModelMessage]:
    first: list[SystemPromptPart] = []
    messages: list[ModelMessage] = []
    for said in asked_of(prompt):
        if said["role"] == "system":
            first = [SystemPromptPart(said["content"])]
        elif said["role"] == "user":
            messages.append(ModelRequest(parts=[*first, UserPromptPart(said["content"])]))
            first = []
        else:
            messages.append(ModelResponse(parts=[TextPart(said["content"])]))
    return messages


def _settings(prompt: Prompt, own: ModelSettings | None) -> ModelSettings:
    wishes = ModelSettings(max_tokens=prompt.sampling.max_tokens)
    if prompt.sampling.temperature is not None:
        wishes["temperature"] = prompt.sampling.temperature
    if prompt.sampling.top_p is not None:
        wishes["top_p"] = prompt.sampling.top_p
    return ModelSettings(**{**wishes, **(own or {})})
