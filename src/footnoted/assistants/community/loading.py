"""Reads the selected sources into the run. One that fails is logged and skipped."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from footnoted.assistants.community.knowledge import LoadedSource
    from footnoted.assistants.community.run import Run


async def load(run: Run, ids: Sequence[str]) -> list[str]:
    """Read the sources into ``run.sources``; the ids that could be read, in the order given."""
    for id_, loaded in zip(ids, await asyncio.gather(*(_load(run, id_) for id_ in ids)), strict=True):
        if loaded is not None:
            run.sources[id_] = loaded
    run.log.info("loaded", **{"loading.loaded_sources_count": len(run.sources)})
    return list(run.sources)


async def _load(run: Run, id_: str) -> LoadedSource | None:
    try:
        loaded = await run.knowledge.load(id_)
    except Exception as error:  # noqa: BLE001  whatever a loader raises concerns one source
        run.log.warning("a source was skipped", **{"loading.source_id": id_, "loading.error": str(error)[:300]})
        return None
    return loaded if loaded.passages else None
