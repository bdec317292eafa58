"""Draws `research/figures.md` and its pictures from results in JSON. Nothing is measured here.

    python benchmarks/figures.py            write the page and the pictures
    python benchmarks/figures.py --check    exit 1 where they are not what the results make

Reads the newest part of each kind in `benchmarks/results`. To measure again: `peers.py`, `floors.py`, and `record.py NAME`
for a benchmark that prints its table.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from _figures.page import newest, page, pictures

HERE = Path(__file__).parent


def files(results: Path, research: Path) -> dict[Path, str]:
    """Each file and what must stand in it."""
    found = newest(results)
    made = {research / "images" / name: svg for name, svg in pictures(found).items()}
    made[research / "figures.md"] = page(found)
    return made


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--results", type=Path, default=HERE / "results")
    parser.add_argument("--out", type=Path, default=HERE.parent / "research")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 when something would change")
    options = parser.parse_args()
    wrong = []
    for path, text in files(options.results, options.out).items():
        if options.check:
            if not path.is_file() or path.read_text(encoding="utf-8") != text:
                wrong.append(path.name)
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
            print(f"wrote {path.name}")
    if wrong:
        print(f"not as the results make them: {', '.join(wrong)}; run python benchmarks/figures.py", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
