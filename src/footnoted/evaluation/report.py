"""The report of a run: figures with intervals, curves, and every case as it went."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import BaseModel, ValidationError

from footnoted import __version__
from footnoted.contract import GenerationResponse, Problem
from footnoted.errors import SourceError
from footnoted.evaluation.cases import Case
from footnoted.evaluation.metrics import (
    Bin,
    Interval,
    RiskPoint,
    ratio,
    reliability,
    risk_coverage,
    weights,
)
from footnoted.evaluation.reading import first_fault

if TYPE_CHECKING:
    from footnoted.evaluation.grade import Grade
    from footnoted.evaluation.run import Outcome

# Metric → what it says, in the order a reader wants them. Each is a ratio of counts, higher is better.
METRICS = {
    "right": "right answers and right refusals",
    "citation_precision": "cited sentences their citation carries",
    "citation_recall": "sentences in need that have a citation",
    "grounding": "sentences the sources carry",
    "evidence": "answers that quote the evidence",
    "answer_f1": "words shared with a right answer (F1)",
    "answered_answerable": "answerable and answered",
    "refused_unanswerable": "unanswerable and refused",
    "finished": "cases that ended whole",
}
BALANCED = "refusal_balanced"
BALANCED_OF = "answered_answerable", "refused_unanswerable"
MEANS = METRICS | {BALANCED: "refusal, balanced accuracy"}


class CaseReport(BaseModel):
    """One case as it went. ``counts``: metric → numerator and denominator. ``right`` is ``None`` when unknowable."""

    case: Case
    response: GenerationResponse | None
    error: Problem | None
    counts: dict[str, tuple[float, float]]
    right: bool | None
    latency_ms: float


class Latency(BaseModel):
    """Milliseconds of whole answers, and to the first token where a provider streams."""

    p50: float
    p95: float
    longest: float
    first_token_p50: float | None


class Tokens(BaseModel):
    """Tokens of the whole run, by kind; ``estimated`` when any provider told none."""

    input: int
    cached: int
    output: int
    estimated: bool


class Report(BaseModel):
    """A whole run. ``metrics`` are shares (0–1) with 95 % bootstrap intervals over cases."""

    name: str
    provider: str
    model: str | None
    made: datetime
    version: str
    metrics: dict[str, Interval]
    reliability: list[Bin]
    calibration_error: float | None
    risk_coverage: list[RiskPoint]
    risk_area: float | None
    latency: Latency
    tokens: Tokens
    cases: list[CaseReport]

    @property
    def failing(self) -> list[CaseReport]:
        """Cases that went wrong: an error, a wrong answer, or a sentence its citation does not carry."""
        return [case for case in self.cases if failed(case)]

    @classmethod
    def read(cls, path: Path) -> Report:
        """A report saved as JSON. Raises `SourceError` for a file that is none."""
        try:
            return cls.model_validate_json(path.read_bytes())
        except OSError as error:
            raise SourceError(f"{path} cannot be read: {error.strerror}") from error
        except ValidationError as error:
            fault = first_fault(error)
            raise SourceError(
                f"{path} is no saved evaluation ({fault}); make one with footnoted eval … --json FILE"
            ) from error


def failed(case: CaseReport) -> bool:
    """Whether a reader should look at this case."""
    above, below = case.counts.get("citation_precision", (0.0, 0.0))
    return case.error is not None or case.right is False or above < below


def counts_of(metric: str, cases: Iterable[CaseReport]) -> list[tuple[float, float]]:
    """What a metric counted in each case."""
    return [case.counts.get(metric, (0.0, 0.0)) for case in cases]


def summarise(outcomes: Sequence[Outcome], *, name: str = "", provider: str = "", model: str | None = None) -> Report:
    """The report of one run."""
    cases = [_case(outcome) for outcome in outcomes]
    draws = weights(len(cases)) if cases else None
    metrics = {metric: ratio(counts_of(metric, cases), draws=draws) for metric in METRICS}
    metrics[BALANCED] = ratio(*(counts_of(part, cases) for part in BALANCED_OF), draws=draws)
    judged = [
        (case.response.confidence, case.right)
        for case in cases
        if case.response is not None and case.right is not None and case.response.finish_reason != "refused"
    ]
    confidences, right = [sure for sure, _ in judged], [is_right for _, is_right in judged]
    bins, error = reliability(confidences, right)
    curve, area = risk_coverage(confidences, right)
    return Report(
        name=name,
        provider=provider,
        model=model,
        made=datetime.now(UTC),
        version=__version__,
        metrics=metrics,
        reliability=bins,
        calibration_error=error,
        risk_coverage=curve,
        risk_area=area,
        latency=_latency(cases),
        tokens=_tokens(cases),
        cases=cases,
    )


def _case(outcome: Outcome) -> CaseReport:
    counts = _counts(outcome.case, outcome.grade)
    ended = outcome.response is not None and outcome.response.finish_reason in ("complete", "refused", "length")
    counts["finished"] = (float(ended), 1.0)
    return CaseReport(
        case=outcome.case,
        response=outcome.response,
        error=outcome.error,
        counts=counts,
        right=outcome.grade.right if outcome.grade else (None if outcome.case.answerable is None else False),
        latency_ms=outcome.latency_ms,
    )


def _counts(case: Case, grade: Grade | None) -> dict[str, tuple[float, float]]:
    counts: dict[str, tuple[float, float]] = {}
    if grade is not None:
        counts["citation_precision"] = (float(grade.carried), float(grade.cited))
        counts["citation_recall"] = (float(grade.cited), float(grade.needing))
        counts["grounding"] = (float(grade.supported), float(grade.needing))
        shares = {"right": grade.right, "evidence": grade.evidence_met, "answer_f1": grade.answer_f1}
        counts |= {metric: (float(share), 1.0) for metric, share in shares.items() if share is not None}
    elif case.answerable is not None:
        counts["right"] = (0.0, 1.0)  # a case without an answer is a wrong one wherever a right one is known
    if case.answerable is True:
        counts["answered_answerable"] = (float(grade is not None and grade.answered), 1.0)
    if case.answerable is False:
        counts["refused_unanswerable"] = (float(grade is not None and not grade.answered), 1.0)
    return counts


def _latency(cases: Sequence[CaseReport]) -> Latency:
    took = sorted(case.latency_ms for case in cases) or [0.0]
    responses = [case.response for case in cases if case.response is not None]
    first = [ms for response in responses if (ms := response.time_to_first_token_ms) is not None]
    return Latency(
        p50=statistics.median(took),
        p95=took[min(len(took) - 1, int(0.95 * len(took)))],
        longest=took[-1],
        first_token_p50=statistics.median(first) if first else None,
    )


def _tokens(cases: Sequence[CaseReport]) -> Tokens:
    used = [case.response.usage for case in cases if case.response is not None]
    return Tokens(
        input=sum(usage.input for usage in used),
        cached=sum(usage.cached for usage in used),
        output=sum(usage.output for usage in used),
        estimated=any(usage.estimated for usage in used),
    )
