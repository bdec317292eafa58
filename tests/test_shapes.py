"""A response in other vendors' shapes, read by those vendors' own types, every offset holding."""

import re

import pytest
from anthropic.types import Message
from openai.types.chat import ChatCompletionMessage

from footnoted import GenerationRequest, GroundedGenerator, SourceContext
from footnoted.testing import scripted_provider

SOURCES = [
    SourceContext(content="The windscreen excess is £75 for a repair.", metadata={"title": "Car 🚗"}),
    SourceContext(content="Glass is covered."),
]
SAID = "The windscreen excess is £75 for a repair [1]. 🚗 Glass is covered [1][2]. Ask us."


@pytest.fixture
async def response():
    async with GroundedGenerator(scripted_provider(SAID), checking="off") as generator:
        return await generator.generate(GenerationRequest(query="What is covered?", context=SOURCES))


async def test_openais(response):
    """Annotations bound the markers; a link of one's own is taken."""
    told = response.as_openai(lambda each: f"https://example.org/{each.number}")
    message = ChatCompletionMessage.model_validate(told["message"])
    assert told["finish_reason"] == "stop"
    notes = [each.url_citation for each in message.annotations]
    assert [message.content[each.start_index : each.end_index] for each in notes] == ["[1]", "[1]", "[2]"]
    assert [each.title for each in notes] == ["Car 🚗", "Car 🚗", "Source 2"]
    assert notes[2].url == "https://example.org/2"
    plain = response.as_openai()["message"]["annotations"][0]["url_citation"]["url"]
    assert plain.startswith(f"urn:footnoted:{SOURCES[0].chunk_id}#")


async def test_anthropics(response):
    """Blocks end where what they rest on is named, and their quotes are the sources' own words."""
    told = response.as_anthropic()
    usage = {"input_tokens": 1, "output_tokens": 1}
    message = Message.model_validate({**told, "id": "m", "model": "m", "stop_sequence": None, "usage": usage})
    assert [len(block.citations or []) for block in message.content] == [1, 2, 0]
    for block in message.content:
        for each in block.citations or []:
            source = SOURCES[each.document_index].content
            assert source[each.start_char_index : each.end_char_index] == each.cited_text
    bare = "".join(block.text for block in message.content)
    assert not re.search(r"\[\d", bare)
    assert bare.startswith("The windscreen excess is £75 for a repair.")


async def test_coheres(response):
    """Citations bound the words they carry, and name their documents."""
    told = response.as_cohere()
    text = told["message"]["content"][0]["text"]
    cited = told["message"]["citations"]
    assert told["finish_reason"] == "COMPLETE"
    assert len(cited) == 3
    for each in cited:
        assert text[each["start"] : each["end"]] == each["text"]
    assert cited[2]["sources"][0]["id"] == str(SOURCES[1].chunk_id)


async def test_a_refusal_has_every_shape():
    async with GroundedGenerator(scripted_provider("NO_ANSWER"), checking="off") as generator:
        refused = await generator.generate(GenerationRequest(query="Why?", context=SOURCES))
    assert refused.as_openai()["finish_reason"] == "stop"
    assert refused.as_anthropic()["content"][0]["text"] == refused.response
    assert refused.as_cohere()["message"]["citations"] == []
