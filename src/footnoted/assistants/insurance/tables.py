"""Finds the table row that says just what a claim of the form "column: value; column: value" says."""

from __future__ import annotations

import re

_LINE = re.compile(r"^\|.*\|[ \t]*$", re.MULTILINE)
_RULE = re.compile(r"[\s|:-]+")


def row_said(claim: str, text: str) -> tuple[int, int] | None:
    r"""The span of the row whose cells, each under its own column's name, are all that the claim says.

    >>> table = "| What | Excess |\n| --- | --- |\n| Theft | £250 |\n| Fire | £100 |"
    >>> row_said("What: Theft; Excess: £250.", table), row_said("What: Theft; Excess: £100.", table)
    ((32, 48), None)
    """
    parts = [part.partition(":") for part in claim.strip().rstrip(".").split(";")]
    header: list[str] = []
    before: list[str] = []
    for line in _LINE.finditer(text):
        cells = [_plain(cell) for cell in re.split(r"(?<!\\)\|", line.group().strip().strip("|"))]
        if _RULE.fullmatch(line.group()):
            header = before
            continue
        before = cells
        named = set(zip(header, cells, strict=False))
        if header and all(
            (_plain(name), _plain(value)) in named if mark else _plain(name) in cells for name, mark, value in parts
        ):
            return line.start(), line.end()
    return None


def _plain(cell: str) -> str:
    return " ".join(cell.replace("**", "").replace("\\|", "|").casefold().split())
