"""Many small deltas become a few larger ones: the same text, pointers and endings, the first words at once."""

import asyncio
import time

import pytest

from footnoted.errors import ProviderUnavailable
from footnoted.providers import Fallback
from footnoted.service.pacing import Paced, paced
from footnoted.testing import scripted_provider
from footnoted.types import Delta, FinishReason, Pointer, Prompt, Usage

PROMPT = Prompt(question="?")


async def told(provider):
    return [delta async for delta in provider.stream(PROMPT)]


async def test_text_is_the_same_in_fewer_pieces():
    """A hundred pieces, 2 ms apart, in about one every 50 ms; nothing lost, nothing moved."""
    pieces = [f"w{n} " for n in range(100)]
    found = await told(Paced(scripted_provider(*pieces, delay=0.002, usage=Usage(input=3, output=100)), seconds=0.05))
    assert "".join(delta.text for delta in found) == "".join(pieces)
    assert len(found) < 40
    assert found[-1].finish_reason is FinishReason.COMPLETE
    assert found[-1].usage == Usage(input=3, output=100)


async def test_a_busy_process_joins_more():
    """Up to a hundred answers at once keep the pace; beyond, each waits in proportion, and never more than 2.5 times."""
    provider = Paced(scripted_provider(*"abcdef", delay=0.01), seconds=0.02)
    assert provider.pace == 0.02
    streams = [provider.stream(PROMPT) for _ in range(150)]
    for stream in streams:
        await anext(stream)
    assert provider.pace == pytest.approx(0.03)
    rest = await asyncio.gather(*(_rest(stream) for stream in streams))
    assert set(rest) == {"bcdef"}
    assert provider.pace == 0.02


async def _rest(stream):
    return "".join([delta.text async for delta in stream])


async def test_the_first_words_do_not_wait():
    """The first piece is there when the provider says it, whatever the pace."""
    began = time.monotonic()
    stream = Paced(scripted_provider("first", "second", delay=0.01), seconds=30).stream(PROMPT)
    assert (await anext(stream)).text == "first"
    assert time.monotonic() - began < 5
    await stream.aclose()


async def test_a_pointer_stays_right_after_its_text():
    """Text joins what carries a pointer and never what follows it."""
    pointer = (Pointer(0, 0, 4),)
    pieces = [*"abc", Delta("d", pointers=pointer), *"ef", Delta("g", pointers=pointer), "h"]
    found = await told(Paced(scripted_provider(*pieces), seconds=0.01))
    joined = [(delta.text, delta.pointers) for delta in found if delta.text]
    assert "".join(text for text, _ in joined) == "abcdefgh"
    assert [text[-1] for text, pointers in joined if pointers] == ["d", "g"]


async def test_an_error_comes_after_what_was_said_before_it():
    """What was said is told, then the provider's own error is raised."""
    provider = Paced(scripted_provider("a", "b", ProviderUnavailable("gone")), seconds=0.01)
    found = []
    with pytest.raises(ProviderUnavailable, match="gone"):
        async for delta in provider.stream(PROMPT):
            found.append(delta.text)
    assert "".join(found) == "ab"


async def test_a_reader_who_leaves_closes_the_provider():
    """Closing the stream closes the provider's, at once, and leaves no task."""
    provider = scripted_provider(*["x"] * 1000, delay=0.01)
    stream = Paced(provider, seconds=0.02).stream(PROMPT)
    await anext(stream)
    before = len(asyncio.all_tasks())
    await stream.aclose()
    assert provider.closed == 1
    assert len(asyncio.all_tasks()) == before - 1


async def test_a_slow_reader_holds_the_provider():
    """What waits is bounded."""
    provider = scripted_provider(*["x"] * 5000)
    stream = Paced(provider, seconds=0.01).stream(PROMPT)
    first = await anext(stream)
    await asyncio.sleep(0.05)
    assert provider.closed == 0
    text = first.text + "".join([delta.text async for delta in stream])
    assert len(text) == 5000


def test_each_of_a_fallbacks_providers_is_paced():
    """Taking over still works one provider at a time; a pace of 0 leaves all as it is."""
    one, two = scripted_provider("a"), scripted_provider("b")
    both = paced(Fallback([one, two]), seconds=0.05)
    assert [type(each) for each in both.providers] == [Paced, Paced]
    assert paced(one, seconds=0) is one
