"""Makes the terms a text is found by: the same folding for what is indexed and what is asked."""

from __future__ import annotations

from itertools import groupby

from footnoted.text import STOPWORDS, stem, words
from footnoted.text.scripts import is_han

_LONGEST = 64  # characters of a term; longer ones are hashes and addresses nobody types
_SHORTEST = 3  # characters of a run whose words are not all pairs


def index_terms(text: str) -> list[str]:
    """Every word's folded stem, in order; Chinese and Japanese runs also by single character.

    >>> index_terms("The excess: £1,000")
    ['the', 'excess', '1000']
    """
    terms = [term for word, _, _ in words(text) for term in _stems(word)]
    for han, characters in groupby(text, is_han) if not text.isascii() else ():
        run = list(characters) if han else []
        terms.extend(run if len(run) >= _SHORTEST else ())
    return terms


def query_terms(question: str) -> list[str]:
    """The terms a question is searched by, each once: its content words, or all when it has no other.

    >>> query_terms("What is the windscreen excess?")
    ['windscreen', 'excess']
    """
    asked = [word for word, _, _ in words(question)]
    telling = [word for word in asked if word.casefold().replace("’", "'") not in STOPWORDS]
    return list(dict.fromkeys(term for word in telling or asked for term in _stems(word)))


def _stems(word: str) -> list[str]:
    # A few letters fold into a space and a mark, hence the split: terms never hold white space.
    return [part[:_LONGEST] for part in stem(word).split()]
