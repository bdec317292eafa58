"""The way of one message to a verified draft, or to where it was stopped.

    gating ──► selection ──► loading ──► generation ──► verification ──► reply
      │            │            │            │               │
      └────────────┴────────────┴────────────┴───────────────┴──► silence

Every node takes the state and the run, decides one thing, and says so. Open this file first.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from functools import wraps
from itertools import pairwise
from typing import TYPE_CHECKING, Any

try:
    from langgraph.graph import END, START, StateGraph
    from langgraph.runtime import Runtime
except ImportError as missing:
    from footnoted.errors import ConfigurationError

    raise ConfigurationError(
        "the community responder needs langgraph; install it with: pip install 'footnoted[community]'"
    ) from missing

from footnoted.assistants.community import metrics
from footnoted.assistants.community.drafting import draft
from footnoted.assistants.community.gating import gate
from footnoted.assistants.community.loading import load
from footnoted.assistants.community.run import Run
from footnoted.assistants.community.selecting import select
from footnoted.assistants.community.state import ReplyState
from footnoted.assistants.community.verifying import verify

if TYPE_CHECKING:
    from langgraph.graph.state import CompiledStateGraph

Step = Callable[[ReplyState, Runtime[Run]], Awaitable[ReplyState]]


def timed(node: Step) -> Step:
    """The node, its seconds measured and logged as ``latency.<node>_ms``."""

    @wraps(node)
    async def step(state: ReplyState, runtime: Runtime[Run]) -> ReplyState:
        began = time.perf_counter()
        try:
            return await node(state, runtime)
        finally:
            took = time.perf_counter() - began
            metrics.NODES.labels(node=node.__name__).observe(took)
            runtime.context.log.info(node.__name__, **{f"latency.{node.__name__}_ms": round(took * 1000, 1)})

    return step


@timed
async def gating(state: ReplyState, runtime: Runtime[Run]) -> ReplyState:
    """Is the message a question our documents may answer?"""
    del state  # the first node: nothing was decided yet
    decided = await gate(runtime.context)
    stopped = "" if decided.is_ours else "not answerable"
    return {"gate": decided, "stopped": stopped}


@timed
async def selection(state: ReplyState, runtime: Runtime[Run]) -> ReplyState:
    """Which sources of the index may hold the answer?"""
    ids = await select(runtime.context, state["gate"])
    return {"selected": ids, "stopped": "" if ids else "no source selected"}


@timed
async def loading(state: ReplyState, runtime: Runtime[Run]) -> ReplyState:
    """Read them; one that fails is skipped."""
    ids = await load(runtime.context, state["selected"])
    return {"loaded": ids, "stopped": "" if ids else "no source loaded"}


@timed
async def generation(state: ReplyState, runtime: Runtime[Run]) -> ReplyState:
    """Write a short answer that cites them."""
    written, why_not = await draft(runtime.context, state["gate"], state["loaded"])
    return {"draft": written, "stopped": why_not}


@timed
async def verification(state: ReplyState, runtime: Runtime[Run]) -> ReplyState:
    """Would a careful member post this?"""
    decided = await verify(runtime.context, state["gate"], state["draft"])
    return {"verification": decided, "stopped": "" if decided.is_good_enough else "not good enough"}


def go_on_to(following: str) -> Callable[[ReplyState], str]:
    """The way out of a node: on, or silence."""
    return lambda state: END if state.get("stopped") else following


def reply_graph() -> CompiledStateGraph[ReplyState, Run, ReplyState, ReplyState]:
    """The compiled graph. It has no checkpointer: nothing is remembered between two messages."""
    graph: Any = StateGraph(ReplyState, context_schema=Run)
    nodes = (gating, selection, loading, generation, verification)
    for node in nodes:
        graph.add_node(node.__name__, node)
    graph.add_edge(START, "gating")
    for node, following in pairwise(nodes):
        graph.add_conditional_edges(node.__name__, go_on_to(following.__name__), [following.__name__, END])
    graph.add_edge("verification", END)
    return graph.compile()  # type: ignore[no-any-return]
