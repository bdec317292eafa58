"""What starting costs: importing footnoted next to its peers, and the command line's first answer from cold.

    python benchmarks/import_time.py --peers-python PATH

Each figure is a fresh process, interleaved with the others; an import is the process's wall time less that of a
bare interpreter of the same environment. `import footnoted` opens its rooms when they are first used, so the line
that opens them all stands beside it. Files are in the page cache and modules are compiled, as on any second run.
"""

from __future__ import annotations

import argparse
import atexit
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from functools import cache
from pathlib import Path

from _priority import ahead_of_others
from _table import goals, heading, table, versions

CHECKOUT = Path(__file__).parent.parent
QUESTION = "What is the windscreen excess?"
OURS = {
    "import footnoted": "import footnoted",
    "from footnoted import * (every room)": "from footnoted import *",
    "… and the providers' HTTP client": "from footnoted import *; import aiohttp",
}
THEIRS = {"import openai": "import openai", "import llama_index.core": "import llama_index.core"}


@cache
def compiled() -> dict[str, str]:
    """The environment, and in it a place of our own where every module is kept compiled, as pip installs them."""
    kept = tempfile.TemporaryDirectory()
    atexit.register(kept.cleanup)
    own = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**own, "PYTHONPYCACHEPREFIX": kept.name}


def seconds(command: list[str], **environment: str) -> float:
    """Wall time of a command that must succeed."""
    environment = {**compiled(), **environment}
    started = time.perf_counter()
    done = subprocess.run(command, check=False, env=environment, capture_output=True, text=True, cwd=CHECKOUT)
    took = time.perf_counter() - started
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} failed:\n{done.stderr[-2000:]}")
    return took


def imports(peers: str | None, runs: int) -> dict[str, list[float]]:
    """Milliseconds each statement adds to a bare interpreter, a sample a run."""
    statements = [(sys.executable, name, code) for name, code in OURS.items()]
    if peers:
        statements += [(peers, name, code) for name, code in THEIRS.items()]
    found: dict[str, list[float]] = {name: [] for _, name, _ in statements}
    for run in range(-1, runs):  # the first round only warms the page cache and writes the .pyc files
        empty = {python: seconds([python, "-c", "pass"]) for python in {python for python, _, _ in statements}}
        for python, name, code in statements:
            took = seconds([python, "-c", code]) - empty[python]
            if run >= 0:
                found[name].append(took * 1000)
    return found


def importtime(module: str) -> float:
    """Milliseconds that ``-X importtime`` counts for a module and all it imports."""
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-c", f"import {module}"],
        env=compiled(),
        check=True,
        capture_output=True,
        text=True,
        cwd=CHECKOUT,
    )
    for line in reversed(done.stderr.splitlines()):
        cells = line.removeprefix("import time:").split("|")
        if len(cells) == 3 and cells[2].strip() == module:
            return int(cells[1]) / 1000
    raise SystemExit(f"{module} was not imported")


def first_answers(runs: int) -> dict[str, list[float]]:
    """Seconds of `footnoted ask`, a process each: the folder new, and its index cached."""
    command = [str(Path(sys.executable).parent / "footnoted"), "ask", QUESTION, "examples/policies"]
    found: dict[str, list[float]] = {"folder read for the first time": [], "folder's index cached": []}
    with tempfile.TemporaryDirectory() as temporary:
        cache = {"XDG_CACHE_HOME": temporary, "FOOTNOTED_CACHE": temporary}
        for run in range(-1, runs):
            for entry in Path(temporary).iterdir():
                shutil.rmtree(entry) if entry.is_dir() else entry.unlink()
            new = seconds(command, **cache)
            known = seconds(command, **cache)
            if run >= 0:
                found["folder read for the first time"].append(new)
                found["folder's index cached"].append(known)
    return found


def main() -> int:
    """Measure, print, judge."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peers-python", help="the Python of the peers' environment; see benchmarks/README.md")
    parser.add_argument("--report", action="store_true", help="exit 0 even when a goal is missed")
    parser.add_argument("--ordinary", action="store_true", help="keep the ordinary priority")
    parser.add_argument("--runs", type=int, default=15)
    args = parser.parse_args()
    priority = "ordinary" if args.ordinary else ahead_of_others()
    measured = versions("footnoted", "pydantic", "tantivy", "typer")
    if args.peers_python:
        code = "import json,sys,_table; print(json.dumps(_table.versions('openai', 'llama-index-core')))"
        told = subprocess.run(
            [args.peers_python, "-c", code], check=True, capture_output=True, text=True, cwd=Path(__file__).parent
        )
        measured |= {name: number for name, number in json.loads(told.stdout).items() if name != "Python"}
    heading(f"What starting costs, {priority} priority", measured)
    found = imports(args.peers_python, args.runs)
    table(
        ("milliseconds, over a bare interpreter", "median", "least"),
        [(name, f"{statistics.median(took):.0f}", f"{min(took):.0f}") for name, took in found.items()],
    )
    counted = importtime("footnoted")
    print(f"-X importtime counts {counted:.1f} ms for footnoted\n")
    answers = first_answers(7)
    table(
        (f'seconds of: footnoted ask "{QUESTION}" examples/policies', "median", "least"),
        [(name, f"{statistics.median(took):.2f}", f"{min(took):.2f}") for name, took in answers.items()],
    )
    light = statistics.median(found["import footnoted"])
    cold = {name: statistics.median(took) for name, took in answers.items()}
    return goals(
        [
            ("import footnoted: at most 150 ms", f"{light:.0f} ms", light <= 150),
            *((f"first answer, {name}: under 1.5 s", f"{took:.2f} s", took < 1.5) for name, took in cold.items()),
        ],
        report=args.report,
    )


if __name__ == "__main__":
    sys.exit(main())
