"""Chooses the sources to read for a question, most useful first, among those that stand in the index."""

from __future__ import annotations

from typing import TYPE_CHECKING

from footnoted.assistants.community import metrics
from footnoted.assistants.community.state import ReplyState, Selection
from footnoted.assistants.community.unaided import select_unaided
from footnoted.types import Source

if TYPE_CHECKING:
    from footnoted.assistants.community.run import Run


async def select(run: Run, state: ReplyState) -> ReplyState:
    """At most ``max_sources`` ids, in the order they were named, unknown and repeated ones left out."""
    question = run.question(state["gate"])
    if run.has_model("selection"):
        index = Source(id="index", title="the index", text=run.knowledge.index_text or "(empty)")
        ask = f"The question: {question}"
        choice = await run.decide("selection", Selection, question, shown=[index], ask=ask)
        named = dict.fromkeys(id_.strip() for id_ in choice.selected_source_ids)
    else:
        named = dict.fromkeys(await select_unaided(run, question))
    known = [id_ for id_ in named if id_ in run.knowledge.entries]
    ids = known[: run.config.max_sources]
    metrics.SELECTED.observe(len(ids))
    run.log.info(
        "selected",
        **{
            "selection.selected_sources_count": len(ids),
            "selection.source_ids": ids,
            "selection.unknown_ids_count": len(named) - len(known),
        },
    )
    return {"selected": ids, "stopped": "" if ids else "no source selected"}
