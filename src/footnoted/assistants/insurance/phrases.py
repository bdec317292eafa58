"""The sentences the assistant says of its own in each language, and the phrases that sound unsure in it.

The words stand in ``phrases.toml``; here are their names, and how a message's language is told.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, Literal

from footnoted.text import runs

Language = Literal["en", "ms", "zh", "ta"]
LANGUAGES: tuple[Language, ...] = ("en", "ms", "zh", "ta")
NAMES = {"en": "English", "ms": "Malay (Bahasa Melayu)", "zh": "Chinese", "ta": "Tamil"}

_READ = 4_000  # code points by which a language is told
_MALAY = frozenset(
    """adakah apa apakah bagaimana berapa berapakah bila bilakah boleh bolehkah dalam dan dengan di dilindungi hilang
    ini itu jika kah kalau kepada kereta kerosakan ke kerana ketika kenapa mana mengapa mesti nak pada perlu polisi
    rumah saya sebab sila siapa tak telah tentang terhadap tetapi tidak tuntut tuntutan untuk wang yang perlindungan
    insurans cermin kecurian pecah luar negara hari bayar membuat""".split()
)


@dataclass(frozen=True, slots=True)
class Phrases:
    """What the assistant says in one language when no policy speaks; ``kinds``: what each kind of clause does."""

    ask: str
    not_enough: str
    next_steps: str
    apology: str
    not_ours: str
    unclear: str
    choose: str
    quoted: str
    shortened: str
    too_long: str
    excluded: str
    condition: str
    gap: str
    quotes: str
    undecided: str
    sources: str
    confidence: str
    kinds: dict[str, str]

    @property
    def no_answer(self) -> str:
        """That the policies do not say, and what to do then."""
        return f"{self.not_enough} {self.next_steps}"


_TOLD: dict[str, Any] = tomllib.loads(
    files("footnoted.assistants.insurance").joinpath("phrases.toml").read_text(encoding="utf-8")
)
STRONG_UNCERTAINTY: tuple[str, ...] = tuple(_TOLD["strong_uncertainty"])
MODERATE_UNCERTAINTY: tuple[str, ...] = tuple(_TOLD["moderate_uncertainty"])
_BY_LANGUAGE: dict[str, Phrases] = {language: Phrases(**_TOLD[language]) for language in LANGUAGES}


def phrases(language: str) -> Phrases:
    """The assistant's own sentences in a language; English where the language is not known."""
    return _BY_LANGUAGE.get(language, _BY_LANGUAGE["en"])


def language_of(text: str) -> Language:
    """The language of a message, by its script, else by its small words.

    >>> [language_of(t) for t in ("Am I covered?", "Adakah saya dilindungi?", "我有保障吗？", "எனக்கு காப்பீடு உள்ளதா?")]
    ['en', 'ms', 'zh', 'ta']
    """
    text = text[:_READ]
    if any("\u0b80" <= char <= "\u0bff" for char in text):
        return "ta"
    if any("\u3400" <= char <= "\u9fff" for char in text):
        return "zh"
    found = [word for word in runs(text.casefold()) if word.isascii() and word.isalpha()]
    return "ms" if found and sum(word in _MALAY for word in found) / len(found) >= 0.3 else "en"
