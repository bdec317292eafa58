"""What one reply has at hand while its graph runs: the texts that never enter the state, freed at its end."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from footnoted.assistants.community.asking import Asking
    from footnoted.assistants.community.config import AIConfig
    from footnoted.assistants.community.knowledge import KnowledgeBase, LoadedSource
    from footnoted.assistants.community.matching import Match
    from footnoted.assistants.community.talk import Conversation
    from footnoted.contract import GenerationResponse
    from footnoted.grounding.check import Checker


@dataclass(slots=True)
class Run:
    """One message on its way through the graph.

    ``sources`` are the texts loaded, by id; ``matches`` the passages weighed for a question; ``response`` is the
    core's answer with its quotes. All are freed with the run, whatever becomes of it.
    """

    conversation: Conversation
    config: AIConfig
    knowledge: KnowledgeBase
    asking: Asking
    checker: Checker
    log: Any
    sources: dict[str, LoadedSource] = field(default_factory=dict)
    matches: dict[str, list[Match]] = field(default_factory=dict)
    response: GenerationResponse | None = None

    def let_go(self) -> None:
        """Free the texts."""
        self.sources.clear()
        self.matches.clear()
        self.response = None
