"""What having a peer costs before it does anything: import, memory, disk, and the first answer from a cold start."""

from __future__ import annotations

import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from _paced_server import paced_server

from _peers.client import address as paced_address
from _peers.cost import turns
from _peers.environments import BENCHMARKS, size
from _peers.registry import CLIENTS
from _peers.running import measured, surroundings

FIGURES = ("import_ms", "import_cpu_ms", "import_mb", "cold_s", "cold_cpu_s", "answered_mb")
_MEMORY = "\nimport resource,pathlib\nprint(int(pathlib.Path('/proc/self/statm').read_text().split()[1])*resource.getpagesize())"


def _spent() -> float:
    """Seconds of processor time of all children that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _ran(python: Path, code: str) -> tuple[float, float, int]:
    """A fresh process that runs this code: milliseconds by the clock and of the processor, and its bytes of memory."""
    began, before = time.perf_counter(), _spent()
    done = subprocess.run(
        [str(python), "-c", code + _MEMORY],
        check=False,
        capture_output=True,
        text=True,
        cwd=BENCHMARKS,
        env=surroundings(),
    )
    took = (time.perf_counter() - began) * 1000
    if done.returncode:
        raise SystemExit(f"{code.splitlines()[0]} failed:\n{done.stderr[-1500:]}")
    return took, (_spent() - before) * 1000, int(done.stdout.split()[-1])


def started(pythons: dict[str, Path], clients: list[str], *, rounds: int) -> dict[str, dict[str, Any]]:
    """For each client, a round's figures after another, beside its size on disk.

    ``import_ms``, ``import_cpu_ms``, ``import_mb``: over a bare interpreter of the same environment. ``cold_s``,
    ``cold_cpu_s``, ``answered_mb``: a fresh process until its first answer is whole.
    """
    found: dict[str, dict[str, Any]] = {
        client: {**{name: [] for name in FIGURES}, **size(pythons[CLIENTS[client].env])} for client in clients
    }
    order = turns(clients, rounds + 1)
    with paced_server() as address:
        for number, client in enumerate(order):
            chosen, row = CLIENTS[client], found[client]
            python = pythons[chosen.env]
            empty = _ran(python, "pass")
            full = _ran(python, chosen.statement)
            began, before = time.perf_counter(), _spent()
            answer = measured(pythons, client, part="first", address=paced_address(address, 20, 0, chosen))
            cold, cold_cpu = time.perf_counter() - began, _spent() - before
            if number < len(clients):  # the first round compiles modules and warms the page cache
                continue
            figures = (
                full[0] - empty[0],
                full[1] - empty[1],
                (full[2] - empty[2]) / 1e6,
                cold,
                cold_cpu,
                answer.get("rss_mb", 0) * 1.048576,
            )
            for name, figure in zip(FIGURES, figures, strict=True):
                row[name].append(figure)
            print(f"\rstarts: {number + 1} of {len(order)} ({client})".ljust(60), end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    return found
