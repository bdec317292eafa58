"""Follows what clauses refer to: the limit "in Table A", the excess "in row 1 of Table 2", the clause that extends 9.2.

A wording seldom says a thing in one place: the cover stands in one clause, its sum in a table, what widens or cuts it
in a third, and they name each other. Who is told one of them is told what it names, and what names it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from footnoted.assistants.insurance.clauses import Clause
    from footnoted.assistants.insurance.passages import Passage

_ROW_OF = re.compile(r"\brows? (?P<row>[A-Z]{0,2}\d[\w.]*|[A-Z]) (?:of|in) (?P<table>Table \w+)")


def joined(clause: Clause, others: Sequence[Clause]) -> list[Clause]:
    """What a clause names and what names it, in its own document.

    Of a clause the tables' rows that it names or that bear its number, then clauses; of a row the clause whose number
    it bears, and those that name its table.
    """
    own = [one for one in others if one.document == clause.document and one.number != clause.number]
    if clause.row is not None:
        key, table = clause.row.key, clause.row.table
        return [one for one in own if one.row is None and (one.number == key or (table and table in one.refers))]
    root = re.sub(r"(?:\([a-z]{1,5}\))+\Z", "", clause.number)
    named = {(found["table"], found["row"]) for found in _ROW_OF.finditer(clause.text)}
    rows = [
        one
        for one in own
        if one.row is not None
        and ((one.row.table, one.row.key) in named or (one.row.table in clause.refers and one.row.key == root))
    ]
    numbers = {clause.number, root} - {""}
    kin = [one for one in own if one.row is None and not _within(one.number, root) and not _within(root, one.number)]
    return [*rows, *(one for one in kin if one.number in clause.refers or numbers & set(one.refers))]


def passages_joined(places: Sequence[int], passages: Sequence[Passage]) -> Iterator[int]:
    """The places of passages with a clause that is `joined` to one of these passages', those themselves left out."""
    told = set(places)
    for place in places:
        document = passages[place].clauses[0].document
        near = [(n, one) for n, one in enumerate(passages) if one.clauses[0].document == document]
        others = [clause for _, one in near for clause in one.clauses]
        found = {id(one) for clause in passages[place].clauses for one in joined(clause, others)}
        for n, one in near:
            if n not in told and any(id(clause) in found for clause in one.clauses):
                told.add(n)
                yield n


def _within(inner: str, outer: str) -> bool:
    return bool(outer) and inner.startswith(f"{outer}(")
