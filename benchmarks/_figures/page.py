"""The results' JSON in; the page of figures as Markdown, and its pictures, out."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from _peers.registry import LIBRARIES

from _figures import beside, checks, losses
from _figures.spread import of, spread
from _figures.words import measured, table

Results = dict[str, dict[str, Any]]
PRINTED = {
    "extractive": "Answering without a model",
    "checking": "What a check costs inside a stream",
    "service": "The service: streams at once over HTTP",
    "concurrency": "A thousand streams in one process",
}
SHORT = {"faults", "cited", "cost", "start"}  # what the README's table is made of
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


def short(found: Results) -> str:
    """The README's table: one row a library, each figure from the results."""
    rows = []
    held = set(found["cost"]["rows"]).intersection(found["start"]["rows"], found["faults"]["tables"]["defaults"])
    for client in (client for client in LIBRARIES if client in held):
        row = [beside.title(client).removesuffix(", citations decoded")]
        row += [figure(found, client) for figure in (_told, _uncaught, _cpu, _memory, _disk)]
        rows.append(row)
    columns = (
        "",
        "faults its caller is told of",
        "planted mistakes shown uncaught",
        "CPU of a streamed answer, ms",
        "memory, MB",
        "on disk, MB",
    )
    head = found["cost"]["measured"]
    began, ended = head["load"]
    rounds = max(len(each) for each in found["cost"]["rows"].values())
    return table(columns, rows) + (
        f"\n*{head['date'][:10]}, {head['machine']}, Python {head['python']}; medians, of {rounds} rounds for CPU, beside the "
        f"machine's other work (load {began:.0f} to {ended:.0f}).*\n"
    )


def _told(found: Results, client: str) -> str:
    rows = found["faults"]["tables"]["defaults"][client]["rows"]
    faulty = [row["saw"] for play, row in rows.items() if play != "nothing wrong"]
    return f"{sum(beside.SAW[saw][0] == 'good' for saw in faulty)} of {len(faulty)}"


def _uncaught(found: Results, client: str) -> str:
    rows = found["cited"]["rows"]
    row = rows["footnoted, hold (default)"] if client == "footnoted" else rows[beside.title(client)]
    planted = list(row["fates"].values())[1:]
    return f"{sum(fate in {'shown', 'logged', 'unmarked'} for fate in planted)} of {len(planted)}"


def _cpu(found: Results, client: str) -> str:
    rows = found["cost"]["rows"]
    middle = of(rows[client], "cpu_ms")
    cell = f"{middle.middle:.0f}" if middle else "–"
    checked = of(rows["footnoted-checked"], "cpu_ms") if client == "footnoted" else None
    return f"{cell}; checked {checked.middle:.0f}" if checked else cell


def _memory(found: Results, client: str) -> str:
    rows = found["start"]["rows"]
    middle = spread(rows[client]["answered_mb"])
    cell = f"{middle.middle:.0f}" if middle else "–"
    checked = spread(rows["footnoted-checked"]["answered_mb"]) if client == "footnoted" else None
    return f"{cell}; checked {checked.middle:.0f}" if checked else cell


def _disk(found: Results, client: str) -> str:
    return f"{found['start']['rows'][client]['mb']:.0f}"
