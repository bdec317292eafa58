"""An assertion for promptfoo: ``type: python`` whose ``value`` is a file that imports `get_assert` from here.

The sources are the test's variables named in ``config.sources`` (``context`` unless given): a text, or a list of them.
"""

from __future__ import annotations

from typing import Any

from footnoted.integrations._gate import scored
from footnoted.integrations._waiting import result_of

__all__ = ["get_assert"]


def get_assert(output: str, context: dict[str, Any]) -> dict[str, Any]:
    """Its ``GradingResult``: ``pass``, ``score`` (0–1), ``reason``, and one component a claim."""
    config = context.get("config") or {}
    named = config.get("sources", "context")
    values = [context.get("vars", {}).get(name) for name in (named if isinstance(named, list) else [named])]
    texts = [str(text) for value in values for text in (value if isinstance(value, list) else [value]) if value]
    found = result_of(scored(output, texts))
    parts = [
        {"pass": claim.supported, "score": float(claim.supported), "reason": f"{claim.verdict}: {claim.claim}"}
        for claim in found.result.claims
    ]
    passes = found.score >= float(config.get("threshold", 1.0))
    return {"pass": passes, "score": found.score, "reason": found.reason, "componentResults": parts}
