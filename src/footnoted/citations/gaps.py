"""Closes the hole in the text that a marker leaves when it vanishes."""

from __future__ import annotations

SPACES = " \t\u00a0\u2009\u202f\u3000"
_CLOSING = ".,;:!?)]}…%。，、；：！？）】」』”’»\"'،؛؟۔।"


class Gap:
    """A place where a marker vanished; it closes at the next character that is not a space.

    ``before``: the spaces that stood before the marker. ``opening``: nothing visible stands right before it
    (a list mark, a bracket, a table bar), so the spaces after it go too. At the start of a line a line break
    goes as well, and after a blank line all of them.

    >>> gap = Gap(" "); gap.close(" "), gap.close("."), gap.closed
    ('', '.', True)
    """

    __slots__ = ("_after", "_opening", "before", "closed", "line_breaks")

    def __init__(self, before: str, *, opening: bool = False, line_breaks: int = 0) -> None:
        self.before = before
        self._after = ""
        self._opening = opening
        self.line_breaks = line_breaks  # how many may still vanish
        self.closed = False

    @property
    def spaces(self) -> str:
        """The white space that stands for the whole gap when something visible follows."""
        return "" if self._opening else (self._after or self.before)

    def widen(self, before: str) -> None:
        """Another marker vanished right after, with ``before`` between."""
        self._after = self._after or before

    def close(self, text: str) -> str:
        """The visible part of the text that follows; ``closed`` once that is decided."""
        blank = SPACES + "\r" if self.line_breaks else SPACES
        rest = text.lstrip(blank)
        while self.line_breaks and rest.startswith("\n"):
            self.line_breaks -= 1
            if not self.line_breaks:
                self.closed = True
                return rest[1:]
            rest = rest[1:].lstrip(blank)
        if not rest:
            self._after = self._after or text[: len(text) - len(rest)].lstrip("\r\n")[:1]
            return ""
        self._after = self._after or text[: len(text) - len(rest)].lstrip("\r\n")
        self.closed = True
        closes = rest[0] in _CLOSING or rest[0] in "\r\n" or (rest[0] in "*_" and not self._after)
        return rest if closes else self.spaces + rest
