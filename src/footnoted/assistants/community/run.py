"""What one reply has at hand while its graph runs: the texts that never enter the state, freed at its end."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from footnoted.prompting.prompt import fence
from footnoted.types import Prompt, Sampling, Schema

if TYPE_CHECKING:
    from collections.abc import Sequence

    from footnoted.assistants.community.asking import Asking, Decision
    from footnoted.assistants.community.config import AIConfig, Node, Site
    from footnoted.assistants.community.fitted import Fitted
    from footnoted.assistants.community.knowledge import KnowledgeBase, LoadedSource
    from footnoted.assistants.community.matching import Found
    from footnoted.assistants.community.state import Gate
    from footnoted.assistants.community.talk import Conversation
    from footnoted.assistants.community.thread import Thread
    from footnoted.contract import GenerationResponse
    from footnoted.grounding.judge import Weigher
    from footnoted.types import Source


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
    checker: Weigher
    fitted: Fitted
    thread: Thread
    sites: Sequence[Site]
    log: Any
    sources: dict[str, LoadedSource] = field(default_factory=dict)
    matches: dict[str, Found] = field(default_factory=dict)
    response: GenerationResponse | None = None
    certainty: float = 1.0

    def has_model(self, node: Node) -> bool:
        """Whether a language model decides at a node."""
        return self.asking.llms.get(node) is not None

    def question(self, gate: Gate) -> str:
        """What is looked up: as the gate put it, else as it was asked."""
        return gate.rewrite_query or self.thread.question

    async def decide(
        self, node: Node, shape: type[Decision], question: str, *, shown: Sequence[Source], ask: str, tokens: int = 400
    ) -> Decision:
        """What a node's model decides, having been shown some texts, which stand behind a fence. Raises its error."""
        prompt = Prompt(
            question=question,
            system=self.config.instructions(node),
            context=fence(shown, [source.text for source in shown]),
            ask=ask,
            sampling=Sampling(max_tokens=tokens, temperature=0.0),
            schema=Schema(shape.__name__, shape.model_json_schema()),
        )
        return await self.asking.decide(node, prompt, shape)

    def let_go(self) -> None:
        """Free the texts."""
        self.sources.clear()
        self.matches.clear()
        self.response = None
