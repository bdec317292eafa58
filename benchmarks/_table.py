"""Prints figures as a plain table, headed by what is needed to read them: machine, versions, date, command."""

from __future__ import annotations

import os
import platform
import sys
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def heading(title: str, versions: Mapping[str, str]) -> None:
    """What was measured, where, on what, when, and how to do it again."""
    load = ", ".join(f"{value:.1f}" for value in os.getloadavg())
    print(title)
    print(f"machine   {processor()}, {os.cpu_count()} logical cores, {platform.system()}; load {load} at the start")
    print("versions  " + ", ".join(f"{name} {number}" for name, number in versions.items()))
    print(f"date      {datetime.now(UTC):%Y-%m-%d %H:%M} UTC")
    print("command   python " + " ".join(["benchmarks/" + Path(sys.argv[0]).name, *plain(sys.argv[1:])]))
    print()


def table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Left-aligned names, right-aligned figures."""
    widths = [max(map(len, column)) for column in zip(columns, *rows, strict=True)]
    for row in (columns, ["-" * width for width in widths], *rows):
        print("  ".join(c.ljust(w) if i == 0 else c.rjust(w) for i, (c, w) in enumerate(zip(row, widths, strict=True))))
    print()


def goals(reached: Sequence[tuple[str, str, bool]], *, report: bool) -> int:
    """Say which goals were reached; the exit status: 1 when one was missed and that counts."""
    table(("goal", "measured", ""), [(goal, found, "reached" if ok else "MISSED") for goal, found, ok in reached])
    missed = not all(ok for _, _, ok in reached)
    return 1 if missed and not report else 0


def versions(*packages: str) -> dict[str, str]:
    """Of this Python and the packages it has."""
    found = {"Python": platform.python_version()}
    for package in packages:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "absent"
    return found


def processor() -> str:
    """The processor's name, as the system tells it."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def plain(arguments: Sequence[str]) -> list[str]:
    """A command's arguments without this machine's paths."""
    return ["PATH" if argument.startswith(os.sep) else argument for argument in arguments]
