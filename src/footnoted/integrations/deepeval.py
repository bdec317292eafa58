"""A metric for deepeval: the share of an answer's claims that its retrieval context carries, without a judge's bill."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from footnoted.integrations._extra import needed

with needed("deepeval"):
    from deepeval.metrics import BaseMetric
    from deepeval.test_case import SingleTurnParams

from footnoted.integrations._gate import scored
from footnoted.integrations._waiting import result_of

if TYPE_CHECKING:
    from deepeval.test_case import LLMTestCase

__all__ = ["GroundingMetric"]


class GroundingMetric(BaseMetric):  # type: ignore[misc] # untyped where it is not installed
    """``actual_output`` weighed against ``retrieval_context``, or ``context`` where that is what is given.

    ``threshold``: the share of claims (0–1) that must stand. ``result`` is the whole `GroundingResult`.
    """

    _required_params = [SingleTurnParams.ACTUAL_OUTPUT]  # noqa: RUF012 - deepeval's own way

    def __init__(self, threshold: float = 1.0) -> None:
        self.threshold = threshold
        self.async_mode = True
        self.include_reason = True
        self.strict_mode = False
        self.evaluation_model = "footnoted"

    @property
    def __name__(self) -> str:
        return "Grounding"

    def measure(self, test_case: LLMTestCase, *_: Any, **__: Any) -> float:
        """The score; blocks."""
        return result_of(self.a_measure(test_case))

    async def a_measure(self, test_case: LLMTestCase, *_: Any, **__: Any) -> float:
        """The score; ``reason`` says what does not stand."""
        texts = test_case.retrieval_context or test_case.context or []
        found = await scored(test_case.actual_output or "", [str(getattr(text, "content", text)) for text in texts])
        self.score, self.reason, self.result = found.score, found.reason, found.result
        self.success = self.score >= self.threshold
        return self.score

    def is_successful(self) -> bool:
        """Whether enough of it stands."""
        return bool(self.success)
