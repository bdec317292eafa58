"""Splits a source into sentences and tells where each stands: heading, list, table row or prose."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from footnoted.text import sentences
from footnoted.text.lines import is_item
from footnoted.text.markdown import is_emphasis
from footnoted.types import Span

if TYPE_CHECKING:
    from collections.abc import Iterator

    from footnoted.types import Source

Kind = Literal["prose", "heading", "item", "row", "header", "rule", "code"]

_UNDER_HEADINGS = 7  # the level of a line of its own that asks, or is all bold
_LONGEST, _PIECE = 1_500, 400  # code points
_TABLE = frozenset({"header", "row", "rule"})


@dataclass(frozen=True, slots=True)
class Sentence:
    """``text == source.text[start:end]``; ``headings`` above it, outermost first; ``leads`` introduce it.

    The leads of a table row are the sentence ending in a colon before the table, if any, and the header
    row; that of a list item, the sentence ending in a colon before the list. ``block`` numbers the
    paragraphs, lists and tables of the source.
    """

    source_index: int
    start: int
    end: int
    text: str
    kind: Kind
    headings: tuple[str, ...]
    leads: tuple[Span, ...]
    block: int

    def heading(self, title: str) -> str:
        """The heading it stands under, or else the last part of its source's title."""
        return self.headings[-1] if self.headings else title.rpartition("›")[2].strip()


def read(source: Source, source_index: int = 0, *, within: Span | None = None) -> list[Sentence]:
    """The sentences of one source (or of the stretch ``within``) in order, each knowing its place."""
    start, end = (within.start, within.end) if within else (0, len(source.text))
    reader = _Reader(source.text, source_index, start)
    for span in _rows_whole(source.text, sentences(source.text[start:end]), start):
        for piece in _pieces(source.text, span):
            reader.take(piece)
    return reader.found


def _pieces(text: str, span: Span) -> Iterator[Span]:
    """The span itself; where no mark ends a sentence for pages (a transcript), stretches of whole words."""
    start = span.start
    if span.end - start > _LONGEST and text[start] != "|":
        while span.end - start > _LONGEST:
            stop = start + _PIECE
            space = max(text.rfind(" ", start + _PIECE // 2, stop), text.rfind("\n", start + _PIECE // 2, stop))
            stop = space if space > 0 else stop
            yield Span(start, stop)
            start = stop + (space > 0)
    yield Span(start, span.end)


def _rows_whole(text: str, spans: list[Span], offset: int) -> list[Span]:
    """The spans moved by ``offset``, those on one table row joined."""
    joined: list[Span] = []
    for span in spans:
        start, end = span.start + offset, span.end + offset
        last = joined[-1] if joined else None
        if last is not None and text[last.start] == "|" and "\n" not in text[last.start : start]:
            joined[-1] = Span(last.start, end)
        else:
            joined.append(Span(start, end))
    return joined


class _Reader:
    def __init__(self, text: str, source_index: int, start: int) -> None:
        self.found: list[Sentence] = []
        self._text = text
        self._source_index = source_index
        self._headings: list[tuple[int, str]] = []
        self._intro: Span | None = None  # the last sentence, when it ends in a colon
        self._header: Span | None = None  # of the table we are in
        self._block = 0
        self._end = start
        self._fenced = False

    def take(self, span: Span) -> None:
        words = self._text[span.start : span.end]
        gap = self._text[self._end : span.start]
        apart = "\n\n" in gap.replace("\r", "").replace(" ", "")
        kind = self._kind(words, fresh="\n" in gap or not self.found)
        if kind == "rule" and self._under_line(words, gap):
            self._end = span.end
            return
        if apart:
            self._open_lone_line()
        self._place(kind, words, apart=apart)
        headings = tuple(title for _, title in self._headings)
        leads = tuple(lead for lead in (self._intro, self._header) if lead) if kind in ("item", "row") else ()
        self.found.append(Sentence(self._source_index, span.start, span.end, words, kind, headings, leads, self._block))
        self._remember(kind, span, words)
        self._end = span.end

    def _kind(self, words: str, *, fresh: bool) -> Kind:
        if words.lstrip(" \t").startswith(("```", "~~~")):
            self._fenced = not self._fenced
            return "rule"
        if self._fenced:
            return "code"
        if all(char in "|:+=*_-" or char.isspace() for char in words):
            return "rule"
        if _heading_level(words):
            return "heading"
        if words.startswith("|") or (fresh and _bars(words) >= 2):
            return "row"
        if fresh and is_item(words):
            return "item"
        if not fresh and self.found and self.found[-1].kind == "item":
            return "item"
        return "prose"

    def _under_line(self, words: str, gap: str) -> bool:
        """A rule under a table's first row makes that row its header; ``===`` under one line, a heading."""
        last = self.found[-1] if self.found else None
        if last is None or gap.count("\n") != 1:
            return False
        opens = len(self.found) < 2 or self.found[-2].block != last.block  # another table, under the one before
        if last.kind == "row" and (self._header is None or opens) and "-" in words:
            self._header = Span(last.start, last.end)
            self.found[-1] = replace(last, kind="header", leads=())
            return True
        if last.kind == "prose" and set(words) in ({"="}, {"-"}) and "\n" not in last.text:
            self._make_heading(1 if words[0] == "=" else 2)
            return True
        return False

    def _open_lone_line(self) -> None:
        """A paragraph of one question, or all in bold, heads what follows: ``**Am I covered abroad?**``."""
        last = self.found[-1] if self.found else None
        if last is None or last.kind != "prose" or "\n" in last.text:
            return
        alone = len(self.found) < 2 or self.found[-2].block != last.block
        asks = last.text.rstrip("\"'”’»)*_").endswith(("?", "？"))
        if alone and (asks or is_emphasis(last.text)):
            self._make_heading(_UNDER_HEADINGS)

    def _make_heading(self, level: int) -> None:
        last = self.found[-1]
        self._close(level)
        headings = tuple(title for _, title in self._headings)
        self.found[-1] = replace(last, kind="heading", headings=headings, leads=())
        self._headings.append((level, last.text.strip("*_: ")))
        self._intro = None

    def _place(self, kind: Kind, words: str, *, apart: bool) -> None:
        before = self.found[-1].kind if self.found else None
        if apart or (kind != before and not (kind in _TABLE and before in _TABLE)):
            self._block += 1
        if kind == "heading":
            self._close(_heading_level(words))
        if kind not in _TABLE:
            self._header = None
        if kind in ("prose", "heading", "code") or (kind in _TABLE and before == "item"):
            self._intro = None

    def _remember(self, kind: Kind, span: Span, words: str) -> None:
        if kind == "heading":
            level = _heading_level(words)
            self._headings.append((level, words[level:].strip().rstrip("#").strip()))
        elif kind == "prose" and words.rstrip("*_ ").endswith((":", "：")):
            self._intro = span

    def _close(self, level: int) -> None:
        while self._headings and self._headings[-1][0] >= level:
            self._headings.pop()


def _bars(words: str) -> int:
    """How many bars stand between cells: in brackets they part what a command may be given.

    >>> _bars("a | b | c"), _bars("stash [-q | --quiet] [-p | --patch]")
    (2, 0)
    """
    depth = bars = 0
    for piece in words.split(" | ")[:-1]:
        depth += sum(map(piece.count, "([{")) - sum(map(piece.count, ")]}"))
        bars += depth <= 0
    return bars


def _heading_level(words: str) -> int:
    """How many of ``#`` open a heading of Markdown; 0 where words are none."""
    level = len(words) - len(words.lstrip("#"))
    return level if 1 <= level <= 6 and words[level : level + 1].isspace() else 0
