"""Which script a character is of, where that tells how words and sentences are parted. No character is of none."""

from __future__ import annotations


def is_thai(char: str) -> bool:
    """Whether a character is a Thai letter, vowel sign or figure: no spaces between words, no full stops."""
    return "\u0e01" <= char <= "\u0e5b"


def is_han(char: str) -> bool:
    """Whether a character is Chinese or Japanese, kana among them: words without spaces."""
    return "\u3040" <= char <= "\u30ff" or "\u3400" <= char <= "\u9fff" or "\uf900" <= char <= "\ufaff"


def is_hangul(char: str) -> bool:
    """Whether a character is a Korean syllable."""
    return "\uac00" <= char <= "\ud7af"


def is_european(char: str) -> bool:
    """Whether a character is a figure or a letter of a script with capitals: Latin, Greek or Cyrillic."""
    return (char.isascii() and char.isalnum()) or "\u00c0" <= char <= "\u024f" or "\u0370" <= char <= "\u052f"


def is_wordlike(char: str) -> bool:
    """Whether a character stands inside words, names and figures: a letter, a digit, an underscore."""
    return char.isalnum() or char == "_"
