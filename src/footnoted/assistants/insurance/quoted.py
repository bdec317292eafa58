"""Finds the sentence of a section that a claim repeats whole and word for word."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from footnoted.orders import is_order
from footnoted.retrieval.relevance import read

if TYPE_CHECKING:
    from footnoted.types import Source

_NUMBERING = re.compile(r"\A\s*(?:[-*+•‣]|\(?\d+(?:\.\d+)*[.)]?|\(?[a-z][.)])\s+", re.IGNORECASE)
_MARK = re.compile(r"\s*\[\d{1,3}(?:,\s*\d{1,3})*\]")


def sentence_said(claim: str, source: Source) -> tuple[int, int] | None:
    """The span of a sentence of prose, or of an item of a list after the heading it stands under.

    An item alone is none: "racing" means one thing under "What we cover" and another under "What we never cover".
    """
    said = _plain(claim)
    hierarchy = source.metadata.get("section_hierarchy") or [source.title.rpartition("›")[2]]
    for one in read(source):
        if one.leads or one.kind not in ("prose", "item") or is_order(one.text):
            continue
        heading = _plain(one.headings[-1] if one.headings else str(hierarchy[-1]))
        whole = _plain(one.text) if one.kind == "prose" else f"{heading}: {_plain(one.text)}"
        if said == whole:
            return one.start, one.end
    return None


def _plain(words: str) -> str:
    bare = _NUMBERING.sub("", _MARK.sub("", words)).replace("**", "")
    return " ".join(bare.casefold().split()).rstrip(" .;,:")
