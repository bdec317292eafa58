"""Answers questions on cloud findings and compliance duties, cited and with severities marked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from footnoted._lazy import lazily

if TYPE_CHECKING:
    from footnoted.assistants.security.advice.answer import (
        AdviceFinished,
        AdviceStarted,
        AnswerService,
        ServerSentEvent,
        StreamingHandler,
    )
    from footnoted.assistants.security.advice.compose import ResponseFormatter
    from footnoted.assistants.security.advice.context import AnswerContext
    from footnoted.assistants.security.documents import ConversationDocument, DocumentService
    from footnoted.assistants.security.findings.finding import Finding, FindingFilters, FindingsPage, Pagination
    from footnoted.assistants.security.findings.service import FindingsService
    from footnoted.assistants.security.knowledge.entry import KnowledgeEntry
    from footnoted.assistants.security.knowledge.service import KnowledgeBaseService
    from footnoted.assistants.security.nlu import Entities, NLUResult
    from footnoted.assistants.security.severity import Severity
else:
    # A room is opened when a name of it is first used: the store's libraries are an extra.
    __getattr__, __dir__ = lazily(
        __name__,
        {
            "advice.answer": (
                "AdviceFinished",
                "AdviceStarted",
                "AnswerService",
                "ServerSentEvent",
                "StreamingHandler",
            ),
            "advice.context": ("AnswerContext",),
            "advice.compose": ("ResponseFormatter",),
            "documents": ("ConversationDocument", "DocumentService"),
            "findings.finding": ("Finding", "FindingFilters", "FindingsPage", "Pagination"),
            "findings.service": ("FindingsService",),
            "knowledge.entry": ("KnowledgeEntry",),
            "knowledge.service": ("KnowledgeBaseService",),
            "nlu": ("Entities", "NLUResult"),
            "severity": ("Severity",),
        },
    )

__all__ = [
    "AdviceFinished",
    "AdviceStarted",
    "AnswerContext",
    "AnswerService",
    "ConversationDocument",
    "DocumentService",
    "Entities",
    "Finding",
    "FindingFilters",
    "FindingsPage",
    "FindingsService",
    "KnowledgeBaseService",
    "KnowledgeEntry",
    "NLUResult",
    "Pagination",
    "ResponseFormatter",
    "ServerSentEvent",
    "Severity",
    "StreamingHandler",
]
