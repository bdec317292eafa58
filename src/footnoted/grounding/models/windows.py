"""Cuts sources into the stretches a model can read at once, the likeliest for a claim first."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from footnoted.grounding.evidence import Passage
from footnoted.grounding.reading import Words, weight_of
from footnoted.types import Span

_A_TOKEN = 3.5  # code points, in English; where it is less a window is halved until it fits


@dataclass(frozen=True, slots=True)
class Window:
    """Code points ``span`` of ``sources[source]``; ``likely`` is the share (0–1) of the claim's weight in them."""

    source: int
    span: Span
    likely: float


def windows(claim: Words, passages: Sequence[tuple[int, Passage]], tokens: int) -> list[Window]:
    """Windows that cover every source whole, in sentences, neighbours sharing one; likeliest first.

    ``passages`` are sources with their numbers, ``tokens`` what a premise may have, estimated.
    """
    room = max(200, int(tokens * _A_TOKEN))
    total = sum(weight_of(stem) for stem in claim.stems) or 1.0
    found = []
    for number, passage in passages:
        for first, last in _runs(passage.spans, room):
            held = claim.stems & frozenset().union(*passage.stems[first : last + 1])
            span = Span(passage.spans[first].start, passage.spans[last].end)
            found.append(Window(number, span, sum(weight_of(stem) for stem in held) / total))
    return sorted(found, key=lambda window: (-window.likely, window.source, window.span.start))


def fitting(text: str, span: Span, fits: Callable[[str], bool]) -> Iterator[Span]:
    """The span if it fits, else its halves, cut at a space where there is one near the middle, and so on."""
    if span.end - span.start < 2 or fits(text[span.start : span.end]):
        yield span  # a single letter that does not fit is for the reader to refuse
        return
    middle = (span.start + span.end) // 2
    space = text.rfind(" ", span.start + 1, middle)
    cut = space if space > span.start + (middle - span.start) // 2 else middle
    yield from fitting(text, Span(span.start, cut), fits)
    yield from fitting(text, Span(cut, span.end), fits)


def _runs(spans: Sequence[Span], room: int) -> Iterator[tuple[int, int]]:
    """First and last sentence of each window of at most ``room`` code points; a longer sentence stands alone."""
    first = 0
    while first < len(spans):
        last = first
        while last + 1 < len(spans) and spans[last + 1].end - spans[first].start <= room:
            last += 1
        yield first, last
        if last + 1 >= len(spans):
            return
        first = last if last > first else last + 1
