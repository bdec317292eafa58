"""What one reply has at hand while its graph runs: the texts that never enter the state, freed at its end."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from footnoted.assistants.community.asking import Asking
    from footnoted.assistants.community.config import AIConfig, Site
    from footnoted.assistants.community.fitted import Fitted
    from footnoted.assistants.community.knowledge import KnowledgeBase, LoadedSource
    from footnoted.assistants.community.matching import Found
    from footnoted.assistants.community.talk import Conversation
    from footnoted.assistants.community.thread import Thread
    from footnoted.contract import GenerationResponse
    from footnoted.grounding.check import Checker


@dataclass(slots=True)
class Run:
    """One message on its way through the graph.

    ``sources`` are the texts loaded, by id; ``matches`` the passages weighed for a question; ``response`` is the
    core's answer with its quotes. ``certainty`` is how sure the gate is (0-1), 1 where a model decides. All are freed
    with the run, whatever becomes of it.
    """

    conversation: Conversation
    config: AIConfig
    knowledge: KnowledgeBase
    asking: Asking
    checker: Checker
    fitted: Fitted
    thread: Thread
    sites: Sequence[Site]
    log: Any
    sources: dict[str, LoadedSource] = field(default_factory=dict)
    matches: dict[str, Found] = field(default_factory=dict)
    response: GenerationResponse | None = None
    certainty: float = 1.0

    def let_go(self) -> None:
        """Free the texts."""
        self.sources.clear()
        self.matches.clear()
        self.response = None
