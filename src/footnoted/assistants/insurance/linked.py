"""Follows what clauses refer to: the limit "in Table A", the excess "in row 1 of Table 2", the clause that extends 9.2.

A wording seldom says a thing in one place: the cover stands in one clause, its sum in a table, what widens or cuts it
in a third, and they name each other. Who is told one of them is told what it names, and what names it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Literal

from footnoted.assistants.insurance.labels import bare_heading, borne, in_heading, without_items
from footnoted.text import content_stems

if TYPE_CHECKING:
    from footnoted.assistants.insurance.clauses import Clause
    from footnoted.assistants.insurance.passages import Passage
    from footnoted.assistants.insurance.rows import Row

_KEY = r"[A-Z]{0,2}\d+(?:\.\d+)*|[A-Z]\b"
_ROW_OF = re.compile(  # "row 1 of Table 2", "Table 2, item 1": whatever its rows are called
    rf"\b(?:[a-z]+ (?P<row>{_KEY}) (?:of|in) (?P<table>Table \w+)|(?P<in>Table \w+), [a-z]+ (?P<item>{_KEY}))"
)
_BRACKETED = re.compile(r"\(.*?\)|, .*")  # of a row's name, what tells how it is meant: "Child seats, each"
_SECTION = re.compile(r"(?:[A-Z][A-Za-z]+\s+)?(?P<number>[A-Z]{0,2}\d[\w.]*|[A-Z])(?:\s*[–—:-].*)?")

# A row that is named or bears the number, a clause that is named, one that names.
Join = Literal["row", "names", "named"]


def joined(clause: Clause, others: Sequence[Clause]) -> Iterator[tuple[Clause, Join]]:
    """What a clause names and what names it, in its own document, and how."""
    root = without_items(clause.number)
    rows = _rows_named(clause.text)
    keyed = {other.row.table for other in others if other.row is not None and other.row.key == root}
    named_rows = keyed | {table for table, _ in rows}  # of any other table that it names, each row may be meant
    for one in others:
        if one.document != clause.document or _kin(one.number, clause.number):
            continue
        if clause.row is None and one.row is None:
            if _named(one.number, clause.refers) or _of_section(one, clause):
                yield one, "names"
            elif _named(clause.number, one.refers) or root in one.refers:
                yield one, "named"
        elif clause.row is None and one.row is not None:
            key, table = one.row.key, one.row.table
            own = root in borne(one.row.name) or (table, key) in rows or _called_alike(clause, one.row)
            if own or (_names(clause, one) and (key == root or table not in named_rows)):
                yield one, "row"
        elif clause.row is not None and one.row is None:
            bears = one.number and (one.number == clause.row.key or one.number in borne(clause.row.name))
            if bears or _called_alike(one, clause.row):
                yield one, "row"
            elif _names(one, clause):
                yield one, "named"


def rows_of(clause: Clause, others: Sequence[Clause], numbers: Sequence[float]) -> list[Clause]:
    """The rows of tables that are a clause's own, or are for a number that was asked with.

    A row is a clause's own where one names the other or both are called alike, or where its key is the number of the
    clause or of its section and the clause names its table.
    """
    if clause.row is not None:
        return []
    named = _rows_named(clause.text)
    rows = [(one, one.row) for one in others if one.row is not None and one.document == clause.document]
    root = without_items(clause.number)
    own = {
        id(row)
        for _, row in rows
        if root in borne(row.name) or (row.table, row.key) in named or _called_alike(clause, row)
    }
    tables = {row.table for one, row in rows if _names(clause, one)}
    for table in tables - {row.table for _, row in rows if id(row) in own}:
        keys = [key for _, row in rows if row.table == table and (key := _section(row.key))]
        above = [key for key in keys if _section(root) == key or root.startswith(f"{key}.")]
        longest = max(above, key=len, default="")
        own |= {id(row) for _, row in rows if row.table == table and longest and _section(row.key) == longest}
    owned = {row.table for _, row in rows if id(row) in own}
    return [
        one for one, row in rows if id(row) in own or (row.table in tables - owned and any(map(row.holds, numbers)))
    ]


def _rows_named(text: str) -> set[tuple[str, str]]:
    """The rows that a text names, each with its table."""
    return {(one["table"] or one["in"], one["row"] or one["item"]) for one in _ROW_OF.finditer(text)}


def _named(number: str, refers: Sequence[str]) -> bool:
    """Whether a clause's number stands among those that another refers to; "Section F(d)" as "F(d)" too."""
    return bool(number) and (number in refers or number.rpartition(" ")[2] in refers)


def _names(clause: Clause, row: Clause) -> bool:
    """Whether a clause names the table that a row stands in: by its number, its part's, or the heading over it."""
    if row.row is None or clause.row is not None:
        return False
    table = row.row.table
    part = in_heading(row.headings[-1]).casefold() if row.headings else ""
    if table in clause.refers or (part and part in (one.casefold() for one in clause.refers)):
        return True
    return len(table.split()) > 1 and re.search(rf"\b{re.escape(table)}\b", clause.text, re.IGNORECASE) is not None


def _called_alike(clause: Clause, row: Row) -> bool:
    """Whether a cover and a row have the same name: "6. Evacuation and return home", "Evacuation and return home"."""
    heading = clause.headings[-1] if clause.headings else ""
    name, called = _BRACKETED.sub("", row.name).strip(), clause.title or bare_heading(heading)
    if clause.kind == "exclusion" or not name or borne(row.name):  # whose number a row bears, it is of that clause
        return False
    stems = set(content_stems(name))
    return name.casefold() == called.casefold() or (len(stems) > 1 and stems == set(content_stems(called)))


def _section(key: str) -> str:
    """The number of a section, whatever it is called: "Section 3 – Luggage", "3"."""
    found = _SECTION.fullmatch(key)
    return found["number"] if found else ""


def turned_by(clause: Clause, others: Sequence[Clause]) -> list[Clause]:
    """What names an exclusion by its own number, as what deletes or narrows it does; nothing of one without its own."""
    bearing = [one for one in others if one.document == clause.document and one.number == clause.number]
    if clause.kind != "exclusion" or clause.row is not None or not clause.number or len(bearing) > 1:
        return []
    return [
        one
        for one in others
        if one.document == clause.document
        and one.row is None
        and one.kind != "exclusion"
        and _named(clause.number, one.refers)
        and not _kin(one.number, clause.number)
    ]


def passages_joined(places: Sequence[int], passages: Sequence[Passage]) -> Iterator[int]:
    """The places of passages with a clause that is `joined` to one of these passages', those themselves left out."""
    told = set(places)
    for place in places:
        document = passages[place].clauses[0].document
        near = [(n, one) for n, one in enumerate(passages) if one.clauses[0].document == document]
        others = [clause for _, one in near for clause in one.clauses]
        found = {id(one) for clause in passages[place].clauses for one, _ in joined(clause, others)}
        for n, one in near:
            if n not in told and any(id(clause) in found for clause in one.clauses):
                told.add(n)
                yield n


def _of_section(one: Clause, clause: Clause) -> bool:
    """Whether a clause stands in a section that another of another section names: 10C.1 in "Section 10C"."""
    named = [name.removeprefix("Section ") for name in clause.refers if name.startswith("Section ")]
    return any(one.number.startswith(f"{name}.") and not clause.number.startswith(f"{name}.") for name in named)


def _kin(one: str, other: str) -> bool:
    """Whether two numbers are of one clause and its items."""
    return bool(one) and without_items(one) == without_items(other)
