"""The boundary to language models. Swapping what stands behind it changes nothing else."""

from __future__ import annotations

import inspect
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from footnoted.answering.answer import Answering
from footnoted.answering.whole import whole_reply
from footnoted.closing import close
from footnoted.errors import ConfigurationError
from footnoted.providers import build
from footnoted.types import Deadlines, Prompt, Provider, Retry

if TYPE_CHECKING:
    from footnoted.assistants.community.config import AIConfig, ModelConfig, Node


@dataclass(frozen=True, slots=True)
class LLMCall:
    """One call: which node asks, the prompt, and the seconds the reply may take."""

    node: Node
    prompt: Prompt
    timeout_seconds: float


@runtime_checkable
class LLMClient(Protocol):
    """A model behind one call. An async function of an `LLMCall` that returns the reply's text is one.

    What may pass by itself is raised as a `ProviderError` that is ``transient`` (or `TimeoutError`,
    `ConnectionError`), and is tried again by the caller, never here.
    """

    def __call__(self, call: LLMCall, /) -> Awaitable[str]:
        """The whole reply's text."""
        ...


class ProviderLLM:
    """A provider of the core as an `LLMClient`: one try a call."""

    def __init__(self, provider: Provider) -> None:
        self.provider = provider
        self._how = Answering(provider, Deadlines(None, None, None), Retry(attempts=1))

    async def __call__(self, call: LLMCall, /) -> str:
        """The reply, only if the provider finished it. Raises `ProviderError`, `StructuredOutputError` if cut."""
        return await whole_reply(call.prompt, self._how)

    async def aclose(self) -> None:
        """Close the provider's connections."""
        await close(self.provider)


NODES: tuple[Node, ...] = ("gating", "selection", "answer", "verification", "summarization")
LLMs = Mapping["Node", "LLMClient | None"]


def llms_of(config: AIConfig) -> LLMs:
    """The model of each node; ``None`` where rules and the local model decide. Nodes alike share one client."""
    clients: dict[ModelConfig, LLMClient | None] = {}
    for model in map(config.model_of, NODES):
        if model not in clients:
            clients[model] = None if model.provider == "extractive" else ProviderLLM(_provider(model))
    return {node: clients[config.model_of(node)] for node in NODES}


def as_llms(given: Any) -> LLMs:
    """One model for every node, or one a node by name (``None``: no model), in any form the core takes."""
    if not isinstance(given, Mapping):
        return dict.fromkeys(NODES, _client(given))
    unknown = [node for node in given if node not in NODES]
    if unknown:
        raise ConfigurationError(f"llm names the node {unknown[0]!r}; there are {', '.join(NODES)}")
    return {node: _client(given[node]) if given.get(node) is not None else None for node in NODES}


def _client(given: Any) -> LLMClient | None:
    """A function of a call stays; a name, a provider or an async generator function of a prompt is wrapped."""
    if given == "extractive":
        return None
    if isinstance(given, str) or callable(getattr(given, "stream", None)) or inspect.isasyncgenfunction(given):
        return ProviderLLM(build(given))
    if not callable(given):
        raise ConfigurationError(
            f"llm must be an async function of an LLMCall, a provider, or a provider's name; got {given!r}"
        )

    async def ask(call: LLMCall, /) -> str:
        reply = given(call)
        return str(await reply) if inspect.isawaitable(reply) else str(reply)

    return ask


def as_provider(said: Callable[[Prompt], Awaitable[str]]) -> Callable[[Prompt], AsyncIterator[str]]:
    """A way to ask as a provider of the core, which takes an async generator function."""

    async def community(prompt: Prompt) -> AsyncIterator[str]:
        yield await said(prompt)

    return community


def _provider(wanted: ModelConfig) -> Provider:
    key = None
    if wanted.api_key_env is not None:
        key = os.environ.get(wanted.api_key_env)
        if not key:
            raise ConfigurationError(f"ai.api_key_env names {wanted.api_key_env}, which is not set in the environment")
    return build(wanted.provider, api_key=key, base_url=wanted.base_url, model=wanted.model)
