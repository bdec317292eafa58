"""footnoted: answers, footnoted. Grounded, cited, checked generation on any LLM, or on none."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from footnoted.answering.generator import GeneratorProtocol, GroundedGenerator, ask
    from footnoted.answering.risk import Risk
    from footnoted.answering.structured import AnswerWithSources, ComparisonResult, StructuredGenerator
    from footnoted.contract import (
        CheckedOutput,
        CitationStyle,
        GenerationConfig,
        GenerationMode,
        GenerationRequest,
        GenerationResponse,
        InlineCitation,
        OutputFormat,
        SourceContext,
    )
    from footnoted.grounding.detector import HallucinationDetector
    from footnoted.types import Deadlines

# Each public name and its room; a room is opened when a name of it is first used, so the import stays light.
_ROOMS = {
    "footnoted.answering.generator": ("GeneratorProtocol", "GroundedGenerator", "ask"),
    "footnoted.answering.risk": ("Risk",),
    "footnoted.answering.structured": ("AnswerWithSources", "ComparisonResult", "StructuredGenerator"),
    "footnoted.contract": (
        "CheckedOutput",
        "CitationStyle",
        "GenerationConfig",
        "GenerationMode",
        "GenerationRequest",
        "GenerationResponse",
        "InlineCitation",
        "OutputFormat",
        "SourceContext",
    ),
    "footnoted.grounding.detector": ("HallucinationDetector",),
    "footnoted.types": ("Deadlines",),
}
_HOME = {name: room for room, names in _ROOMS.items() for name in names}

__all__ = [
    "AnswerWithSources",
    "CheckedOutput",
    "CitationStyle",
    "ComparisonResult",
    "Deadlines",
    "GenerationConfig",
    "GenerationMode",
    "GenerationRequest",
    "GenerationResponse",
    "GeneratorProtocol",
    "GroundedGenerator",
    "HallucinationDetector",
    "InlineCitation",
    "OutputFormat",
    "Risk",
    "SourceContext",
    "StructuredGenerator",
    "ask",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'footnoted' has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
