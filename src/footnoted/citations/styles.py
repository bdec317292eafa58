"""Draws a citation's marker, and the list of sources below an answer, in each style."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from footnoted.contract import CitationStyle

MAX_TITLE = 120  # code points of a title in the list
MAX_QUOTE = 200  # code points of a quote in the list

_SUPERSCRIPT = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
_MARKUP = re.compile(r"[\\`*\[\]|~$<>]|&(?=#?\w+;)|(?<!\w)_|_(?!\w)")
_LISTED = frozenset({CitationStyle.FOOTNOTE, CitationStyle.ENDNOTE})


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the list: what the number means. ``quote`` are the words of the source, or nothing."""

    number: int
    title: str
    quote: str = ""


def render_marker(style: CitationStyle, number: int) -> str:
    """The marker for a number.

    >>> [render_marker(style, 10) for style in CitationStyle]
    ['[Source 10]', '[10]', '¹⁰', '[10]']
    """
    if style is CitationStyle.INLINE:
        return f"[Source {number}]"
    if style is CitationStyle.FOOTNOTE:
        return str(number).translate(_SUPERSCRIPT)
    return f"[{number}]"


def separator(style: CitationStyle) -> str:
    """What must stand between two markers side by side: ``¹,³`` would else read as 13."""
    return "," if style is CitationStyle.FOOTNOTE else ""


def has_list(style: CitationStyle) -> bool:
    """Whether the style puts a list below the answer."""
    return style in _LISTED


def render_list(style: CitationStyle, entries: Iterable[Entry], *, markdown: bool = True) -> str:
    """The list below an answer, a line an entry in the order given; empty for styles without one.

    Titles and quotes are put on one line, shortened, and (in ``markdown``) cannot end the line's formatting.

    >>> print(render_list(CitationStyle.ENDNOTE, [Entry(1, "Motor policy", "The excess is £100.")]))
    [1] Motor policy: “The excess is £100.”
    """
    if not has_list(style):
        return ""
    # Two spaces before a line break keep the lines apart in Markdown and show nowhere.
    return ("  \n" if markdown else "\n").join(_line(style, entry, markdown=markdown) for entry in entries)


def _line(style: CitationStyle, entry: Entry, *, markdown: bool) -> str:
    title = _on_one_line(entry.title, MAX_TITLE, markdown=markdown)
    quote = _on_one_line(entry.quote, MAX_QUOTE, markdown=markdown)
    told = ": ".join(part for part in (title, f"“{quote}”" if quote else "") if part)
    return f"{render_marker(style, entry.number)} {told}".rstrip()


def _on_one_line(text: str, limit: int, *, markdown: bool) -> str:
    line = " ".join(text[: limit * 4].split())
    if len(line) > limit:
        cut = line[: limit - 1]
        at = cut.rfind(" ")
        line = cut[: at if at > limit // 2 else len(cut)].rstrip() + "…"
    return _escape(line) if markdown else line


def _escape(line: str) -> str:
    """Backslashes before what Markdown would act upon; ``snake_case`` and hyphens read as they are."""
    return _MARKUP.sub(lambda match: "\\" + match.group(), line)
