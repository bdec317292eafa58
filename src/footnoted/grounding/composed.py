"""Sentences that only put together what stands in a source: a list's items after what introduces them, a row's cells.

The hard thing is what a part leaves out. All items of a list may always be told; some of them only where the words that
introduce the list hold for each alone: not "only if:", not "all of these:".
"""

from __future__ import annotations

from collections.abc import Iterator

from footnoted.grounding.evidence import Passage
from footnoted.grounding.exact import quotable
from footnoted.text import runs
from footnoted.text.lines import behind_mark, is_item
from footnoted.types import Span

# What a list's introduction says of its items together, and not of each alone; and among its last words.
_TOGETHER = frozenset("only just all both each every either neither none except".split())
_LAST = frozenset("if unless when while until where provided".split())
_LAST_WORDS = 6
_CLOSING = " .,;:：；"
_MARKS = str.maketrans("", "", "*_`#")
_CUT = 40  # words from which on a passage may hold a sentence in pieces
_LEAST = 6  # words of a sentence that is told without the example or picture it introduces


def composed(text: str, passage: Passage) -> tuple[Span, ...]:
    """Where the parts stand of which a sentence of an answer is put together; empty where it is not."""
    said = quotable(text)
    told = _row(said, passage) or _introduction(said, passage) or _list(said, passage)
    return told or _headed(said, passage) or _long(said, passage)


def _long(said: str, passage: Passage) -> tuple[Span, ...]:
    """A long sentence, which a passage holds in pieces."""
    if len(said.split()) < _CUT:
        return ()
    for index, span in enumerate(passage.spans):
        if passage.leads[index] is not None or not said.startswith(quotable(passage.words(index)) or " "):
            continue
        for last in passage.spans[index + 1 :]:
            whole = quotable(passage.source.text[span.start : last.end])
            if whole == said:
                return (Span(span.start, last.end),)
            if len(whole) > len(said):
                break
    return ()


def _row(said: str, passage: Passage) -> tuple[Span, ...]:
    for index, row in passage.rows.items() if ":" in said else ():
        if row.key.translate(_MARKS).casefold() not in said:
            continue
        whole = [(row.headers[0] if row.headers else "", row.key), *row.columns]
        named = "; ".join(f"{head}: {cell}" if head else cell for head, cell in whole if cell)
        if said in (quotable(named), quotable(row.told())):
            return (passage.spans[index],)
    return ()


def _introduction(said: str, passage: Passage) -> tuple[Span, ...]:
    """A sentence that ends in a colon, and what it introduces is code or a picture, no list."""
    if len(said.split()) < _LEAST:
        return ()
    for index, span in enumerate(passage.spans):
        words = passage.words(index).rstrip(" *_")
        if words.endswith((":", "：")) and passage.leads[index] is None and quotable(words).rstrip(_CLOSING) == said:
            return () if any(lead == index for lead in passage.leads) else (span,)
    return ()


def _list(said: str, passage: Passage) -> tuple[Span, ...]:
    for lead in dict.fromkeys(lead for lead in passage.leads if lead is not None) if ":" in said else ():
        opening = quotable(passage.words(lead)).rstrip(_CLOSING)
        if not opening or not said.startswith(opening) or said[len(opening) :].lstrip()[:1] not in (":", "："):
            continue
        rest = said[len(opening) :].lstrip(" :：").rstrip(_CLOSING)
        items = list(_items(lead, passage))
        parts = []
        for item in items:
            for span in item:  # the whole item, or one of its sentences
                begin = behind_mark(passage.source.text, span.start, span.end)
                words = quotable(passage.source.text[begin : span.end]).strip(_CLOSING)
                if words and (rest == words or rest.startswith(f"{words};")):
                    parts.append(span)
                    rest = rest[len(words) :].lstrip(_CLOSING)
                    break
        if parts and not rest and (len(parts) == len(items) or not _is_together(opening)):
            return (passage.spans[lead], *parts)
    return ()


def _is_together(opening: str) -> bool:
    said = runs(opening.casefold())
    return not (_TOGETHER.isdisjoint(said) and _LAST.isdisjoint(said[-_LAST_WORDS:]))


def _headed(said: str, passage: Passage) -> tuple[Span, ...]:
    """A list's item after the heading over it, where no sentence introduces the list: "What is not covered: …"."""
    opening, _, rest = said.partition(":")
    if not opening or not rest or _is_together(opening):
        return ()
    over, fits = "", _is_headed(passage.source.title.rpartition("›")[2], opening)
    for index, span in enumerate(passage.spans):
        words, lead = passage.words(index), passage.leads[index]
        if words.startswith("#"):
            over, fits = words, _is_headed(words, opening)
        introduced = lead is not None and passage.words(lead) != over
        if fits and not introduced and is_item(words) and quotable(words).strip(_CLOSING) == rest.strip(_CLOSING):
            return (span,)
    return ()


def _is_headed(heading: str, opening: str) -> bool:
    """Whether an opening is the heading's words, all but its number."""
    whole = quotable(heading)
    return whole.endswith(opening) and not any(map(str.isalpha, whole[: -len(opening)]))


def _items(lead: int, passage: Passage) -> Iterator[tuple[Span, ...]]:
    """A list's items, each as a whole and then sentence by sentence."""
    item: list[Span] = []
    for index, span in enumerate(passage.spans):
        if passage.leads[index] != lead or index in passage.rows:
            continue
        if item and is_item(passage.source.text, span.start):
            yield Span(item[0].start, item[-1].end), *item
            item = []
        item.append(span)
    if item:
        yield Span(item[0].start, item[-1].end), *item
