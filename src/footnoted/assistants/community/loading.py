"""Reads the selected sources into the run. One that fails is logged and skipped."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from footnoted.assistants.community.run import Run
    from footnoted.assistants.community.state import ReplyState


async def load(run: Run, state: ReplyState) -> ReplyState:
    """Read the sources into ``run.sources``; the ids that could be read, in the order they were selected."""
    ids = state["selected"]
    found = await asyncio.gather(*map(run.knowledge.load, ids), return_exceptions=True)
    for id_, source in zip(ids, found, strict=True):
        if isinstance(source, Exception):  # whatever a loader raises concerns one source
            run.log.warning("a source was skipped", **{"loading.source_id": id_, "loading.error": str(source)[:300]})
        elif isinstance(source, BaseException):
            raise source
        elif source.passages:
            run.sources[id_] = source
    run.log.info("loaded", **{"loading.loaded_sources_count": len(run.sources)})
    return {"loaded": list(run.sources), "stopped": "" if run.sources else "no source loaded"}
