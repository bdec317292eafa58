"""Ends an answer where the caller's own words say so, whichever provider writes it and however its text is cut."""

from __future__ import annotations

from collections.abc import Sequence


class Stopping:
    """Passes text on up to the first of some words, which are not told; ``over`` once they came.

    >>> stopping = Stopping(["END"])
    >>> stopping.decode("One. E") + stopping.decode("ND two."), stopping.over
    ('One. ', True)
    """

    def __init__(self, words: Sequence[str]) -> None:
        self._words = [each for each in words if each]
        self._held = ""
        self.over = False

    def decode(self, piece: str) -> str:
        """The part of the text that no stop can begin in any more."""
        if self.over:
            return ""
        text = self._held + piece
        found = [at for each in self._words if (at := text.find(each)) >= 0]
        if found:
            self.over, self._held = True, ""
            return text[: min(found)]
        keep = max((_begun(text, each) for each in self._words), default=0)
        self._held = text[len(text) - keep :]
        return text[: len(text) - keep]

    def flush(self) -> str:
        """What was held back; the stream is over."""
        held, self._held = self._held, ""
        return "" if self.over else held


def _begun(text: str, word: str) -> int:
    """How many characters at the end of ``text`` may be the beginning of ``word``."""
    return next((size for size in range(min(len(word) - 1, len(text)), 0, -1) if text.endswith(word[:size])), 0)
