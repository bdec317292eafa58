from __future__ import annotations

from contextlib import aclosing

import pytest

import footnoted.testing
from footnoted.errors import ProviderUnavailable
from footnoted.testing import scripted_provider
from footnoted.types import Delta, FinishReason, Pointer, Prompt, Provider, Usage


async def test_a_scripted_provider_says_its_pieces_and_ends() -> None:
    """Strings and deltas come in order, then the ending with its usage; the prompt is on record."""
    cited = Delta(text="green", pointers=(Pointer(0, 0, 5),))
    provider = scripted_provider("Grass is ", cited, usage=Usage(3, 0, 2))
    assert isinstance(provider, Provider)
    prompt = Prompt(question="Is grass green?")
    said = [delta async for delta in provider.stream(prompt)]
    ending = Delta(usage=Usage(3, 0, 2), finish_reason=FinishReason.COMPLETE)
    assert said == [Delta(text="Grass is "), cited, ending]
    assert (provider.prompts, provider.closed) == ([prompt], 1)


async def test_a_scripted_provider_can_break() -> None:
    """An exception among the pieces is raised after the text before it."""
    provider = scripted_provider("Grass ", ProviderUnavailable("gone"))
    async with aclosing(provider.stream(Prompt(question="?"))) as stream:
        assert (await anext(stream)).text == "Grass "
        with pytest.raises(ProviderUnavailable, match="gone"):
            await anext(stream)


async def test_a_scripted_provider_can_stop_without_an_ending() -> None:
    """``finish=None`` ends the stream with no word about it."""
    provider = scripted_provider("Grass ", finish=None)
    assert [delta async for delta in provider.stream(Prompt(question="?"))] == [Delta(text="Grass ")]


async def test_a_scripted_provider_knows_that_its_reader_left() -> None:
    """Closing the stream early counts as closed."""
    provider = scripted_provider("Grass ", "is ", "green.", delay=0.001)
    async with aclosing(provider.stream(Prompt(question="?"))) as stream:
        assert (await anext(stream)).text == "Grass "
        assert provider.closed == 0
    assert provider.closed == 1


def test_the_face_is_sorted_and_whole() -> None:
    """What the room exports is sorted, and each name exists."""
    names = footnoted.testing.__all__
    assert names == sorted(names)
    assert all(hasattr(footnoted.testing, name) for name in names)
