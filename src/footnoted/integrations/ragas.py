"""A metric for ragas: the share of a response's claims that the retrieved contexts carry, with no model to pay."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from footnoted.integrations._extra import needed

with needed("ragas"):
    from ragas.metrics.base import MetricType, SingleTurnMetric

from footnoted.integrations._gate import scored

if TYPE_CHECKING:
    from ragas.dataset_schema import SingleTurnSample

__all__ = ["Grounding"]


@dataclass
class Grounding(SingleTurnMetric):  # type: ignore[misc] # untyped where it is not installed
    """``response`` weighed against ``retrieved_contexts``."""

    name: str = "footnoted_grounding"
    _required_columns: dict[Any, set[str]] = field(
        default_factory=lambda: {MetricType.SINGLE_TURN: {"response", "retrieved_contexts"}}
    )

    def init(self, run_config: Any) -> None:
        """Nothing is set up: no model is asked."""

    async def _single_turn_ascore(self, sample: SingleTurnSample, callbacks: Any) -> float:  # noqa: ARG002
        return (await scored(sample.response or "", sample.retrieved_contexts or [])).score
