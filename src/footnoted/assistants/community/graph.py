"""The way of one message to a verified draft, or to where it was stopped.

    gating ──► selection ──► loading ──► generation ──► verification ──► reply
      │            │            │            │               │
      └────────────┴────────────┴────────────┴───────────────┴──► silence

Every node takes the run and the state, decides one thing, and says so. Open this file first.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
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

Node = Callable[[Run, ReplyState], Awaitable[ReplyState]]
NODES: dict[str, Node] = {
    "gating": gate,  # Is the message a question our documents may answer?
    "selection": select,  # Which sources of the index may hold the answer?
    "loading": load,  # Read them; one that fails is skipped.
    "generation": draft,  # Write a short answer that cites them.
    "verification": verify,  # Would a careful member post this?
}


def reply_graph() -> CompiledStateGraph[ReplyState, Run, ReplyState, ReplyState]:
    """The compiled graph. It has no checkpointer: nothing is remembered between two messages."""
    graph: Any = StateGraph(ReplyState, context_schema=Run)
    for name, node in NODES.items():
        graph.add_node(name, _timed(name, node))
    graph.add_edge(START, "gating")
    for name, following in pairwise(NODES):
        graph.add_conditional_edges(name, _on_to(following), [following, END])
    graph.add_edge("verification", END)
    return graph.compile()  # type: ignore[no-any-return]


def _on_to(following: str) -> Callable[[ReplyState], str]:
    """The way out of a node: on, or silence."""
    return lambda state: END if state.get("stopped") else following


def _timed(name: str, node: Node) -> Callable[[ReplyState, Runtime[Run]], Awaitable[ReplyState]]:
    """The node, its seconds measured and logged as ``latency.<node>_ms``."""

    async def step(state: ReplyState, runtime: Runtime[Run]) -> ReplyState:
        began = time.perf_counter()
        try:
            return await node(runtime.context, state)
        finally:
            seconds = time.perf_counter() - began
            metrics.NODES.labels(node=name).observe(seconds)
            runtime.context.log.info(name, **{f"latency.{name}_ms": round(seconds * 1000, 1)})

    return step
