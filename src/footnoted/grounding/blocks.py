"""Tells what kind of Markdown line begins here, and where its content starts."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, cast

from footnoted.text.marks import skip

LineKind = Literal["blank", "prose", "item", "heading", "row", "rule", "fence"]


@dataclass(frozen=True, slots=True)
class Line:
    """What a line is, where its content begins, how deep it stands (columns), and a fence's own mark."""

    kind: LineKind
    content: int
    depth: int = 0
    fence: str = ""


_BULLET = r"[-*+•‣▪◦●○■□·–—]"
_NUMBER = r"\(?(?:\d{1,3}|[a-z]|[ivx]{1,4})[.)]|\(?[A-Z]\)"
_EASTERN = r"\d{1,3}[.．、）](?=[^\x00-\x7f])|[（(]\d{1,3}[）)](?=[^\x00-\x7f])|[①-⑳]|[一二三四五六七八九十]{1,3}、"
_SIGNS = "✅❌✔✓✗☑⚠🔴🟠🟡🟢🔹🔸👉➡▶"
_HEAD = re.compile(
    r"(?P<fence>`{3,}|~{3,})|(?P<heading>#{1,6}[ \t]+)|(?P<row>\|)"
    rf"|(?P<item>{_BULLET}[ \t]+(?:\[[ xX]\][ \t]+)?|(?:{_NUMBER})[ \t]+|{_EASTERN}|(?=[{_SIGNS}]))"
)
# What a line may begin with while its kind can still change.
_UNDECIDED = re.compile(
    rf"#{{1,6}}[ \t]*|`+|~+|[-=_*][-=_* \t\r]*|\$\$?[ \t\r]*|{_BULLET}[ \t]*(?:\[(?:[ xX]\]?[ \t]*)?)?"
    r"|[(（]?(?:\d{0,3}|[a-zA-Z]|[ivx]{1,4})[.)．、）]?[ \t]*|[一二三四五六七八九十]{1,3}"
)


def read_line(text: str, at: int, *, more: bool) -> Line | None:
    """The kind of the line that starts at ``at``; ``None`` while the characters so far do not tell.

    >>> read_line("- Fire damage", 0, more=False)
    Line(kind='item', content=2, depth=0, fence='')
    """
    newline = text.find("\n", at)
    whole = newline >= 0 or not more
    stop = newline if newline >= 0 else len(text)
    start = skip(text, at, stop, " \t\r")
    start = skip(text, start, stop, "> \t") if text.startswith(">", start) else start
    depth = len(text[at:start].expandtabs(4))
    if start == stop:
        return Line("blank", start) if whole else None
    if not whole and _UNDECIDED.fullmatch(text, start, stop):
        return None
    if whole and _is_rule(text[start:stop]):
        return Line("rule", start, depth)
    found = _HEAD.match(text, start, stop)
    if found is None:
        return Line("prose", start, depth)
    kind = cast("LineKind", found.lastgroup)
    return Line(kind, found.end() if kind in ("heading", "item") else start, depth, found["fence"] or "")


def _is_rule(line: str) -> bool:
    """Whether a line only divides, underlines or opens a formula."""
    if line[0] not in "-=_*$":
        return False
    bare = "".join(line.split())
    return bare == "$$" or (len(bare) >= 3 and not bare.strip("-=_*"))


def closes_fence(line: str, fence: str) -> bool:
    """Whether a line of code closes the fence that opened it (CommonMark 4.5)."""
    bare = line.strip(" \t\r>")
    return len(bare) >= len(fence) and set(bare) == {fence[0]}
