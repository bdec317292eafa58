"""Fits sources into a budget of tokens, keeps the best, and says what was left out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from footnoted.text import content_stems, estimate_tokens
from footnoted.types import Source

_FRAME_TOKENS = 12  # the line that opens a source
_WINDOW = 600  # code points a step when looking for the part of a long source to show


@dataclass(frozen=True, slots=True)
class Fitted:
    """Indices into the sources given, in their own order, with the text shown of each."""

    kept: tuple[int, ...]
    texts: tuple[str, ...]
    omitted: tuple[int, ...]
    excerpted: tuple[int, ...]


def fit(question: str, sources: Sequence[Source], *, tokens: int, names: Sequence[str] = ()) -> Fitted:
    """Keep the best-scored sources whose texts fit in ``tokens`` (estimated); the order given breaks ties.

    ``names`` are what the model is told each source is called, which takes tokens too; without them, their titles.

    Empty texts and exact repeats are left out. If the very best does not fit alone, its part nearest
    the question is shown rather than nothing.
    """
    by_worth = sorted(range(len(sources)), key=lambda i: (-(sources[i].score or 0.0), i))
    shown: dict[int, str] = {}
    excerpted: list[int] = []
    seen: set[str] = set()
    left = tokens
    for index in by_worth:
        source = sources[index]
        if not source.text.strip() or source.sha256 in seen:
            continue
        seen.add(source.sha256)
        name = names[index] if names else source.title
        cost = _FRAME_TOKENS + estimate_tokens(name) + estimate_tokens(source.text)
        if cost <= left:
            shown[index] = source.text
            left -= cost
        elif not shown:
            shown[index] = excerpt(question, source.text, tokens=left - _FRAME_TOKENS)
            excerpted.append(index)
            left = 0
    kept = tuple(sorted(shown))
    omitted = tuple(i for i in range(len(sources)) if i not in shown)
    return Fitted(kept, tuple(shown[i] for i in kept), omitted, tuple(excerpted))


def excerpt(question: str, text: str, *, tokens: int) -> str:
    """The stretch of ``text`` of about ``tokens`` tokens in which the question's words stand thickest."""
    wanted = set(content_stems(question))
    starts = range(0, len(text), _WINDOW)
    density = [sum(stem in wanted for stem in content_stems(text[at : at + _WINDOW])) for at in starts]
    best = max(range(len(density)), key=lambda i: (density[i], -i))
    first = last = best
    length = estimate_tokens(text[best * _WINDOW : (best + 1) * _WINDOW])
    while True:
        before = density[first - 1] if first > 0 else -1
        after = density[last + 1] if last + 1 < len(density) else -1
        if before < 0 and after < 0:
            break
        step = last + 1 if after >= before else first - 1
        cost = estimate_tokens(text[step * _WINDOW : (step + 1) * _WINDOW])
        if length + cost > tokens:
            break
        length += cost
        first, last = min(first, step), max(last, step)
    return text[first * _WINDOW : (last + 1) * _WINDOW].strip()
