"""Decides whether a conversation's latest message is an open question the documents may answer."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from footnoted.assistants.community import metrics
from footnoted.assistants.community.decisions import Gate
from footnoted.assistants.community.prompts import instructions
from footnoted.assistants.community.thread import as_told, forbidden
from footnoted.assistants.community.unaided import gate_unaided
from footnoted.prompting.prompt import fence
from footnoted.types import Prompt, Sampling, Schema, Source

if TYPE_CHECKING:
    from footnoted.assistants.community.run import Run


async def gate(run: Run) -> Gate:
    """The gate's decision: by the scope, by the model, or by fitted parameters where there is none."""
    decided = await _gate(run)
    metrics.GATES.labels(answerable=str(decided.is_ours).lower()).inc()
    told = {f"gate.{name}": value for name, value in decided.model_dump().items()}
    run.log.info("gate", **told)
    return decided


async def _gate(run: Run) -> Gate:
    message = run.conversation.latest
    if message.from_bot or run.thread.wordless:
        return Gate(is_question=False, is_answerable=False, reason="nothing was asked by a person")
    if word := forbidden(message.text, run.config.answer_scope.never):
        return Gate(is_question=True, is_answerable=False, reason=f"out of scope: {word!r} is never answered")
    if run.asking.llms.get("gating") is None:
        return await asyncio.to_thread(gate_unaided, run)
    return await run.asking.decide("gating", _prompt(run), Gate)


def _prompt(run: Run) -> Prompt:
    talk = as_told(run.conversation)
    shown = [
        Source(id="documents", title="what the documents are called", text=run.knowledge.titles or "(none)"),
        Source(id="talk", title="the conversation, the latest message last", text=talk),
    ]
    return Prompt(
        question=run.conversation.latest.text,
        system=instructions(
            "gating", run.config.gating_prompt, scope=run.config.answer_scope.about or "(any topic of the documents)"
        ),
        context=fence(shown, [one.text for one in shown]),
        ask=f"Judge message {len(run.conversation.messages)}, the latest of the conversation.",
        sampling=Sampling(max_tokens=400, temperature=0.0),
        schema=Schema("Gate", Gate.model_json_schema()),
    )
