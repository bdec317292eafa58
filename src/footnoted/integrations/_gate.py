"""One answer weighed against its sources, as a score: what the metrics and rails of other libraries stand on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from footnoted.grounding.detector import GroundingResult, HallucinationDetector


@dataclass(frozen=True, slots=True)
class Scored:
    """``score``: share of the answer's claims that the sources carry, 0 to 1; 1 where there is none to carry."""

    score: float
    reason: str
    result: GroundingResult


@cache
def _detector() -> HallucinationDetector:
    return HallucinationDetector()


async def scored(answer: str, sources: Sequence[str]) -> Scored:
    """The answer's score against these texts, and why in words for a person."""
    result = await _detector().check_grounding(answer, list(sources))
    if not result.claims:
        return Scored(1.0, "it claims nothing", result)
    stand = sum(claim.supported for claim in result.claims)
    fallen = [f"{claim.verdict}: “{claim.claim}”" for claim in result.claims if not claim.supported]
    reason = "; ".join([f"{stand} of {len(result.claims)} claims stand", *fallen])
    return Scored(stand / len(result.claims), reason, result)
