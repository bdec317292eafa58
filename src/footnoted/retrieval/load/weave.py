"""Text made from another by cutting and inserting, which still knows where each of its places came from."""

from __future__ import annotations

from bisect import bisect_right
from typing import NamedTuple


class Edit(NamedTuple):
    """``new`` stands where ``old[start:end]`` stood."""

    start: int
    end: int
    new: str = ""


class Piece(NamedTuple):
    """Where a piece of a new text begins, and where in the old text; ``kept`` says that it is a piece of that."""

    start: int
    origin: int
    kept: bool


class Woven(NamedTuple):
    """A text and the pieces it was made of."""

    text: str
    pieces: list[Piece]

    def origin(self, at: int) -> int:
        """The offset in the old text of what stands at ``at``; for what was put in, of the place it was put."""
        number = bisect_right(self.pieces, at, key=lambda piece: piece.start)
        if number == 0:
            return 0
        piece = self.pieces[number - 1]
        return piece.origin + at - piece.start if piece.kept else piece.origin


class Weaver:
    """Writes a text piece by piece: pieces of ``old`` kept, and new ones put between them."""

    def __init__(self, old: str) -> None:
        self._old = old
        self._texts: list[str] = []
        self._pieces: list[Piece] = []
        self.length = 0

    def keep(self, start: int, end: int) -> None:
        """Go on with ``old[start:end]``."""
        self._add(self._old[start:end], start, kept=True)

    def put(self, text: str, at: int) -> None:
        """Go on with words of our own, that stand for what is at ``at`` in the old text."""
        self._add(text, at, kept=False)

    def _add(self, text: str, origin: int, *, kept: bool) -> None:
        if text:
            self._pieces.append(Piece(self.length, origin, kept))
            self._texts.append(text)
            self.length += len(text)

    def woven(self) -> Woven:
        """The whole of it."""
        return Woven("".join(self._texts), self._pieces)


def edited(text: str, edits: list[Edit]) -> Woven:
    """The text with edits made; of two that overlap the one that begins first, or is longer, counts.

    >>> edited("a {.b} c", [Edit(1, 6)]).text
    'a c'
    """
    weaver, at = Weaver(text), 0
    for edit in sorted(edits, key=lambda edit: (edit.start, -edit.end)):
        if edit.start < at:
            continue
        weaver.keep(at, edit.start)
        weaver.put(edit.new, edit.start)
        at = edit.end
    weaver.keep(at, len(text))
    return weaver.woven()
