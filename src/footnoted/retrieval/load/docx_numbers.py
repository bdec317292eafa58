"""The numbers and marks Word prints before paragraphs: "4.2", "(b)", "Part 3", a bullet.

They stand nowhere in the text: a paragraph, or its style, names a list, and the list's definition says how each level
counts and is written (ECMA-376, Part 1, 17.9). The hard thing is that one definition is counted through by all the
lists made from it, the headings among them, unless one of them says where it begins anew.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from footnoted.retrieval.load.numerals import counted

WORD = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_DEEPEST = 8
_LONGEST = 100  # code points of what is printed around a number
_HIGHEST = 100_000  # where a list may begin
_MOST_PARENTS = 20  # styles that a style is made from, one from another


def value(element: Any, path: str) -> str | None:
    """What an element below this one says, or nothing; None where it is not there."""
    found = element.find(path)
    return None if found is None else found.get(f"{WORD}val") or ""


@dataclass(frozen=True, slots=True)
class _Level:
    """How one level of a list counts: the form of its number, the text around it ("(%3)"), where it begins."""

    form: str
    text: str
    start: int
    legal: bool  # whether the numbers above it are told in digits, whatever their own form
    after: int  # the level (from 1) that has it begin anew; 0 where none does


class Numbering:
    """The lists of a Word file, counted as its paragraphs are read in order."""

    def __init__(self, word: Any) -> None:
        self._styles = {style.get(f"{WORD}styleId") or "": style for style in word.styles.element.iter(f"{WORD}style")}
        related = (part.target_part for part in word.part.rels.values() if part.reltype.endswith("/numbering"))
        root = getattr(next(related, None), "element", None)
        parts: list[Any] = [] if root is None else list(root)
        self._made = {one.get(f"{WORD}numId"): one for one in parts if one.tag == f"{WORD}num"}
        self._defined = {one.get(f"{WORD}abstractNumId"): one for one in parts if one.tag == f"{WORD}abstractNum"}
        self._counts: dict[str, dict[int, int]] = {}  # what each definition has counted, by level
        self._begun: set[tuple[str, int]] = set()
        self._read: dict[str, dict[int, _Level]] = {}  # the levels of each list that was met

    def mark(self, paragraph: Any) -> tuple[int, str] | None:
        """A paragraph's level (from 0) and what is printed before it, a bullet as "-"; None where it is in no list."""
        placed = self._placed(paragraph)
        made = self._made.get(placed[0]) if placed is not None else None
        if placed is None or made is None:
            return None
        list_, depth = placed
        called = value(made, f"{WORD}abstractNumId") or ""
        if list_ not in self._read:
            self._read[list_] = self._levels(called, made)
        levels = self._read[list_]
        level = levels.get(depth)
        if level is None:
            return None
        counts = self._counts.setdefault(called, {})
        anew = value(made, f"{WORD}lvlOverride[@{WORD}ilvl='{depth}']/{WORD}startOverride")
        if anew and anew.isdecimal() and (list_, depth) not in self._begun:
            counts.pop(depth, None)
        self._begun.add((list_, depth))
        start = min(int(anew), _HIGHEST) if anew and anew.isdecimal() else level.start
        counts[depth] = counts[depth] + 1 if depth in counts else start
        for below in [one for one in counts if one > depth and levels[one].after > depth]:
            del counts[below]
        if level.form == "bullet":
            return depth, "-"
        said = level.text
        for place, each in levels.items():
            form = "decimal" if level.legal else each.form
            said = said.replace(f"%{place + 1}", counted(counts.get(place, each.start), form))
        return depth, " ".join(said.split())

    def _placed(self, paragraph: Any) -> tuple[str, int] | None:
        """The list and level of a paragraph, by itself or by its style."""
        list_: str | None = None
        depth: str | None = None
        properties = paragraph.find(f"{WORD}pPr")
        styles = self._of_style("" if properties is None else value(properties, f"{WORD}pStyle") or "")
        for holder, style in [(properties, ""), *styles]:
            numbers = None if holder is None else holder.find(f"{WORD}numPr")
            if numbers is None:
                continue
            own = value(numbers, f"{WORD}ilvl")
            depth = own if depth is None else depth
            list_ = value(numbers, f"{WORD}numId")
            if list_ is not None:
                depth = self._linked(list_, style) if depth is None else depth
                break
        return (list_, min(int(depth or 0), _DEEPEST)) if list_ else None

    def _of_style(self, style: str) -> Iterator[tuple[Any, str]]:
        """What a style says of paragraphs, and what those say that it is made from."""
        for _ in range(_MOST_PARENTS):
            element = self._styles.get(style)
            if element is None:
                return
            yield element.find(f"{WORD}pPr"), style
            style = value(element, f"{WORD}basedOn") or ""

    def _linked(self, list_: str, style: str) -> str | None:
        """The level of a list that is made for a style."""
        made = self._made.get(list_)
        defined = None if made is None else self._defined.get(value(made, f"{WORD}abstractNumId"))
        for level in () if defined is None or not style else defined.iter(f"{WORD}lvl"):
            if value(level, f"{WORD}pStyle") == style:
                return str(level.get(f"{WORD}ilvl"))
        return None

    def _levels(self, called: str, made: Any) -> dict[int, _Level]:
        """The levels of a list: those of its definition, or of the style that this only names, and its own."""
        defined = self._defined.get(called)
        if defined is None:
            return {}
        if by_style := value(defined, f"{WORD}numStyleLink"):
            same = (one for one in self._defined.values() if value(one, f"{WORD}styleLink") == by_style)
            defined = next(same, defined)
        found: dict[int, _Level] = {}
        for level in [*defined.iter(f"{WORD}lvl"), *made.iter(f"{WORD}lvl")]:
            depth = int(level.get(f"{WORD}ilvl") or 0)
            form = value(level, f"{WORD}numFmt") or "decimal"
            start, again = value(level, f"{WORD}start"), value(level, f"{WORD}lvlRestart")
            after = int(again) if again else depth
            legal = level.find(f"{WORD}isLgl") is not None
            text = (value(level, f"{WORD}lvlText") or "")[:_LONGEST]
            found[depth] = _Level(form, text, min(int(start or 1), _HIGHEST), legal, after)
        return found
