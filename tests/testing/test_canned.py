from __future__ import annotations

from typing import Any

import pytest

from footnoted import GenerationConfig, GenerationRequest, GroundedGenerator
from footnoted.answering.generator import contexts
from footnoted.testing import ScriptedLLM
from footnoted.testing.canned import canned

SOURCES = [
    "# Theft\nKeys left in the car are not covered.",
    "# Glass\nThe windscreen excess is £75. A repair is free.\n\n| part | excess |\n|---|---|\n| windscreen | 75 |",
]


@pytest.mark.parametrize(
    ("protocol", "options"),
    [
        ("openai", {}),
        ("openai", {"api": "responses"}),
        ("compatible", {}),
        ("anthropic", {}),
        ("anthropic", {"native_citations": True}),
        ("gemini", {}),
    ],
)
async def test_the_stand_in_answers_from_the_sources(protocol: Any, options: dict[str, Any]) -> None:
    """In every protocol the sentence that answers comes back, cited, its pointer on the exact words."""
    async with ScriptedLLM(canned) as llm:
        base_url = llm.url("openai" if protocol == "compatible" else protocol)
        async with GroundedGenerator(protocol, api_key="k", base_url=base_url, model="m", **options) as generator:
            request = GenerationRequest(
                query="What is the windscreen excess?",
                context=contexts(SOURCES),
                config=GenerationConfig(require_grounding=False),
            )
            response = await generator.generate(request)
    assert response.response == "The windscreen excess is £75. [1]"
    [citation] = response.citations
    assert (citation.source_index, citation.source_quote) == (1, "The windscreen excess is £75.")


async def test_the_stand_in_says_when_the_sources_do_not_answer() -> None:
    """A question that shares no word with the sources gets no sentence of theirs."""
    async with ScriptedLLM(canned) as llm:
        async with GroundedGenerator("gemini", api_key="k", base_url=llm.url("gemini"), model="m") as generator:
            request = GenerationRequest(
                query="Who wrote Hamlet?", context=contexts(SOURCES), config=GenerationConfig(require_grounding=False)
            )
            response = await generator.generate(request)
    assert response.response == "The sources do not say."
    assert response.citations == []
