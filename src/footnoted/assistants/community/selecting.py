"""Chooses the sources to read for a question, most useful first, among those that stand in the index."""

from __future__ import annotations

from typing import TYPE_CHECKING

from footnoted.assistants.community import metrics
from footnoted.assistants.community.decisions import Gate, Selection
from footnoted.assistants.community.prompts import instructions
from footnoted.assistants.community.unaided import select_unaided
from footnoted.prompting.prompt import fence
from footnoted.types import Prompt, Sampling, Schema, Source

if TYPE_CHECKING:
    from footnoted.assistants.community.run import Run


async def select(run: Run, gate: Gate) -> list[str]:
    """At most ``max_sources`` ids, in the order they were named, unknown and repeated ones left out."""
    question = gate.rewrite_query or run.thread.question
    if run.asking.llms.get("selection") is None:
        named = await select_unaided(run, question)
    else:
        chosen = await run.asking.decide("selection", _prompt(run, question), Selection)
        named = [id_.strip() for id_ in chosen.selected_source_ids]
    known = [id_ for id_ in dict.fromkeys(named) if id_ in run.knowledge.entries]
    ids = known[: run.config.max_sources]
    metrics.SELECTED.observe(len(ids))
    run.log.info(
        "selected",
        **{
            "selection.selected_sources_count": len(ids),
            "selection.source_ids": ids,
            "selection.unknown_ids_count": len(dict.fromkeys(named)) - len(known),
        },
    )
    return ids


def _prompt(run: Run, question: str) -> Prompt:
    config = run.config
    scope = config.answer_scope.about or "(any topic of the documents)"
    index = Source(id="index", title="the index", text=run.knowledge.index_text or "(empty)")
    return Prompt(
        question=question,
        system=instructions("selection", config.selection_prompt, scope=scope, max_sources=config.max_sources),
        context=fence([index], [index.text]),
        ask=f"The question: {question}",
        sampling=Sampling(max_tokens=400, temperature=0.0),
        schema=Schema("Selection", Selection.model_json_schema()),
    )
