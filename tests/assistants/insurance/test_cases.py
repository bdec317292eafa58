"""The questions over examples/policies: well formed, and answered from the right section or refused."""

import json
from pathlib import Path

import pytest

from footnoted.assistants.insurance import RetrievalAgent
from footnoted.assistants.insurance.desk import InsuranceDesk

POLICIES = Path(__file__).parents[3] / "examples" / "policies"
CASES = [json.loads(line) for line in (Path(__file__).parent / "cases.jsonl").read_text("utf-8").splitlines()]
NEAR = [case for case in CASES if case["split"] in ("dev", "held", "unseen")]  # the others ask in words of their own


def test_there_are_enough_cases_and_each_is_whole():
    """More than 60, no question twice, evidence that stands in its passage, parts that were not tuned on."""
    assert len(CASES) >= 60
    assert len({case["question"] for case in CASES}) == len(CASES)
    assert {case["split"] for case in CASES} == {"dev", "held", "unseen", "more", "fresh"}
    for case in CASES:
        text = "\n".join(passage["text"] for passage in case["passages"])
        assert case["answerable"] == bool(case["evidence"]) == bool(case["sections"])
        assert all(evidence in text for evidence in case["evidence"])


@pytest.fixture(scope="module")
def desk():
    """The whole chain without a model."""
    return InsuranceDesk(RetrievalAgent([POLICIES], cache="off"))


async def test_answers_come_from_the_right_section_and_the_rest_is_refused(desk):
    """Every fifth case near the policies' words: floors well under what benchmarks/insurance.py measures."""
    right = {True: [], False: []}
    for case in NEAR[::5]:
        result = (await desk.answer(case["question"])).result
        expected = {(one["file"], one["section"]) for one in case["sections"]}
        cited = {(one.source_file, " › ".join(one.section_hierarchy)) for one in result.citations}
        right[case["answerable"]].append(bool(cited & expected) if case["answerable"] else not cited)
    assert sum(right[True]) >= 0.7 * len(right[True])
    assert sum(right[False]) >= 0.7 * len(right[False])


async def test_every_figure_shown_stands_in_a_section_of_its_product(desk):
    """The first twenty answerable questions, each paragraph against its own product's documents and shared ones."""
    for case in [one for one in CASES if one["answerable"]][:20]:
        turned = await desk.answer(case["question"])
        for citation in turned.result.generation.citations if turned.result.generation else []:
            content = turned.request.context_chunks[citation.source_index].content
            assert content[citation.source_start : citation.source_end] == citation.source_quote
