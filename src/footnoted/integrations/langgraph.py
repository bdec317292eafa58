"""A node for LangGraph that weighs the answer in a graph's state, and an edge that goes by what it found."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Literal

from footnoted.integrations._gate import scored

__all__ = ["grounded_or", "grounding_node"]

State = Mapping[str, Any]


def grounding_node(
    *, answer: str = "answer", sources: str = "documents", into: str = "grounding"
) -> Callable[[State], Awaitable[dict[str, Any]]]:
    """A node that reads two keys of the state and writes a third.

    ``state[answer]`` is a text or a message; ``state[sources]`` texts or LangChain documents. ``into`` gets
    ``grounded``, ``score`` (0–1), ``reason`` and ``claims``, as plain data that every checkpointer takes.
    """

    async def weigh(state: State) -> dict[str, Any]:
        said = state[answer]
        text = said if isinstance(said, str) else str(getattr(said, "text", said))
        found = await scored(text, list(map(_text, state[sources] or ())))
        claims = [claim.model_dump(mode="json") for claim in found.result.claims]
        grounded = found.result.grounded
        return {into: {"grounded": grounded, "score": found.score, "reason": found.reason, "claims": claims}}

    return weigh


def grounded_or(*, into: str = "grounding", least: float = 1.0) -> Callable[[State], Literal["grounded", "ungrounded"]]:
    """A conditional edge: ``grounded`` where at least this share of the claims stands, else ``ungrounded``."""

    def choose(state: State) -> Literal["grounded", "ungrounded"]:
        return "grounded" if state[into]["score"] >= least else "ungrounded"

    return choose


def _text(document: Any) -> str:
    """A text's, or a document's, words."""
    return document if isinstance(document, str) else str(getattr(document, "page_content", document))
