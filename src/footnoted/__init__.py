"""footnoted: answers, footnoted. Grounded, cited, checked generation on any LLM, or on none.

    >>> import footnoted
    >>> print(footnoted.ask("What is the excess?", ["The excess is £75."]).response)
    The excess is £75. [1]

Answering
    ask                    one question answered, for scripts and notebooks: blocks until done
    GroundedGenerator      answers from any provider: generate(), generate_streaming(), stream()
    GeneratorProtocol      what every generator offers
    GenerationRequest      a question, the sources it may be answered from, and how
    GenerationConfig       mode, output format, citation style, length, whether grounding is required
    GenerationMode         simple, grounded, analytical, conversational
    OutputFormat           plain, markdown, json, bullets
    CitationStyle          inline, numbered, footnote, endnote
    SourceContext          one passage; its content is enough
    Deadlines              seconds to the first token, between tokens, and in total
    Risk                   what share of wrong sentences may be shown
    GenerationResponse     the whole answer: text, citations, verdicts, how it ended
    InlineCitation         a marker, and the exact words of the source it stands on
    PromptTemplates        the words models are told, shipped and in a folder of yours
    get_template           one of them by its name

Structured answers
    StructuredGenerator    answers as pydantic models, each field checked
    CheckedOutput          such an answer, with the evidence for every field
    AnswerWithSources      an answer as fields; needs no model
    ComparisonResult       what sources say alike, differently, against one another

Checking
    HallucinationDetector  any text weighed against its sources

help(footnoted.ask), or of any of these, says more; `footnoted --help` is the command. Rooms of their own:
footnoted.testing (a scripted LLM server for your tests), .evaluation, .batch, .assistants, .integrations, .service.
"""

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
