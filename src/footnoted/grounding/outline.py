"""Makes claims of units of text: what kind each is, and what it stands under.

What heads or introduces something (a heading, "You need:", a table's first row) is told when that something
begins. Where nothing follows, it was not a heading of anything: it stands as a claim of its own.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from footnoted.grounding.blocks import Line, LineKind
from footnoted.grounding.kinds import heading_kind, kind_of, says_nothing
from footnoted.text.markdown import is_separator
from footnoted.types import Claim

_OF_A_PARAGRAPH = -1  # the depth at which a paragraph's lead-in stands: above every list item


@dataclass(frozen=True, slots=True)
class Unit:
    """A sentence, or a line that stands alone. ``last``: nothing follows it on its line."""

    text: str
    start: int
    block: LineKind
    depth: int
    last: bool = True


class Outline:
    """Names each unit's kind, and remembers the headings, lead-ins and table headers above it."""

    __slots__ = ("_above", "_after_blank", "_depth", "_header", "_heading", "_held", "_just", "_rows")

    def __init__(self) -> None:
        self._held: Claim | None = None
        self._depth = _OF_A_PARAGRAPH  # of what is held
        self._above: list[tuple[int, str]] = []  # lead-ins in force: how deep each stands, its text
        self._heading = ""  # the heading just told, until a paragraph follows
        self._just = ""  # the kind told last
        self._after_blank = False
        self._rows = 0  # of the table we are in
        self._header = ""

    def blank(self) -> None:
        """An empty line: it ends a table."""
        self._after_blank = True
        self._rows, self._header = 0, ""

    def follow(self, line: Line | None) -> list[Claim]:
        """Something begins (a line, or with ``None`` more of the same line): tell what was held for it."""
        claims: list[Claim] = []
        if self._held is not None and self._held.kind != "header":
            nested = line is None or self._depth == _OF_A_PARAGRAPH or line.depth > self._depth
            alone = line is not None and line.kind in ("fence", "row")  # what follows is not read with it
            kind = "heading" if alone else self._held.kind
            claims = self._release("claim" if self._held.kind == "heading" and not nested else kind)
        elif self._held is not None and line is not None and line.kind != "row":
            claims = self._release("claim")
        if line is not None:
            self._leave(line)
        self._after_blank = False
        return claims

    def take(self, unit: Unit) -> list[Claim]:
        """The claims known now that ``unit`` is whole."""
        if unit.block == "row":
            return self._take_row(unit)
        if unit.block == "prose":
            self._heading = ""
        claim = Claim(unit.text, unit.start, unit.start + len(unit.text), self._kind(unit), self._under(unit))
        self._just = claim.kind
        if claim.kind in ("heading", "lead_in"):
            self._held = claim
            self._depth = unit.depth if unit.block == "item" else _OF_A_PARAGRAPH
            return []
        return [claim]

    def finish(self) -> list[Claim]:
        """What heads nothing, at the end."""
        return self._release("claim")

    def _leave(self, line: Line) -> None:
        """Forget the lead-ins that do not reach to this line."""
        if line.kind != "row":
            self._rows, self._header = 0, ""
        if line.kind == "item":
            while self._above and self._above[-1][0] >= line.depth:
                self._above.pop()
        elif line.kind == "prose" and self._after_blank and self._just != "lead_in" and not line.depth:
            self._above.clear()

    def _kind(self, unit: Unit) -> str:
        if unit.block == "fence":
            return "code"
        if unit.block == "rule":
            return "layout"
        if unit.block == "heading":
            return heading_kind(unit.text)
        return kind_of(unit.text, ends_line=unit.last)

    def _under(self, unit: Unit) -> str:
        if unit.block not in ("item", "prose"):
            return ""
        if self._above:
            return " ".join(text for _, text in self._above)
        return self._heading

    def _take_row(self, unit: Unit) -> list[Claim]:
        claims: list[Claim] = []
        self._rows += 1
        self._just = "row"
        separator = is_separator(unit.text)
        if self._held is not None:
            self._header = self._held.text if separator else ""
            claims += self._release("header" if separator else "claim")
        end = unit.start + len(unit.text)
        if separator or says_nothing(unit.text):
            claims.append(Claim(unit.text, unit.start, end, "layout"))
        elif self._rows == 1:
            self._held = Claim(unit.text, unit.start, end, "header")
        else:
            claims.append(Claim(unit.text, unit.start, end, "claim", self._header))
        return claims

    def _release(self, kind: str) -> list[Claim]:
        held, self._held = self._held, None
        if held is None:
            return []
        if kind == "heading" and self._depth == _OF_A_PARAGRAPH:
            self._heading = held.text
            self._above.clear()
        elif kind in ("heading", "lead_in"):
            self._above.append((self._depth, held.text))
        return [replace(held, kind=kind)]
