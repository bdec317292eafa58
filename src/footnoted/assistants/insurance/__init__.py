"""Answers a customer's question from the policy documents only, cited, product by product."""

from __future__ import annotations

from typing import TYPE_CHECKING

from footnoted._lazy import lazily

if TYPE_CHECKING:
    from footnoted.assistants.insurance.agent import ResponseFinished, ResponseGenerationAgent
    from footnoted.assistants.insurance.citation import ChunkResult, Citation, CitationStyle
    from footnoted.assistants.insurance.clauses import Clause, read_policy
    from footnoted.assistants.insurance.confidence import ConfidenceConfig
    from footnoted.assistants.insurance.intent import IntentClassification, IntentRouter
    from footnoted.assistants.insurance.models import ResponseRequest, ResponseResult
    from footnoted.assistants.insurance.retrieval import RetrievalAgent, RetrievalRequest, RetrievalResult
    from footnoted.assistants.insurance.vocabulary import Product, Vocabulary
else:
    # Each public name and its module; one is opened when a name of it is first used, so that a command line that only
    # needs the citation styles does not open the whole assistant.
    __getattr__, __dir__ = lazily(
        __name__,
        {
            "agent": ("ResponseFinished", "ResponseGenerationAgent"),
            "citation": ("ChunkResult", "Citation", "CitationStyle"),
            "clauses": ("Clause", "read_policy"),
            "confidence": ("ConfidenceConfig",),
            "intent": ("IntentClassification", "IntentRouter"),
            "models": ("ResponseRequest", "ResponseResult"),
            "retrieval": ("RetrievalAgent", "RetrievalRequest", "RetrievalResult"),
            "vocabulary": ("Product", "Vocabulary"),
        },
    )

__all__ = [
    "ChunkResult",
    "Citation",
    "CitationStyle",
    "Clause",
    "ConfidenceConfig",
    "IntentClassification",
    "IntentRouter",
    "Product",
    "ResponseFinished",
    "ResponseGenerationAgent",
    "ResponseRequest",
    "ResponseResult",
    "RetrievalAgent",
    "RetrievalRequest",
    "RetrievalResult",
    "Vocabulary",
    "read_policy",
]
