"""Tells a sentence's language where that is sure. What the check was not measured on, it does not weigh.

py3langid decides (langid.py: Lui and Baldwin 2012; 140 languages): a sentence is in another language than English where
English is next to impossible, so that Spanish need not be told from Asturian.
"""

from __future__ import annotations

import re
import threading
import unicodedata
from functools import lru_cache
from typing import Any

_IMPOSSIBLE = 0.01  # probability of English under which it is another language
_LEAST = 12  # letters; less is a name or a number in any language
_ENGLISH = frozenset("the and that with which this from are".split())
_ENOUGH = 2  # different ones of these words: English is told without a look at the model; one alone is another's too
_MOST = 4_000  # code points that are looked at
_CODE = re.compile(r"`[^`]*`|https?://\S+|\S*[_@/\\]\S*")
_opening = threading.Lock()


@lru_cache(maxsize=8192)
def language(text: str) -> str:
    """The language's code (ISO 639-1), ``other`` for a script that is not Latin and cannot be told, "" where unsure.

    >>> language("The excess is £75 each."), language("Die Selbstbeteiligung beträgt 75 Euro."), language("OK.")
    ('en', 'de', '')
    """
    plain = _CODE.sub(" ", text[:_MOST])
    letters = [char for char in plain if char.isalnum() and not char.isdecimal()]
    if letters and sum(map(_is_latin, letters)) < len(letters) / 2:
        return _told(plain) or "other"
    if len(letters) < _LEAST:
        return ""
    if plain.isascii() and len(_ENGLISH.intersection(plain.lower().split())) >= _ENOUGH:
        return "en"
    return _told(plain)


def _is_latin(letter: str) -> bool:
    return letter.isascii() or "LATIN" in unicodedata.name(letter, "")


def _told(text: str) -> str:
    try:
        ranked = _identifier().rank(text)
    except OSError:  # its file is unpacked into a temporary one, for which a full disk has no room
        return ""
    english = next((float(share) for code, share in ranked if code == "en"), 0.0)
    best = str(ranked[0][0])
    return best if best == "en" or english < _IMPOSSIBLE else ""


@lru_cache(maxsize=1)
def _identifier() -> Any:
    with _opening:
        from footnoted.native import numpy

        assert numpy  # noqa: S101 - what py3langid is made of is opened in one place, before it
        from py3langid.langid import MODEL_FILE, LanguageIdentifier

        return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
