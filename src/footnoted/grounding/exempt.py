"""The closed list of whole sentences that need no support: courtesies that say nothing of the matter."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from footnoted.grounding.exact import quotable

_REPLIES = frozenset(  # yes and no, in the languages of the tests of segmentation
    "yes no sure ja nein oui non sí no ya tidak 是的 是 不是 はい いいえ 네 아니요 ใช่ ไม่ใช่ हाँ नहीं نعم لا".split()
)


def is_exempt(text: str) -> bool:
    """Whether a sentence is one of the list.

    >>> is_exempt("I hope this helps!"), is_exempt("Legal advice is free.")
    (True, False)
    """
    return len(text) < 100 and _plain(text) in _exempt()


def is_bare_reply(text: str) -> bool:
    """Whether a sentence is a "Yes." that stands or falls with the one after it."""
    return len(text) < 20 and _plain(text) in _REPLIES


def _plain(text: str) -> str:
    return quotable(text).rstrip(",:?？").strip()


@cache
def _exempt() -> frozenset[str]:
    lines = Path(__file__).with_name("exempt.txt").read_text(encoding="utf-8").splitlines()
    return frozenset(quotable(line) for line in lines if line and not line.startswith("#"))
