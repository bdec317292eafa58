"""Maps pointers into the sources a model was shown back to the sources the caller gave.

Empty and repeated sources, and those over the budget, are not shown; nobody outside counts without them. This is
the one place where the two lists meet.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from footnoted.contract import EvidenceSpan
from footnoted.events import CitationFound, ClaimChecked, Event, SourcesDisagree
from footnoted.types import Citation, Evidence, Pointer, Verdict

if TYPE_CHECKING:
    from footnoted.contract import SourceContext


@dataclass(frozen=True, slots=True)
class Given:
    """The sources given, and which of them (``kept``, ascending) the model was shown."""

    context: Sequence[SourceContext]
    kept: tuple[int, ...]

    def citation(self, citation: Citation) -> Citation:
        """The citation, its source counted among those given."""
        return replace(citation, source=self.kept[citation.source])

    def evidence(self, evidence: Evidence) -> Evidence:
        """The evidence, its source counted among those given."""
        return replace(evidence, source=self.kept[evidence.source])

    def span(self, evidence: Evidence) -> EvidenceSpan:
        """Evidence as the contract tells it."""
        index = self.kept[evidence.source]
        return EvidenceSpan(
            source_index=index,
            chunk_id=self.context[index].chunk_id,
            source_start=evidence.start,
            source_end=evidence.end,
            source_quote=evidence.quote,
            support=min(1.0, max(0.0, evidence.support)),
        )

    def told(self, verdict: Verdict) -> dict[str, Any]:
        """What a `ClaimResult` and a `FieldEvidence` say of a verdict."""
        return {
            "verdict": verdict.ruling,
            "score": verdict.score,
            "tier": verdict.tier,
            "reason": verdict.reason,
            "evidence": [self.span(each) for each in verdict.evidence],
            "flagged": [(span.start, span.end) for span in verdict.flagged],
        }

    def places(self, near: Sequence[Pointer]) -> list[EvidenceSpan]:
        """The places a refusing provider names, its own support unknown."""
        texts = [self.context[self.kept[one.source]].content for one in near]
        return [
            self.span(Evidence(one.source, one.start, one.end, text[one.start : one.end], 0.0))
            for one, text in zip(near, texts, strict=True)
        ]

    def event(self, event: Event) -> Event:
        """The event as the caller is told it."""
        if isinstance(event, CitationFound):
            return replace(event, citation=self.citation(event.citation))
        if isinstance(event, ClaimChecked) and event.verdict.evidence:
            evidence = tuple(map(self.evidence, event.verdict.evidence))
            return replace(event, verdict=replace(event.verdict, evidence=evidence))
        if isinstance(event, SourcesDisagree):
            one = event.disagreement
            sides = replace(one, first=self.evidence(one.first), second=self.evidence(one.second))
            return replace(event, disagreement=sides)
        return event
