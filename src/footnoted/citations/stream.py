"""Numbers a model's citations by first use and points each at the exact words it rests on."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from weakref import WeakValueDictionary

from footnoted.citations.groups import Marker
from footnoted.citations.markers import MarkerDecoder
from footnoted.citations.spans import Located, SourceSpans, overlap
from footnoted.citations.styles import Entry, has_list, render_list, render_marker, separator
from footnoted.citations.trail import Trail, Words
from footnoted.contract import CitationStyle
from footnoted.events import CitationFound, TextDelta
from footnoted.inert import readable
from footnoted.types import Citation, Pointer, Source

Found = TextDelta | CitationFound
_Placed = tuple[int, int, int, Pointer | None]  # a marker: its source, start, end, the provider's span

# Answers from the same sources share one index, for as long as any of them lives. Of passages the newest stay
# longer: the next question of a conversation, or of somebody else, often rests on them too.
_INDEXED: WeakValueDictionary[str, SourceSpans] = WeakValueDictionary()
_NEWEST: deque[SourceSpans] = deque(maxlen=128)
_PASSAGE = 8_000  # code points; an index takes about eight bytes each


def as_is(text: str) -> str:
    """The text itself."""
    return text


class CitationStream:
    """Turns a model's stream into what a reader sees and what each marker points at.

    Numbers are given 1…n at first use and never move. ``encode`` is applied to every piece of text given out
    (it must encode piece by piece what it encodes whole); all offsets count encoded code points. With
    ``show=False`` no marker is written, and a citation's ``start == end``.

    >>> stream = CitationStream([Source("a", "It rains."), Source("b", "It snows.")], style=CitationStyle.NUMBERED)
    >>> "".join(e.text for e in stream.decode("Snow [2].") + stream.flush() if isinstance(e, TextDelta))
    'Snow [1].'
    """

    def __init__(
        self,
        sources: Sequence[Source],
        *,
        style: CitationStyle,
        show: bool = True,
        encode: Callable[[str], str] = as_is,
        offset: int = 0,
        markdown: bool = True,
    ) -> None:
        self.length = offset  # code points given out so far, those before the answer among them
        self.citations: list[Citation] = []
        self.order: list[int] = []  # indices into the sources, by first use
        self._sources = sources
        self._style = style
        self._show = show
        self._encode = encode
        self._verbatim = encode in (as_is, readable)  # what can be printed is given out as it is
        self._markdown = markdown
        self._decoder = MarkerDecoder(len(sources), show=show)
        self._trail = Trail()
        self._numbers: dict[int, int] = {}
        self._spans: dict[int, SourceSpans] = {}
        self._waiting: list[_Placed] = []
        self._group_end = -1  # where the last marker ended
        self._group: set[int] = set()  # sources shown in the group that ends there
        self._out: list[Found] = []

    def decode(self, text: str, pointers: tuple[Pointer, ...] = ()) -> list[Found]:
        """What is certain now that ``text``, and ``pointers`` right after it, have arrived."""
        found = self._decoder.decode(text)
        if self._verbatim and not pointers and len(found) == 1 and not self._trail.waiting:
            (piece,) = found
            if isinstance(piece, str) and piece.isprintable():  # prose and nothing else: nearly every piece
                self._trail.write(piece)
                start = self.length
                self.length += len(piece)
                return [TextDelta(piece, start)]
        self._pass(found)
        if pointers:
            self._point(pointers)
        return self._take_out()

    def write(self, item: str | Marker | Pointer, *, before: str = "") -> list[Found]:
        """The same for what is decoded already: text, a marker, or a pointer after the white space ``before``."""
        if isinstance(item, Pointer):
            self._cite([(item.source, item)], before)
        else:
            self._pass([item])
        return self._take_out()

    def flush(self, *, listing: bool = True) -> list[Found]:
        """What was held back, and for styles with a list below (unless not ``listing``) the list."""
        self._pass(self._decoder.flush())
        self._settle_waiting(end=True)
        return [*self._take_out(), *(self.listing() if listing else ())]

    def listing(self) -> list[Found]:
        """The list below the answer, where the style has one and anything was cited."""
        if self._show and self.citations and has_list(self._style):
            self._write("\n\n" + render_list(self._style, self._entries(), markdown=self._markdown), visible=False)
        return self._take_out()

    # -- text ---------------------------------------------------------------------------------------

    def _pass(self, found: list[str | Marker]) -> None:
        for item in found:
            if isinstance(item, str):
                self._write(item)
                self._settle_waiting()
            else:
                self._cite([(number - 1, None) for number in item.numbers], item.before)

    def _write(self, text: str, *, visible: bool = True) -> None:
        if visible:
            self._trail.write(text)
        if not (encoded := self._encode(text)):
            return
        if self._out and isinstance(last := self._out[-1], TextDelta):
            self._out[-1] = TextDelta(last.text + encoded, last.start)
        else:
            self._out.append(TextDelta(encoded, self.length))
        self.length += len(encoded)

    def _take_out(self) -> list[Found]:
        out, self._out = self._out, []
        return out

    # -- markers ------------------------------------------------------------------------------------

    def _point(self, pointers: tuple[Pointer, ...]) -> None:
        """A provider's own citations: the marker goes before the white space that ends the text."""
        settled = self._decoder.settle()
        space = ""
        if settled and isinstance(settled[-1], str):
            bare = settled[-1].rstrip(" ")
            space = settled[-1][len(bare) :]
            settled[-1] = bare
        self._pass(settled)
        usable: list[tuple[int, Pointer | None]]
        usable = [(pointer.source, pointer) for pointer in pointers if 0 <= pointer.source < len(self._sources)]
        if usable:
            self._cite(usable, " " if self._trail.ends_in_text else "")
        if space:
            self._write(space)

    def _cite(self, targets: list[tuple[int, Pointer | None]], before: str) -> None:
        """Write the markers of one group and find what each points at."""
        self._settle_waiting(marker_next=True)
        words = self._trail.mark(apart=before != "" and targets[0][1] is None)
        if self.length != self._group_end:
            self._group = set()
        elif self._show:
            before = separator(self._style)
        if self._show and self._style is CitationStyle.FOOTNOTE and self._group == set():
            before = ""
        placed: list[_Placed] = []
        shown: dict[int, tuple[int, int]] = {}
        for source, pointer in targets:
            if source in shown and pointer is not None:
                placed.append((source, *shown[source], pointer))
                continue
            if source in self._group:
                continue
            shown[source] = self._write_marker(source, before)
            placed.append((source, *shown[source], pointer))
            before = separator(self._style)
            self._group.add(source)
        self._group_end = self.length
        if words is None:
            self._waiting += placed
        else:
            self._tell(placed, words)

    def _write_marker(self, source: int, before: str) -> tuple[int, int]:
        if source not in self._numbers:
            self.order.append(source)
            self._numbers[source] = len(self.order)
        if not self._show:
            return self.length, self.length
        self._write(before, visible=False)
        start = self.length
        self._write(render_marker(self._style, self._numbers[source]), visible=False)
        return start, self.length

    def _settle_waiting(self, *, marker_next: bool = False, end: bool = False) -> None:
        """Tell the markers that wait for the words after them, once those are there."""
        if self._trail.waiting:
            words = self._trail.words_after(marker_next=marker_next, end=end)
            if words is not None:
                placed, self._waiting = self._waiting, []
                self._tell(placed, words)

    def _tell(self, placed: list[_Placed], words: Words) -> None:
        for index, start, end, pointer in placed:
            source = self._sources[index]
            found = self._locate(index, pointer, words)
            citation = Citation(
                number=self._numbers[index],
                source=index,
                source_id=source.id,
                source_sha256=source.sha256,
                start=start,
                end=end,
                source_start=found.start,
                source_end=found.end,
                quote=found.quote,
                support=found.support,
            )
            self.citations.append(citation)
            self._out.append(CitationFound(citation))

    def _locate(self, index: int, pointer: Pointer | None, words: Words) -> Located:
        text = self._sources[index].text
        if pointer is not None and 0 <= pointer.start < pointer.end <= len(text):
            quote = text[pointer.start : pointer.end]
            return Located(pointer.start, pointer.end, quote, overlap(words.claim, quote))
        return self.spans(index).locate(words.claim, setting=words.setting)

    def spans(self, index: int) -> SourceSpans:
        """The words of one source, indexed."""
        if index not in self._spans:
            self._spans[index] = _indexed(self._sources[index])
        return self._spans[index]

    def _entries(self) -> list[Entry]:
        best: dict[int, Citation] = {}
        for citation in self.citations:
            if citation.source not in best or citation.support > best[citation.source].support:
                best[citation.source] = citation
        return [
            Entry(number := self._numbers[index], self._sources[index].title or f"Source {number}", best[index].quote)
            for index in self.order
            if index in best
        ]


def _indexed(source: Source) -> SourceSpans:
    spans = _INDEXED.get(source.sha256)
    if spans is None or spans.text != source.text:
        spans = _INDEXED[source.sha256] = SourceSpans(source.text)
        if len(source.text) <= _PASSAGE:
            _NEWEST.append(spans)
    return spans
