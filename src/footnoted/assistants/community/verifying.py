"""A draft in; whether it may be posted out. A separate call, always: nothing can switch it off."""

from __future__ import annotations

from typing import TYPE_CHECKING

from footnoted.assistants.community import metrics
from footnoted.assistants.community.decisions import Gate, Verification
from footnoted.assistants.community.prompts import instructions
from footnoted.assistants.community.rules import verify_by_rules
from footnoted.prompting.prompt import fence
from footnoted.types import Prompt, Sampling, Schema, Source

if TYPE_CHECKING:
    from footnoted.assistants.community.run import Run
    from footnoted.assistants.community.state import Draft

_LONGEST_SOURCES = 60_000  # code points of the sources a verifier is shown


async def verify(run: Run, gate: Gate, draft: Draft) -> Verification:
    """The verifier's decision on a draft, its sources beside it."""
    question = gate.rewrite_query or run.conversation.latest.text
    if run.asking.llms.get("verification") is None:
        decided = await verify_by_rules(run, question)
    else:
        decided = await run.asking.decide("verification", _prompt(run, question, draft), Verification)
    metrics.VERIFICATIONS.labels(good_enough=str(decided.is_good_enough).lower()).inc()
    run.log.info("verified", **{f"verification.{name}": value for name, value in decided.model_dump().items()})
    return decided


def _prompt(run: Run, question: str, draft: Draft) -> Prompt:
    config = run.config
    shown: list[Source] = []
    room = _LONGEST_SOURCES
    for loaded in run.sources.values():
        text = "\n\n".join(one.text for one in loaded.passages)[: max(0, room)]
        room -= len(text)
        if text:
            shown.append(Source(id=loaded.entry.id, title=loaded.entry.title, text=text))
    shown.append(Source(id="draft", title="THE DRAFT", text=draft["text"]))
    scope = config.answer_scope.about or "(any topic of the documents)"
    return Prompt(
        question=question,
        system=instructions(
            "verification", config.verification_prompt, scope=scope, max_answer_chars=config.max_answer_chars
        ),
        context=fence(shown, [one.text for one in shown]),
        ask=f"The question: {question}\nMay THE DRAFT, the last of the texts above, be posted?",
        sampling=Sampling(max_tokens=600, temperature=0.0),
        schema=Schema("Verification", Verification.model_json_schema()),
    )
