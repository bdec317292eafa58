"""Runs one client in a process of its own and reads what it measured."""

from __future__ import annotations

import importlib
import json
import os
import subprocess
from pathlib import Path
from typing import Any

from _peers.environments import BENCHMARKS
from _peers.registry import CLIENTS

# Neither peer may phone home while it is measured; litellm would wait at import for a price list from the network.
QUIET = {
    "HAYSTACK_TELEMETRY_ENABLED": "False",
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    "ANONYMIZED_TELEMETRY": "False",
    "LANGSMITH_TRACING": "false",
}
_DROPPED = {"PYTHONDONTWRITEBYTECODE", "PYTHONPATH", "VIRTUAL_ENV"}


def surroundings() -> dict[str, str]:
    """The environment variables of a client."""
    kept = {name: value for name, value in os.environ.items() if name not in _DROPPED and "PROXY" not in name.upper()}
    return {**kept, **QUIET}


def command(pythons: dict[str, Path], client: str, **asked: Any) -> list[str]:
    """The command that runs a client."""
    python = pythons[CLIENTS[client].env]
    return [str(python), "-m", "_peers.client", json.dumps({"client": client, **asked})]


def lines(text: str) -> list[dict[str, Any]]:
    """The JSON objects among what a client printed; peers print too."""
    return [json.loads(line) for line in text.splitlines() if line.startswith("{") and line.endswith("}")]


def measured(pythons: dict[str, Path], client: str, *, limit: float = 300, **asked: Any) -> dict[str, Any]:
    """One client's figures; ``{"failed": why}`` when it broke or passed ``limit`` seconds."""
    try:
        done = subprocess.run(
            command(pythons, client, **asked),
            check=False,
            capture_output=True,
            text=True,
            cwd=BENCHMARKS,
            env=surroundings(),
            timeout=limit,
        )
    except subprocess.TimeoutExpired:
        return {"failed": f"not done after {limit:.0f} s"}
    found = lines(done.stdout)
    if done.returncode or not found:
        return {"failed": (done.stderr.strip().splitlines() or ["said nothing"])[-1][:300]}
    return found[-1]


def limits_of(client: str) -> str:
    """In words, what a client sets when its own limits are asked for."""
    return str(importlib.import_module(f"_peers.{CLIENTS[client].module}").LIMITS)


def versions_of(pythons: dict[str, Path], client: str) -> dict[str, str]:
    """The versions of the packages a client stands on, as its environment has them."""
    chosen = CLIENTS[client]
    code = f"import json, _table; print(json.dumps(_table.versions(*{chosen.packages!r})))"
    told = subprocess.run(
        [str(pythons[chosen.env]), "-c", code], check=True, capture_output=True, text=True, cwd=BENCHMARKS
    )
    return {name: number for name, number in json.loads(told.stdout).items() if name != "Python"}
