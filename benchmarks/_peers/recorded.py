"""Writes figures as JSON, each part under the machine, load, date and command it was measured with."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from _table import plain, processor

from _peers.environments import BENCHMARKS

RESULTS = BENCHMARKS / "results"


class Measuring:
    """One part being measured: notes date and load now, and adds the load at the end."""

    def __init__(self) -> None:
        self.began = datetime.now(UTC)
        self.load = os.getloadavg()[0]

    def header(self) -> dict[str, Any]:
        """What is needed to read the figures."""
        name = Path(sys.argv[0]).name
        return {
            "date": f"{self.began:%Y-%m-%d %H:%M} UTC",
            "minutes": round((datetime.now(UTC) - self.began).total_seconds() / 60, 1),
            "machine": f"{processor()}, {os.cpu_count()} logical cores, {platform.system()}",
            "load": [round(self.load, 1), round(os.getloadavg()[0], 1)],
            "python": platform.python_version(),
            "commit": _commit(),
            "command": " ".join(["python", f"benchmarks/{name}", *plain(sys.argv[1:])]),
        }


def _commit() -> str:
    """The checkout's last commit, with a plus where files differ from it; empty where there is no git."""
    try:
        asked = ["git", "describe", "--always", "--dirty=+", "--abbrev=9"]
        return subprocess.run(asked, check=True, capture_output=True, text=True, cwd=BENCHMARKS).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


def keep(path: Path, part: str, figures: dict[str, Any]) -> None:
    """Write one part into the file, beside the parts that stand in it already."""
    path.parent.mkdir(parents=True, exist_ok=True)
    known = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    known[part] = figures
    path.write_text(_lines(_short(known)) + "\n", encoding="utf-8")


def _lines(value: Any, depth: int = 0) -> str:
    """JSON with a line for whatever fits on one, so that a round or a row is a line of a diff."""
    whole = json.dumps(value, ensure_ascii=False)
    if len(whole) + depth <= 120 or not isinstance(value, dict | list):
        return whole
    space = "\n" + " " * (depth + 1)
    if isinstance(value, list):
        parts, ends = [_lines(one, depth + 1) for one in value], "[]"
    else:
        parts, ends = (
            [f"{json.dumps(key, ensure_ascii=False)}: {_lines(one, depth + 1)}" for key, one in value.items()],
            "{}",
        )
    return ends[0] + space + f",{space}".join(parts) + "\n" + " " * depth + ends[1]


def _short(value: Any) -> Any:
    """The same with figures of five digits: no machine is steadier than that."""
    if isinstance(value, float):
        return float(f"{value:.5g}")
    if isinstance(value, dict):
        return {key: _short(one) for key, one in value.items()}
    return [_short(one) for one in value] if isinstance(value, list) else value
