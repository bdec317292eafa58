"""What reading a folder costs: indexed for the first time, opened again, mended after a change, searched.

    python benchmarks/retrieval.py

Each opening is a fresh process, timed inside it after its imports (the parsers' own imports count, once a format is
met). Medians of the rounds, with the fastest beside them.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from _table import goals, heading, table, versions

CHECKOUT = Path(__file__).parent.parent
DATA = Path(os.environ.get("FOOTNOTED_DATA") or CHECKOUT.parent / "shared" / "data")
ONE = """
import json, sys, time
from footnoted.retrieval import Index
begun = time.perf_counter()
index = Index.open(sys.argv[1], cache=sys.argv[2])
opened = time.perf_counter()
index.search(sys.argv[3])
first = time.perf_counter()
for _ in range(20):
    index.search(sys.argv[3])
done = time.perf_counter()
times = [opened - begun, first - opened, (done - first) / 20]
print(json.dumps([time * 1000 for time in times] + [len(index.files), index.count, index.read]))
"""
FOLDERS = {
    "examples/policies": (CHECKOUT / "examples" / "policies", "What is the windscreen excess?"),
    "python-discord-docs": (DATA / "python-discord-docs", "How do I ask a good question?"),
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--report", action="store_true", help="print only; a missed goal is no failure")
    options = parser.parse_args()
    heading("Reading a folder", versions("tantivy", "pypdfium2", "python-docx", "markdown-it-py", "selectolax"))
    rows: list[tuple[str, ...]] = []
    reached: list[tuple[str, str, bool]] = []
    for name, (folder, question) in FOLDERS.items():
        if not folder.is_dir():
            continue
        first, again, mended = measure(folder, question, options.rounds)
        counts = f"{first[0][3]:.0f} files, {first[0][4]:.0f} passages"
        for what, times in (("first", first), ("again", again), ("one file changed", mended)):
            rows.append((f"{name}, {what} ({counts})", *(spread([time[n] for time in times]) for n in range(3))))
        reopened = statistics.median(time[0] for time in again)
        reached.append((f"{name} opened again ≤ 50 ms", f"{reopened:.1f} ms", reopened <= 50))
    table(("ms: median (fastest)", "open", "first search", "later search"), rows)
    return goals(reached, report=options.report)


def measure(folder: Path, question: str, rounds: int) -> tuple[list[list[float]], ...]:
    """Times of the first opening, one after nothing changed, and one after one file did."""
    first, again, mended = [], [], []
    for _ in range(rounds):
        with tempfile.TemporaryDirectory() as place:
            copy, kept = Path(place, "folder"), Path(place, "cache")
            shutil.copytree(folder, copy)
            first.append(once(copy, kept, question))
            again.append(once(copy, kept, question))
            changed = next(path for path in sorted(copy.rglob("*.md")))
            changed.write_text(changed.read_text(encoding="utf-8") + "\nOne more line.\n", encoding="utf-8")
            mended.append(once(copy, kept, question))
    assert {time[5] for time in again} == {0}
    assert {time[5] for time in mended} == {1}
    return first, again, mended


def once(folder: Path, kept: Path, question: str) -> list[float]:
    command = [sys.executable, "-c", ONE, str(folder), str(kept), question]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def spread(times: list[float]) -> str:
    return f"{statistics.median(times):.1f} ({min(times):.1f})"


if __name__ == "__main__":
    sys.exit(main())
