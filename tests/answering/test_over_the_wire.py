"""What no protocol may change: thoughts stay with the model, its JSON is not encoded twice, sources tell of themselves."""

import json

import pytest

from footnoted import GroundedGenerator
from footnoted.testing import Reply, ScriptedLLM

from .conftest import CAR, chunk

ANSWER = "The excess is £75 for a repair [1]."
THOUGHTS = [
    "<think>Is it £80 [1]?</think>\n\n",
    "<thinking>Racing is covered [1].</thinking>",
    "<reasoning>a</reasoning><think>b</think>",
    "◁think▷£80 [1].◁/think▷",
    "<|channel|>analysis<|message|>Is it £80? <|end|><|start|>assistant<|channel|>final<|message|>",
]


@pytest.mark.parametrize("protocol", ["openai", "responses", "anthropic", "gemini"])
async def test_what_every_protocol_keeps(asked, protocol):
    """Whatever a model thinks first, as text, as JSON and beside quotes, cut letter by letter: one answer, checked."""
    kept = {"date": "2019-04-01", "author": "A. Berg", "page": 3, "superseded": True}
    request = asked(sources=[chunk(1, CAR, **kept)])
    replies = [Reply(pieces=list(thought + ANSWER)) for thought in THOUGHTS]
    wrapped = Reply(pieces=list(THOUGHTS[0] + json.dumps({"answer": ANSWER, "sources": [1]})))
    quoting = Reply(pieces=list(THOUGHTS[1] + ANSWER.replace("[1]", '[1 "The excess is £75"]')))
    named = {"provider": "openai", "api": protocol} if protocol == "responses" else {"provider": protocol}
    async with ScriptedLLM(*replies, wrapped, quoting) as llm:
        how = {**named, "api_key": "k", "base_url": llm.url(protocol), "model": "m", "judge": None}
        async with GroundedGenerator(**how) as door:
            for thought in THOUGHTS:
                response = await door.generate(request)
                assert response.response == ANSWER, thought
                assert [claim.verdict for claim in response.claims] == ["supported"]
            response = await door.generate(asked(sources=[chunk(1, CAR, **kept)], output_format="json"))
            told = json.loads(response.response)
            assert told["answer"] == ANSWER
            assert [one["quote"] for one in told["citations"]] == ["The excess is £75 for a repair."]
        async with GroundedGenerator(**how, citations="quoted") as door:
            response = await door.generate(asked(sources=[chunk(1, CAR, **kept)]))
            assert response.response == ANSWER
            assert response.citations[0].source_quote == "The excess is £75"
        for seen in llm.requests:
            assert "Policy 1 (date: 2019-04-01; author: A. Berg; page: 3; superseded: true)" in seen.prompt_text
