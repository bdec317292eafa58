"""Cuts a document into the passages it is read and cited by: 80 to 250 words each, never across sections."""

from __future__ import annotations

import re
import uuid
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Any

from footnoted.retrieval.load.document import Block, Document, Mark, Section, grouped
from footnoted.text import UNSPACED, sentences
from footnoted.text.lines import filled_lines
from footnoted.text.markdown import is_emphasis
from footnoted.text.marks import skip_space
from footnoted.types import Source

LEAST = 80  # words below which a passage takes in its neighbour of the same section
MOST = 250  # words above which a passage is cut
TABLE_MOST = 600  # a table up to here stays whole
_CAPTION = 200  # characters of a table's caption, at most
_INTRODUCTION = 600  # characters of what introduces a list, fewer than
_HARD = 4000  # characters above which a stretch without any sentence end is cut anyway

_WORDS = re.compile(r"[^\W_]+(?:[.,'’-][^\W_]+)*")


@dataclass(frozen=True, slots=True)
class _Unit:
    """What is never cut further: a span, its size in words, and the lead a cut-off piece repeats."""

    start: int
    end: int
    size: float
    kind: str
    page: int | None = None
    line: int | None = None
    lead: tuple[int, int] | None = None


def chunks(document: Document) -> list[Source]:
    """The passages of a document, in order.

    ``source.text == document.text[start:end]`` with ``start``, ``end`` from its metadata, except that the
    later pieces of a table or list cut in parts repeat its head or introduction first (``continued``).
    """
    document_id = document_id_of(document.path)
    found: list[Source] = []
    starts = [mark.start for mark in document.marks]
    for section in document.sections:
        units = _units(document.text, section.blocks)
        found.extend(_source(document, document_id, section, piece, starts) for piece in _packed(units))
    return found


def document_id_of(path: str) -> str:
    """The id of the document at ``path`` (relative): the same on every machine."""
    return str(uuid.uuid5(uuid.NAMESPACE_URL, "footnoted:" + path))


def size_of(text: str) -> float:
    """How long a text reads, in words; two characters of Chinese, Japanese or Thai count as one.

    Twenty characters count as a word at least, so that a text without any words has a length too.
    """
    least = len(text) / 20
    text, unspaced = UNSPACED.subn(" ", text)
    return max(least, len(_WORDS.findall(text)) + unspaced / 2)


def _units(text: str, blocks: Sequence[Block]) -> list[_Unit]:
    """Blocks, introductions and captions joined to what they introduce, the overlong cut at their own seams."""
    units: list[_Unit] = []
    intro: Block | None = None
    for block, following in zip_longest(blocks, blocks[1:]):
        if following is not None and _introduces(text, block, following):
            intro = block
        else:
            units.extend(_cut(text, block, intro))
            intro = None
    return units


def _introduces(text: str, block: Block, following: Block) -> bool:
    """Whether a paragraph ends in a colon before a list, table or listing, is a line in bold, or short over a table."""
    bare = text[block.start : block.end]
    if block.kind == "text" and len(bare) < _INTRODUCTION and "\n" not in bare and is_emphasis(bare):
        return True
    if block.kind != "text" or following.kind == "text":
        return False
    words = bare.rstrip(" *_\n")
    if words.endswith((":", "：")) and block.end - block.start < _INTRODUCTION:
        return True
    short = len(words) <= _CAPTION and "\n" not in words
    return following.kind == "table" and short and not words.endswith((".", "!", "?", "。", "！", "？"))


def _cut(text: str, block: Block, intro: Block | None) -> list[_Unit]:
    start = intro.start if intro else block.start
    page = intro.page if intro else block.page
    size = size_of(text[start : block.end])
    most = TABLE_MOST if block.kind == "table" else MOST
    if size <= most:
        return [_Unit(start, block.end, size, block.kind, page, intro.line if intro else block.line)]
    lead = block.lead or ((intro.start, intro.end) if intro else None)
    if lead and size_of(text[slice(*lead)]) > MOST // 3:
        lead = None
    units: list[_Unit] = []
    for number, (seam, end) in enumerate(_parts(text, block)):
        first = number == 0
        begin = start if first else seam
        unit = _Unit(begin, end, size_of(text[begin:end]), block.kind, block.page, block.line, None if first else lead)
        if units and (joined := _size(units[-1:], unit)) <= MOST:
            unit = replace(units.pop(), end=end, size=joined)
        units.append(unit)
    return units


