"""Finds the stretches of large sources that are worth reading closely for a question."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from footnoted.text import words

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from footnoted.retrieval.relevance.question import Question
    from footnoted.types import Source

READ_WHOLE = 250_000  # code points in all; up to here every sentence is read
_WINDOW = 1_200
_KEEP = 160  # windows, so about 200,000 code points at most
_PREFIX = 6  # letters by which a word is looked for: "cancellation" finds "cancelled"
_SEAMS = ("\n\n", "\n", ". ", "。")  # where a stretch is best begun and ended, the best first
_COMMON = 60_000  # a word met this often tells nothing and is not counted further


@dataclass(frozen=True, slots=True)
class Part:
    """``sources[source_index].text[start:end]``, and the heading above it if it begins below one."""

    source_index: int
    start: int
    end: int
    headings: tuple[str, ...] = ()


def narrow(question: Question, sources: Sequence[Source]) -> list[Part]:
    """Every source whole while they are small together; else the windows that hold most of the question.

    Work beyond `READ_WHOLE` is a plain search for the question's words, so 10 MB take about a second.
    """
    if sum(len(source.text) for source in sources) <= READ_WHOLE:
        return [Part(index, 0, len(source.text)) for index, source in enumerate(sources)]
    held = [_held(question, source.text) for source in sources]
    count = sum(len(source.text) // _WINDOW + 1 for source in sources)
    spread = Counter(key for windows in held for found in windows.values() for key in found)
    weights = {key: math.log(1 + count / met) for key, met in spread.items()}
    scored = [
        (sum(weights[key] for key in found) + 0.3 * _beside(windows, number, weights), -index, -number)
        for index, windows in enumerate(held)
        for number, found in windows.items()
    ]
    scored.sort(reverse=True)
    kept = sorted((-index, -number) for _, index, number in scored[:_KEEP])
    return _parts(kept, sources)


def _held(question: Question, text: str) -> dict[int, set[str]]:
    """For each window that holds any of the question's words, which."""
    low = text.lower()
    if len(low) != len(text):  # a few letters change length; then case counts
        low = text
    windows: dict[int, set[str]] = {}
    for key in dict.fromkeys(word.lower()[:_PREFIX] for word, _, _ in words(question.text)):
        if not any(stem[: len(key)] == key or key[:4] == stem[:4] for stem in question.weights):
            continue
        met = 0
        at = low.find(key)
        while at >= 0 and met < _COMMON:
            window = at // _WINDOW
            windows.setdefault(window, set()).add(key)
            met += 1
            at = low.find(key, at + len(key))
    return windows


def _beside(windows: Mapping[int, set[str]], number: int, weights: Mapping[str, float]) -> float:
    near = windows.get(number - 1, set()) | windows.get(number + 1, set())
    return sum(weights[key] for key in near - windows[number])


def _parts(kept: Sequence[tuple[int, int]], sources: Sequence[Source]) -> list[Part]:
    """Windows joined where they touch, widened to whole paragraphs or lines."""
    parts: list[Part] = []
    for index, number in kept:
        text = sources[index].text
        start, end = _widened(text, number * _WINDOW, min(len(text), (number + 1) * _WINDOW))
        last = parts[-1] if parts else None
        if last is not None and last.source_index == index and start <= last.end:
            parts[-1] = Part(index, last.start, max(end, last.end), last.headings)
        else:
            parts.append(Part(index, start, end, _heading(text, start)))
    return parts


def _widened(text: str, start: int, end: int) -> tuple[int, int]:
    near = _WINDOW // 2
    starts = [at + len(mark) for mark in _SEAMS if (at := text.rfind(mark, max(0, start - near), start)) >= 0]
    ends = [at + len(mark) for mark in _SEAMS if (at := text.find(mark, end, end + near)) >= 0]
    return starts[0] if starts else start, ends[0] if ends else end


def _heading(text: str, start: int) -> tuple[str, ...]:
    at = text.rfind("\n#", max(0, start - 20_000), start)
    if at < 0:
        return ()
    line = text[at + 1 : text.find("\n", at + 1)]
    return (line.lstrip("#").strip(),)
