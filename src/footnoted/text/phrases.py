"""Finds words and phrases in a text: whole, in any case, and written as words wherever a list of them is kept."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache


@lru_cache(maxsize=4096)
def whole(*phrases: str) -> re.Pattern[str]:
    """What finds any of the phrases: as whole words, spaces and hyphens alike; ``*`` at either end is any letters.

    A phrase of a script without capitals is found wherever its characters stand: words there are written together.

    >>> whole("provided that", "exclu*").findall("Excluded, provided-that, that")
    ['Excluded', 'provided-that']
    """
    spaced = "|".join(_written(phrase) for phrase in phrases if _has_words(phrase))
    joined = [_written(phrase) for phrase in phrases if phrase.strip() and not _has_words(phrase)]
    ways = [rf"(?<!\w)(?:{spaced})(?!\w)", *joined] if spaced else joined
    return re.compile("|".join(ways) or r"(?!)", re.IGNORECASE)


def places(words: str, text: str) -> Iterator[int]:
    """Every place of a text where the words stand as they are written, be it inside of longer ones.

    >>> list(places("aa", "aaa a"))
    [0, 1]
    """
    at = text.find(words) if words else -1
    while at >= 0:
        yield at
        at = text.find(words, at + 1)


def _has_words(phrase: str) -> bool:
    return any(char.isdecimal() or char.lower() != char.upper() for char in phrase)


def _written(phrase: str) -> str:
    bare = phrase.removeprefix("*").removesuffix("*")
    if "*" in bare:  # "d***": letters left out, as written
        bare = phrase
    words = bare.replace("-", " ").split() or bare.split()
    written = r"[\s-]+".join(re.escape(word).replace("'", "['’]").replace(",", ",?") for word in words)
    if bare != phrase:
        written = (r"\w*" if phrase.startswith("*") else "") + written + (r"\w*" if phrase.endswith("*") else "")
    return written
