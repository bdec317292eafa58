"""Picks from the passages another library found those that a search may give, at most so many."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from footnoted.contract import SourceContext
    from footnoted.retrieval.retriever import Filters


def bounded(found: Sequence[SourceContext], k: int, filters: Filters | None) -> list[SourceContext]:
    """The first ``k`` whose metadata has, for each filter, one of its values; a passage without the field has ""."""
    wanted = {name: {value} if isinstance(value, str) else set(value) for name, value in (filters or {}).items()}
    return [
        one for one in found if all(str(one.metadata.get(name) or "") in values for name, values in wanted.items())
    ][:k]
