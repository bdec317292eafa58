"""What a PDF says of its own headings: its outline (the bookmarks), found again among the printed lines.

An outline has titles, levels and pages, but no lines; a title is looked for on its page by its letters alone, since the
number before it, the case and where it is broken may differ.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import islice
from typing import Any, NamedTuple

from footnoted.retrieval.load.document import letters_of
from footnoted.retrieval.load.pdf_lines import Line

_MOST = 20_000  # entries of an outline that are read
_BROKEN = 4  # lines a heading may run over
_NUMBER = 14  # letters that may stand before a title: "Appendix A", "Section 12.3"
_DEEPEST = 6


class Entry(NamedTuple):
    """A bookmark: ``level`` counts from 0, ``page`` from 1."""

    level: int
    title: str
    page: int


def entries_of(file: Any) -> list[Entry]:
    """The outline of a pypdfium2 document; empty where it has none."""
    entries: list[Entry] = []
    for bookmark in islice(file.get_toc(), _MOST):
        place = bookmark.get_dest()
        page = place.get_index() if place else None
        if page is not None:
            entries.append(Entry(bookmark.level, bookmark.get_title() or "", page + 1))
    return entries


def levels_of(lines: list[Line], entries: list[Entry], printed: dict[int, int]) -> dict[int, int]:
    """The level of each line that heads something, by the line's `id`: as the outline says, or as it is printed.

    ``printed`` are the levels told from the print. They stand where the outline is of something else (less than half of
    its titles are printed on their pages). Level 1 is left to the title page; a heading that the outline does not name
    stands under the one above that it names.
    """
    named = _named(lines, entries)
    if not named:
        return printed
    levels: dict[int, int] = {}
    above = 0
    for line in lines:
        key = id(line)
        if key in named:
            levels[key] = above = named[key]
        elif key in printed:
            levels[key] = min(above + 1, _DEEPEST) if above else min(printed[key], 2)
    return levels


def _named(lines: list[Line], entries: list[Entry]) -> dict[int, int]:
    pages: dict[int, list[Line]] = defaultdict(list)
    for line in lines:
        if not line.table:
            pages[line.page].append(line)
    named: dict[int, int] = {}
    found = 0
    for entry in entries:
        places = [run for run in _printed(entry.title, pages[entry.page]) if id(run[0]) not in named]
        if places:
            found += 1
            largest = max(places, key=lambda run: (run[0].size, run[0].bold))
            named.update((id(line), min(entry.level + 2, _DEEPEST)) for line in largest)
    return named if 2 * found >= len(entries) else {}


def _printed(title: str, lines: list[Line]) -> list[list[Line]]:
    """Where a title is printed, each place as its lines."""
    wanted = letters_of(title)
    found: list[list[Line]] = []
    for start in range(len(lines) if wanted else 0):
        said = ""
        for end in range(start, min(start + _BROKEN, len(lines))):
            if lines[end].size != lines[start].size:
                break
            said += letters_of(lines[end].text)
            if said.endswith(wanted) and len(said) - len(wanted) <= _NUMBER:
                found.append(lines[start : end + 1])
                break
            if len(said) > len(wanted) + _NUMBER:
                break
    return found
