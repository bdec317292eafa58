"""A question and its history in; what it asks and what it names out, by rules and a small encoder, without an LLM."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from footnoted.assistants.security.nlu.result import INTENTS, Entities, NLUResult
from footnoted.assistants.security.nlu.understand import understand

if TYPE_CHECKING:
    from footnoted.assistants.security.nlu.refining import refine

__all__ = ["INTENTS", "Entities", "NLUResult", "refine", "understand"]


def __getattr__(name: str) -> Any:
    """``refine`` brings the generation layer along, so it is opened when it is first used."""
    if name == "refine":
        from footnoted.assistants.security.nlu.refining import refine

        return refine
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
