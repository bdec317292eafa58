"""A source in; its sentences with the place each holds (heading, list, table row, prose) out."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from footnoted.text import sentences

if TYPE_CHECKING:
    from footnoted.types import Source, Span

Kind = Literal["prose", "heading", "item", "row", "header", "rule", "code"]

_HEADING = re.compile(r"(#{1,6})\s+(.*)", re.DOTALL)
_ITEM = re.compile(r"(?:[-*+•‣]|\(?\d{1,3}[.)]|\(?[a-z][.)])\s+")
_RULE = re.compile(r"[\s|:+=*_-]+")
_FENCE = re.compile(r"[ \t]*(?:```|~~~)")


@dataclass(frozen=True, slots=True)
class Sentence:
    """``text == source.text[start:end]``; ``headings`` above it, outermost first; ``lead`` introduces it.

    The lead of a table row is its header row; that of a list item, the sentence ending in a colon before
    the list. ``block`` numbers the paragraphs, lists and tables of the source.
    """

    source_index: int
    start: int
    end: int
    text: str
    kind: Kind
    headings: tuple[str, ...]
    lead: Span | None
    block: int


def read(source: Source, source_index: int = 0) -> list[Sentence]:
    """The sentences of one source in order, each knowing its place."""
    reader = _Reader(source.text, source_index)
    for span in sentences(source.text):
        reader.take(span)
    return reader.found


class _Reader:
    def __init__(self, text: str, source_index: int) -> None:
        self.found: list[Sentence] = []
        self._text = text
        self._source_index = source_index
        self._headings: list[tuple[int, str]] = []
        self._lead: Span | None = None
        self._lead_of: Kind | None = None
        self._block = 0
        self._end = 0
        self._fenced = False

    def take(self, span: Span) -> None:
        words = self._text[span.start : span.end]
        gap = self._text[self._end : span.start]
        apart = "\n\n" in gap.replace("\r", "").replace(" ", "")
        kind = self._kind(words, fresh="\n" in gap or not self.found)
        if kind == "rule" and self._setext(words, gap):
            self._end = span.end
            return
        self._place(kind, words, apart=apart)
        headings = tuple(title for _, title in self._headings)
        lead = self._lead if kind == self._lead_of else None
        self.found.append(
            Sentence(self._source_index, span.start, span.end, words, kind, headings, lead, self._block)
        )
        self._remember(kind, span, words)
        self._end = span.end

    def _kind(self, words: str, *, fresh: bool) -> Kind:
        if _FENCE.match(words):
            self._fenced = not self._fenced
            return "code"
        if self._fenced:
            return "code"
        if _RULE.fullmatch(words):
            return "rule"
        if _HEADING.match(words):
            return "heading"
        if words.startswith("|") or (words.count(" | ") >= 2 and fresh):
            return "row"
        if fresh and _ITEM.match(words):
            return "item"
        if not fresh and self.found and self.found[-1].kind == "item":
            return "item"
        return "prose"

    def _setext(self, words: str, gap: str) -> bool:
        """A line of ``===`` or ``---`` under a single line makes that line a heading."""
        last = self.found[-1] if self.found else None
        if last is None or last.kind != "prose" or gap.count("\n") != 1 or set(words) not in ({"="}, {"-"}):
            return False
        if "\n" in last.text:
            return False
        level = 1 if words[0] == "=" else 2
        self._open(level, last.text)
        headings = tuple(title for _, title in self._headings[:-1])
        self.found[-1] = Sentence(
            last.source_index, last.start, last.end, last.text, "heading", headings, None, last.block
        )
        return True

    def _place(self, kind: Kind, words: str, *, apart: bool) -> None:
        before = self.found[-1].kind if self.found else None
        table = {"header", "row", "rule"}
        if apart or (kind != before and not (kind in table and before in table)):
            self._block += 1
        match = _HEADING.match(words) if kind == "heading" else None
        if match:
            self._close(len(match.group(1)))
        if kind not in ("rule", self._lead_of):
            self._lead = self._lead_of = None

    def _remember(self, kind: Kind, span: Span, words: str) -> None:
        match = _HEADING.match(words) if kind == "heading" else None
        if match:
            self._open(len(match.group(1)), match.group(2).strip().rstrip("#").strip())
        elif kind == "prose" and words.rstrip("*_ ").endswith((":", "：")):
            self._lead, self._lead_of = span, "item"
        elif kind == "row" and self._lead is None:
            self._lead, self._lead_of = span, "row"
            header = self.found[-1]
            self.found[-1] = Sentence(
                header.source_index,
                span.start,
                span.end,
                words,
                "header",
                header.headings,
                None,
                header.block,
            )

    def _open(self, level: int, title: str) -> None:
        self._close(level)
        self._headings.append((level, title))

    def _close(self, level: int) -> None:
        while self._headings and self._headings[-1][0] >= level:
            self._headings.pop()
