"""An assertion for tests of an answer: it fails with the sentences that the sources do not carry."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from footnoted.contract import GenerationResponse, SourceContext
    from footnoted.grounding.detector import HallucinationDetector


class Ungrounded(AssertionError):
    """Sentences of an answer are not carried by its sources; ``claims`` are their words."""

    def __init__(self, message: str, claims: list[str]) -> None:
        super().__init__(message)
        self.claims = claims


async def assert_grounded(
    answer: str | GenerationResponse,
    sources: Sequence[str | SourceContext],
    *,
    least: float = 1.0,
    detector: HallucinationDetector | None = None,
) -> None:
    """Raise `Ungrounded` when less than ``least`` (0–1) of the answer's claims are supported by the sources.

    In a test: ``await assert_grounded(answer, sources)``; in one without ``async``, the fixture of the pytest plugin.
    """
    from footnoted.grounding.detector import HallucinationDetector

    if not 0 <= least <= 1:
        raise ValueError(f"least is a share between 0 and 1, not {least}")
    text = answer if isinstance(answer, str) else answer.response
    found = await (detector or HallucinationDetector()).check_grounding(text, list(sources))
    missing = [claim.claim for claim in found.claims if not claim.supported]
    share = 1 - len(missing) / len(found.claims) if found.claims else 1.0
    if share < least:
        listed = "\n".join(f"  - {claim}" for claim in missing)
        raise Ungrounded(
            f"{len(found.claims) - len(missing)} of {len(found.claims)} claims are supported ({share:.0%}, at least "
            f"{least:.0%} asked); not supported:\n{listed}",
            missing,
        )
