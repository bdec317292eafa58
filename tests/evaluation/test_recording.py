"""A recorded run costs nothing twice, in this process or another, and never answers what was not asked."""

import json

import pytest

from footnoted import GroundedGenerator
from footnoted.errors import BadProviderReply, SourceError
from footnoted.evaluation import Recording, evaluate, read_cases
from footnoted.evaluation.recording import key_of
from footnoted.providers import build
from footnoted.testing import Reply, ScriptedLLM, faults
from footnoted.types import Prompt


async def _ask(cases, provider):
    async with GroundedGenerator(provider) as generator:
        return await evaluate(cases, generator)


async def test_a_second_run_asks_nobody_and_says_the_same(cases_file, tmp_path):
    """Text, usage and ending come back from the file; the server is asked once a case."""
    cases, path = read_cases(cases_file)[:2], tmp_path / "replies.jsonl"
    async with ScriptedLLM(Reply(text="The excess is £75 for a repair [1].")) as llm:
        live = build("openai", api_key="k", base_url=llm.url("openai"), model="m")
        first = await _ask(cases, Recording(path, live))
        asked = len(llm.requests)
        assert asked == 2
        again = await _ask(cases, Recording(path, live))
        assert len(llm.requests) == asked
    offline = await _ask(cases, Recording(path))
    for run in (again, offline):
        assert [each.response.response for each in run] == [each.response.response for each in first]
        assert [each.response.usage for each in run] == [each.response.usage for each in first]


async def test_another_question_is_not_answered_from_the_file(cases_file, tmp_path):
    """What changed must be recorded again, and the error says so."""
    case, path = read_cases(cases_file)[0], tmp_path / "replies.jsonl"
    async with ScriptedLLM(Reply(text="£75 [1].")) as llm:
        await _ask([case], Recording(path, build("openai", api_key="k", base_url=llm.url("openai"), model="m")))
    (outcome,) = await _ask([case.model_copy(update={"question": "And for a replacement?"})], Recording(path))
    assert outcome.error.type == BadProviderReply.__name__
    assert "record it again" in outcome.error.message


async def test_a_cut_reply_is_not_kept(cases_file, tmp_path):
    """A broken stream is no answer to replay."""
    case, path = read_cases(cases_file)[0], tmp_path / "replies.jsonl"
    async with ScriptedLLM(Reply(text="The excess is £75 for a repair [1].", fault=faults.clean_cut())) as llm:
        await _ask([case], Recording(path, build("openai", api_key="k", base_url=llm.url("openai"), model="m")))
    assert not path.exists()


def test_the_fence_of_another_process_is_the_same_question():
    """Its key is a secret of the process; everything else counts."""
    one = Prompt(question="q", context="== a1b2c3 1: T\ntext\n== a1b2c3 end", system="between == a1b2c3 lines")
    two = Prompt(question="q", context="== 0f0f0f 1: T\ntext\n== 0f0f0f end", system="between == 0f0f0f lines")
    assert key_of(one) == key_of(two)
    assert key_of(one) != key_of(Prompt(question="q", context="== a1b2c3 1: T\nother\n== a1b2c3 end"))


def test_a_file_that_is_no_recording_is_said_to_be_none(tmp_path):
    """A line that is not a reply is named; half a line at the end is a run that was killed."""
    path = tmp_path / "replies.jsonl"
    with pytest.raises(SourceError, match="--record"):
        Recording(path)
    path.write_text("{}\n", encoding="utf-8")
    with pytest.raises(SourceError, match="line 1"):
        Recording(path)
    path.write_text(json.dumps({"key": "k", "deltas": []}) + "\n" + '{"key": "half', encoding="utf-8")
    assert Recording(path)
