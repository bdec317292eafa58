"""A responder for communities: it replies, checked and cited, where their own documents answer, and else is silent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from footnoted._lazy import lazily

if TYPE_CHECKING:
    from footnoted.assistants.community.client import AIClient
    from footnoted.assistants.community.config import AIConfig, CommunityConfig, read_config
    from footnoted.assistants.community.knowledge import KnowledgeBase
    from footnoted.assistants.community.llm import LLMCall, LLMClient
    from footnoted.assistants.community.talk import AIResult, Conversation, Message, ReplyCitation, RequestContext
else:
    __getattr__, __dir__ = lazily(
        __name__,
        {
            "client": ("AIClient",),
            "config": ("AIConfig", "CommunityConfig", "read_config"),
            "knowledge": ("KnowledgeBase",),
            "llm": ("LLMCall", "LLMClient"),
            "talk": ("AIResult", "Conversation", "Message", "ReplyCitation", "RequestContext"),
        },
    )

__all__ = [
    "AIClient",
    "AIConfig",
    "AIResult",
    "CommunityConfig",
    "Conversation",
    "KnowledgeBase",
    "LLMCall",
    "LLMClient",
    "Message",
    "ReplyCitation",
    "RequestContext",
    "read_config",
]
