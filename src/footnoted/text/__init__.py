"""Sentences, words and their offsets in a text. Nothing else.

Offsets are code points of the text as given; nothing here ever changes a text it points into.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from itertools import chain

import Stemmer

from footnoted.text.boundaries import Cursor, next_end
from footnoted.types import Span

# A line that is a block of its own: heading, list item, table row, quote, rule, code fence.
_BLOCK_LINE = re.compile(r"[ \t]*(?:#{1,6}\s|[-*+•‣]\s|\(?\d{1,3}[.)]\s|\(?[a-z][.)]\s|\||>|```|~~~|={3,}|-{3,})")
_ALONE_LINE = re.compile(r"[ \t]*(?:#{1,6}\s|\||```|~~~|={3,}|-{3,})")

_ROW = re.compile(r"[ \t]*\|")

_WORD = re.compile(
    r"[A-Za-z\u00c0-\u024f\u0370-\u052f\u0590-\u06ff\u0900-\u0dff]+(?:['’][A-Za-z]+)?"
    r"|\d+(?:[.,:]\d+)*"
    r"|[\u0e00-\u0e7f]+|[\u3400-\u9fff\uf900-\ufaff\u3040-\u30ff\uac00-\ud7af]+"
)
_LONG_STRETCH = 60  # code points; longer ones come from scripts without spaces and are not worth remembering
_MOST_STRETCHES = 65_536
_UNSPACED = re.compile(r"[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")

STOPWORDS = frozenset(
    """a about above after again against all also am an and any are as at be because been before being below
    between both but by can could did do does doing down during each few for from further had has have having
    he her here hers him his how i if in into is it its itself just me more most my no nor not now of off on
    once only or other our out over own per same she should so some such than that the their them then there
    these they this those through to too under until up upon us very was we were what when where which while
    who whom whose why will with would you your yours""".split()
)


def sentences(text: str) -> list[Span]:
    """The sentences of a text, in order, without the white space between them.

    Headings, list items and table rows stand alone; a line wrapped inside a paragraph does not end one.

    >>> [text_[s.start:s.end] for text_ in ["It costs £1.50. Dr. Lee pays."] for s in sentences(text_)]
    ['It costs £1.50.', 'Dr. Lee pays.']
    """
    spans: list[Span] = []
    for start, end in _blocks(text):
        spans.extend(_split_block(text, start, end))
    return spans


def _blocks(text: str) -> list[tuple[int, int]]:
    blocks: list[tuple[int, int]] = []
    begin: int | None = None
    position = 0
    for line in text.splitlines(keepends=True):
        end = position + len(line)
        if not line.strip():
            if begin is not None:
                blocks.append((begin, position))
                begin = None
        elif _BLOCK_LINE.match(line):
            if begin is not None:
                blocks.append((begin, position))
            begin = position
            if _ALONE_LINE.match(line):
                blocks.append((begin, end))
                begin = None
        elif begin is None:
            begin = position
        position = end
    if begin is not None:
        blocks.append((begin, position))
    return blocks


def _split_block(text: str, start: int, end: int) -> list[Span]:
    spans: list[Span] = []
    if _ROW.match(text, start, end):
        _append(spans, text, start, end)
        return spans
    cursor, begin = Cursor(start, start), start
    while (stop := next_end(text, cursor, end)) is not None:
        _append(spans, text, begin, stop)
        begin = stop
    _append(spans, text, begin, end)
    return spans


def _append(spans: list[Span], text: str, start: int, end: int) -> None:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    if end > start:
        spans.append(Span(start, end))


def words(text: str) -> list[tuple[str, int, int]]:
    """Words with their offsets, as written: ``(word, start, end)``. Numbers keep their separators.

    Scripts without spaces (Chinese, Japanese, Thai) are cut into overlapping pairs of characters.

    >>> words("£1,000 a day")
    [('1,000', 1, 6), ('a', 7, 8), ('day', 9, 12)]
    """
    found: list[tuple[str, int, int]] = []
    for match in _WORD.finditer(text):
        word, start = match.group(), match.start()
        if _UNSPACED.match(word) and len(word) > 2:
            found.extend((word[i : i + 2], start + i, start + i + 2) for i in range(len(word) - 1))
        else:
            found.append((word, start, match.end()))
    return found


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """The folded stem of one word: case, accents and English endings gone (Porter 2, Snowball).

    >>> stem("Policies"), stem("1,000")
    ('polici', '1000')
    """
    folded = fold(word)
    if folded[:1].isdigit():
        return folded.replace(",", "")
    if folded.endswith(("'s", "’s")):
        folded = folded[:-2]
    stemmed: str = _STEMMER.stemWord(folded)
    return stemmed


_STEMMER = Stemmer.Stemmer("english", 0)


def fold(text: str) -> str:
    """Case and accents removed, for comparing; lengths may change, so never for offsets."""
    if text.isascii():
        return text.casefold()
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    # Two Thai vowel signs cut out of a word are nothing but marks: they stand for themselves.
    return "".join(char for char in decomposed if not unicodedata.combining(char)) or decomposed


def content_stems(text: str) -> list[str]:
    """Stems of the words that carry meaning, in order, repeats kept.

    >>> content_stems("What is the windscreen excess?")
    ['windscreen', 'excess']
    """
    # No word spans white space, so stretches between it are read once and remembered: texts repeat themselves.
    return list(chain.from_iterable(map(_STEMS.__getitem__, text.split())))


class _Stems(dict[str, tuple[str, ...]]):
    """The content stems of a stretch without white space; the short ones that were asked for last are kept."""

    def __missing__(self, stretch: str) -> tuple[str, ...]:
        stems = tuple(stem(word) for word, _, _ in words(stretch) if word.casefold() not in STOPWORDS)
        if len(stretch) <= _LONG_STRETCH:
            if len(self) >= _MOST_STRETCHES:
                self.clear()
            self[stretch] = stems
        return stems


_STEMS = _Stems()


def estimate_tokens(text: str) -> int:
    """Roughly how many tokens a model reads in this text: 4 ASCII characters each, 1.2 others each.

    An estimate for budgets, on the high side for English; no vocabulary is downloaded.
    """
    total = len(text)
    plain = len(text.encode("ascii", "ignore"))
    return (plain + 3) // 4 + round((total - plain) / 1.2)
