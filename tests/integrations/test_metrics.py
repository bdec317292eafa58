"""The gate as other programs' metrics and nodes: each against the released library."""

from tests.peers import UNHURRIED, peer

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


@UNHURRIED
async def test_deepevals_and_ragas_metrics():
    """Each as its library runs it: the same half."""
    told = await peer("metrics.py", {"said": f"{TRUE} {FALSE}", "source": SOURCE})
    assert told["deepeval"]["score"] == told["ragas"] == 0.5
    assert not told["deepeval"]["passes"]
    assert FALSE in told["deepeval"]["reason"]
