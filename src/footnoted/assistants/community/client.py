"""The responder's brain: whether to reply to a conversation, and with what. Two messages share no memory."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import asdict
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from footnoted.answering.generator import shipped_checker
from footnoted.assistants.community import metrics
from footnoted.assistants.community.asking import Asking, Clock
from footnoted.assistants.community.config import CommunityConfig, configured, read_config
from footnoted.assistants.community.drafting import named, passage_of, written
from footnoted.assistants.community.fitted import Fitted
from footnoted.assistants.community.knowledge import KnowledgeBase
from footnoted.assistants.community.linking import link_of
from footnoted.assistants.community.llm import as_llms, llms_of
from footnoted.assistants.community.run import Run
from footnoted.assistants.community.summarizing import MAX_WORDS, summary_by_model, summary_by_rules
from footnoted.assistants.community.talk import AIResult, Conversation, ReplyCitation, RequestContext
from footnoted.assistants.community.thread import read_thread
from footnoted.assistants.community.yaml_lines import Lined
from footnoted.closing import Closing, close
from footnoted.errors import ProviderTimeout, SourceError
from footnoted.types import Source

if TYPE_CHECKING:
    from footnoted.assistants.community.config import AIConfig
    from footnoted.assistants.community.llm import LLMs
    from footnoted.assistants.community.state import ReplyState
    from footnoted.grounding.check import Checker

_AT_ONCE, _AT_ONCE_BY_RULES = 100, 4  # messages thought about at the same time; the rest wait, on their own clocks


class AIClient(Closing):
    """The community responder's brain.

    ``config``: a `CommunityConfig`, a path to a config.yaml, or its values as a mapping (with or without the
    ``ai`` section around them). ``llm``: an `LLMClient`, an async function of an `LLMCall`, a provider, or a
    mapping of these by node; without it, the config's. ``knowledge``: a `KnowledgeBase` or the path of an index;
    without it, the config's. ``fitted``: other parameters than those that ship. Use as an async
    context manager, or call `aclose`.
    """

    def __init__(
        self,
        config: CommunityConfig | AIConfig | Mapping[str, Any] | str | Path | None = None,
        *,
        llm: Any = None,
        knowledge: KnowledgeBase | str | Path | None = None,
        checker: Checker | None = None,
        fitted: Fitted | None = None,
    ) -> None:
        self.config = _config(config)
        self.llms: LLMs = llms_of(self.config.ai) if llm is None else as_llms(llm)
        self._knowledge = knowledge
        self._checker = checker
        self._fitted = fitted
        # Without a model the work is this process's own: all at once, everyone would be late.
        self._turns = asyncio.Semaphore(_AT_ONCE_BY_RULES if not any(self.llms.values()) else _AT_ONCE)

    @cached_property
    def knowledge(self) -> KnowledgeBase:
        """The knowledge base, opened when first needed. Raises `SourceError`."""
        if isinstance(self._knowledge, KnowledgeBase):
            return self._knowledge
        return KnowledgeBase.open(self._knowledge or self.config.index, holds=self.config.ai.answer_scope.holds)

    async def generate_reply(self, conversation: Conversation, context: RequestContext) -> AIResult:
        """The reply to the latest message, or the decision to stay silent. Never raises, save to be cancelled."""
        log = _log().bind(**(asdict(context) if isinstance(context, RequestContext) else {}))
        run: Run | None = None
        clock = Clock.of(self.config.ai.request_timeout_seconds)
        try:
            async with asyncio.timeout(self.config.ai.request_timeout_seconds):
                async with self._turns:
                    run = self._run(conversation, log, clock)
                    state = await _graph().ainvoke({"message_id": str(context.message_id)}, context=run)
                    result = self._result(state, run)
        except Exception as error:  # noqa: BLE001  whatever went wrong, a community hears nothing of it
            late = isinstance(error, TimeoutError)
            words = f"no reply within {self.config.ai.request_timeout_seconds:g} s" if late else str(error)
            debug = {"stopped": "error", "error": type(error).__name__, "words": words[:1000]}
            result, outcome = AIResult(should_reply=False, debug=debug), "error"
            log.warning("no reply", **{"error.type": type(error).__name__, "error.words": words[:500]})
        else:
            outcome = "answered" if result.should_reply and not state.get("stopped") else "skipped"
        finally:
            if run is not None:
                run.let_go()
        metrics.REQUESTS.labels(result=outcome).inc()
        log.info("reply", result=outcome, should_reply=result.should_reply)
        return result

    async def summarize_for_kb_index(self, source_id: str, text: str, timeout_seconds: float) -> str:
        """What a source covers and when it matters, in short plain English.

        Raises `ProviderTimeout` past ``timeout_seconds``, and whatever else kept a summary from being made.
        """
        log = _log().bind(source_id=source_id)
        try:
            async with asyncio.timeout(timeout_seconds):
                if not text.strip():
                    raise SourceError(f"{source_id} is empty: there is nothing to summarise")
                if self.llms.get("summarization") is None:
                    return await asyncio.to_thread(summary_by_rules, source_id, text)
                asking = self._asking(Clock.of(timeout_seconds), log)
                instructions = self.config.ai.instructions("summarization", max_words=MAX_WORDS)
                return await summary_by_model(asking, source_id, text, instructions=instructions)
        except TimeoutError:
            raise ProviderTimeout(f"{source_id}: no summary within {timeout_seconds:g} s") from None

    async def prepare(self) -> None:
        """Open what the first reply would else wait for: the index, its passages, the local model, the graph."""
        from footnoted.models import Embedder

        await self.knowledge.prepare()
        await asyncio.to_thread(_graph)
        await asyncio.to_thread(lambda: Embedder.load().queries(["The first question opens the encoder."]))
        checker = self._checker or shipped_checker()
        evidence = Source(id="first", text="Whoever asks first would have to wait until every network is open.")
        for _ in range(2):  # opening may take longer than a check may; the second finds all open
            await checker.acheck("The one who asks first waits for the networks.", [evidence])

    async def read_ahead(self) -> int:
        """Read what the sources' passages mean, which the first questions would else do without.

        It takes a processor some 50 ms a passage, so a bot lets it run beside its work. Gives how many were read; they
        are kept beside the index. Raises `SourceError`.
        """
        return await self.knowledge.read_ahead()

    async def aclose(self) -> None:
        """Close the models' connections."""
        await close(*self.llms.values())

    def _asking(self, clock: Clock, log: Any) -> Asking:
        ai = self.config.ai
        return Asking(self.llms, clock, ai.llm_timeout_seconds, ai.max_retries, log)

    def _run(self, conversation: Conversation, log: Any, clock: Clock) -> Run:
        return Run(
            conversation,
            self.config.ai,
            self.knowledge,
            self._asking(clock, log),
            self._checker or shipped_checker(),
            self._fitted or Fitted.read(),
            read_thread(conversation),
            self.config.knowledge.sites,
            log,
        )

    def _result(self, state: ReplyState, run: Run) -> AIResult:
        debug: dict[str, Any] = {**state, "certainty": run.certainty}
        gate, verification = state.get("gate"), state.get("verification")
        debug |= {
            name: decision.model_dump()
            for name, decision in (("gate", gate), ("verification", verification))
            if decision is not None
        }
        reply: str | None = None
        citations: list[ReplyCitation] = []
        if verification is not None and verification.is_good_enough:
            reply, citations = state["draft"]["text"], _citations(run)
        elif self.config.ai.refusal_policy == "redirect" and gate is not None and gate.may_be_redirected:
            reply = self.config.ai.redirect_text
        return AIResult(should_reply=reply is not None, reply_text=reply, citations=citations, debug=debug)


