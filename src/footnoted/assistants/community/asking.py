"""Asks a node's model, within the clock, again where that may help, and measures it: the one retry layer."""

from __future__ import annotations

import asyncio
import random
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import BaseModel, ValidationError

from footnoted.answering.fitting import fit, in_words
from footnoted.assistants.community import metrics
from footnoted.assistants.community.llm import LLMCall, LLMClient
from footnoted.errors import ConfigurationError, ProviderError, ProviderTimeout, StructuredOutputError

if TYPE_CHECKING:
    from footnoted.assistants.community.config import Node
    from footnoted.assistants.community.llm import LLMs
    from footnoted.types import Prompt

_BASE, _CAP = 0.4, 4.0  # seconds before the second try, doubled for each further one
_LONGEST_REPLY = 200_000  # code points

Decision = TypeVar("Decision", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Clock:
    """The one clock of a reply: a moment of the event loop's time by which all must be done."""

    until: float

    @classmethod
    def of(cls, seconds: float) -> Clock:
        """A clock that runs out in so many seconds."""
        return cls(asyncio.get_running_loop().time() + seconds)

    @property
    def left(self) -> float:
        """Seconds left, never negative."""
        return max(0.0, self.until - asyncio.get_running_loop().time())


@dataclass(frozen=True, slots=True)
class Asking:
    """How the models of one reply are asked: who they are, and the clock they share."""

    llms: LLMs
    clock: Clock
    call_seconds: float
    retries: int
    log: Any

    async def ask(self, node: Node, prompt: Prompt) -> str:
        """The reply's text. Raises the last try's error; only transient ones are tried again."""
        llm = self.llms.get(node)
        if llm is None:
            raise ConfigurationError(f"no model is configured for {node}")
        tries = 0
        while True:
            tries += 1
            try:
                return await self._once(llm, node, prompt, tries)
            except (ProviderError, TimeoutError, ConnectionError) as error:
                wait = self._wait_after(error, tries)
                if wait is None:
                    raise
            await asyncio.sleep(wait)

    async def decide(self, node: Node, prompt: Prompt, kind: type[Decision]) -> Decision:
        """The reply as a decision. Raises `StructuredOutputError` when it does not fit; that is not tried again."""
        reply = await self.ask(node, prompt)
        try:
            return fit(reply, kind, shown=())
        except (ValidationError, RecursionError) as error:
            words = in_words(error) if isinstance(error, ValidationError) else "nested too deeply"
            raise StructuredOutputError(f"the {node} reply does not fit: {words}", reply=reply[:2000]) from None

    async def _once(self, llm: LLMClient, node: Node, prompt: Prompt, number: int) -> str:
        seconds = min(self.call_seconds, self.clock.left)
        began, outcome = time.perf_counter(), "ok"
        try:
            async with asyncio.timeout(seconds):
                reply = await llm(LLMCall(node, prompt, seconds))
            return reply[:_LONGEST_REPLY]
        except TimeoutError:
            outcome = "ProviderTimeout"
            raise ProviderTimeout(f"{node}: no reply within {seconds:g} s") from None
        except asyncio.CancelledError:
            outcome = "cancelled"
            raise
        except Exception as error:
            outcome = type(error).__name__
            raise
        finally:
            took = time.perf_counter() - began
            metrics.CALLS.labels(node=node, outcome=outcome).observe(took)
            self.log.info(
                "llm call",
                **{
                    "call.node": node,
                    "call.try": number,
                    "call.outcome": outcome,
                    "call.latency_ms": round(took * 1000, 1),
                },
            )

    def _wait_after(self, error: Exception, tries: int) -> float | None:
        """Seconds before the next try, or ``None`` when there is to be none."""
        if tries > self.retries or (isinstance(error, ProviderError) and not error.transient):
            return None
        wait = min(_CAP, _BASE * 2 ** (tries - 1)) * random.uniform(0.5, 1.0)
        wish = getattr(error, "retry_after", None)
        wait = max(wait, wish) if wish else wait
        return wait if wait < self.clock.left else None
