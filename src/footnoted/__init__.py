"""footnoted: answers, footnoted. Grounded, cited, checked generation on any LLM, or on none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from footnoted._lazy import lazily

__version__ = "0.6.0.dev0"

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
    from footnoted.prompting.templates import PromptTemplates, get_template
    from footnoted.types import Deadlines
else:
    # Each public name and its room; a room is opened when a name of it is first used, so the import stays light.
    __getattr__, __dir__ = lazily(
        __name__,
        {
            "answering.generator": ("GeneratorProtocol", "GroundedGenerator", "ask"),
            "answering.risk": ("Risk",),
            "answering.structured": ("AnswerWithSources", "ComparisonResult", "StructuredGenerator"),
            "contract": (
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
            "grounding.detector": ("HallucinationDetector",),
            "prompting.templates": ("PromptTemplates", "get_template"),
            "types": ("Deadlines",),
        },
    )

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
    "PromptTemplates",
    "Risk",
    "SourceContext",
    "StructuredGenerator",
    "ask",
    "get_template",
]
