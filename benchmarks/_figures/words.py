"""Writes rows as Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def table(columns: Sequence[str], rows: Sequence[Sequence[str]], *, side: str = "--:") -> str:
    """A Markdown table, the first column to the left, figures to the right, or ``side="---"`` for words."""
    lines = [columns, ["---", *[side] * (len(columns) - 1)], *rows]
    return "".join(f"| {' | '.join(cell.replace('|', '/') for cell in line)} |\n" for line in lines)


def measured(part: dict[str, Any]) -> str:
    """Under what a table was measured, in one line."""
    head = part["measured"]
    began, ended = head["load"]
    commit = f"commit {head['commit']}, " if head.get("commit") else ""
    return (
        f"*{commit}`{head['command']}`, {head['date']}, {head['machine']}, Python {head['python']}, load {began} at the start "
        f"and {ended} at the end ({head['minutes']:g} minutes).*\n"
    )
