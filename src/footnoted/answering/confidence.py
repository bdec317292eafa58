"""Computes how much of an answer is grounded, and how sure one may be of it."""

from __future__ import annotations

from collections.abc import Sequence

from footnoted.contract import ClaimResult
from footnoted.grounding.gate import sureness
from footnoted.text import sentences
from footnoted.types import Citation


def cited_share(text: str, citations: Sequence[Citation], *, refused: bool) -> tuple[float, float]:
    """Grounding and confidence (0–1) from pointers alone, for answers whose claims were not weighed.

    Grounding is the share of the answer's characters in sentences that carry a citation, each weighed by
    its best support; confidence is the mean support of those sentences.
    """
    if refused or not citations:
        return 0.0, 0.0
    total = weight = 0.0
    supports = []
    for span in sentences(text):
        length = span.end - span.start
        own = [c.support for c in citations if span.start <= c.start <= span.end]
        total += length
        if own:
            weight += length * max(own)
            supports.append(max(own))
    if not supports:
        return 0.0, 0.0
    return min(1.0, weight / total), min(1.0, sum(supports) / len(supports))


def weighed_share(claims: Sequence[ClaimResult], *, refused: bool) -> tuple[float, float]:
    """Grounding (weighed by length) and confidence (0–1) from verdicts, over the claims that were shown.

    Grounding is the share of the text whose claims are supported (one that is unsure counts half); confidence the
    calibrated probability that all of them stand, nothing where one was not checked.
    """
    shown = [claim for claim in claims if claim.kind == "claim" and claim.shown]
    total = sum(len(claim.text) for claim in shown)
    if refused or not total:
        return 0.0, 0.0
    worth = {"supported": 1.0, "unsure": 0.5}
    grounding = sum(len(claim.text) * worth.get(claim.verdict, 0.0) for claim in shown) / total
    return min(1.0, grounding), sureness([claim.score for claim in shown])
