"""A benchmark's printed table, kept as JSON for the page of figures: `record.py NAME [its arguments]`.

    python benchmarks/record.py extractive
    python benchmarks/record.py service --seconds 3

Runs `benchmarks/NAME.py` and keeps what it prints, word for word, with machine, load, date and command, in
`benchmarks/results/NAME-DATE.json`.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

from _peers.recorded import RESULTS, Measuring, keep
from _table import plain, versions

HERE = Path(__file__).parent
_OWN = ("machine", "versions", "date", "command")  # lines of a heading, which the file holds apart


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", choices=sorted(path.stem for path in HERE.glob("*.py") if path.stem[0] != "_"))
    parser.add_argument("rest", nargs=argparse.REMAINDER, help="the benchmark's own arguments")
    options = parser.parse_args()
    measuring = Measuring()
    command = [sys.executable, str(HERE / f"{options.name}.py"), *options.rest]
    done = subprocess.run(command, check=False, stdout=subprocess.PIPE, text=True)
    lines = [line.rstrip() for line in done.stdout.splitlines() if not line.startswith(_OWN)]
    print(done.stdout)
    if not any(lines):
        return done.returncode or 1
    header = measuring.header()
    header["command"] = " ".join(["python", f"benchmarks/{options.name}.py", *plain(options.rest)])
    out = RESULTS / f"{options.name}-{datetime.now(UTC):%Y-%m-%d}.json"
    figures = {"measured": header, "versions": versions("footnoted"), "status": done.returncode, "printed": lines}
    keep(out, options.name, figures)
    print(f"kept in {out.name}", file=sys.stderr)
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