def _parts(text: str, block: Block) -> list[tuple[int, int]]:
    """Spans where a block may be cut: items or rows, else lines of a listing, else sentences."""
    if block.parts:
        seams = [(block.start if n == 0 else a, b) for n, (a, b) in enumerate(block.parts)]
    elif block.kind == "code":
        lines = filled_lines(text[block.start : block.end])
        seams = [(block.start + start, block.start + end) for start, end in lines]
    else:
        seams = [(block.start, block.end)]
    parts: list[tuple[int, int]] = []
    for start, end in seams:
        if size_of(text[start:end]) <= MOST:
            parts.append((start, end))
            continue
        for span in sentences(text[start:end]):
            parts.extend(_hard(text, start + span.start, start + span.end))
    return parts


def _hard(text: str, start: int, end: int) -> Iterable[tuple[int, int]]:
    """A stretch that no sentence ends in, cut at white space near the bound, or at the bound."""
    while end - start > _HARD:
        stop = text.rfind(" ", start + _HARD // 2, start + _HARD)
        stop = stop if stop > 0 else start + _HARD
        yield start, stop
        start = skip_space(text, stop, end)
    if start < end:
        yield start, end


def _packed(units: list[_Unit]) -> list[list[_Unit]]:
    """Units gathered into passages: filled up to `MOST`, a short last one joined to the one before."""
    pieces = grouped(units, lambda piece, unit: unit.lead is None and _size(piece, unit) <= MOST)
    if len(pieces) > 1 and not pieces[-1][0].lead:
        short = _size(pieces[-1]) < LEAST
        if short and _size(pieces[-2], *pieces[-1]) <= MOST * 1.25:
            pieces[-2].extend(pieces.pop())
    return pieces


def _size(piece: list[_Unit], *more: _Unit) -> float:
    units = [*piece, *more]
    return max(sum(unit.size for unit in units), (units[-1].end - units[0].start) / 20)


def _source(document: Document, document_id: str, section: Section, piece: list[_Unit], starts: list[int]) -> Source:
    start, end = piece[0].start, piece[-1].end
    text = document.text[start:end]
    kinds = {unit.kind for unit in piece}
    metadata: dict[str, Any] = {
        "file": document.path,
        "title": document.title,
        "section": " › ".join(section.headings),
        "section_hierarchy": list(section.headings),
        "document_id": document_id,
        "start": start,
        "end": end,
        "kind": kinds.pop() if len(kinds) == 1 else "mixed",
        "format": document.format,
    }
    if piece[0].lead:
        text = document.text[slice(*piece[0].lead)] + "\n" + text
        metadata["continued"] = True
    if piece[0].page is not None:
        metadata["page"] = piece[0].page
    if piece[0].line is not None:
        metadata["line"] = piece[0].line
    places = _places(document.marks[bisect_left(starts, start) : bisect_left(starts, end)], end, len(text))
    if places:
        metadata["places"] = places
        if "sheet" in places[0]:
            metadata["sheet"] = places[0]["sheet"]
    for key, value in document.metadata.items():
        metadata.setdefault(key, value)
    return Source(
        id=str(uuid.uuid5(uuid.UUID(document_id), f"{start}-{end}")),
        text=text,
        title=" › ".join((document.title, *section.headings)),
        metadata=metadata,
    )


def _places(marks: Iterable[Mark], end: int, length: int) -> list[dict[str, Any]]:
    """Where the words of a passage stand in the file, by offsets into the passage's own text."""
    moved = length - end  # a repeated lead comes first
    places: list[dict[str, Any]] = []
    for mark in marks:
        place: dict[str, Any] = {"start": mark.start + moved, "end": min(mark.end, end) + moved}
        if mark.page is not None:
            place["page"] = mark.page
        if mark.box is not None:
            place["box"] = list(mark.box)
        if mark.cell:
            place |= {"sheet": mark.sheet, "cell": mark.cell}
        places.append(place)
    return places
