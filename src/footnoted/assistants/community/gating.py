"""Decides whether a conversation's latest message is an open question the documents may answer."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from footnoted.assistants.community import metrics
from footnoted.assistants.community.state import Gate, ReplyState
from footnoted.assistants.community.thread import as_told, forbidden
from footnoted.assistants.community.unaided import gate_unaided
from footnoted.types import Source

if TYPE_CHECKING:
    from footnoted.assistants.community.run import Run


async def gate(run: Run, _: ReplyState) -> ReplyState:
    """The gate's decision: by the scope, by the model, or by fitted parameters where there is none."""
    decision = await _decide(run)
    metrics.GATES.labels(answerable=str(decision.is_ours).lower()).inc()
    run.log.info("gate", **{f"gate.{name}": value for name, value in decision.model_dump().items()})
    return {"gate": decision, "stopped": "" if decision.is_ours else "not answerable"}


async def _decide(run: Run) -> Gate:
    message = run.conversation.latest
    if message.from_bot or run.thread.wordless:
        return Gate(is_question=False, is_answerable=False, reason="nothing was asked by a person")
    if word := forbidden(message.text, run.config.answer_scope.never):
        return Gate(is_question=True, is_answerable=False, reason=f"out of scope: {word!r} is never answered")
    if not run.has_model("gating"):
        return await asyncio.to_thread(gate_unaided, run)
    titles = run.knowledge.titles or "(none)"
    shown = [
        Source(id="documents", title="what the documents are called", text=titles),
        Source(id="talk", title="the conversation, the latest message last", text=as_told(run.conversation)),
    ]
    ask = f"Judge message {len(run.conversation.messages)}, the latest of the conversation."
    return await run.decide("gating", Gate, message.text, shown=shown, ask=ask)
