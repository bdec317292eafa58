"""Words that end an answer: the same wherever the text is cut, and upstream is left at once."""

import pytest

from footnoted import GenerationConfig, GenerationRequest, GroundedGenerator, SourceContext
from footnoted.answering.stopping import Stopping
from footnoted.testing import Reply, ScriptedLLM

TEXT = "One two. STOSTOP three."


@pytest.mark.parametrize("words", [["STOP"], ["two. STOS", "STOP"], ["three", "OP t"], ["never"], [TEXT], [""], []])
def test_a_text_ends_the_same_however_it_is_cut(words):
    """Cut at every position, and into single characters; the first of the words counts."""
    places = [TEXT.find(each) for each in words if each and each in TEXT]
    right = TEXT[: min(places)] if places else TEXT
    cuts = [[TEXT[:at], TEXT[at:]] for at in range(len(TEXT) + 1)] + [list(TEXT)]
    for pieces in cuts:
        stopping = Stopping(words)
        assert "".join(map(stopping.decode, pieces)) + stopping.flush() == right
        assert stopping.over == bool(places)


@pytest.mark.parametrize("checking", ["off", "mark", "hold"])
async def test_upstream_is_left_where_the_answer_ends(checking):
    """What comes after is not waited for; the ending is a complete one."""
    source = SourceContext(content="The excess is £75.")
    pieces = ["The excess is £75 [1]. EN", "D and", *[" more"] * 200]
    async with ScriptedLLM(Reply(pieces=pieces, delay=0.05)) as llm:
        async with GroundedGenerator("compatible", base_url=llm.url(), checking=checking) as generator:
            config = GenerationConfig(stop=["END"])
            done = await generator.generate(GenerationRequest(query="The excess?", context=[source], config=config))
        await llm.closed_within(1)
    assert done.response.strip() == "The excess is £75 [1]."
    assert done.finish_reason == "complete"
