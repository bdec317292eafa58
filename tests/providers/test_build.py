"""Names, objects and functions become providers, or a message that says what to do."""

from __future__ import annotations

import pytest

from footnoted.errors import ConfigurationError
from footnoted.providers import PROVIDERS, Fallback, build
from footnoted.testing import ScriptedLLM, scripted_provider
from footnoted.types import Delta, FinishReason, Prompt, Provider

KEYS = {
    "openai": "OPENAI_API_KEY",
    "anthropic": "ANTHROPIC_API_KEY",
    "gemini": "GEMINI_API_KEY",
    "cohere": "CO_API_KEY",
}


@pytest.mark.parametrize("name", PROVIDERS)
def test_every_name_makes_a_provider(name):
    """Each name gives a provider that knows its name and model."""
    given = {} if name == "extractive" else {"api_key": "k", "base_url": "http://127.0.0.1:1/v1"}
    provider = build(name.upper(), **given)
    assert isinstance(provider, Provider)
    assert provider.name == name


@pytest.mark.parametrize(("name", "variable"), KEYS.items())
def test_a_missing_key_says_what_to_set(name, variable, monkeypatch):
    """Without a key the message names the variable and the argument; with either it works."""
    with pytest.raises(ConfigurationError, match=rf"set {variable}.* or pass api_key="):
        build(name)
    monkeypatch.setenv(variable, "  ")
    with pytest.raises(ConfigurationError):
        build(name)
    monkeypatch.setenv(variable, "k")
    assert build(name).name == name


async def key_sent(name: str) -> str | None:
    async with ScriptedLLM("Hi.") as llm:
        provider = build(name, base_url=llm.url(name))
        assert [delta async for delta in provider.stream(Prompt("q"))]
        await provider.aclose()
        return llm.requests[0].key


@pytest.mark.parametrize(("name", "variable"), [*KEYS.items(), ("gemini", "GOOGLE_API_KEY")])
async def test_keys_are_looked_for_in_order(name, variable, monkeypatch):
    """The vendor's variable is used, our own before it, trimmed of white space."""
    monkeypatch.setenv(variable, "vendors\n")
    assert await key_sent(name) == "vendors"
    monkeypatch.setenv("FOOTNOTED_API_KEY", "ours")
    assert await key_sent(name) == "ours"


def test_settings_speak_of_the_provider_they_name(monkeypatch):
    """FOOTNOTED_MODEL and its kin apply to FOOTNOTED_PROVIDER, so a fallback keeps its own model and key."""
    monkeypatch.setenv("FOOTNOTED_MODEL", "mine")
    monkeypatch.setenv("FOOTNOTED_BASE_URL", "http://gateway/v1")
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    assert build("openai").model == "mine"
    assert build("openai").base_url == "http://gateway/v1"
    assert build("openai", model="argument").model == "argument"
    monkeypatch.setenv("FOOTNOTED_PROVIDER", "gemini")
    assert build("openai").model != "mine"
    assert build("openai").base_url == "https://api.openai.com/v1"


def test_a_key_that_cannot_be_one_is_refused():
    """A key with white space or other characters inside is your mistake, said without repeating it."""
    with pytest.raises(ConfigurationError, match="api_key=") as caught:
        build("openai", api_key="sk abc—d")
    assert "abc" not in str(caught.value)


@pytest.mark.parametrize("name", ["openai", "anthropic", "gemini", "compatible"])
def test_no_key_in_any_repr(name):
    """What a provider shows of itself holds no secret."""
    url = "http://user:pass-word@127.0.0.1:9/v1"
    provider = build(name, api_key="sk-hidden", base_url=url, headers={"X-Token": "tok-hidden"})
    shown = repr(provider) + str(provider)
    assert "hidden" not in shown
    assert "pass-word" not in shown
    assert "127.0.0.1:9" in shown


@pytest.mark.parametrize(("name", "hint"), [("opena", "openai"), ("gemin", "gemini"), ("claude", ""), ("", "")])
def test_an_unknown_name_lists_the_known(name, hint):
    """The message lists the names, and the nearest one."""
    with pytest.raises(
        ConfigurationError, match=r"openai, anthropic, gemini, azure, .*, compatible, extractive"
    ) as caught:
        build(name)
    assert (f"did you mean {hint!r}" in str(caught.value)) is bool(hint)


def test_arguments_that_do_not_apply_are_named():
    """An argument a provider has no use for is said, and what it takes."""
    with pytest.raises(
        ConfigurationError, match=r"'extractive' asks no model, so it has no use for api_key; .*\(openai, "
    ):
        build("extractive", api_key="k")
    with pytest.raises(ConfigurationError, match="no use for native_citations; it takes"):
        build("openai", api_key="k", native_citations=True)
    with pytest.raises(ConfigurationError, match="api_key cannot be applied"):
        build(scripted_provider("x"), api_key="k")
    with pytest.raises(ConfigurationError, match="needs base_url="):
        build("compatible")


@pytest.mark.parametrize("thing", [7, None, object(), Provider, b"openai", {"name": "openai"}])
def test_what_is_no_provider_is_said(thing):
    """Anything else is a configuration error that says what is taken."""
    with pytest.raises(ConfigurationError, match="provider must be one of"):
        build(thing)


def test_an_object_with_stream_is_taken_as_it_is():
    """Any object with ``stream`` is a provider already."""
    mine = scripted_provider("x")
    assert build(mine) is mine


async def test_an_async_generator_function_is_a_provider():
    """A function that yields text or deltas will do; it sees the prompt, and is closed with its reader."""
    closed = []

    async def parrot(prompt):
        try:
            yield prompt.question
            yield Delta(" again", finish_reason=FinishReason.LENGTH)
        finally:
            closed.append(True)

    provider = build(parrot)
    assert provider.name == "parrot"
    deltas = [delta async for delta in provider.stream(Prompt("q"))]
    assert deltas == [Delta("q"), Delta(" again", finish_reason=FinishReason.LENGTH)]
    stream = provider.stream(Prompt("q"))
    await anext(stream)
    await stream.aclose()
    assert closed == [True, True]


async def test_a_function_that_yields_nothing_is_your_mistake():
    """A coroutine or plain function is told what it should have been."""

    async def answer(_):
        return "text"

    for function in (answer, lambda _: "text"):
        with pytest.raises(ConfigurationError, match="must be an async generator function"):
            await anext(build(function).stream(Prompt("q")))


def test_a_list_is_a_fallback():
    """Several are asked in turn; arguments go to the first."""
    provider = build(["compatible", "extractive"], base_url="http://127.0.0.1:1/v1", model="m")
    assert isinstance(provider, Fallback)
    assert provider.name == "compatible+extractive"
    assert provider.model == "m"
    with pytest.raises(ConfigurationError, match="at least one"):
        build([])
