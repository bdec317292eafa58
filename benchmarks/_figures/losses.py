"""Says in sentences where another library does better than footnoted."""

from __future__ import annotations

from typing import Any

from _peers.registry import CLIENTS

from _figures.beside import FLOORS, SAW, title
from _figures.checks import NAMES
from _figures.spread import of, spread


def losses(found: dict[str, dict[str, Any]]) -> list[str]:
    """One sentence for each kind of figure."""
    lines: list[str] = []
    if "cost" in found:
        lines += _cost(found["cost"]["rows"])
    if "start" in found:
        lines += _start(found["start"]["rows"])
    if "faults" in found:
        lines += _faults(found["faults"]["tables"]["defaults"])
    if "grounding" in found:
        lines += _grounding(found["grounding"]["rows"])
    return lines


def _cost(rows: dict[str, Any]) -> list[str]:
    lines = []
    for figure, name in (("cpu_ms", "CPU a stream"), ("first_paced_ms", "the first text of a paced stream")):
        theirs = {
            title(client): middle.middle
            for client, rounds in rows.items()
            if CLIENTS[client].protocol == "openai"
            and not client.startswith("footnoted")
            and client not in FLOORS.values()
            and (middle := of(rounds, figure))
        }
        for ours in ("footnoted", "footnoted-checked"):
            mine = of(rows.get(ours, []), figure)
            better = sorted(peer for peer, value in theirs.items() if mine and value < mine.middle)
            if mine and better:
                lines.append(
                    f"**{name}**: {title(ours)}, {mine.middle:,.0f} ms; {_list(better, theirs, ' ms')} need less."
                )
    return lines


def _start(rows: dict[str, Any]) -> list[str]:
    lines = []
    for figure, name, unit in (
        ("mb", "disk", " MB"),
        ("distributions", "distributions installed", ""),
        ("import_cpu_ms", "import, every room opened", " ms"),
        ("answered_mb", "memory after a first answer", " MB"),
    ):
        for ours in ("footnoted", "footnoted-checked"):
            if ours not in rows or (ours != "footnoted" and figure != "answered_mb"):
                continue
            values = {client: _middle(row[figure]) for client, row in rows.items()}
            theirs = {
                title(client): value
                for client, value in values.items()
                if not client.startswith("footnoted") and client not in FLOORS.values() and value < values[ours]
            }
            if theirs:
                less = _list(sorted(theirs, key=theirs.__getitem__), theirs, unit)
                lines.append(f"**{name}**: {title(ours)}, {values[ours]:,.0f}{unit}; less: {less}.")
    return lines


def _faults(rows: dict[str, Any]) -> list[str]:
    lines = []
    for play, mine in rows["footnoted"]["rows"].items():
        if SAW[mine["saw"]][0] != "good":
            lines.append(f"**faults**: {play}: footnoted {SAW[mine['saw']][1]}.")
        elif play.startswith(("silence", "no headers", "keep-alives")):
            sooner = {
                title(client): row["rows"][play]["seconds"]
                for client, row in rows.items()
                if not client.startswith("footnoted")
                and SAW[row["rows"].get(play, {"saw": "unclear"})["saw"]][0] == "good"
                and row["rows"][play]["seconds"] < mine["seconds"] - 1.5
            }
            if sooner:
                who = _list(sorted(sooner), sooner, " s")
                lines.append(f"**faults**: {play}: footnoted tells after {mine['seconds']:.0f} s, sooner: {who}.")
    return lines


def _grounding(rows: dict[str, Any]) -> list[str]:
    lines = []
    for name, row in rows.items():
        better = {floor: found["score"] for floor, found in row["floors"].items() if found["score"] > row["ours"][0]}
        if better:
            who = ", ".join(f"{floor} {score:.1f}" for floor, score in better.items())
            lines.append(
                f"**{NAMES.get(name, name)}**: the check {row['ours'][0]:.1f}; better without training: {who}."
            )
    return lines


def _middle(value: Any) -> float:
    found = spread(value) if isinstance(value, list) else spread([value])
    return found.middle if found else 0.0


def _list(names: list[str], values: dict[str, float], unit: str) -> str:
    return ", ".join(f"{name} {values[name]:,.0f}{unit}" for name in names)
