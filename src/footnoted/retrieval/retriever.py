"""Who finds the passages a question may be answered from: ours, a database's, or another library's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from footnoted.contract import SourceContext, made_uuid
from footnoted.retrieval.relevance import OVERVIEW, parts

if TYPE_CHECKING:
    from uuid import UUID

    from footnoted.types import Source

Filters = Mapping[str, str | Sequence[str]]
"""What a passage must be of: ``document_id`` or ``conversation_id`` → one value or several of which one must hold.

The conversation "" is that of passages which belong to none.
"""

_FUSED = 60  # reciprocal rank fusion's constant (Cormack, Clarke, Büttcher 2009)
_PART = 0.5  # what a part of a question counts beside the whole


@runtime_checkable
class Retriever(Protocol):
    """Finds the ``k`` passages nearest to a question, best first; `footnoted.retrieval.Index` is the embedded one."""

    async def retrieve(self, question: str, *, k: int = 8, filters: Filters | None = None) -> list[SourceContext]:
        """The passages, ready to be answered from; none where nothing is near."""
        ...


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
    asked = [*((part, _PART) for part in parts(question))]
    if history:
        asked.append((f"{history[-1][0]} {question}", 1.0))
    lists = [(first, 1.0)]
    for one, share in asked:
        lists.append((await retriever.retrieve(one, k=2 * k, filters=filters), share))
    known: dict[UUID, SourceContext] = {}
    fused: dict[UUID, float] = {}
    for found, share in lists:
        for rank, context in enumerate(found):
            if OVERVIEW not in context.metadata:
                known.setdefault(context.chunk_id, context)
                fused[context.chunk_id] = fused.get(context.chunk_id, 0.0) + share / (_FUSED + rank)
    return sorted(known.values(), key=lambda context: -fused[context.chunk_id])[:k]
