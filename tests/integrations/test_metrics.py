"""The gate as other programs' metrics and rails: each against the released library, where that is installed."""

import os

import pytest

os.environ.setdefault("DEEPEVAL_TELEMETRY_OPT_OUT", "YES")
os.environ.setdefault("RAGAS_DO_NOT_TRACK", "true")

SOURCE = "The windscreen excess is £75 for a repair. Racing on any track is not covered."
TRUE = "The windscreen excess is £75 for a repair."
FALSE = "The windscreen excess is £980 for a repair."


def test_promptfoos_assertion():
    """Half stands: the grading result says which, and passes where that is asked for."""
    from footnoted.integrations.promptfoo import get_assert

    context = {"vars": {"context": [SOURCE], "other": "no"}, "config": {}}
    told = get_assert(f"{TRUE} {FALSE}", context)
    assert (told["pass"], told["score"]) == (False, 0.5)
    assert FALSE in told["reason"]
    assert [each["pass"] for each in told["componentResults"]] == [True, False]
    assert get_assert(f"{TRUE} {FALSE}", {**context, "config": {"threshold": 0.5}})["pass"]
    assert not get_assert(TRUE, {**context, "config": {"sources": "other"}})["pass"]
    assert get_assert("Hello!", context)["pass"]


async def test_langgraphs_node():
    """A graph that weighs its answer and goes on by what was found, its state plain data."""
    from typing import Any, TypedDict

    from langchain_core.documents import Document
    from langgraph.graph import END, START, StateGraph

    from footnoted.integrations.langgraph import grounded_or, grounding_node

    class State(TypedDict, total=False):
        answer: str
        documents: list[Document]
        grounding: dict[str, Any]
        said: str

    graph = StateGraph(State)
    graph.add_node("weigh", grounding_node())
    graph.add_node("sorry", lambda _: {"said": "I cannot say."})
    graph.add_edge(START, "weigh")
    graph.add_conditional_edges("weigh", grounded_or(), {"grounded": END, "ungrounded": "sorry"})
    app = graph.compile()
    documents = [Document(page_content=SOURCE)]
    done = await app.ainvoke({"answer": TRUE, "documents": documents})
    assert done["grounding"]["grounded"]
    assert "said" not in done
    done = await app.ainvoke({"answer": FALSE, "documents": documents})
    assert done["said"] == "I cannot say."
    assert done["grounding"]["claims"][0]["verdict"] != "supported"


def test_deepevals_metric():
    pytest.importorskip("deepeval")
    from deepeval.test_case import LLMTestCase

    from footnoted.integrations.deepeval import GroundingMetric

    metric = GroundingMetric(threshold=0.6)
    case = LLMTestCase(input="?", actual_output=f"{TRUE} {FALSE}", retrieval_context=[SOURCE])
    assert metric.measure(case) == 0.5
    assert not metric.is_successful()
    assert FALSE in metric.reason


async def test_ragas_metric():
    pytest.importorskip("ragas")
    from ragas.dataset_schema import SingleTurnSample

    from footnoted.integrations.ragas import Grounding

    sample = SingleTurnSample(user_input="?", response=f"{TRUE} {FALSE}", retrieved_contexts=[SOURCE])
    assert await Grounding().single_turn_ascore(sample) == 0.5


async def test_litellms_guardrail():
    litellm = pytest.importorskip("litellm")
    from footnoted.integrations.litellm import GroundingGuardrail

    asked = {"messages": [{"role": "user", "content": f"<document>{SOURCE}</document> What is it?"}]}
    response = litellm.ModelResponse(choices=[{"message": {"role": "assistant", "content": f"{TRUE} {FALSE}"}}])
    guard = GroundingGuardrail(guardrail_name="footnoted", checking="hold", verdict_wait=90)
    told = await guard.async_post_call_success_hook(asked, None, response)
    message = told.choices[0].message
    assert message.content.strip() == TRUE
    assert message.annotations[0]["url_citation"]["end_index"] == len(TRUE)
    assert message.provider_specific_fields["footnoted"]["verdicts"]["supported"] == 1