def _citations(run: Run) -> list[ReplyCitation]:
    """The citations of the draft in the run, with their quotes."""
    response = run.response
    if response is None:
        return []
    found = []
    for citation, (start, end) in zip(response.citations, written(run, response).places, strict=True):
        entry, passage = passage_of(run, citation.chunk_id)
        found.append(
            ReplyCitation(
                number=citation.number,
                source_id=entry.id,
                title=named(entry, passage),
                location=link_of(entry, passage.metadata, run.sites) or entry.location,
                quote=citation.source_quote,
                start_pos=start,
                end_pos=end,
                source_start=citation.source_start,
                source_end=citation.source_end,
            )
        )
    return found


def _config(given: Any) -> CommunityConfig:
    if isinstance(given, CommunityConfig):
        return given
    if given is None or isinstance(given, str | Path):
        return read_config(given)
    if isinstance(given, Mapping):
        sections = set(CommunityConfig.model_fields) - {"folder"}
        values = given if set(given) <= sections else {"ai": given}
        return configured(Lined(dict(values), {}), "config", folder=Path())
    return CommunityConfig(ai=given)


@cache
def _graph() -> Any:
    from footnoted.assistants.community.graph import reply_graph

    return reply_graph()


def _log() -> Any:
    import structlog

    return structlog.get_logger("footnoted.community")
