"""Resolves a name, an object or a function to a provider: something that turns prompts into deltas.

`patient` asks a provider within deadlines and retries; `Fallback` asks several in turn.
"""

from __future__ import annotations

import difflib
import inspect
from importlib import import_module
from typing import TYPE_CHECKING, Any

from footnoted.closing import close
from footnoted.errors import ConfigurationError
from footnoted.providers.fallback import Fallback
from footnoted.providers.patience import name_of, patient
from footnoted.types import Delta

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping

    import aiohttp

    from footnoted.types import Prompt, Provider

__all__ = ["PROVIDERS", "Fallback", "FromFunction", "build", "is_model", "name_of", "patient"]

# Each name and where its class lives; a room is entered when its name is first used.
PROVIDERS = {
    "openai": "footnoted.providers.openai:OpenAI",
    "anthropic": "footnoted.providers.anthropic:Anthropic",
    "gemini": "footnoted.providers.gemini:Gemini",
    "azure": "footnoted.providers.openai:Azure",
    "bedrock": "footnoted.providers.bedrock:Bedrock",
    "vertex": "footnoted.providers.gemini:Vertex",
    "cohere": "footnoted.providers.cohere:Cohere",
    "compatible": "footnoted.providers.openai:Compatible",
    "extractive": "footnoted.providers.extractive:Extractive",
}


def is_model(provider: Provider) -> bool:
    """Whether a provider made here is an LLM: one of `PROVIDERS` but the one that only quotes."""
    return bool(getattr(provider, "writes", False))


def build(
    provider: Any,
    *,
    api_key: str | None = None,
    base_url: str | None = None,
    model: str | None = None,
    headers: Mapping[str, str] | None = None,
    session: aiohttp.ClientSession | None = None,
    **options: Any,
) -> Provider:
    """The provider of that name, or around that object, that async generator function, or a list of any of these.

    Raises `ConfigurationError` for an unknown name, a missing key, or an argument the provider has no use for.
    """
    wishes = {"api_key": api_key, "base_url": base_url, "model": model, "headers": headers, "session": session}
    given = {name: value for name, value in (wishes | options).items() if value is not None}
    if isinstance(provider, str):
        return _by_name(provider, given)
    if isinstance(provider, list | tuple):
        return Fallback([build(part, **(given if place == 0 else {})) for place, part in enumerate(provider)])
    if given:
        raise ConfigurationError(
            f"{', '.join(given)} cannot be applied to a provider that is already made: {provider!r}"
        )
    if not inspect.isclass(provider) and callable(getattr(provider, "stream", None)):
        made: Provider = provider
        return made
    if callable(provider) and not inspect.isclass(provider):
        return FromFunction(provider)
    raise ConfigurationError(
        f"provider must be one of {', '.join(PROVIDERS)}, an object with stream(prompt), "
        f"or an async generator function; got {provider!r}"
    )


class FromFunction:
    """A provider that is an async generator function of a prompt, yielding `Delta`s or plain text."""

    model: str | None = None

    def __init__(self, function: Callable[[Prompt], AsyncIterator[Delta | str]]) -> None:
        self._function = function
        self.name = getattr(function, "__name__", type(function).__name__)

    async def stream(self, prompt: Prompt) -> AsyncGenerator[Delta]:
        """What the function yields, text made into deltas."""
        pieces = self._function(prompt)
        if not hasattr(pieces, "__aiter__"):
            if inspect.iscoroutine(pieces):
                pieces.close()
            raise ConfigurationError(f"{self.name} must be an async generator function: 'async def' with 'yield'")
        try:
            async for piece in pieces:
                yield Delta(piece) if isinstance(piece, str) else piece
        finally:
            await close(pieces)

    def __repr__(self) -> str:
        return f"FromFunction({self.name})"


def _taken(made: type) -> list[str]:
    """The arguments of a class, those that it hands on to the class it is made from among them."""
    names: list[str] = []
    for base in made.__mro__:
        if "__init__" in vars(base):
            _, *own = inspect.signature(vars(base)["__init__"]).parameters.values()
            named = [argument.name for argument in own if argument.kind is not argument.VAR_KEYWORD]
            names = [*named, *names]
            if len(named) == len(own):
                break
    return list(dict.fromkeys(names))


def _by_name(name: str, given: dict[str, Any]) -> Provider:
    place = PROVIDERS.get(name.strip().lower())
    if place is None:
        near = difflib.get_close_matches(name.strip().lower(), PROVIDERS, n=1, cutoff=0.7)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise ConfigurationError(f"unknown provider {name!r}; there are {', '.join(PROVIDERS)}{hint}")
    room, _, kind = place.partition(":")
    made = getattr(import_module(room), kind)
    taken = _taken(made)
    useless = [argument for argument in given if argument not in taken]
    if useless:
        if made.name == "extractive":
            others = ", ".join(other for other in PROVIDERS if other != made.name)
            raise ConfigurationError(
                f"provider {name!r} asks no model, so it has no use for {', '.join(useless)}; name the provider that "
                f"does ({others}), with --provider or FOOTNOTED_PROVIDER"
            )
        usable = ", ".join(taken) or "no arguments"
        raise ConfigurationError(f"provider {name!r} has no use for {', '.join(useless)}; it takes {usable}")
    built: Provider = made(**given)
    return built
