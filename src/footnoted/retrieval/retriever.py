"""Who finds the passages a question may be answered from: ours, a database's, or another library's."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol, TypeVar, runtime_checkable

from footnoted.contract import SourceContext, made_uuid
from footnoted.retrieval.relevance import OVERVIEW, parts

if TYPE_CHECKING:
    from uuid import UUID

    from footnoted.types import Source

Name = TypeVar("Name", bound=Hashable)

Filters = Mapping[str, str | Sequence[str]]
"""What a passage must be of: ``document_id`` or ``conversation_id`` → one value or several of which one must hold.

The conversation "" is that of passages which belong to none.
"""

CANDIDATES = 60  # passages each way of finding offers
FUSED = 60  # the constant of `fuse`
_PART = 0.5  # what a part of a question counts beside the whole


@runtime_checkable
class Retriever(Protocol):
    """Finds the ``k`` passages nearest to a question, best first; `footnoted.retrieval.Index` is the embedded one."""

    async def retrieve(self, question: str, *, k: int = 8, filters: Filters | None = None) -> list[SourceContext]:
        """The passages, ready to be answered from; none where nothing is near."""
        ...


def fuse(orders: Iterable[tuple[Iterable[Name], float]]) -> dict[Name, float]:
    """The scores of what stands in several orders, each with its share: reciprocal rank fusion (Cormack et al. 2009).

    >>> fuse([(["a", "b"], 1.0), (["a"], 1.0)])["a"] == 2 / 60
    True
    """
    scores: dict[Name, float] = defaultdict(float)
    for order, share in orders:
        for rank, name in enumerate(order):
            scores[name] += share / (FUSED + rank)
    return scores


def context_of(source: Source) -> SourceContext:
    """A found passage as a generator takes it."""
    return SourceContext(
        chunk_id=made_uuid(source.id),
        document_id=made_uuid(str(source.metadata.get("document_id") or source.id)),
        content=source.text,
        metadata=dict(source.metadata),
        relevance_score=source.score or 0.0,
    )


async def gather(
    retriever: Retriever,
    question: str,
    *,
    k: int = 8,
    filters: Filters | None = None,
    history: Sequence[tuple[str, str]] = (),
) -> list[SourceContext]:
    """What any retriever finds for a question, for its parts where it has several, and for it with the one before it.

    ``history`` holds pairs of question and answer; the orders are fused. At most ``k`` passages, best first.
    """
    first = await retriever.retrieve(question, k=2 * k, filters=filters)
    if any(OVERVIEW in context.metadata for context in first):
        return first
    asked = [(part, _PART) for part in parts(question)]
    if history:
        asked.append((f"{history[-1][0]} {question}", 1.0))
    orders = [(first, 1.0)]
    for words, share in asked:
        found = await retriever.retrieve(words, k=2 * k, filters=filters)
        orders.append(([context for context in found if OVERVIEW not in context.metadata], share))
    scores = fuse(([context.chunk_id for context in order], share) for order, share in orders)
    best: dict[UUID, SourceContext] = {}
    for context in (context for order, _ in orders for context in order):
        best.setdefault(context.chunk_id, context)
    return sorted(best.values(), key=lambda context: -scores[context.chunk_id])[:k]
