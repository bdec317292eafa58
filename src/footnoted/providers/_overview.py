"""What is said without a model of a collection, or of one whole page: its own words, each with its pointer."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from footnoted.orders import is_order
from footnoted.providers import _wording
from footnoted.providers._choosing import Passage, list_passage, pointer_at
from footnoted.retrieval.load.document import grouped
from footnoted.retrieval.relevance import OVERVIEW, read
from footnoted.text.lines import is_item
from footnoted.types import Span

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
    """The first sentences of a source that say enough, and the lists among them as lists."""
    sentences = [sentence for sentence in read(source, index) if not is_order(sentence.text)]
    found: list[Passage] = []
    for sentence in sentences:
        words = sentence.text.rstrip("*_ ")
        if sentence.kind != "prose" or len(sentence.text.split()) < least or words.endswith("?"):
            continue
        if not words.endswith(":"):
            found.append(Passage(_wording.sentence(sentence.text), (pointer_at(sentence),)))
        elif source.metadata.get(OVERVIEW) not in ("lead", "page"):
            span = Span(sentence.start, sentence.end)
            items = [item for item in sentences if item.kind == "item" and span in item.leads]
            whole = [
                replace(item[0], end=item[-1].end, text=source.text[item[0].start : item[-1].end])
                for item in grouped(items, lambda _, following: not is_item(following.text))
            ]
            found.append(list_passage(sentence.text, pointer_at(sentence), whole))
    return found[:most]
