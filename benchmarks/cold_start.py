"""Does a cold start ever fail: N fresh `footnoted ask` processes, one after another, while every core is kept busy.

    python benchmarks/cold_start.py [--runs 500] [--burners N] [--source PATH] [--json]

A start opens compiled libraries from several threads, and which thread comes first is the scheduler's choice: a fault
of their order shows in a few runs of a hundred, and only where cores are contended. Each run has its own process; the
burners do nothing but count. A run fails when it exits with anything but 0 or writes a traceback.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from _table import goals, heading, table, versions

if TYPE_CHECKING:
    from collections.abc import Iterator

CHECKOUT = Path(__file__).resolve().parent.parent
DOCUMENT = "# Car policy\n\n## Windscreen\n\nThe windscreen excess is £75 for a repair. A replacement costs you £115.\n"
QUESTION = "What is the windscreen excess?"


@contextmanager
def busy(burners: int) -> Iterator[None]:
    """That many processes that count for as long as the block runs."""
    burning = [subprocess.Popen([sys.executable, "-c", "while True: sum(range(10_000))"]) for _ in range(burners)]
    try:
        yield
    finally:
        for one in burning:
            one.kill()
            one.wait()


def cold_starts(runs: int, source: Path) -> tuple[list[float], list[str]]:
    """Seconds of every run, and the last lines of what each failed one said."""
    took, failed = [], []
    with tempfile.TemporaryDirectory() as folder:
        documents = Path(folder, "documents")
        documents.mkdir()
        (documents / "car.md").write_text(DOCUMENT, encoding="utf-8")
        own = {name: value for name, value in os.environ.items() if not name.startswith("FOOTNOTED_")}
        own |= {"PYTHONPATH": str(source), "FOOTNOTED_CACHE": f"{folder}/cache", "HOME": folder}
        own.pop("PYTHONDONTWRITEBYTECODE", None)
        command = [sys.executable, "-m", "footnoted.cli", "ask", QUESTION, str(documents)]
        for run in range(runs):
            started = time.perf_counter()
            done = subprocess.run(command, env=own, capture_output=True, text=True, check=False)
            took.append(time.perf_counter() - started)
            if done.returncode or "Traceback" in done.stderr or "£75" not in done.stdout:
                failed.append(f"run {run + 1}, exit {done.returncode}: {' | '.join(done.stderr.splitlines()[-3:])}")
                print(failed[-1], file=sys.stderr)
            if (run + 1) % 25 == 0:
                print(f"{run + 1} of {runs} runs, {len(failed)} failed", file=sys.stderr)
    return took, failed


def main() -> int:
    """Run, print, and exit 1 when a start failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=500)
    parser.add_argument("--burners", type=int, default=os.cpu_count() or 2, help="processes that only count")
    parser.add_argument("--source", type=Path, default=CHECKOUT / "src", help="the folder footnoted is imported from")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of the table")
    parser.add_argument("--report", action="store_true", help="exit 0 whatever is found")
    asked = parser.parse_args()
    if not asked.json:
        heading("Cold starts on busy cores", versions("footnoted", "numpy", "onnxruntime", "tokenizers"))
    with busy(asked.burners):
        took, failed = cold_starts(asked.runs, asked.source.resolve())
    if asked.json:
        figures = {"runs": len(took), "failed": len(failed), "seconds": statistics.median(took), "failures": failed}
        print(json.dumps(figures | {"burners": asked.burners}, indent=2))
        return 1 if failed and not asked.report else 0
    table(("runs", "failed", "median s", "most s"), [(str(len(took)), str(len(failed)), *_wall(took))])
    return goals([("no cold start fails", f"{len(failed)} of {len(took)}", not failed)], report=asked.report)


def _wall(took: list[float]) -> tuple[str, str]:
    return f"{statistics.median(took):.2f}", f"{max(took):.2f}"


if __name__ == "__main__":
    sys.exit(main())
