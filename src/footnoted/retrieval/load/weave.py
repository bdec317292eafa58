"""Text made from another by cutting and inserting, which still knows where each of its places came from."""

from __future__ import annotations

from bisect import bisect_right
from typing import NamedTuple


class Edit(NamedTuple):
    """``new`` stands where ``old[start:end]`` stood."""

    start: int
    end: int
    new: str = ""


class Woven:
    """A text and, for each offset in it, the offset in the text it was made from."""

    def __init__(self, text: str, starts: list[int], origins: list[int]) -> None:
        self.text = text
        self._starts = starts  # where each piece begins here …
        self._origins = origins  # … and where it began there; negative, less one, for what was put in

    def origin(self, at: int) -> int:
        """The offset in the old text of what stands at ``at``; for what was put in, of the place it was put."""
        number = bisect_right(self._starts, at) - 1
        if number < 0:
            return 0
        origin = self._origins[number]
        return -origin - 1 if origin < 0 else origin + at - self._starts[number]


class Weaver:
    """Writes a text piece by piece: pieces of ``old`` kept, and new ones put between them."""

    def __init__(self, old: str) -> None:
        self._old = old
        self._pieces: list[str] = []
        self._starts: list[int] = []
        self._origins: list[int] = []
        self.length = 0

    def keep(self, start: int, end: int) -> None:
        """Go on with ``old[start:end]``."""
        self._add(self._old[start:end], start)

    def put(self, text: str, at: int) -> None:
        """Go on with words of our own, that stand for what is at ``at`` in the old text."""
        self._add(text, -at - 1)

    def _add(self, text: str, origin: int) -> None:
        if text:
            self._starts.append(self.length)
            self._origins.append(origin)
            self._pieces.append(text)
            self.length += len(text)

    def woven(self) -> Woven:
        """The whole of it."""
        return Woven("".join(self._pieces), self._starts, self._origins)


def edited(text: str, edits: list[Edit]) -> Woven:
    """The text with edits made; of two that overlap the one that begins first, or is longer, counts.

    >>> edited("a {.b} c", [Edit(1, 6)]).text
    'a c'
    """
    weaver, at = Weaver(text), 0
    for edit in sorted(edits, key=lambda each: (each.start, -each.end)):
        if edit.start < at:
            continue
        weaver.keep(at, edit.start)
        weaver.put(edit.new, edit.start)
        at = edit.end
    weaver.keep(at, len(text))
    return weaver.woven()
