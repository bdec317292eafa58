"""Sentences, words and their offsets in a text. Nothing else.

Offsets are code points of the text as given; nothing here ever changes a text it points into.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from itertools import chain

import Stemmer

from footnoted.text.boundaries import Cursor, next_end
from footnoted.text.lines import begins_block
from footnoted.text.marks import stripped
from footnoted.types import Span

_WORD = re.compile(
    r"[A-Za-z\u00c0-\u024f\u0370-\u052f\u0590-\u06ff\u0900-\u0dff]+(?:['’][A-Za-z]+)?"
    r"|\d+(?:[.,:]\d+)*"
    r"|[\u0e00-\u0e7f]+|[\u3400-\u9fff\uf900-\ufaff\u3040-\u30ff\uac00-\ud7af]+"
)
_RUN = re.compile(r"\w+")
QUESTION_MARKS = "?？؟;"
_LONG_STRETCH = 60  # code points; longer ones come from scripts without spaces and are not worth remembering
_MOST_STRETCHES = 65_536
UNSPACED = re.compile(r"[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")  # Thai, Japanese, Chinese

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
    cuts = [cut for start, end in _blocks(text) for cut in _cut(text, start, end)]
    stretches = [stripped(text, start, end) for start, end in cuts]
    return [Span(start, end) for start, end in stretches if start < end]


def _blocks(text: str) -> list[tuple[int, int]]:
    blocks: list[tuple[int, int]] = []
    begin: int | None = None
    position = 0
    for line in text.splitlines(keepends=True):
        end = position + len(line)
        opens = begins_block(line)
        if begin is not None and (opens or line.isspace()):
            blocks.append((begin, position))
            begin = None
        if opens == "alone":
            blocks.append((position, end))
        elif begin is None and not line.isspace():
            begin = position
        position = end
    if begin is not None:
        blocks.append((begin, position))
    return blocks


def _cut(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """A block's sentences; a table's row is one."""
    if not text[start:end].lstrip(" \t").startswith("|"):
        cursor = Cursor(start, start)
        while (stop := next_end(text, cursor, end)) is not None:
            yield start, stop
            start = stop
    yield start, end


def asks(text: str) -> bool:
    """Whether a text ends in a question mark, whatever quotation marks and brackets come after it.

    >>> asks("Are you covered?)"), asks("Covered? Yes.")
    (True, False)
    """
    for char in reversed(text):
        if char in QUESTION_MARKS:
            return True
        if char.isalnum() or char == "_":
            return False
    return False


def runs(text: str) -> list[str]:
    """Letters, digits and underscores as they stand together, as written: names, options, figures.

    >>> runs("max_age=60 s")
    ['max_age', '60', 's']
    """
    return _RUN.findall(text)


def words(text: str) -> list[tuple[str, int, int]]:
    """Words with their offsets, as written: ``(word, start, end)``. Numbers keep their separators.

    Scripts without spaces (Chinese, Japanese, Thai) are cut into overlapping pairs of characters.

    >>> words("£1,000 a day")
    [('1,000', 1, 6), ('a', 7, 8), ('day', 9, 12)]
    """
    found: list[tuple[str, int, int]] = []
    for match in _WORD.finditer(text):
        word, start = match.group(), match.start()
        if UNSPACED.match(word) and len(word) > 2:
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
