"""Picks the stage that text passes on its way to the reader, by the way of checking asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from footnoted.answering.holding import Holding
from footnoted.answering.marking import Marking
from footnoted.answering.watch import Watch
from footnoted.answering.weighing import Checking, Rendering
from footnoted.citations import CitationStream
from footnoted.types import Source


def staged(
    cited: CitationStream, sources: Sequence[Source], checking: Checking | None, *, as_json: bool, question: str = ""
) -> Rendering:
    """How text goes out under this checking. In JSON a verdict cannot follow its text, so sentences wait."""
    if checking is None:
        return Rendering(cited)
    checking = replace(checking, watch=checking.watch or Watch(question, sources))
    if checking.mode == "hold" or as_json:
        return Holding(cited, sources, checking, as_json=as_json)
    return Marking(cited, sources, checking)
