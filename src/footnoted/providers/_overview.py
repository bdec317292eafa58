"""What is said without a model of a collection, or of one whole page: its own words, each with its pointer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from footnoted.orders import is_order
from footnoted.providers import _wording
from footnoted.providers._choosing import Passage
from footnoted.relevance import OVERVIEW, read
from footnoted.types import Pointer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from footnoted.types import Source

_POLITE = {"greeting": "Hello.", "thanks": "You are welcome."}
_LEAST = 6  # words of a sentence that can open a document


def told(sources: Sequence[Source], *, limit: int) -> tuple[Passage, ...]:
    """The contents and the first sentence of each lead; of a page, the first sentence of each of its passages.

    A greeting is answered by one and by how much there is to ask about; thanks by nothing more than courtesy.
    """
    kind = str(sources[0].metadata.get(OVERVIEW, ""))
    if kind == "thanks":
        return (Passage(_POLITE[kind], ()),)
    found = [Passage(_POLITE[kind], ())] if kind in _POLITE else []
    for index, source in enumerate(sources):
        opens = source.metadata.get(OVERVIEW) in ("lead", "page")
        found += _first(source, index, least=_LEAST if opens else 1, most=1 if opens or kind in _POLITE else 3)
    return tuple(found[:limit])


def _first(source: Source, index: int, *, least: int, most: int) -> list[Passage]:
    prose = [
        one
        for one in read(source, index)
        if one.kind == "prose"
        and len(one.text.split()) >= least
        and not one.text.rstrip("*_ ").endswith((":", "?"))
        and not is_order(one.text)
    ]
    return [Passage(_wording.sentence(one.text), (Pointer(index, one.start, one.end),)) for one in prose[:most]]
