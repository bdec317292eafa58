"""Sentences that only put together what stands in a source: a list's items after what introduces them, a row's cells.

The hard thing is what a part leaves out. All items of a list may always be told; some of them only where the words that
introduce the list hold for each alone: not "only if:", not "all of these:".
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from footnoted.grounding.evidence import ITEM, Passage
from footnoted.grounding.exact import quotable
from footnoted.types import Span

_TOGETHER = re.compile(  # what a list's introduction says of its items together, and not of each alone
    r"\b(?:only|just|all|both|each|every|either|neither|none|except)\b"
    r"|\b(?:if|unless|when|while|until|where|provided)\b(?:\W+\w+){0,5}\W*\Z",
    re.IGNORECASE,
)
_CLOSING = " .,;:：；"
_MARKS = str.maketrans("", "", "*_`#")
_CUT = 40  # words from which on a passage may hold a sentence in pieces
_LEAST = 6  # words of a sentence that is told without the example or picture it introduces


def composed(text: str, one: Passage) -> tuple[Span, ...]:
    """Where the parts stand of which a sentence of an answer is put together; empty where it is not."""
    said = quotable(text)
    return _row(said, one) or _introduction(said, one) or _list(said, one) or _long(said, one)


def _long(said: str, one: Passage) -> tuple[Span, ...]:
    """A long sentence, which a passage holds in pieces."""
    if len(said.split()) < _CUT:
        return ()
    for index, span in enumerate(one.spans):
        if one.leads[index] is not None or not said.startswith(quotable(one.words(index)) or " "):
            continue
        for last in one.spans[index + 1 :]:
            whole = quotable(one.source.text[span.start : last.end])
            if whole == said:
                return (Span(span.start, last.end),)
            if len(whole) > len(said):
                break
    return ()


def _row(said: str, one: Passage) -> tuple[Span, ...]:
    for index, row in one.rows.items() if ":" in said else ():
        if row.key.translate(_MARKS).casefold() not in said:
            continue
        whole = [(row.headers[0] if row.headers else "", row.key), *row.columns]
        named = "; ".join(f"{head}: {cell}" if head else cell for head, cell in whole if cell)
        if said in (quotable(named), quotable(row.told())):
            return (one.spans[index],)
    return ()


def _introduction(said: str, one: Passage) -> tuple[Span, ...]:
    """A sentence that ends in a colon, and what it introduces is code or a picture, no list."""
    if len(said.split()) < _LEAST:
        return ()
    for index, span in enumerate(one.spans):
        words = one.words(index).rstrip(" *_")
        if words.endswith((":", "：")) and one.leads[index] is None and quotable(words).rstrip(_CLOSING) == said:
            return () if any(lead == index for lead in one.leads) else (span,)
    return ()


def _list(said: str, one: Passage) -> tuple[Span, ...]:
    for lead in dict.fromkeys(lead for lead in one.leads if lead is not None) if ":" in said else ():
        opening = quotable(one.words(lead)).rstrip(_CLOSING)
        if not opening or not said.startswith(opening) or said[len(opening) :].lstrip()[:1] not in (":", "："):
            continue
        rest = said[len(opening) :].lstrip(" :：").rstrip(_CLOSING)
        items = list(_items(lead, one))
        told = []
        for item in items:
            for span in item:  # the whole item, or one of its sentences
                mark = ITEM.match(one.source.text, span.start, span.end)
                words = quotable(one.source.text[mark.end() if mark else span.start : span.end]).strip(_CLOSING)
                if words and (rest == words or rest.startswith(f"{words};")):
                    told.append(span)
                    rest = rest[len(words) :].lstrip(_CLOSING)
                    break
        if told and not rest and (len(told) == len(items) or not _TOGETHER.search(opening)):
            return (one.spans[lead], *told)
    return ()


def _items(lead: int, one: Passage) -> Iterator[tuple[Span, ...]]:
    """A list's items, each as a whole and then sentence by sentence."""
    each: list[Span] = []
    for index, span in enumerate(one.spans):
        if one.leads[index] != lead or index in one.rows:
            continue
        if each and ITEM.match(one.source.text, span.start):
            yield Span(each[0].start, each[-1].end), *each
            each = []
        each.append(span)
    if each:
        yield Span(each[0].start, each[-1].end), *each
