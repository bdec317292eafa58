"""The foot notes of a PDF's pages, taken out of the text that they would break in two.

What is set small at the end of a column and begins with a number is a note; a raised number in the text that calls one
of its page's notes says nothing, and goes.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import replace
from itertools import groupby

from footnoted.retrieval.load.document import grouped
from footnoted.retrieval.load.pdf_lines import RAISED, SMALL, Line

_CALL = re.compile("[" + "".join(RAISED) + "]+")
_NUMBERS = str.maketrans(RAISED, "0123456789")

Notes = dict[int, list[list[Line]]]  # the notes of each page, each as its lines


def parted_notes(lines: list[Line], body: float) -> tuple[list[Line], Notes]:
    """The running text without its calls for notes, and the notes. ``body`` is the size of the text in points."""
    notes: Notes = defaultdict(list)
    taken: set[int] = set()
    for (page, _), column in groupby(lines, key=lambda line: (line.page, line.column)):
        foot = _foot(list(column), body)
        notes[page] += grouped(foot, _goes_on)
        taken.update(map(id, foot))
    called = {page: {_number(note[0]) for note in own} for page, own in notes.items()}
    return [_without_calls(line, called[line.page]) for line in lines if id(line) not in taken], notes


def _foot(column: list[Line], body: float) -> list[Line]:
    """The small lines at a column's end, from the first that begins with a number; none where all of it is small."""
    start = len(column)
    while start and column[start - 1].size < SMALL * body and not column[start - 1].table:
        start -= 1
    numbered = [at for at in range(start, len(column)) if _number(column[at])]
    return column[numbered[0] :] if start and numbered else []


def _number(line: Line) -> str:
    first = line.text.split()[0].translate(_NUMBERS).rstrip(".)")
    return first if first.isdecimal() else ""


def _goes_on(note: list[Line], line: Line) -> bool:
    number = _number(line)
    return not number or int(number) != int(_number(note[0])) + 1


def _without_calls(line: Line, notes: set[str]) -> Line:
    if not notes or not _CALL.search(line.text):
        return line

    def without(text: str) -> str:
        return _CALL.sub(lambda call: "" if call[0].translate(_NUMBERS) in notes else call[0], text)

    return replace(line, text=without(line.text), cells=tuple(map(without, line.cells)))
