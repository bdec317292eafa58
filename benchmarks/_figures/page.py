"""Writes the page of figures as Markdown, with its pictures, from the results' JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from _figures import beside, checks, losses
from _figures.words import measured, table

Results = dict[str, dict[str, Any]]
PRINTED = {
    "extractive": "Answering without a model",
    "checking": "What a check costs inside a stream",
    "service": "The service: streams at once over HTTP",
    "concurrency": "A thousand streams in one process",
}
_TOP = """# Figures

What footnoted costs and what it catches, beside the libraries people use, measured side by side on one machine. Each table
says when, where, at what load and by which command. The JSON behind it stands in `benchmarks/results`, and
`python benchmarks/figures.py` makes this page and its pictures from it.

```text
python benchmarks/peers.py      eight libraries beside footnoted, each installed apart
python benchmarks/floors.py     the check on public sets, with intervals
python benchmarks/figures.py    this page and its pictures
```

How to read it: a figure is the median of the rounds, its bracket the least and the most of them (which hold the true median
with 94 % for 5 rounds, 50 % for 2). Clients take turns within a round, so other work on the machine falls on all alike; a ratio is taken
round by round. Compare within a table; the absolute times belong to this machine and its load, which was high: it did other
work at the same time.
"""


def newest(folder: Path) -> Results:
    """Every part of the results, from the newest file that holds it."""
    found: Results = {}
    for path in sorted(folder.glob("*.json"), key=lambda path: path.stem[-10:]):
        found |= json.loads(path.read_text(encoding="utf-8"))
    if "faults" in found and "leaving" in found:  # measured apart, told in one table
        for client, row in found["faults"]["tables"]["defaults"].items():
            row["rows"] |= found["leaving"]["rows"].get(client, {})
    return found


def page(found: Results) -> str:
    """The page."""
    parts: list[str] = [_TOP]
    sections = [beside.faults, beside.cost, beside.many, beside.cited, beside.start, beside.prompt, checks.grounding]
    for section in sections:
        name = section.__name__
        if name in found:
            parts += [section(found[name]), measured(found[name])]
        if name == "faults" and "leaving" in found:
            parts.append("The last two rows, of three rounds: " + measured(found["leaving"]))
    for name, title in PRINTED.items():
        if name in found:
            lines = "\n".join(found[name]["printed"]).strip("\n")
            parts += [f"## {title}\n\n```text\n{lines}\n```\n", measured(found[name])]
    lost = losses.losses(found)
    if lost:
        parts.append("## Where footnoted loses\n\nRead off the same results by the same command.\n")
        parts.append("".join(f"- {line}\n" for line in lost))
    versions = beside.versions(found)
    if versions:
        parts.append("## Versions\n\n" + table(("client", "packages"), versions, side="---"))
    return "\n".join(part.strip("\n") + "\n" for part in parts)


def pictures(found: Results) -> dict[str, str]:
    """File name to SVG."""
    drawers: Sequence[tuple[str, str, Any]] = (
        ("faults", "figures-faults.svg", beside.faults_picture),
        ("cost", "figures-cost.svg", beside.cost_picture),
        ("start", "figures-start.svg", beside.start_picture),
        ("grounding", "figures-grounding.svg", checks.grounding_picture),
    )
    return {file: draw(found[part]) for part, file, draw in drawers if part in found}
