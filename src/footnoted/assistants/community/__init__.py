"""A community's messages in; a checked, cited reply out where its own documents answer, and silence everywhere else."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from footnoted.assistants.community.client import AIClient
    from footnoted.assistants.community.config import AIConfig, CommunityConfig, read_config
    from footnoted.assistants.community.knowledge import KnowledgeBase
    from footnoted.assistants.community.llm import LLMCall, LLMClient
    from footnoted.assistants.community.talk import AIResult, Conversation, Message, ReplyCitation, RequestContext

_ROOMS = {
    "client": ("AIClient",),
    "config": ("AIConfig", "CommunityConfig", "read_config"),
    "knowledge": ("KnowledgeBase",),
    "llm": ("LLMCall", "LLMClient"),
    "talk": ("AIResult", "Conversation", "Message", "ReplyCitation", "RequestContext"),
}
_HOME = {name: room for room, names in _ROOMS.items() for name in names}

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


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
    globals()[name] = value
    return value
